import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { ShellExec, type ShellExecOptions } from "../../src/command/ShellExec.ts"
import { makeReference } from "../../src/command/plain/secret.ts"
import { canRerun } from "../../src/compute/canRerun.ts"
import { maxStoredInputLength, redactExec } from "../../src/compute/redaction.ts"

const rerun = (options: ShellExecOptions = {}) => ShellExec.make("make", ["all"], { onHostLoss: "rerun", ...options })

it("allows a rerun only of a repeatable command that is complete in the journal", () => {
  const secret = Redacted.make("hunter2")
  expect(canRerun(rerun({ env: { A: "b", C: null }, input: "text" }))).toBe(true)
  expect(canRerun(ShellExec.make("make", ["all"]))).toBe(false)
  expect(canRerun(rerun({ onHostLoss: "fault" }))).toBe(false)
  expect(canRerun(ShellExec.make("make", [secret], { onHostLoss: "rerun" }))).toBe(false)
  expect(canRerun(rerun({ env: { A: "b", TOKEN: secret } }))).toBe(false)
  expect(canRerun(rerun({ input: secret }))).toBe(false)
  // The next host reads the secret itself.
  expect(canRerun(rerun({ env: { TOKEN: makeReference("github") } }))).toBe(true)
  expect(canRerun(redactExec(rerun({ input: "x".repeat(maxStoredInputLength + 1) }), undefined))).toBe(false)
})
