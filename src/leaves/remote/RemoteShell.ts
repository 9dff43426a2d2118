/**
 * The remote leaf: commands run on an execution server.
 *
 * @module
 */
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type DurationInput, durationOf } from "../../base/duration.ts"
import type { ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import { hybrid } from "../../shell/Chunking.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellCapabilities } from "../../shell/ShellCapabilities.ts"
import type { ShellBytes, ShellService } from "../../shell/ShellService.ts"
import { makeShellHttpClient, type ShellHttpClientOptions } from "../../client/ShellHttpClient.ts"
import { byteEncoding, bytesOf, textIn } from "./byteText.ts"
import { withText } from "./faults.ts"
import { type RemoteContext, runRemote } from "./runRemote.ts"
import { WireIds } from "./WireIds.ts"

/** Where the server is, and how patient its client. */
export interface RemoteShellOptions extends ShellHttpClientOptions {
  /**
   * How long a connection that was lost is tried again, and the command on the server waits for its reader, at most an
   * hour. Then the server ends the command, and the fault here is `HostLost`. Default: 30 s.
   */
  readonly patience?: DurationInput | undefined
  /** What the server's leaf can do, as far as it is known. Default: nothing is promised but back-pressure. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}

const unknownCapabilities: ShellCapabilities = {
  leaf: "remote",
  platform: "posix",
  groupKill: "none",
  escapees: false,
  orphans: false,
  limits: [],
  exactOrder: false,
  pty: false,
  backPressure: true,
  resolvesPath: false,
}

/** Bytes have no lines: none waits for the end of one. */
const asRead = hybrid(0)

/** A piece of text as the bytes that it stands for. */
const pieceOf = (event: ShellOutputChunk | ShellOutput): ShellBytes | ShellOutput =>
  event._tag === "ShellOutput" ? event : { _tag: "ShellBytes", stream: event.stream, bytes: bytesOf(event.content) }

/** Makes the service over an execution server. */
export const make = (options: RemoteShellOptions): ShellService => {
  const context: RemoteContext = {
    client: makeShellHttpClient(options),
    server: { url: options.url, patience: durationOf("patience", options.patience ?? "30 seconds") },
    ids: new WireIds(),
  }
  return {
    exec: (exec, execOptions = {}) => runRemote(context, exec, execOptions),
    bytes: (exec, execOptions = {}) =>
      runRemote(context, new ShellExec({ ...exec, encoding: byteEncoding, streamOutput: true }), {
        ...execOptions,
        chunking: asRead,
      }).pipe(
        Stream.map(pieceOf),
        Stream.mapError((fault) => withText(fault, (text) => textIn(exec.encoding, text))),
      ),
    capabilities: { ...unknownCapabilities, ...options.capabilities },
  }
}

/**
 * A Shell whose commands run on an execution server: `sluice serve`, or `shellRoutes` in an app. Faults, exits and
 * chunks are those of the server's leaf, with its numbers and its times.
 *
 * - Output is pulled: a reader that is slow holds the command, which runs about 1 MiB ahead of it.
 * - A lost connection is made anew, for as long as `patience`: nothing is missed, nothing comes twice, also when the server
 *   was started again in between, if its journal is durable. A command whose server was killed has the fault `HostLost`.
 * - Closing the stream ends the command, and it has ended when the stream is closed. So does a `signal` that is aborted;
 *   the fault is `Cancelled`.
 * - Secrets go to the server beside the command, in the body of the request alone, and never in the clear: over `http:` to
 *   another machine such a command is refused (`NotAllowed`, unless `plainSecrets` is set). They are in no journal, so
 *   where the command prints one, the output here has a marker; and a command with secrets is never run again when its
 *   server was lost, whatever `onHostLoss` says.
 * - Output is cut where `chunking` says, but the server holds back no more than 1 Mi of UTF-16 units.
 * - The option `stdout` is refused (`InvalidRequest`). `onSpawn` is called with the first that comes back, and knows no
 *   process id.
 * - A command that is run again has a number behind its id on the server, as the server runs an id only once. An id that
 *   somebody else's command had there brings what that one brought, or is refused if it was another.
 * - `bytes` are bytes, whatever they are; in the server's journal they stand in the encoding `x-user-defined`.
 * - A refusal of the server that is no fault of a command is `NotAllowed` (the token), `ResourceExhausted` (its limits) or
 *   `Unknown`, with what it said.
 *
 * It needs nothing but `fetch`, and works on an edge isolate. A certificate authority of one's own is a matter of the
 * runtime's `fetch`, and of the option of this name: `Deno.createHttpClient({ caCerts })`, `tls: { ca }` of Bun, an `Agent`
 * of undici for Node (which also speaks HTTP/2 with `allowH2`; Deno does unasked).
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
 *   fetch: async (request) => await server.fetch(request)   // leave it out to go through the network
 * })
 * const { stdout } = await Effect.runPromise(Effect.provide(Shell.run(ShellExec.make("echo", ["hello"])), remote))
 * console.assert(stdout === "hello\n")
 * ```
 */
export const layer = (options: RemoteShellOptions): Layer.Layer<Shell> => Layer.sync(Shell, () => make(options))
