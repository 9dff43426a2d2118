/** `sluice run --explain`: a line a command, the exit status, and what it refuses. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { runInProcess } from "./support.ts"

const explain = (...words: ReadonlyArray<string>) =>
  runInProcess("run", "--explain", "--allow-command", "ls", "--allow-command", "cat", ...words)

it.effect("prints the decision about each command of a script, and runs none", () =>
  Effect.gen(function* () {
    const script = "ls -l |\n  cat\ncurl x.org\nls $HOME; [ a ]\ncat <<E\nbody\nE"
    const { status, stderr, stdout } = yield* explain("--shell", "--", script)
    expect(stderr).toBe("")
    expect(stdout.replaceAll(/\(\/\S*\//g, "(")).toBe(
      `1:1  allowed  ls -l  (ls)
2:3  allowed  cat  (cat)
3:1  refused  curl x.org  (curl is not among the allowed commands (NOT_ALLOWED))
4:1  unknown  ls $HOME
4:11  builtin  [ a ]
5:1  allowed  cat <<E  (cat)
`,
    )
    expect(status).toBe(126)
  }))

it.effect("exits with 0 where nothing is refused, and explains a command with arguments", () =>
  Effect.gen(function* () {
    const { status, stdout } = yield* explain("--", "ls", "-l")
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^allowed {2}ls -l {2}\(\/\S+\)\n$/),
    })
    expect((yield* explain("--shell", "--", "ls $x")).status).toBe(0)
    const json = yield* explain("--json", "--", "curl", "x")
    expect(json.status).toBe(126)
    expect(JSON.parse(json.stdout)).toMatchObject({ command: "curl x", decision: { _tag: "Refused" } })
  }))

it.effect("reports a script that cannot be read, and flags that say nothing", () =>
  Effect.gen(function* () {
    const syntax = yield* explain("--shell", "--", "if")
    expect(syntax.status).toBe(125)
    expect(syntax.stderr).toContain("exec: the script cannot be read: line 1, column 3")
    const outside = yield* explain("--allow-cwd-root", "/usr", "--cwd", "/", "--", "ls")
    expect({ status: outside.status, stdout: outside.stdout }).toEqual({
      status: 126,
      stdout: expect.stringContaining("refused  ls  (cwd"),
    })
    for (
      const [words, problem] of [
        [["--explain", "--", "ls"], "--explain requires --allow-command or ALLOWED_COMMANDS"],
        [["--allow-command", "ls", "--", "ls"], "--allow-command requires --explain"],
        [["--explain", "--tty", "--allow-command", "ls", "--", "ls"], "--explain and --tty are mutually exclusive"],
      ] as const
    ) {
      const { status, stderr } = yield* runInProcess("run", ...words)
      expect({ status, stderr }).toEqual({ status: 125, stderr: `sluice: ${problem}\n` })
    }
  }))
