/** Runs one command on an execution server, and ends it there when the stream closes or the caller aborts. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { defined } from "../../base/defined.ts"
import { completeLater } from "../../base/waits.ts"
import { aborted } from "../../base/abort.ts"
import { encodeUtf8 } from "../../base/bytes.ts"
import type { RemoteClient } from "../../client/RemoteClient.ts"
import { RemoteError, statusOf } from "../../client/RemoteError.ts"
import type { ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { encodeChunking } from "../../compute/ComputeRequest.ts"
import { defaultGrace } from "../../shell/LeafOptions.ts"
import { cancelledFault, describeInputFailure } from "../../shell/describeFaults.ts"
import { validateTerminal } from "../../shell/refuseTerminal.ts"
import type { LeafRunOptions } from "../../shell/ShellService.ts"
import { maxDisconnectGraceMillis } from "../../wire/ExecRequestOptions.ts"
import { feedInput } from "./feedInput.ts"
import { ReceivedOutput } from "./ReceivedOutput.ts"
import { remoteTerminal } from "./remoteTerminal.ts"
import { localFault, type RemoteServer, serverFault, stdoutFault } from "./remoteFaults.ts"
import type { RunIds } from "./RunIds.ts"

export interface RemoteContext {
  readonly client: RemoteClient
  readonly server: RemoteServer
  readonly ids: RunIds
}

type Output = ShellOutputChunk | ShellOutput

type NonEmptyOutput = readonly [Output, ...Array<Output>]

/** Maximum length of input, in UTF-16 units or bytes, that is sent inside the request: servers limit its size. */
const maxInlineInput = 262_144

/** Time to wait for a command to end after its grace period. */
const endTimeout = Duration.seconds(5)

/** Number of times that a cancellation is retried while the server may not know the command yet. */
const maxCancelRetries = 20
const cancelRetryDelay = "50 millis"

interface SplitExec {
  readonly exec: ShellExec
  readonly stdin: Stream.Stream<Uint8Array, unknown> | undefined
}

/** Splits a command into its request and the input that is sent separately. */
const splitInput = (exec: ShellExec, { stdin }: LeafRunOptions): SplitExec => {
  const { input, ...rest } = exec
  if (stdin === undefined) {
    if (input === undefined || (typeof input !== "string" && !(input instanceof Uint8Array))) return { exec, stdin }
    if (input.length <= maxInlineInput) return { exec, stdin }
  }
  const bytes = typeof input === "string" ? encodeUtf8(input) : input
  return {
    exec: new ShellExec(rest),
    stdin: stdin ?? (bytes instanceof Uint8Array ? Stream.succeed(bytes) : undefined),
  }
}

/** Runs a command on a server. Closing the stream ends it there and waits until it has ended. */
export const runRemote = (
  { client, ids, server }: RemoteContext,
  requested: ShellExec,
  options: LeafRunOptions,
): Stream.Stream<Output, ShellFault> => {
  const { chunking, kill, onSpawn, signal, stdout, terminal } = options

  const start = (scope: Scope.Scope): Effect.Effect<Pull.Pull<NonEmptyOutput, ShellFault>, ShellFault> =>
    Effect.gen(function* () {
      if (stdout !== undefined) return yield* Effect.fail(stdoutFault(requested))
      if (signal?.aborted === true) return yield* Effect.fail(cancelledFault(requested))
      const refused = validateTerminal(requested, terminal)
      if (refused !== undefined) return yield* Effect.fail(refused)
      const commandId = ids.next(requested.commandId)
      const { exec, stdin } = splitInput(requested, options)
      const failure = yield* Deferred.make<never, ShellFault>()
      let hasStarted = false
      let hasEnded = false
      let lastSeq: number | undefined
      const received = new ReceivedOutput(requested)
      const endLimit = Duration.sum(requested.grace ?? defaultGrace, endTimeout)

      const faultOf = (error: RemoteError | ShellFault): ShellFault =>
        error._tag === "RemoteError"
          ? serverFault(requested, error, hasStarted, commandId, server)
          : localFault(requested, error, signal)

      /** Cancels the command on the server, which may not know it yet. Succeeds with `true` if it was cancelled. */
      const cancel = (maxRetries: number, force = false): Effect.Effect<boolean> => {
        const request = Effect.as(client.cancel(commandId, { force }), true)
        const retried = Effect.retry(request, {
          schedule: Schedule.spaced(cancelRetryDelay),
          times: maxRetries,
          while: (error) => !hasEnded && (hasStarted || statusOf(error) === 404),
        })
        return Effect.suspend(() =>
          hasEnded ? Effect.succeed(false) : Effect.catch(retried, () => Effect.succeed(false))
        )
      }

      const cancelAndDrain = Effect.flatMap(
        cancel(maxCancelRetries),
        (isCancelled) => isCancelled ? Stream.runDrain(client.follow(commandId, endLimit, lastSeq)) : Effect.void,
      )

      // Added before the events are requested, so it runs after their connection has closed.
      yield* Scope.addFinalizer(
        scope,
        Effect.timeoutOrElse(cancelAndDrain, {
          duration: endLimit,
          orElse: () => Effect.fail(`the server did not answer within ${Duration.format(endLimit)}`),
        }).pipe(
          Effect.catch((error) => Effect.logWarning(`${commandId}: the command could not be cancelled`, error)),
        ),
      )
      const controls = terminal === undefined
        ? undefined
        : yield* remoteTerminal(client, commandId, scope, Duration.toMillis(server.reconnectTimeout))
      let hasSpawned = false
      const spawned = (): void => {
        if (!hasSpawned) onSpawn?.({ pid: undefined, executable: requested.command, ...controls })
        hasSpawned = true
      }
      const events = client.exec(commandId === exec.commandId ? exec : new ShellExec({ ...exec, commandId }), {
        disconnectGrace: Math.min(
          maxDisconnectGraceMillis,
          Math.max(1, Math.round(Duration.toMillis(server.reconnectTimeout))),
        ),
        ...(chunking === undefined ? undefined : { chunking: encodeChunking(chunking) }),
        ...defined({ terminal }),
        stdin: stdin === undefined ? "closed" : "open",
        onAccepted: () => {
          hasStarted = true
          // A terminal is resized before its command has written anything.
          if (terminal !== undefined) spawned()
        },
      })
      const pull = yield* Channel.toPullScoped(
        Stream.mapError(events, (error) => {
          hasEnded = error._tag === "ShellFault" || !hasStarted
          return received.attachTo(faultOf(error))
        }).channel,
        scope,
      )

      if (stdin !== undefined) {
        const onFailure = (cause: Cause.Cause<unknown>): Effect.Effect<unknown> => {
          const described = describeInputFailure(requested, cause)
          if (described === undefined) return Effect.void
          // A refused input gets the fault that the command's own request would, since either may be answered first.
          const error = Option.getOrUndefined(Cause.findErrorOption(cause))
          const fault = error instanceof RemoteError
            ? faultOf(error)
            : ShellFault.because(requested.commandId, ...described)
          return Effect.sync(() => completeLater(failure, Effect.fail(fault)))
        }
        yield* Effect.forkIn(Effect.catchCause(feedInput(client, commandId, stdin), onFailure), scope)
      }
      if (signal !== undefined) {
        // If the server does not end the command in time, the caller gets the fault anyway.
        const cancelOrFail = Effect.andThen(
          Effect.timeoutOption(cancel(Infinity), endLimit),
          Effect.andThen(
            Effect.sleep(endLimit),
            Effect.sync(() => completeLater(failure, Effect.fail(cancelledFault(requested)))),
          ),
        )
        yield* Effect.forkIn(Effect.andThen(aborted(signal), cancelOrFail), scope)
      }
      if (kill !== undefined) {
        const force = Effect.timeoutOption(cancel(Infinity, true), endLimit)
        yield* Effect.forkIn(Effect.andThen(aborted(kill), force), scope)
      }
      const canFailAlone = stdin !== undefined || signal !== undefined
      const next: Pull.Pull<NonEmptyOutput, ShellFault> = Effect.map(pull, (batch) => {
        spawned()
        for (const event of batch) {
          if (event._tag === "ShellOutputChunk") {
            lastSeq = event.seq
            received.push(event)
          } else hasEnded = true
        }
        return commandId === requested.commandId
          ? batch
          : Arr.map(batch, (event) => ({ ...event, commandId: requested.commandId }))
      })
      return canFailAlone
        ? Effect.raceFirst(next, Effect.mapError(Deferred.await(failure), (fault) => received.attachTo(fault)))
        : next
    })

  return Stream.fromChannel(Channel.fromTransform((_, scope) => start(scope)))
}
