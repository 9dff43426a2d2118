import { expect, it } from "@effect/vitest"
import type { ShellOutput } from "../../../src/command/ShellEvent.ts"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { ShellExitError } from "../../../src/shell/ShellExitError.ts"

const output: ShellOutput = {
  _tag: "ShellOutput",
  commandId: "c1",
  exitCode: 3,
  stdout: "",
  stderr: "no",
  stdoutBytes: 0,
  stderrBytes: 2,
  stdoutBytesOmitted: 0,
  stderrBytesOmitted: 0,
  executable: "/bin/sh",
  duration: 1,
  completed: 0,
  drain: "eof",
}

it("narrows to the members of an instance with instanceof", () => {
  const errors: ReadonlyArray<unknown> = [ShellExitError.because(output), ShellExec.make("git")]
  const [error, exec] = errors
  if (!(error instanceof ShellExitError) || !(exec instanceof ShellExec)) throw new Error("another class")
  expect([error.exitCode, error.stderr, exec.command]).toEqual([3, "no", "git"])
})

it("has the members of an instance where it is constructed and in a class that extends it", () => {
  class Strict extends ShellExitError {
    get isUsage() {
      return this.exitCode === 3
    }
  }
  expect(new Strict({ message: "m", output }).isUsage).toBe(true)
  expect(new ShellExitError({ message: "m", output }).stderr).toBe("no")
})
