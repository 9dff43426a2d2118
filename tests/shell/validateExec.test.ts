import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { ShellExec, type ShellExecOptions } from "../../src/command/ShellExec.ts"
import type { Word } from "../../src/command/Secret.ts"
import { validateExec } from "../../src/shell/validateExec.ts"

const check = (command: string, args: ReadonlyArray<Word> = [], options: ShellExecOptions = {}) =>
  validateExec(ShellExec.make(command, args, options))

it("names the field that no process can represent", () => {
  const table: ReadonlyArray<readonly [ReturnType<typeof check>, string, string]> = [
    [check(""), "command", "the command is empty"],
    [check(" \t"), "command", "the command is empty"],
    [check("a\0b"), "command", "the command contains a NUL"],
    [check("a", ["ok", "x\0"]), "arguments", "argument 2 contains a NUL"],
    [check("a", [Redacted.make("x\0")]), "arguments", "argument 1 contains a NUL"],
    [check("a", ["\ud800"]), "arguments", "argument 1 contains half a surrogate pair"],
    [check("a", [], { cwd: "" }), "workingDirectory", "the working directory is empty"],
    [check("a", [], { cwd: "/\0" }), "workingDirectory", "the working directory contains a NUL"],
    [check("a", [], { env: { "": "x" } }), "environment", 'the variable "" has an empty name'],
    [check("a", [], { env: { "A=B": null } }), "environment", "the variable \"A=B\" has a '=' in its name"],
    [check("a", [], { env: { "A\0": "" } }), "environment", 'the variable "A\\u0000" has a NUL in its name'],
    [check("a", [], { env: { A: "\0" } }), "environment", 'the variable "A" contains a NUL'],
    [
      check("a", [], { env: { A: "\udc00" } }),
      "environment",
      'the variable "A" contains half a surrogate pair',
    ],
    [check("a", [], { encoding: "utf-9" }), "encoding", 'the encoding "utf-9" is not known here'],
  ]
  for (const [fault, field, problem] of table) {
    expect(fault?.reason).toEqual({ _tag: "InvalidRequest", field, code: "EINVAL" })
    expect(fault?.message).toBe(`exec: ${problem} (EINVAL)`)
  }
})

it("refuses arguments beside a script for the shell", () => {
  const fault = check("echo $1", ["x"], { useShell: true })
  expect(fault?.reason).toMatchObject({ _tag: "InvalidRequest", field: "arguments" })
})

it("refuses a secret without its value in every field", () => {
  const travelled = (exec: ShellExec) => Schema.decodeSync(ShellExec)(Schema.encodeSync(ShellExec)(exec))
  const secret = Redacted.make("hunter2")
  const execs = {
    arguments: ShellExec.make("a", [secret]),
    environment: ShellExec.make("a", [], { env: { TOKEN: secret } }),
    input: ShellExec.make("a", [], { input: secret }),
  }
  for (const [field, exec] of Object.entries(execs)) {
    expect(validateExec(exec)).toBeUndefined()
    expect(validateExec(travelled(exec))?.reason).toMatchObject({ _tag: "InvalidRequest", field })
  }
})

it("accepts everything that a process can receive", () => {
  expect(check("a", ["", "\n", "é😀", "-", "$(x)", Redacted.make("x")])).toBeUndefined()
  expect(check("a | b\n", [], { useShell: true })).toBeUndefined()
  expect(check("a", [], { input: new Uint8Array([0]), encoding: "latin1", env: { A: null, b: "=" } }))
    .toBeUndefined()
})

it("contains the id of its command", () => {
  expect(check("", [], { commandId: "mine" })?.commandId).toBe("mine")
})
