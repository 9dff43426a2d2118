/**
 * Makes the client of the execution server that the flags of a command line name, and the shell over it.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { RemoteClient } from "../../client/Client.ts"
import * as RemoteShell from "../../leaves/remote/RemoteShell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { CliProcess } from "../CliProcess.ts"
import { serverToken, type ServerTokenFlags } from "../serverTokenFlags.ts"
import { UsageError } from "../UsageError.ts"

/** An execution server. */
export interface OpenServer {
  readonly url: string
  readonly client: RemoteClient.RemoteClient
  readonly shell: ShellService
}

/** The server of `--url`, or of `SLUICE_URL`. */
export const openServer = (
  flags: ServerTokenFlags & { readonly url: string | undefined },
  cli: CliProcess,
): Effect.Effect<OpenServer, UsageError> =>
  Effect.gen(function* () {
    const url = flags.url ?? cli.variable("SLUICE_URL") ?? ""
    if (url === "") {
      return yield* Effect.fail(
        new UsageError("name a server with --url or SLUICE_URL, as in --url http://127.0.0.1:8787"),
      )
    }
    const token = yield* serverToken(flags, cli)
    return yield* Effect.mapError(
      attemptOptions(() => ({
        url,
        client: RemoteClient.make({ url, token }),
        shell: RemoteShell.make({ url, token, capabilities: { pty: true } }),
      })),
      ({ message }) => new UsageError(`--url: ${message}`),
    )
  })
