/**
 * Makes the remote leaf, as a service or as a layer with given options or those of `Config`: a `Shell` that runs
 * commands on an execution server over HTTP.
 *
 * @module
 */
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { durationOf } from "../../base/duration.ts"
import { type OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import { make as makeClient } from "../../client/makeRemoteClient.ts"
import type { ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import { hybrid } from "../../shell/Chunking.ts"
import { Shell } from "../../shell/Shell.ts"
import { type KnowsPortableShell, knowsPortableShell } from "../../shell/portableShell.ts"
import { makeCapabilities } from "../../shell/ShellCapabilities.ts"
import type { ShellBytes, ShellService } from "../../shell/ShellService.ts"
import { resolveTokenOption } from "../../secrets/readReference.ts"
import { mapOutput } from "./remoteFaults.ts"
import { remoteShellOptionNames, type RemoteShellOptions } from "./RemoteShellOptions.ts"
import { RunIds } from "./RunIds.ts"
import { type RemoteContext, runRemote } from "./runRemote.ts"

/** Label of the encoding: bytes above 0x7f become the characters from U+F780 on. */
const byteEncoding = "x-user-defined"

const bytesOfText = (text: string): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at) & 0xff
  return bytes
}

/** Decodes a text in {@link byteEncoding} by the command's own encoding; as UTF-8 if that is unknown. */
const decodeByteText = (encoding: string | undefined, text: string): string => {
  const bytes = bytesOfText(text)
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

export type { RemoteShellOptions } from "./RemoteShellOptions.ts"

/** Emits bytes as they are read, without waiting for the end of a line. */
const unbuffered = hybrid(0)

const toBytes = (event: ShellOutputChunk | ShellOutput): ShellBytes | ShellOutput =>
  event._tag === "ShellOutput" ? event : { _tag: "ShellBytes", stream: event.stream, bytes: bytesOfText(event.content) }

const makeService = (options: RemoteShellOptions): Effect.Effect<ShellService, OptionError> =>
  Effect.gen(function* () {
    const { capabilities, reconnectTimeout = "30 seconds", ...clientOptions } = options
    const reconnect = yield* attemptOptions(() => {
      refuseUnknownOptions("RemoteShell", options, remoteShellOptionNames)
      return durationOf("reconnectTimeout", reconnectTimeout)
    })
    const context: RemoteContext = {
      client: yield* makeClient(clientOptions),
      server: { url: options.url, reconnectTimeout: reconnect },
      ids: new RunIds(),
    }
    const shell: ShellService & KnowsPortableShell = {
      exec: (exec, execOptions = {}) => runRemote(context, exec, execOptions),
      bytes: (exec, execOptions = {}) =>
        runRemote(context, new ShellExec({ ...exec, encoding: byteEncoding, streamOutput: true }), {
          ...execOptions,
          chunking: unbuffered,
        }).pipe(
          Stream.map(toBytes),
          Stream.mapError((fault) => mapOutput(fault, (text) => decodeByteText(exec.encoding, text))),
        ),
      capabilities: makeCapabilities({ leaf: "remote", backPressure: true }, capabilities),
      // The server's leaf decides.
      [knowsPortableShell]: true,
    }
    return shell
  })

/**
 * Makes the service over an execution server. Fails with an `OptionError` if an option is unknown or not a duration.
 *
 * @stability experimental
 */
export const make = (options: RemoteShellOptions): Effect.Effect<ShellService, OptionError> =>
  Effect.flatMap(resolveTokenOption("RemoteShell", options), makeService)

/**
 * A Shell whose commands run on an execution server: `sluice serve`, or `shellRoutes` in an app. Faults, exits and chunks
 * are those of the server's leaf, with its sequence numbers and times.
 *
 * - Output is pulled: a slow reader holds the command, which runs about 1 MiB ahead of it.
 * - A lost connection is reopened for as long as `reconnectTimeout`, without gaps or duplicates, even across a restart of
 *   the server if its journal is durable. A command whose server was killed has the fault `HostLost`, with the output that
 *   came.
 * - Closing the stream ends the command and waits until it has ended. Aborting `signal` does too; the fault is `Cancelled`.
 * - Secrets are sent in a separate field of the request, never unencrypted: over `http:` to another machine such a
 *   command is refused (`NotAllowed`, unless `plainSecrets` is set). No journal contains them, so the output has a
 *   marker wherever the command prints a secret. A command with secrets is never run again after its server was lost,
 *   whatever `onHostLoss` is.
 * - Output is cut by `chunking`, but the server holds back at most 1 Mi of UTF-16 units.
 * - The option `stdout` is refused (`InvalidRequest`). `onSpawn` is called with the first event and has no process id.
 * - A later run of the same command has a number after its id on the server, which runs an id only once. If another
 *   client has used the id for the same command, that command's events are returned; if for a different command, the
 *   run is refused.
 * - A command on a terminal (`options.terminal`) is typed into, resized and signalled through the server, and listed
 *   there with its size; others may attach to it. A server whose leaf has no terminals refuses it. Set `capabilities: {
 *   pty: true }` for a server that has terminals: the leaf does not ask the server.
 * - `bytes` transfers any bytes; the server's journal holds them in the encoding `x-user-defined`.
 * - A refusal that is not a command's fault is `NotAllowed` (the token), `ResourceExhausted` (the server's limits) or
 *   `Unknown`, with the server's message.
 *
 * The leaf needs only `fetch`, and works on an edge isolate. For a private certificate authority pass your own `fetch`:
 * `Deno.createHttpClient({ caCerts })`, `tls: { ca }` on Bun, an `Agent` of undici on Node (which also uses HTTP/2 with
 * `allowH2`; Deno does by default).
 *
 * The layer fails with an `OptionError` if an option is unknown or not a time span.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { shellRoutes } from "@sluice/shell/http"
 * import { RemoteShell } from "@sluice/shell/remote"
 * import { Effect } from "effect"
 *
 * await using server = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * const remote = RemoteShell.layer({
 *   url: "http://localhost/",
 *   token: "s3cret",
 *   fetch: async (request) => await server.fetch(request)   // omit to use the network
 * })
 * const { stdout } = await Effect.runPromise(Effect.provide(Shell.run(ShellExec.make("echo", ["hello"])), remote))
 * console.log(stdout) // hello
 * ```
 */
export const layer = (options: RemoteShellOptions): Layer.Layer<Shell, OptionError> =>
  Layer.effect(Shell, make(options))

/**
 * The remote leaf with options from `Config`. Default: `SLUICE_URL`, and `SLUICE_TOKEN` if it is set.
 *
 * @example
 * ```ts
 * import { Shell } from "@sluice/shell"
 * import { RemoteShell } from "@sluice/shell/remote"
 * import { ConfigProvider, Effect } from "effect"
 *
 * const provider = ConfigProvider.fromUnknown({ SLUICE_URL: "https://build.example/", SLUICE_TOKEN: "s3cret" })
 * const program = Effect.gen(function* () {
 *   const shell = yield* Shell
 *   return shell.capabilities.leaf
 * })
 * const leaf = program.pipe(
 *   Effect.provide(RemoteShell.layerConfig()),
 *   Effect.provideService(ConfigProvider.ConfigProvider, provider),
 * )
 * console.log(await Effect.runPromise(leaf)) // remote
 * ```
 */
export const layerConfig = (
  config?: Config.Config<RemoteShellOptions>,
): Layer.Layer<Shell, Config.ConfigError | OptionError> =>
  Layer.unwrap(Effect.gen(function* () {
    // Imported on demand, as by the local leaves: `Config` takes long to load.
    const options = config ?? (yield* Effect.promise(() => import("./RemoteShellConfig.ts"))).remoteConfig
    return layer(yield* options)
  }))
