/** Tests the flags of `sluice journal` and of redaction with the real program. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync, symlinkSync } from "node:fs"
import { hostname } from "node:os"
import { ask, exit, ran, take } from "../../history/support.ts"
import { workshop } from "../../support/workshop.ts"
import { sluice } from "../support.ts"
import { journalWith } from "./support.ts"
import { ownName } from "../../support/ownName.ts"

const posix = it.live.skipIf(process.platform === "win32")

const idsIn = (stdout: string): ReadonlyArray<string> =>
  stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line).line)

posix("shows the directory of a command whose program is missing, through a link", () =>
  Effect.gen(function* () {
    const { directory, path } = yield* workshop
    symlinkSync(directory, path("link"))
    const journal = path("j.db")
    yield* sluice(["run", "--journal", journal, "--cwd", path("link"), "--", "no-such-program"], { cwd: directory })
    const { stdout } = yield* sluice(["journal", "list", "--json", "--journal", journal])
    expect(JSON.parse(stdout)).toMatchObject({ workingDirectory: directory, user: ownName })
  }))

posix(
  "lists by --tail, --grep, --exit-code and --host, and user, host and directory with --long",
  () =>
    Effect.gen(function* () {
      const { directory, path } = yield* workshop
      const journal = path("j.db")
      const run = (...args: ReadonlyArray<string>) =>
        sluice(["run", "--journal", journal, "--", ...args], { cwd: directory })
      for (const code of [0, 3, 4, 0]) yield* run("sh", "-c", `echo code ${code}; exit ${code}`)
      yield* run("echo", "v1.2.3")
      const list = (...args: ReadonlyArray<string>) =>
        Effect.map(sluice(["journal", "list", "--json", "--journal", journal, ...args]), ({ stdout }) => idsIn(stdout))
      const all = yield* list("--oldest")
      expect(all).toHaveLength(5)
      expect(yield* list("--tail", "2")).toEqual(all.slice(-2))
      expect(yield* list("--grep", "v\\d+\\.\\d")).toEqual(["echo v1.2.3"])
      expect(yield* list("--exit-code", "3")).toEqual([all[1]])
      expect(yield* list("--exit-code", "!0", "--oldest")).toEqual([all[1], all[2]])
      expect(yield* list("--host", hostname())).toHaveLength(5)
      expect(yield* list("--host", "no-such-*")).toEqual([])
      expect(yield* list("--since", "1 hour ago", "--until", "now", "--tail", "1")).toEqual(["echo v1.2.3"])
      expect(yield* list("--until", "yesterday")).toEqual([])
      const table = (yield* sluice(["journal", "list", "--long", "--tail", "2", "--journal", journal])).stdout.split(
        "\n",
      )
      expect(table[0]).toMatch(/USER +HOST +DIRECTORY +COMMAND$/)
      expect(table[1]?.split(/ {2,}/).slice(5, 8)).toEqual([ownName, hostname(), directory])
      expect(table[2]).toMatch(/ echo v1\.2\.3$/)
      const shown = yield* sluice(["journal", "show", "last", "--journal", journal])
      expect(shown.stderr).toMatch(new RegExp(`directory +${directory}\n`))
      expect(shown.stderr).toMatch(new RegExp(`process \\d+ on ${hostname()} as ${ownName}`))
      expect(shown.stderr).toMatch(/executable +\/.*\/(?:echo|coreutils)\n/)
    }),
)

posix("shows the lines that a pattern finds, and when each was written", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const journal = path("j.db")
    const script = "printf 'one\\ntwo\\nthr'; sleep 0.2; printf 'ee\\n'; echo err >&2; printf 'tail two'"
    yield* sluice(["run", "--journal", journal, "--", "sh", "-c", script])
    const shown = yield* sluice(["journal", "show", "last", "--grep", "t[wh]", "--journal", journal])
    expect(shown.stdout).toBe("two\nthree\ntail two")
    expect(shown.stderr).not.toMatch(/^err$/m)
    const tail = yield* sluice(["journal", "tail", "last", "--timestamps", "--journal", journal])
    const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`
    expect(tail.stdout).toMatch(new RegExp(`^${time} one\n${time} two\n${time} three\n${time} tail two$`))
    expect(tail.stderr).toMatch(new RegExp(`^${time} err\n$`, "m"))
  }))

it.effect("knows yesterday by the calendar", () =>
  Effect.gen(function* () {
    // What the command line goes by is the time of the machine.
    const now = new Date()
    const day = (back: number, ...time: ReadonlyArray<number>): number =>
      new Date(now.getFullYear(), now.getMonth(), now.getDate() - back, ...time).getTime()
    const { said } = yield* journalWith(Effect.gen(function* () {
      yield* TestClock.setTime(day(2, 23, 59))
      yield* ran("c1", ["before"])
      yield* TestClock.setTime(day(1))
      yield* ran("c2", ["yesterday"])
      yield* TestClock.setTime(day(0))
      yield* ask("c3", ["today"])
      yield* take("c3")
      yield* exit("c3", 0)
    }))
    const list = (...args: ReadonlyArray<string>) =>
      Effect.map(said("list", "--json", "--oldest", ...args), ({ stdout }) => idsIn(stdout))
    expect(yield* list("--since", "yesterday")).toEqual(["yesterday", "today"])
    expect(yield* list("--since", "today")).toEqual(["today"])
    expect(yield* list("--since", "yesterday", "--until", "today")).toEqual(["yesterday"])
    expect(yield* list("--since", new Date(day(1)).toISOString())).toEqual(["yesterday", "today"])
    expect(yield* list("--since", "3 days ago")).toEqual(["before", "yesterday", "today"])
    const wrong = [
      [["--since", "last tuesday"], "is not a time; write an age"],
      [["--grep", "("], "is not a regular expression"],
      [["--exit-code", "bad"], "is not an exit code"],
      [["--tail", "0"], "is not a whole number from 1"],
    ] as const
    for (const [args, what] of wrong) {
      const { status, stderr } = yield* said("list", ...args)
      expect([status, stderr]).toEqual([125, expect.stringContaining(what)])
    }
    expect((yield* said("list", "--tail", "2", "--max-count", "3")).stderr).toContain(
      "--tail and --max-count or --oldest are mutually exclusive",
    )
  }))

posix(
  "keeps tokens, patterns and values of variables out of the journal, and passes them on to the terminal",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const token = `ghp_${"a1B2".repeat(9)}`
      const secret = "s3cr3t/of mine"
      const script = `echo ${token}; echo ticket-4711; printf %s "$MINE" | base64; printf '%s\\n' "$MINE"`
      const run = (name: string, ...flags: ReadonlyArray<string>) =>
        sluice(["run", "--journal", path(name), ...flags, "--", "sh", "-c", script], { env: { MINE: secret } })
      const bytesOf = (name: string): string => readFileSync(path(name), "utf8")
      const usual = yield* run("usual.ndjson")
      expect(usual.stdout).toContain(token)
      expect(usual.stdout).toContain(secret)
      expect(bytesOf("usual.ndjson")).not.toContain(token)
      expect(bytesOf("usual.ndjson")).toContain("<redacted:GitHub token>")
      expect(bytesOf("usual.ndjson")).toContain("ticket-4711")

      const all = yield* run("all.ndjson", "--redact", "ticket-\\d+", "--secret-env", "MINE")
      expect(all.stdout).toBe(usual.stdout)
      const shown = yield* sluice(["journal", "show", "last", "--journal", path("all.ndjson")])
      expect(shown.stdout).toBe("<redacted:GitHub token>\n<redacted:pattern>\n<redacted:MINE>\n<redacted:MINE>\n")
      const stored = bytesOf("all.ndjson")
      for (const text of [token, "ticket-4711", secret, Buffer.from(secret).toString("base64")]) {
        expect(stored).not.toContain(text)
      }
      yield* run("none.ndjson", "--no-redact")
      expect(bytesOf("none.ndjson")).toContain(token)

      const own = ["--env", "OWN=another-secret", "--secret-env", "OWN", "--", "sh", "-c", "echo $OWN"]
      expect((yield* sluice(["run", "--journal", path("own.ndjson"), ...own])).stdout).toBe("another-secret\n")
      expect(bytesOf("own.ndjson")).not.toContain("another-secret")

      for (
        const [flags, what] of [
          [["--secret-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE is not set"],
          [["--redact", "("], "is not a regular expression"],
          [["--env", "SHORT=abc", "--secret-env", "SHORT"], "at least 4 characters"],
        ] as const
      ) {
        const { status, stderr } = yield* run("wrong.ndjson", ...flags)
        expect([status, stderr]).toEqual([125, expect.stringContaining(what)])
      }
    }),
)
