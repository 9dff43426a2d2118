/**
 * Tests that the recording of a real run keeps every promise that the run itself kept: each command of the suite is
 * run, journaled and then played to the suite. Promises about running (queues, ending, back-pressure) do not apply to a
 * recording.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { LocalShell, Shell, type ShellFault } from "@sluice/shell"
import type { LeafRunOptions } from "@sluice/shell/leaf"
import { Journal, JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { ReplayShell } from "@sluice/shell/testing"
import { localFlags } from "../../support/localFlags.ts"
import type { ContractSettings } from "../../support/contract/target.ts"
import { shellContract } from "../../support/shellContract.ts"

const playedAfter = (settings: ContractSettings) =>
  Layer.effect(
    Shell,
    Effect.gen(function* () {
      const local = yield* Shell
      const twice = <A>(
        { signal: _, ...options }: LeafRunOptions,
        run: (options: LeafRunOptions) => Stream.Stream<A, ShellFault, Shell>,
      ): Stream.Stream<A, ShellFault> =>
        Stream.unwrap(Effect.gen(function* () {
          const journal = yield* Effect.orDie(MemoryJournal.make())
          const context = Layer.merge(Layer.succeed(Shell, local), Layer.succeed(Journal, journal))
          const journaled = Layer.provide(JournaledShell.layer, context)
          yield* Effect.ignore(Stream.runDrain(run(options))).pipe(Effect.provide(Layer.fresh(journaled)))
          const replay = yield* Effect.orDie(ReplayShell.make(journal, { repeat: false }))
          return Stream.provideService(run({}), Shell, replay)
        }))
      return Shell.of({
        exec: (exec, options = {}) => twice(options, (more) => Shell.exec(exec, more)),
        bytes: (exec, options = {}) => twice(options, (more) => Shell.bytes(exec, more)),
        capabilities: (yield* Effect.orDie(ReplayShell.make(yield* Effect.orDie(MemoryJournal.make())))).capabilities,
      })
    }),
  ).pipe(Layer.provide(LocalShell.layerWith(settings)))

shellContract("ReplayShell", {
  layer: playedAfter,
  can: { ...localFlags, secrets: false, files: false, trees: false, backPressure: false, clock: false },
  parts: [
    "events",
    "chunks",
    "text",
    "budget",
    "merged",
    "environment",
    "places",
    "times",
    "completion",
    "faults",
  ],
  because: {
    secrets: "a journal has a marker in the place of a secret",
    files: "nothing runs again",
    trees: "nothing runs again",
    backPressure: "nothing runs again",
    clock: "the run that was recorded was in real time",
    limits: "nothing runs again",
    stdin: "nothing runs again",
    ending: "nothing runs again",
    queue: "nothing runs again",
    terminals: "nothing runs again",
  },
})
