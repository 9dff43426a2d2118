/**
 * A run as a response.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ShellOutput } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"
import { Shell } from "../shell/Shell.ts"
import { apply } from "../window/apply.ts"
import { encodeEvent, ndjsonBytes, SSE_TYPE, sseBytes } from "../wire/Wire.ts"
import { answerHeaders, streamHeaders } from "./headers.ts"
import { JSON_TYPE } from "./negotiate.ts"
import { faultOf, problemResponse, refuse, refuseFault } from "./problem.ts"
import type { RunRequest } from "./readRequest.ts"
import { exitOf, type Runs } from "./Runs.ts"
import { streamRun } from "./streamRun.ts"

const isOutput = (event: ShellEvent): event is ShellOutput => event._tag === "ShellOutput"

/** The whole result of a run that brings no chunks. */
const resultOf = (exec: ShellExec): Effect.Effect<ShellOutput, ShellFault, Shell> =>
  Shell.exec(exec).pipe(
    Stream.filter(isOutput),
    Stream.runLast,
    Effect.flatMap(Option.match({
      onNone: () => Effect.die(new Error("the run brought no result")),
      onSome: Effect.succeed,
    })),
  )

const capped = (asked: number | undefined, max: number | undefined): { readonly maxOutputBytes?: number } => {
  if (asked !== undefined) return { maxOutputBytes: Math.min(asked, max ?? 64 * 1024 * 1024) }
  return max === undefined ? {} : { maxOutputBytes: max }
}

/** What {@link answerWith} takes besides the runs. */
export interface AnswerSettings {
  readonly maxOutputBytes: number | undefined
  readonly retryAfterSeconds: number
}

/**
 * Makes the function that runs what a request asks for, and answers when its first event is there, or its end. `ended`
 * is called when the run has ended.
 */
export const answerWith = (
  runs: Runs,
  { maxOutputBytes, retryAfterSeconds }: AnswerSettings,
): (request: RunRequest, signal: AbortSignal, ended: () => void) => Promise<Response> => {
  const unavailable = (): Response =>
    problemResponse(refuse(503, "unavailable", "no commands are run at the moment", {
      headers: { "retry-after": String(retryAfterSeconds) },
    }))

  const refused = (exec: ShellExec, cause: Cause.Cause<ShellFault>): Response =>
    runs.disposed() && Cause.hasInterruptsOnly(cause)
      ? unavailable()
      : problemResponse(refuseFault(faultOf(exec.commandId, cause), retryAfterSeconds))

  return async ({ exec: asked, policy, type }, signal, ended) => {
    const services = await runs.services().catch((error: unknown) => {
      if (!runs.disposed()) Effect.runSync(Effect.logError("the layer of the shell could not be built", error))
      return undefined
    })
    if (services === undefined) {
      ended()
      return unavailable()
    }

    const exec = new ShellExec({
      ...asked,
      streamOutput: type !== JSON_TYPE && asked.streamOutput,
      ...capped(asked.maxOutputBytes, maxOutputBytes),
    })
    const fork = <A>(run: Effect.Effect<A, ShellFault, Shell>) => {
      const fiber = runs.fork(services, exec.commandId, run, signal)
      fiber.addObserver(ended)
      return fiber
    }

    if (type === JSON_TYPE) {
      const exit = await exitOf(fork(resultOf(exec)))
      return Exit.isFailure(exit)
        ? refused(exec, exit.cause)
        : new Response(encodeEvent(exit.value), { headers: { ...answerHeaders, "content-type": type } })
    }
    const exit = await streamRun({
      commandId: exec.commandId,
      events: policy === undefined ? Shell.exec(exec) : apply(Shell.exec(exec), policy),
      encode: type === SSE_TYPE ? sseBytes : ndjsonBytes,
      fork,
    })
    return Exit.isFailure(exit)
      ? refused(exec, exit.cause)
      : new Response(exit.value, { headers: { ...streamHeaders, "content-type": type } })
  }
}
