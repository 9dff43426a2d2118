/**
 * Makes a layer that records all commands into a file when it closes or, once that file exists, answers all commands
 * from it and runs none.
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
import { type ShellFault, withFaultFields } from "../../command/ShellFault.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import * as MemoryJournal from "../../journal/stores/memory/MemoryJournal.ts"
import { makeJournaled } from "../../compute/makeJournaled.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellBytes, ShellService } from "../../shell/ShellService.ts"
import { decodeFixture, encodeFixture } from "./fixture.ts"
import { type FixtureFile, makeFixtureFile } from "./FixtureFile.ts"
import { readJournalRecordings } from "./readJournalRecordings.ts"
import { normalizeRecordings } from "./normalizeRecordings.ts"
import { makeReplay } from "./makeReplay.ts"
import type { ReplayOptions } from "./ReplayOptions.ts"

/** Options of recording and replaying commands. */
export interface RecorderOptions extends Pick<ReplayOptions, "key" | "speed" | "repeat" | "redactor"> {
  /** The file of recordings, to be committed with the tests. Each test needs its own. */
  readonly file: string | URL
  /**
   * - `"record"`: commands run on the Shell of the context, and the file is rewritten when the layer is closed.
   * - `"replay"`: commands are answered from the file, and nothing runs.
   * - `"auto"`: `"replay"` if the file exists, otherwise `"record"`. The default.
   */
  readonly mode?: "record" | "replay" | "auto" | undefined
  /**
   * Records the times of output and the durations of commands, for `speed: "recorded"`. They differ in every recording.
   * Default: `false`; all times are 0, and adjacent output is joined.
   */
  readonly keepTimes?: boolean | undefined
}

const maxBytes = 256 * 1024 * 1024

const withId = <Event extends ShellOutputChunk | ShellBytes | ShellOutput>(event: Event, commandId: string): Event =>
  event._tag === "ShellBytes" ? event : { ...event, commandId }

/** Makes a Shell that runs commands, and writes the file when the scope closes. */
const makeRecording = (
  shell: ShellService,
  file: FixtureFile,
  { keepTimes = false, redactor }: RecorderOptions,
): Effect.Effect<ShellService, JournalError, Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* MemoryJournal.make({ maxBytes, maxEntries: Infinity, whenFull: "fail" })
    const journaled = makeJournaled(shell, journal, yield* currentHost, { redactor })
    const write = Effect.gen(function* () {
      const recordings = yield* readJournalRecordings(journal, Infinity)
      yield* file.write(encodeFixture(yield* normalizeRecordings(recordings, keepTimes)))
    })
    yield* Effect.addFinalizer(() => Effect.orDie(write))
    let runs = 0
    const record = <Event extends ShellOutputChunk | ShellBytes | ShellOutput>(
      exec: ShellExec,
      run: (exec: ShellExec) => Stream.Stream<Event, ShellFault>,
    ): Stream.Stream<Event, ShellFault> =>
      Stream.suspend(() => {
        const { commandId } = exec
        // One value may run several times, even concurrently, and each run is a separate recording.
        return run(new ShellExec({ ...exec, commandId: `run-${++runs}` })).pipe(
          Stream.map((event) => withId(event, commandId)),
          Stream.mapError((fault) => withFaultFields(fault, { commandId })),
        )
      })
    return {
      ...shell,
      exec: (exec, options) => record(exec, (own) => journaled.exec(own, options)),
      bytes: (exec, options) => record(exec, (own) => journaled.bytes(own, options)),
    }
  })

const makeReplaying = (
  file: FixtureFile,
  options: RecorderOptions,
): Effect.Effect<ShellService, JournalError | OptionError> =>
  Effect.gen(function* () {
    const recordings = yield* Effect.fromResult(decodeFixture(yield* file.read, file.path))
    return yield* attemptOptions(() => makeReplay(recordings, { ...options, speed: options.speed ?? "max" }))
  })

/** Makes the Shell of {@link layer} over a given Shell. */
export const make = (
  shell: ShellService,
  options: RecorderOptions,
): Effect.Effect<ShellService, JournalError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const { mode = "auto" } = options
    const file = yield* Effect.sync(() => makeFixtureFile(options.file))
    const replays = mode === "replay" || (mode === "auto" && (yield* file.exists))
    return yield* replays ? makeReplaying(file, options) : makeRecording(shell, file, options)
  })

/**
 * A Shell that runs commands once and records them into a file; afterwards it answers from the file, so that tests need
 * neither the programs nor their time. To record again, delete the file or use `mode: "record"`.
 *
 * The file is lines of JSON for review: requests, output, exits, faults. Equal runs give equal files, and a change of one
 * command changes only its own lines. Secrets of commands are left out wherever they appear, and so are the matches of
 * `redactor`: use it also for text that differs each time (a date, a temporary directory). A run that its consumer closed
 * early is recorded up to that point.
 *
 * Commands are matched as by `ReplayShell`, with the same options; the default speed is `"max"`. `sluice journal` cannot
 * read this file, which has no hashes and no positions. The layer fails with an `OptionError` for an invalid option, and
 * with a `JournalError` if the file cannot be read.
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
 * console.log([recorded.stdout, replayed.stdout, replayed.duration]) // [ 'hello\n', 'hello\n', 0 ]
 * ```
 */
export const layer = (options: RecorderOptions): Layer.Layer<Shell, JournalError | OptionError, Shell> =>
  Layer.effect(Shell, Effect.flatMap(Shell, (shell) => make(shell, options)))
