/** Performs the steps of a scripted command on its process. */
import * as Effect from "effect/Effect"
import type { MockProcess } from "./MockProcess.ts"
import type { MockFailure, MockRun, MockStep } from "./MockStep.ts"

const isSteps = (run: MockRun): run is ReadonlyArray<MockStep> => Array.isArray(run)

export const toSteps = (run: MockRun): ReadonlyArray<MockStep> => isSteps(run) ? run : [run]

export const failureMessage = ({ message, reason }: MockFailure, command: string): string => {
  if (message !== undefined) return message
  const code = "code" in reason ? reason.code : undefined
  return `exec: ${command} fails with ${reason._tag}, as its script says (${code ?? reason._tag.toUpperCase()})`
}

export const playSteps = (run: MockRun) => (process: MockProcess): Effect.Effect<void> =>
  Effect.forEach(
    toSteps(run),
    (step) =>
      step._tag === "MockAction"
        ? step.play(process)
        : process.fail(step.reason, failureMessage(step, process.exec.command)),
    { discard: true },
  )
