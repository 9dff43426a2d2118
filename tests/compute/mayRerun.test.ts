import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { ShellExec, type ShellExecOptions } from "../../src/command/ShellExec.ts"
import { mayRerun } from "../../src/compute/mayRerun.ts"
import { maxStoredInput, redactExec } from "../../src/compute/redaction.ts"

const rerun = (options: ShellExecOptions = {}) => ShellExec.make("make", ["all"], { onHostLoss: "rerun", ...options })

it("lets only a command be run again that says so, and is in the journal as it was", () => {
  const secret = Redacted.make("hunter2")
  expect(mayRerun(rerun({ env: { A: "b", C: null }, input: "text" }))).toBe(true)
  expect(mayRerun(ShellExec.make("make", ["all"]))).toBe(false)
  expect(mayRerun(rerun({ onHostLoss: "fault" }))).toBe(false)
  expect(mayRerun(ShellExec.make("make", [secret], { onHostLoss: "rerun" }))).toBe(false)
  expect(mayRerun(rerun({ env: { A: "b", TOKEN: secret } }))).toBe(false)
  expect(mayRerun(rerun({ input: secret }))).toBe(false)
  expect(mayRerun(redactExec(rerun({ input: "x".repeat(maxStoredInput + 1) }), undefined))).toBe(false)
})
