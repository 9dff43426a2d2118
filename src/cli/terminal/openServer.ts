/** Makes the client of the execution server that flags name, and checks that it answers. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { aborted } from "../../base/abort.ts"
import { RemoteClient } from "../../client/Client.ts"
import type { RemoteError } from "../../client/RemoteError.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import * as RemoteShell from "../../leaves/remote/RemoteShell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { CliProcess } from "../CliProcess.ts"
import { serverToken, type ServerTokenFlags } from "../serverTokenFlags.ts"
import { UsageError } from "../UsageError.ts"

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
      Effect.all({
        url: Effect.succeed(url),
        client: RemoteClient.make({ url, token }),
        shell: RemoteShell.make({ url, token, capabilities: { pty: true } }),
      }),
      ({ message }) => new UsageError(`--url: ${message}`),
    )
  })

const isUnreachable = (error: RemoteError | ShellFault): boolean =>
  error._tag === "RemoteError" && error.reason._tag === "Unreachable"

/**
 * If no server answers, fails after one more attempt, before the command is sent: the shell itself would retry for as
 * long as it does for the lost connection of a running command. A slow or refusing server is left to the command.
 */
export const checkReachable = (
  { client }: OpenServer,
  { command, commandId }: ShellExec,
  signal: AbortSignal,
): Effect.Effect<void, ShellFault> =>
  client.health.pipe(
    Effect.asVoid,
    Effect.retry({ times: 1, schedule: Schedule.spaced("500 millis"), while: isUnreachable }),
    Effect.catch((error) =>
      isUnreachable(error)
        ? Effect.fail(ShellFault.because(
          commandId,
          { _tag: "Unknown", code: "EHOSTUNREACH" },
          `exec: ${command} was not started: ${
            error.message.replace(/^http: /, "")
          }; start the server, or check --url ` +
            "(EHOSTUNREACH)",
        ))
        : Effect.void
    ),
    Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.void }),
    Effect.raceFirst(aborted(signal)),
  )
