/** Sessions in a container of podman. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Shell, ShellExec } from "@sluice/shell"
import { ContainerShell } from "@sluice/shell/container"
import { TerminalSession } from "@sluice/shell/terminal"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { engineOptions, makeRootfs } from "../support/rootfs.ts"
import { sessionPromises } from "./sessionPromises.ts"

const rootfs = makeRootfs()
const scope = Scope.makeUnsafe()
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rootfs.remove()
})
const shell = rootfs.canRun
  ? await Effect.runPromise(
    Scope.provide(ContainerShell.make({ ...engineOptions, rootfs: rootfs.path, reuse: true }), scope),
  )
  : undefined
const hasTerminals = shell?.capabilities.pty === true
const layer = () =>
  shell === undefined ? Layer.effect(Shell, Effect.die("podman runs nothing here")) : Layer.succeed(Shell, shell)

describe("a session on ContainerShell", () => {
  sessionPromises(layer, hasTerminals)

  if (shell === undefined || hasTerminals) return
  it.live(
    "is refused where the leaf has no terminals",
    () =>
      Effect.gen(function* () {
        const fault = yield* Effect.flip(TerminalSession.open(ShellExec.make("sh")))
        expect(fault).toMatchObject({ reason: { _tag: "InvalidRequest", field: "terminal", code: "ENOTSUP" } })
      }).pipe(Effect.scoped, Effect.provide(layer())),
  )
})
