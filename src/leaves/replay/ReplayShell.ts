/**
 * The replay leaf: commands are answered from what was recorded.
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
import { journalRecordings } from "./journalRecordings.ts"
import { Library } from "./Library.ts"
import type { ReplaySpeed } from "./Pacer.ts"
import { bytePlayback, type Playback, textPlayback } from "./Playback.ts"
import { play } from "./play.ts"
import type { Recording } from "./Recording.ts"
import { defaultKey, type ReplayKey } from "./ReplayKey.ts"

export type { ReplaySpeed } from "./Pacer.ts"
export { defaultKey, type ReplayKey, type ReplayKeyField } from "./ReplayKey.ts"

/** How commands are matched and played. */
export interface ReplayOptions {
  /**
   * What must be equal in a command and a recorded one: names of fields, or a function whose answers must be. Secrets
   * count as equal, since they are not recorded; the function gets both commands without them. Default: command,
   * arguments, working directory, input, and whether it is a script.
   */
  readonly key?: ReplayKey | undefined
  /**
   * As it was recorded, so many times as fast (`0.5` is half as fast), or at once. Default: `"recorded"`.
   */
  readonly speed?: ReplaySpeed | undefined
  /**
   * Several recordings of one key answer in their order. Whether the last answers again and again after that, or nothing
   * does. Default: `true`.
   */
  readonly repeat?: boolean | undefined
  /** Runs what was not recorded. Default: nothing; the command fails. */
  readonly onUnmatched?: ShellService | undefined
  /** The redactor that commands were recorded with. Default: none. */
  readonly redactor?: Redactor.Redactor | undefined
  /** Recordings that are looked at: the newest. Default: 100,000. */
  readonly maxRecordings?: number | undefined
  /** What the leaf says of itself, where that matters. Default: `leaf: "replay"`, POSIX, and what a replay can do. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}

const ownCapabilities = makeCapabilities({
  leaf: "replay",
  // No process is started, so none is left.
  groupKill: "native",
  escapees: true,
  limits: ["memoryBytes", "cpuSeconds", "processes", "fileSizeBytes"],
  exactOrder: true,
  backPressure: true,
})

const speedOf = (speed: ReplaySpeed): ReplaySpeed => {
  if (typeof speed !== "number" || (speed > 0 && speed < Infinity)) return speed
  throw new OptionError("speed", `ReplayShell: speed is above 0, "recorded" or "max"; not ${speed}`)
}

/** The service over recordings, wherever they come from. */
export const replayOf = (recordings: ReadonlyArray<Recording>, options: ReplayOptions): ShellService => {
  const { capabilities, key = defaultKey, onUnmatched, redactor, repeat = true } = options
  const speed = speedOf(options.speed ?? "recorded")
  const library = new Library(recordings, { key, redactor, repeat })

  const answer = <Element extends ShellOutputChunk | ShellBytes>(
    exec: ShellExec,
    options: LeafRunOptions,
    playbackOf: (recording: Recording) => Playback<Element>,
    otherwise:
      | ((exec: ShellExec, options: LeafRunOptions) => Stream.Stream<Element | ShellOutput, ShellFault>)
      | undefined,
  ): Stream.Stream<Element | ShellOutput, ShellFault> =>
    Stream.suspend(() => {
      const found = library.take(exec)
      if (!("issue" in found)) return play(found, { exec, options, speed }, playbackOf(found))
      if (otherwise !== undefined) return otherwise(exec, options)
      const reason = { _tag: "Unknown", code: "EUNRECORDED" } as const
      return Stream.fail(ShellFault.because(exec.commandId, reason, `exec: ${found.issue} (EUNRECORDED)`))
    })

  return {
    exec: (exec, options = {}) =>
      answer(exec, options, ({ exec: recorded }) => textPlayback(exec, recorded), onUnmatched?.exec),
    bytes: (exec, options = {}) => answer(exec, options, () => bytePlayback(exec), onUnmatched?.bytes),
    capabilities: { ...ownCapabilities, ...capabilities },
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
    journalRecordings(journal, options.maxRecordings ?? 100_000),
    (recordings) => attemptOptions(() => replayOf(recordings, options)),
  )

/**
 * {@link layer} with options. Fails with an `OptionError` for an invalid option.
 *
 * @stability stable
 */
export const layerWith = (options: ReplayOptions): Layer.Layer<Shell, JournalError | OptionError, Journal> =>
  Layer.effect(Shell, Effect.flatMap(Journal, (journal) => make(journal, options)))

/**
 * A Shell that answers from the journal of the context what `JournaledShell` recorded there: the same chunks with their seq,
 * stream and text, at the same times after the start, and the same end, a fault too. Nothing is run.
 *
 * - Events carry the id of the command that was asked for. Their times are the recorded ones, moved to now; with a number
 *   for `speed` they are scaled with the waiting.
 * - What was recorded in chunks can be asked for whole, and the other way round; as bytes, text comes as UTF-8.
 * - Timeouts, an abort signal and an input that fails end a replay as they would have ended the command. What comes on
 *   stdin is read and thrown away. There is no limit on how many are played at once.
 * - A command that was not recorded fails with `Unknown` and code `EUNRECORDED` (not `NotFound`, which a program may
 *   handle); the message says what is recorded most like it.
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
