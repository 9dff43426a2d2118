/** `sluice run --explain`: a line a command, the exit status, and what it refuses. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { workshop } from "../support/workshop.ts"
import { fakeProcess, openInput, runFakeProcess, runInProcess } from "./support.ts"

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
        [
          ["--explain", "--", "ls"],
          "--explain requires --allow-command, ALLOWED_COMMANDS or a --config with allow-command",
        ],
        [["--allow-command", "ls", "--", "ls"], "--allow-command requires --explain"],
        [["--config", "sluice.toml", "--", "ls"], "--config requires --explain"],
        [["--explain", "--tty", "--allow-command", "ls", "--", "ls"], "--explain and --tty are mutually exclusive"],
      ] as const
    ) {
      const { status, stderr } = yield* runInProcess("run", ...words)
      expect({ status, stderr }).toEqual({ status: 125, stderr: `sluice: ${problem}\n` })
    }
  }))

it.effect("takes the policy from the file of a server, below the flags", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    write(
      "sluice.toml",
      `allow-command = ["ls"]
journal = "runs.db"
limit = { cpu = "1s" }
[mcp]
allow-command = ["curl"]
[[tokens]]
name = "ci"
token-env = "A_VARIABLE_THAT_IS_NOT_SET"
`,
    )
    const words = ["run", "--explain", "--config", path("sluice.toml")]
    const byFile = yield* runFakeProcess({ ...fakeProcess([...words, "--shell", "--", "ls; curl x"]), openInput })
    expect(byFile).toMatchObject({ status: 126, stderr: "" })
    expect(byFile.stdout).toMatch(/^1:1 {2}allowed {2}ls {2}\(\S+\)\n1:5 {2}refused {2}curl x {2}\(.*\)\n$/)
    const byFlag = yield* runFakeProcess({
      ...fakeProcess([...words, "--allow-command", "cat", "--portable", "--", "ls"]),
      openInput,
    })
    expect(byFlag).toMatchObject({ status: 126, stdout: expect.stringContaining("refused  ls") })
  }))
