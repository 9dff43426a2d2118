/**
 * The replay leaf: answers commands from the recordings of a journal.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { OptionError } from "../../base/OptionError.ts"
import type { ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { Journal, type JournalService } from "../../journal/JournalService.ts"
import type * as Redactor from "../../journal/redaction/Redactor.ts"
import { Shell } from "../../shell/Shell.ts"
import { makeCapabilities, type ShellCapabilities } from "../../shell/ShellCapabilities.ts"
import type { LeafRunOptions, ShellBytes, ShellService } from "../../shell/ShellService.ts"
import { readJournalRecordings } from "./readJournalRecordings.ts"
import { RecordingIndex } from "./RecordingIndex.ts"
import type { ReplaySpeed } from "./ReplayClock.ts"
import { bytePlayback, type Playback, textPlayback } from "./Playback.ts"
import { playRecording } from "./playRecording.ts"
import type { Recording } from "./Recording.ts"
import { defaultKey, type ReplayKey } from "./ReplayKey.ts"

export type { ReplaySpeed } from "./ReplayClock.ts"
export { defaultKey, type ReplayKey, type ReplayKeyField } from "./ReplayKey.ts"

/**
 * Options of matching and playing recordings.
 *
 * @stability stable
 */
export interface ReplayOptions {
  /**
   * What must be equal in a command and a recorded one: names of fields, or a function whose results must be. Secrets
   * are not recorded and count as equal; the function gets both commands without them. Default: command, arguments,
   * working directory, input, and whether it is a script.
   */
  readonly key?: ReplayKey | undefined
  /**
   * As recorded, a multiple of that speed (`0.5` is half as fast), or `"max"`, without waiting. Default: `"recorded"`.
   */
  readonly speed?: ReplaySpeed | undefined
  /**
   * Recordings with the same key answer in their order. Whether the last one then answers repeatedly; otherwise further
   * commands fail. Default: `true`.
   */
  readonly repeat?: boolean | undefined
  /** Runs commands that were not recorded. Default: none; such a command fails. */
  readonly onUnmatched?: ShellService | undefined
  /** The redactor that commands were recorded with. Default: none. */
  readonly redactor?: Redactor.Redactor | undefined
  /** Maximum number of recordings to use, the newest first. Default: 100,000. */
  readonly maxRecordings?: number | undefined
  /** Capabilities of the leaf. Default: `leaf: "replay"`, POSIX, and all but `orphans`, `pty` and `resolvesPath`. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}

const defaultCapabilities = makeCapabilities({
  leaf: "replay",
  // No process is started, so none is left.
  groupKill: "native",
  escapees: true,
  limits: ["memoryBytes", "cpuSeconds", "processes", "fileSizeBytes"],
  exactOrder: true,
  backPressure: true,
})

const requireSpeed = (speed: ReplaySpeed): ReplaySpeed => {
  if (typeof speed !== "number" || (speed > 0 && speed < Infinity)) return speed
  throw new OptionError("speed", `ReplayShell: speed is above 0, "recorded" or "max"; not ${speed}`)
}

/**
 * Makes the service over recordings of any source.
 *
 * @throws {OptionError} if `speed` is a number that is not above 0 and finite.
 */
export const makeReplay = (recordings: ReadonlyArray<Recording>, options: ReplayOptions): ShellService => {
  const { capabilities, key = defaultKey, onUnmatched, redactor, repeat = true } = options
  const speed = requireSpeed(options.speed ?? "recorded")
  const index = new RecordingIndex(recordings, { key, redactor, repeat })

  const answer = <Element extends ShellOutputChunk | ShellBytes>(
    exec: ShellExec,
    options: LeafRunOptions,
    playbackOf: (recording: Recording) => Playback<Element>,
    otherwise:
      | ((exec: ShellExec, options: LeafRunOptions) => Stream.Stream<Element | ShellOutput, ShellFault>)
      | undefined,
  ): Stream.Stream<Element | ShellOutput, ShellFault> =>
    Stream.suspend(() => {
      const found = index.take(exec)
      if (!("issue" in found)) return playRecording(found, { exec, options, speed }, playbackOf(found))
      if (otherwise !== undefined) return otherwise(exec, options)
      const reason = { _tag: "Unknown", code: "EUNRECORDED" } as const
      return Stream.fail(ShellFault.because(exec.commandId, reason, `exec: ${found.issue} (EUNRECORDED)`))
    })

  return {
    exec: (exec, options = {}) =>
      answer(exec, options, ({ exec: recorded }) => textPlayback(exec, recorded), onUnmatched?.exec),
    bytes: (exec, options = {}) => answer(exec, options, () => bytePlayback(exec), onUnmatched?.bytes),
    capabilities: { ...defaultCapabilities, ...capabilities },
  }
}

/**
 * Makes a Shell from the current contents of a journal; later entries are not played. Fails with an `OptionError` if `speed` is
 * a number that is not above 0 and finite.
 *
 * @stability stable
 */
export const make = (
  journal: JournalService,
  options: ReplayOptions = {},
): Effect.Effect<ShellService, JournalError | OptionError> =>
  Effect.flatMap(
    readJournalRecordings(journal, options.maxRecordings ?? 100_000),
    (recordings) => attemptOptions(() => makeReplay(recordings, options)),
  )

/**
 * {@link layer} with options. Fails with an `OptionError` for an invalid option.
 *
 * @stability stable
 */
export const layerWith = (options: ReplayOptions): Layer.Layer<Shell, JournalError | OptionError, Journal> =>
  Layer.effect(Shell, Effect.flatMap(Journal, (journal) => make(journal, options)))

/**
 * A Shell that answers from what `JournaledShell` recorded in the journal of the context: the same chunks with their seq,
 * stream and text, at the same times after the start, and the same end, including a fault. Nothing is run.
 *
 * - Events have the id of the requested command. Their times are the recorded ones, moved to now; with a number for `speed`
 *   they are scaled.
 * - Output that was recorded in chunks can be requested whole, and vice versa; as bytes, text is UTF-8.
 * - Timeouts, an abort signal and a failing input end a replay as they would have ended the command. Stdin is read and
 *   discarded. The number of concurrent replays is not limited.
 * - A command that was not recorded fails with `Unknown` and code `EUNRECORDED` (not `NotFound`, which a program may
 *   handle); the message has the most similar recording.
 *
 * @example
 * ```ts
 * import { LocalShell, cmd, Shell } from "@sluice/shell"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { ReplayShell } from "@sluice/shell/testing"
 * import { Effect, Layer } from "effect"
 *
 * const recorded = Shell.run(cmd`echo ${"from the real one"}`).pipe(
 *   Effect.provide(JournaledShell.layer.pipe(Layer.provide(LocalShell.layer))),
 * )
 * const replayed = Shell.run(cmd`echo ${"from the real one"}`).pipe(Effect.provide(ReplayShell.layerWith({ speed: "max" })))
 *
 * const both = Effect.all([recorded, replayed]).pipe(Effect.provide(MemoryJournal.layer))
 * const [first, second] = await Effect.runPromise(both)
 * console.assert(first.stdout === second.stdout && first.duration === second.duration)
 * ```
 *
 * @stability stable
 */
export const layer: Layer.Layer<Shell, JournalError, Journal> = Layer.effect(
  Shell,
  Effect.flatMap(Journal, (journal) => Effect.catchTag(make(journal), "OptionError", Effect.die)),
)
