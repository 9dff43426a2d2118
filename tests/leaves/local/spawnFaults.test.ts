import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { execFileSync } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { LocalShell, ShellExec, ShellFault } from "@sluice/shell"
import { faultOf, run, sh, whole } from "../../support/contract/target.ts"
import { scriptAnswer } from "../../support/script.ts"
import { withoutThreads } from "../../support/withoutThreads.ts"
import { workshop } from "../../support/workshop.ts"

const isLinux = process.platform === "linux"
const Answer = Schema.Struct({ fault: ShellFault, again: Schema.optionalKey(Schema.Int) })
const exhausted = new URL("./exhausted.fixture.ts", import.meta.url)

it.live.runIf(isLinux)(
  "says that a program is being written, and runs it when it has been",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      execFileSync("cp", ["/bin/echo", path("busy")])
      const descriptor = openSync(path("busy"), "r+")
      const fault = yield* Effect.ensuring(
        faultOf(ShellExec.make(path("busy"))),
        Effect.sync(() => closeSync(descriptor)),
      )
      expect(fault.reason).toEqual({ _tag: "PermissionDenied", path: path("busy"), code: "ETXTBSY" })
      expect(fault.message).toBe(`exec: "${path("busy")}" is being written (ETXTBSY)`)
      expect((yield* whole(ShellExec.make(path("busy"), ["hello"]))).stdout).toBe("hello\n")
    }).pipe(Effect.provide(LocalShell.layer)),
)

it.runIf(isLinux)("reports exhausted descriptors, and works again when one is free", async () => {
  const { again, fault } = await scriptAnswer(Answer, exhausted, ["descriptors"])
  expect(fault).toMatchObject({
    _tag: "ShellFault",
    reason: { _tag: "ResourceExhausted", resource: "file descriptors", code: "EMFILE" },
    message: "exec: this process has no file descriptor left (EMFILE)",
  })
  expect(again).toBe(2)
})

it.runIf(isLinux)("says that no more processes may be started", async () => {
  const { fault } = await scriptAnswer(Answer, exhausted, ["processes"], { env: withoutThreads })
  expect(fault).toMatchObject({
    reason: { _tag: "ResourceExhausted", resource: "processes", code: "EAGAIN" },
    message: "exec: no more processes may be started (EAGAIN)",
  })
})

it.live("says the same of a program that goes through another, for its limits or its merged streams", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    write("plain", "echo never\n", 0o644)
    write("bad", "#!/no/such/interpreter\n", 0o755)
    for (const more of [{ mergeStreams: true }, ...(isLinux ? [{ limits: { cpuSeconds: 5 } }] : [])]) {
      const gone = yield* faultOf(ShellExec.make("no-such-program", [], more))
      expect(gone.reason).toMatchObject({ _tag: "NotFound", what: "command", path: "no-such-program" })
      const plain = yield* faultOf(ShellExec.make(path("plain"), [], more))
      expect(plain.reason).toMatchObject({ _tag: "PermissionDenied", path: path("plain") })
      // Whose interpreter is missing is found out by who executes it: an exit that says so, as in a shell.
      const bad = yield* run(ShellExec.make(path("bad"), [], more))
      expect([126, 127]).toContain(bad.output.exitCode)
    }
    expect((yield* run(sh("exit 0", { mergeStreams: true }))).output.exitCode).toBe(0)
  }).pipe(Effect.provide(LocalShell.layer)))
