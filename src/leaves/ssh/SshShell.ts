/**
 * Makes the SSH leaf, which runs commands on a server over one SSH connection.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import { type OptionError, pickOptions, refuseUnknownOptions } from "../../base/OptionError.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { makeSshShell } from "./makeSshShell.ts"
import { makeConnection, type SshConnection, transportOf } from "./SshConnection.ts"
import type { SshError } from "./SshError.ts"
import { connectionOptionNames, type SshConnectionOptions } from "./SshConnectionOptions.ts"
import { resolveSshLeaf, sshLeafOptionNames, type SshLeafOptions, type SshShellOptions } from "./SshShellOptions.ts"

export type { SshLeafOptions, SshShellOptions } from "./SshShellOptions.ts"

/**
 * Makes the leaf with a connection of its own, which is open when the Effect succeeds and closes with the scope. Fails with
 * an {@link SshError} that says why the connection failed.
 *
 * @example
 * ```ts
 * import { SshShell } from "@sluice/shell/ssh"
 * import { Effect, Redacted } from "effect"
 *
 * const program = SshShell.make({
 *   host: "127.0.0.1",
 *   port: 1, // nothing listens here
 *   user: "me",
 *   auth: { password: Redacted.make("s3cret") },
 * })
 * console.log(Effect.isEffect(program)) // true
 * ```
 */
export const make = (options: SshShellOptions): Effect.Effect<ShellService, SshError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const leaf = yield* attemptOptions(() => {
      refuseUnknownOptions("SshShell", options, { ...sshLeafOptionNames, ...connectionOptionNames })
      return resolveSshLeaf(pickOptions<SshLeafOptions>(options, sshLeafOptionNames))
    })
    const connection = pickOptions<SshConnectionOptions>(options, connectionOptionNames)
    return yield* makeSshShell(yield* makeConnection("SshShell", connection), leaf)
  })

/**
 * A Shell whose commands run on a server, over one SSH connection.
 *
 * - A command's words reach the server as one line for `sh` on stdin: the login shell reads none of them, and secrets
 *   in the environment or the input appear in no process list.
 * - Cancellation, timeouts and the loss of the connection end the whole tree of a command on the server, by a small `sh`
 *   that runs there as long as the connection.
 * - A command whose connection was lost has the fault `HostLost`, with its output so far, and is not repeated; the next
 *   command reconnects.
 * - A slow reader holds the command, which runs about 4 MiB ahead of it (the window of `ssh2`).
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { SshShell } from "@sluice/shell/ssh"
 * import { Effect } from "effect"
 *
 * const remote = SshShell.layer({
 *   host: "build.example",
 *   user: "me",
 *   auth: { agent: true },
 *   hostKey: "SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
 * })
 * const version = Shell.text(ShellExec.make`uname -r`).pipe(Effect.provide(remote))
 * console.log(Effect.isEffect(version)) // true
 * ```
 */
export const layer = (options: SshShellOptions): Layer.Layer<Shell, SshError | OptionError> =>
  Layer.effect(Shell, make(options))

/**
 * The leaf over a connection that it shares with others: see {@link SshConnection}.
 *
 * @example
 * ```ts
 * import { SshConnection, SshShell } from "@sluice/shell/ssh"
 * import { Layer } from "effect"
 *
 * const connection = SshConnection.layer({ host: "build.example", user: "me", auth: { agent: true } })
 * const shell = SshShell.layerOverWith({ cwd: "/srv/app" }).pipe(Layer.provide(connection))
 * console.log(Layer.isLayer(shell)) // true
 * ```
 */
export const layerOverWith = (options: SshLeafOptions): Layer.Layer<Shell, SshError | OptionError, SshConnection> =>
  Layer.effect(Shell, makeOver(options))

const makeOver = (
  options: SshLeafOptions,
): Effect.Effect<ShellService, SshError | OptionError, SshConnection | Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* attemptOptions(() => resolveSshLeaf(options))
    return yield* makeSshShell(yield* transportOf, settings)
  })

/**
 * {@link layerOverWith} without options.
 *
 * @example
 * ```ts
 * import { SshShell } from "@sluice/shell/ssh"
 * import { Layer } from "effect"
 *
 * console.log(Layer.isLayer(SshShell.layerOver)) // true
 * ```
 */
export const layerOver: Layer.Layer<Shell, SshError, SshConnection> =
  /* @__PURE__ */ (() => Layer.effect(Shell, assumeValidOptions(makeOver({}))))()
