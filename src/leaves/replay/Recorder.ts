/**
 * Records a program's commands once, and answers them from the recording in its tests.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { currentHost } from "../../branch/HostIdentity.ts"
import { attemptOptions } from "../../base/attemptOptions.ts"
import type { OptionError } from "../../base/OptionError.ts"
import type { ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import { ShellExec } from "../../command/ShellExec.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import * as MemoryJournal from "../../journal/stores/memory/MemoryJournal.ts"
import { makeJournaled } from "../../compute/makeJournaled.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellBytes, ShellService } from "../../shell/ShellService.ts"
import { decodeFixture, encodeFixture } from "./fixture.ts"
import { type FixtureFile, fixtureFile } from "./fixtureFile.ts"
import { journalRecordings } from "./journalRecordings.ts"
import { normalise } from "./normalise.ts"
import { faultWith } from "./Playback.ts"
import { replayOf, type ReplayOptions } from "./ReplayShell.ts"

/** How commands are recorded and replayed. */
export interface RecorderOptions extends Pick<ReplayOptions, "key" | "speed" | "repeat" | "redactor"> {
  /** The file of recordings, to be committed with the tests; of each test its own. */
  readonly file: string | URL
  /**
   * - `"record"`: commands run on the Shell of the context, and the file is written anew when the layer is closed.
   * - `"replay"`: commands are answered from the file, and nothing runs.
   * - `"auto"`: as `"replay"` where the file is there, else as `"record"`. The default.
   */
  readonly mode?: "record" | "replay" | "auto" | undefined
  /**
   * Keeps when output came and how long commands took, so that `speed: "recorded"` shows it so. They are different in
   * every recording. Default: `false`; all times are 0, and output that came in pieces is put together.
   */
  readonly keepTimes?: boolean | undefined
}

/** Entries of one recording session: more would make no test that anybody waits for. */
const maxBytes = 256 * 1024 * 1024

const withId = <Event extends ShellOutputChunk | ShellBytes | ShellOutput>(event: Event, commandId: string): Event =>
  event._tag === "ShellBytes" ? event : { ...event, commandId }

/** Runs commands for real; when the scope closes, what they did is in the file. */
const recording = (
  shell: ShellService,
  file: FixtureFile,
  { keepTimes = false, redactor }: RecorderOptions,
): Effect.Effect<ShellService, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* MemoryJournal.make({ maxBytes, maxEntries: Infinity, whenFull: "fail" })
    const journaled = makeJournaled(shell, journal, yield* currentHost, { redactor })
    const write = Effect.gen(function* () {
      const recordings = yield* journalRecordings(journal, Infinity)
      yield* file.write(encodeFixture(yield* normalise(recordings, keepTimes)))
    })
    yield* Effect.addFinalizer(() => Effect.orDie(write))
    let runs = 0
    const record = <Event extends ShellOutputChunk | ShellBytes | ShellOutput>(
      exec: ShellExec,
      run: (exec: ShellExec) => Stream.Stream<Event, ShellFault>,
    ): Stream.Stream<Event, ShellFault> =>
      Stream.suspend(() => {
        const { commandId } = exec
        // One value may run several times, also at once, and each run is a recording of its own.
        return run(new ShellExec({ ...exec, commandId: `run-${++runs}` })).pipe(
          Stream.map((event) => withId(event, commandId)),
          Stream.mapError((fault) => faultWith(fault, { commandId })),
        )
      })
    return {
      ...shell,
      exec: (exec, options) => record(exec, (own) => journaled.exec(own, options)),
      bytes: (exec, options) => record(exec, (own) => journaled.bytes(own, options)),
    }
  })

const replaying = (
  file: FixtureFile,
  options: RecorderOptions,
): Effect.Effect<ShellService, JournalError | OptionError> =>
  Effect.gen(function* () {
    const recordings = yield* Effect.fromResult(decodeFixture(yield* file.read, file.path))
    return yield* attemptOptions(() => replayOf(recordings, { ...options, speed: options.speed ?? "max" }))
  })

/** Makes the Shell of {@link layer}, over the one that commands are recorded from. */
export const make = (
  shell: ShellService,
  options: RecorderOptions,
): Effect.Effect<ShellService, JournalError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const { mode = "auto" } = options
    const file = yield* Effect.sync(() => fixtureFile(options.file))
    const replays = mode === "replay" || (mode === "auto" && (yield* file.exists))
    return yield* replays ? replaying(file, options) : recording(shell, file, options)
  })

/**
 * A Shell that runs commands once and keeps what they did in a file; from then on it answers from the file, and tests
 * need neither the programs nor their time. To record again, delete the file or use `mode: "record"`.
 *
 * The file is lines of JSON for people to review: requests, output, exits, faults. Two recordings of commands that do the
 * same are the same file, and one command that does something else changes its own lines only. Secrets of commands are
 * left out wherever they appear, and so is what `redactor` finds: use it also for what is different each time (a date, a
 * temporary directory). A run that its consumer closed before its end is kept as far as it came.
 *
 * Matching and its options are those of `ReplayShell`; the default speed is `"max"`. `sluice journal` does not read this
 * file: it has no hashes and no positions.
 *
 * @example
 * ```ts
 * import { LocalShell, cmd, Shell } from "@sluice/shell"
 * import { Recorder } from "@sluice/shell/testing"
 * import { Effect, Layer } from "effect"
 * import { mkdtempSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * const file = join(mkdtempSync(join(tmpdir(), "sluice-")), "echo.ndjson")
 * const program = Shell.run(cmd`echo hello`).pipe(
 *   Effect.provide(Recorder.layer({ file }).pipe(Layer.provide(LocalShell.layer))),
 * )
 * const recorded = await Effect.runPromise(program) // runs echo, and writes the file
 * const replayed = await Effect.runPromise(program) // reads the file
 * console.assert(recorded.stdout === "hello\n" && replayed.stdout === "hello\n" && replayed.duration === 0)
 * ```
 */
export const layer = (options: RecorderOptions): Layer.Layer<Shell, JournalError | OptionError, Shell> =>
  Layer.effect(Shell, Effect.flatMap(Shell, (shell) => make(shell, options)))
