/** `sluice run --portable`: a script in the portable shell, with the streams and the status of the command line. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { runInProcess, sluice } from "./support.ts"

// Another shell has another version.
const script = 'read -r first; tr a-z A-Z; echo "$first $# ${BASH_VERSION##*-}" >&2; exit 3'

it.live("runs a bash script without a system shell, and reads piped input", () =>
  Effect.gen(function* () {
    expect(yield* sluice(["run", "--portable", "--", script], { input: "one\ntwo\nthree\n" })).toEqual({
      status: 3,
      stdout: "TWO\nTHREE\n",
      stderr: "one 0 sluice\n",
    })
    const json = yield* sluice(["run", "--portable", "--json", "--no-stream", "--", "cat"], { input: "text" })
    expect(JSON.parse(json.stdout)).toMatchObject({ _tag: "ShellOutput", exitCode: 0, stdout: "text" })
  }))

it.effect("takes one script, and has no terminal", () =>
  Effect.gen(function* () {
    for (
      const [words, problem] of [
        [["a", "b"], "--portable takes one script: quote it, as in --portable -- 'ls | wc -l'"],
        [["--tty", "--", "a"], "--tty and --portable are mutually exclusive"],
      ] as const
    ) {
      const { status, stderr } = yield* runInProcess("run", "--portable", ...words)
      expect({ status, stderr }).toEqual({ status: 125, stderr: `sluice: ${problem}\n` })
    }
  }))
