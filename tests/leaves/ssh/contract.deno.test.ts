import { afterAll, beforeAll } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { type OptionError, Shell, type ShellService } from "@sluice/shell"
import { SshConnection, type SshConnectionService, type SshError, SshShell } from "@sluice/shell/ssh"
import { shellContract } from "../../support/shellContract.ts"
import type { ContractSettings } from "../../support/contract/target.ts"
import { hasSshd, type SshServer, startSshd } from "../../support/sshd.ts"

let server: SshServer | undefined
let connection: SshConnectionService | undefined
let leaf: ShellService | undefined
const scope = Scope.makeUnsafe()

const build = (settings: ContractSettings): Effect.Effect<ShellService, OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    if (connection === undefined) throw new Error("sshd does not run")
    const context = yield* Layer.build(
      SshShell.layerOverWith(settings).pipe(Layer.provide(Layer.succeed(SshConnection, connection))),
    )
    return Context.get(context, Shell)
  }).pipe(Effect.catchTag("SshError", (error: SshError) => Effect.die(error)))

beforeAll(async () => {
  if (!hasSshd) return
  // All tests share one connection, and those without settings one leaf.
  server = await startSshd(["MaxSessions 100"])
  connection = await Effect.runPromise(Scope.provide(SshConnection.make(server.options()), scope))
  leaf = await Effect.runPromise(Scope.provide(build({ maxConcurrency: 50 }), scope))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  server?.close()
})

const layer = (settings: ContractSettings): Layer.Layer<Shell, OptionError> =>
  Layer.effect(
    Shell,
    Effect.suspend(() =>
      Object.keys(settings).length === 0 && leaf !== undefined ? Effect.succeed(leaf) : build(settings)
    ),
  )

shellContract("SshShell", {
  layer,
  // Windows of ssh2 and of sshd, 2 MiB each, and what ssh2 has read.
  buffers: 80,
  can: {
    quickStart: false,
    files: true,
    trees: true,
    escapees: true,
    runaways: false,
    backPressure: true,
    limits: true,
    clock: true,
    resolvesPath: false,
  },
  because: {
    quickStart: "a connection is made for some promises, so they are asked in longer steps",
    runaways: "a search of the server's processes is slower than a tree that starts new ones without end",
    resolvesPath: "names are looked up on the server, by the login shell's PATH",
  },
}, hasSshd)
