import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type RemoteStart, startLine, startText } from "../../../src/leaves/ssh/startScript.ts"

const nonce = "0123456789abcdef"

const start = (more: Partial<RemoteStart>): RemoteStart => ({
  marker: "sluice-a.b",
  program: "printf",
  args: [],
  directory: undefined,
  variables: [],
  clearWith: undefined,
  env: "/usr/bin/env",
  localBin: false,
  merge: false,
  hasInput: true,
  terminal: false,
  limits: [],
  waits: false,
  ...more,
})

/** Runs a start as a login shell does, and returns what is behind its own lines. */
const run = (more: Partial<RemoteStart>, input = "", shell: ReadonlyArray<string> = ["/bin/sh"]) => {
  const [file = "sh", ...args] = shell
  const { status, stderr, stdout } = spawnSync(file, [...args, "-c", startLine(nonce, start(more))], {
    input: startText(nonce, start(more)) + input,
    encoding: "utf8",
  })
  const [first = "", ...others] = stdout.split("\n")
  expect(first).toMatch(new RegExp(`^${nonce} [0-9]+$`))
  const end = others[0]?.startsWith(`${nonce} ok `) === true ? others.indexOf(nonce) : 0
  const answer = others.slice(0, Math.max(1, end)).join("\n").slice(nonce.length + 1)
  return { status, stderr, answer, output: others.slice(end + 1).join("\n") }
}

const shells = [["/bin/sh"], ["/bin/dash"], ["/bin/bash"], ["/bin/bash", "--posix"], ["/bin/busybox", "sh"]]
  .filter(([file = ""]) => existsSync(file))

describe.runIf(process.platform !== "win32")("the text that starts a command", () => {
  it("has nothing in its line that Bourne shells, fish and csh read in different ways", () => {
    const line = startLine(nonce, start({ env: "/odd path/env" }))
    const [before = "", inside = "", after] = line.split("'")
    expect([before, after, line.split("'").length]).toEqual([
      "exec /usr/bin/env SLUICE_RUN=sluice-a.b /bin/sh -c ",
      "",
      3,
    ])
    expect(inside).not.toMatch(/[!\\\n]/)
  })

  it.each(shells)("gives words unchanged to a program, started by %s %s", (...shell) => {
    const words = [
      "",
      "a b",
      "it's",
      '"',
      "$HOME",
      "`id`",
      "a\nb\n",
      "\\n",
      "!",
      "*",
      "-n",
      "é日本",
      "\u0001\u007f",
      "~",
      "#",
      ";",
    ]
    const { answer, output, status } = run({ args: [words.map(() => "[%s]").join(""), ...words] }, "", shell)
    expect([status, answer]).toEqual([0, `ok ${answer.slice(3)}`])
    expect(answer).toMatch(/^ok \/.*printf$/)
    expect(output).toBe(words.map((word) => `[${word}]`).join(""))
  })

  it.each(shells)("leaves stdin to the program at its first byte: %s %s", (...shell) => {
    expect(run({ program: "cat" }, "line 1\nline 2", shell).output).toBe("line 1\nline 2")
  })

  it("sets, overrides and removes variables, also variables that no shell can name", () => {
    const variables = [["A", "it's\n$B"], ["PATH", "/usr/bin:/bin"], ["HOME", null], ["x.y", "dots"]] as const
    const { output } = run({ program: "env", args: ["-0"], variables })
    const found = output.split("\0")
    expect(found).toEqual(
      expect.arrayContaining(["A=it's\n$B", "PATH=/usr/bin:/bin", "x.y=dots", "SLUICE_RUN=sluice-a.b"]),
    )
    expect(found.some((entry) => entry.startsWith("HOME="))).toBe(false)
    expect(found.some((entry) => entry.startsWith("_sl"))).toBe(false)
  })

  it("starts in an empty environment", () => {
    const { output } = run({ program: "/usr/bin/env", variables: [["ONLY", "this"]], clearWith: "/usr/bin/env" })
    expect(output.trim().split("\n").toSorted()).toEqual(["ONLY=this", "SLUICE_RUN=sluice-a.b"])
  })

  it("passes on variables that sh itself uses, and nothing of them is in stderr", () => {
    const variables = [["IFS", "/"], ["BASH_VERSION", "5"], ["CDPATH", "/tmp"]] as const
    const { output, stderr } = run({ program: "env", args: ["-0"], variables })
    expect(output.split("\0")).toEqual(expect.arrayContaining(variables.map((each) => each.join("="))))
    expect(stderr).toBe("sluice-a.b\n")
  })

  it("sets limits by the programs of the server, not by programs in the command's PATH", () => {
    const { answer } = run({
      program: "/usr/bin/env",
      variables: [["PATH", "/no/such"]],
      limits: ["cat /dev/null || _slf limit processes"],
    })
    expect(answer).toBe("ok /usr/bin/env")
  })

  it("starts a program whose path has line ends, and refuses a path that env(1) would read as a variable", () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-start-"))
    const bin = join(folder, "a=b\nc")
    mkdirSync(bin)
    writeFileSync(join(bin, "tool"), "#!/bin/sh\necho it ran\n", { mode: 0o755 })
    const program = join(bin, "tool")
    expect(run({ program })).toMatchObject({ answer: `ok ${program}`, output: "it ran\n" })
    const variables = [["PATH", bin]] as const
    expect(run({ program: "tool", args: ["/bin/echo"], variables, clearWith: "/usr/bin/env" }).answer)
      .toBe("program EINVAL")
    rmSync(folder, { recursive: true })
  })

  it("says why a program was not started", () => {
    expect(run({ program: "no-such" }).answer).toBe("program ENOENT")
    expect(run({ program: "/no/such" }).answer).toBe("program ENOENT")
    expect(run({ program: "/etc/passwd" }).answer).toBe("program EACCES")
    expect(run({ program: "/etc" }).answer).toBe("program EISDIR")
    expect(run({ directory: "/no/such" }).answer).toBe("cwd ENOENT")
    expect(run({ directory: "/etc/passwd" }).answer).toBe("cwd ENOTDIR")
    expect(run({ limits: ["false || _slf limit memoryBytes"] }).answer).toBe("limit memoryBytes")
  })
})
