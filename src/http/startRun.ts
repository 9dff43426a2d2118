/**
 * Runs the command of a request: responds with its events and cancels it with its client, or lets it go on in the
 * background.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { takeShellOutput } from "../shell/takeShellOutput.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { apply } from "../window/apply.ts"
import { encodeEvent } from "../wire/Wire.ts"
import type { RunningCommand } from "./RunningCommand.ts"
import { eventFormats } from "./eventForms.ts"
import { responseHeaders, streamResponseHeaders } from "./headers.ts"
import { DisconnectGrace } from "./DisconnectGrace.ts"
import { JSON_TYPE } from "./negotiate.ts"
import { faultOf } from "./problem.ts"
import type { RunRequest } from "./readRequest.ts"
import { exitOf, type RunSupervisor, type Services } from "./RunSupervisor.ts"
import { streamBody } from "./streamBody.ts"

/** The events of a run. */
export type RunEvents = Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>

/** The request that a run responds to. */
export interface ResponseContext {
  /** The path of the request. */
  readonly path: string
  readonly signal: AbortSignal
  /** Annotations of log lines, besides the command id. */
  readonly annotations: Readonly<Record<string, string>>
  /** Called when the command has ended, or was not started. */
  readonly onEnd: () => void
  /** Called when the response has been sent. */
  readonly onSent: () => void
}

/**
 * Runs a command that is cancelled when its client disconnects. Resolves with the response, or the exit without an
 * event.
 */
export const runForClient = async (
  runs: RunSupervisor,
  services: Services,
  exec: ShellExec,
  run: RunningCommand,
  events: RunEvents,
  { policy, type }: RunRequest,
  { onSent, signal }: ResponseContext,
): Promise<Response | Exit.Exit<unknown, ShellFault>> => {
  const fork = <A>(effect: Effect.Effect<A, ShellFault>): Fiber.Fiber<A, ShellFault> => {
    const fiber = runs.fork(services, run, effect, signal)
    fiber.addObserver(onSent)
    return fiber
  }
  if (type === JSON_TYPE) {
    const exit = await exitOf(fork(takeShellOutput(events)))
    return Exit.isFailure(exit)
      ? exit
      : new Response(encodeEvent(exit.value), { headers: { ...responseHeaders, "content-type": type } })
  }
  const { encode } = eventFormats[type]
  const { begun, body } = streamBody<ShellEvent, ShellFault>({
    pieces: policy === undefined ? events : apply(events, policy),
    encode,
    encodeFailure: (cause) => encode([faultOf(exec.commandId, cause)]),
    fork,
  })
  const exit = await begun
  return Exit.isFailure(exit) || !exit.value
    ? exit
    : new Response(body, { headers: { ...streamResponseHeaders, "content-type": type } })
}

/** Runs a command that outlives its request. Resolves when the request is in the journal, or with the failure. */
export const runInBackground = (
  runs: RunSupervisor,
  maxAhead: number,
  services: Services,
  run: RunningCommand,
  events: (onRecorded: () => void) => RunEvents,
  disconnectGraceMillis: number | undefined,
): Promise<Exit.Exit<unknown, ShellFault>> =>
  new Promise((resolve) => {
    const grace = disconnectGraceMillis === undefined ? undefined : new DisconnectGrace({
      millis: disconnectGraceMillis,
      maxAhead,
      onAbandoned: () => fiber.interruptUnsafe(),
      context: services.context,
    })
    run.disconnectGrace = grace
    const all = events(() => resolve(Exit.void))
    const gated = grace === undefined
      ? all
      : Stream.transformPull(all, (pull) => Effect.succeed(grace.whenOpen(pull)))
    const fiber = runs.fork(
      services,
      run,
      Stream.runForEachArray(gated, (batch) => Effect.sync(() => grace?.produced(batch))),
    )
    fiber.addObserver(resolve)
  })
