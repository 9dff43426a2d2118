import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { LocalShell, Shell, ShellExec, ShellOutput } from "@sluice/shell"
import { faultOf } from "../../../support/contract/target.ts"
import { scriptAnswer } from "../../../support/script.ts"

const Answer = Schema.Struct({ limits: Schema.Array(Schema.String), output: ShellOutput })

describe.runIf(process.platform === "linux")("the limit of processes, on Linux", () => {
  it("is enforced for a user", async () => {
    const { limits, output } = await scriptAnswer(Answer, new URL("../processes.fixture.ts", import.meta.url))
    expect(limits).toContain("processes")
    expect(output.stdout).toBe("")
    expect(output.stderr).toMatch(/fork/)
    expect(output.exitCode).not.toBe(0)
  })

  it.live.runIf(process.getuid?.() === 0)(
    "is refused for root, whose processes the kernel does not count",
    () =>
      Effect.gen(function* () {
        const { capabilities } = yield* Shell
        expect(capabilities.limits).not.toContain("processes")
        const fault = yield* faultOf(ShellExec.make("true", [], { limits: { processes: 100, cpuSeconds: 1 } }))
        expect(fault.reason).toEqual({ _tag: "InvalidRequest", field: "limits.processes", code: "ENOTSUP" })
        expect(fault.message).toMatch(/^exec: the limit processes cannot be enforced for root.* \(ENOTSUP\)$/)
      }).pipe(Effect.provide(LocalShell.layer)),
  )
})
