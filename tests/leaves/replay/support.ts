import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Shell, type ShellExec, type ShellFault, type ShellOutput, type ShellOutputChunk } from "@sluice/shell"
import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { type MockScript, MockShell, ReplayShell } from "@sluice/shell/testing"

export type Event = ShellOutputChunk | ShellOutput

/** A shell that does what a script says, and journals it. */
export const recording = (script: MockScript, options?: JournaledShell.JournaledShellOptions) =>
  Effect.provide(JournaledShell.layerWith(options ?? {}).pipe(Layer.provide(MockShell.layer(script))))

/** The shell that answers from the journal of the context as it is now. */
export const replaying = (options: ReplayShell.ReplayOptions = {}) => Effect.provide(ReplayShell.layerWith(options))

/** A journal for one test. */
export const journal = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, Layer.fresh(MemoryJournal.layer))

/** Everything that a run brings, its fault too. */
export const allOf = (
  exec: ShellExec,
): Effect.Effect<readonly [events: ReadonlyArray<Event>, fault: ShellFault | undefined], never, Shell> =>
  Effect.gen(function* () {
    const events: Array<Event> = []
    const fault = yield* Shell.exec(exec).pipe(
      Stream.runForEach((event) => Effect.sync(() => void events.push(event))),
      Effect.match({ onFailure: (error) => error, onSuccess: () => undefined }),
    )
    return [events, fault]
  })

/** What was written on a stream. */
export const textOf = (events: ReadonlyArray<Event>, stream: "stdout" | "stderr" = "stdout"): string =>
  events.flatMap((event) => event._tag === "ShellOutputChunk" && event.stream === stream ? [event.content] : []).join(
    "",
  )
