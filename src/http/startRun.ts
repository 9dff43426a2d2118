/**
 * How a run is begun: for a client that waits, or by itself.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { apply } from "../window/apply.ts"
import { encodeEvent } from "../wire/Wire.ts"
import type { CommandRun } from "./RunningCommand.ts"
import { eventForms } from "./eventForms.ts"
import { answerHeaders, streamHeaders } from "./headers.ts"
import { Linger } from "./DisconnectGrace.ts"
import { JSON_TYPE } from "./negotiate.ts"
import { faultOf } from "./problem.ts"
import type { RunRequest } from "./readRequest.ts"
import { exitOf, type Runs, type Services } from "./RunSupervisor.ts"
import { streamBody } from "./streamBody.ts"

/** What a leaf brings. */
export type Events = Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>

const isOutput = (event: ShellEvent): event is ShellOutput => event._tag === "ShellOutput"

/** The whole result of a run that brings no chunks. */
const resultOf = (events: Events): Effect.Effect<ShellOutput, ShellFault> =>
  Effect.suspend(() => {
    let output: ShellOutput | undefined
    const seen = Stream.runForEachArray(events, (some) => Effect.sync(() => output = some.findLast(isOutput) ?? output))
    return Effect.flatMap(
      seen,
      () => output === undefined ? Effect.die(new Error("the run brought no result")) : Effect.succeed(output),
    )
  })

/** Where the answer goes. */
export interface Asked {
  /** The path of the request. */
  readonly path: string
  readonly signal: AbortSignal
  /** What log lines about the command say beside its id. */
  readonly annotations: Readonly<Record<string, string>>
  /** Called when the command has ended, or none was started. */
  readonly onEnd: () => void
  /** Called when the answer has been sent. */
  readonly onSent: () => void
}

/** A run that lives as long as its client waits. */
export const attached = async (
  runs: Runs,
  services: Services,
  exec: ShellExec,
  run: CommandRun,
  events: Events,
  { policy, type }: RunRequest,
  { onSent, signal }: Asked,
): Promise<Response | Exit.Exit<unknown, ShellFault>> => {
  const fork = <A>(effect: Effect.Effect<A, ShellFault>): Fiber.Fiber<A, ShellFault> => {
    const fiber = runs.fork(services, run, effect, signal)
    fiber.addObserver(onSent)
    return fiber
  }
  if (type === JSON_TYPE) {
    const exit = await exitOf(fork(resultOf(events)))
    return Exit.isFailure(exit)
      ? exit
      : new Response(encodeEvent(exit.value), { headers: { ...answerHeaders, "content-type": type } })
  }
  const { encode } = eventForms[type]
  const { begun, body } = streamBody<ShellEvent, ShellFault>({
    pieces: policy === undefined ? events : apply(events, policy),
    encode,
    encodeFailure: (cause) => encode([faultOf(exec.commandId, cause)]),
    fork,
  })
  const exit = await begun
  return Exit.isFailure(exit) || !exit.value
    ? exit
    : new Response(body, { headers: { ...streamHeaders, "content-type": type } })
}

/** A run that does not depend on this client alone: resolves when it is in the journal, or could not be begun. */
export const driven = (
  runs: Runs,
  maxAhead: number,
  services: Services,
  run: CommandRun,
  events: (onRecorded: () => void) => Events,
  disconnectGraceMillis: number | undefined,
): Promise<Exit.Exit<unknown, ShellFault>> =>
  new Promise((resolve) => {
    const linger = disconnectGraceMillis === undefined ? undefined : new Linger({
      millis: disconnectGraceMillis,
      maxAhead,
      onAbandoned: () => fiber.interruptUnsafe(),
      context: services.context,
    })
    run.linger = linger
    const all = events(() => resolve(Exit.void))
    const gated = linger === undefined
      ? all
      : Stream.transformPull(all, (pull) => Effect.succeed(linger.whenOpen(pull)))
    const fiber = runs.fork(
      services,
      run,
      Stream.runForEachArray(gated, (batch) => Effect.sync(() => linger?.produced(batch))),
    )
    fiber.addObserver(resolve)
  })
