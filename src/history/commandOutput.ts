/** Reads the entries of one command, or of one of its runs, from the journal. */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../base/bytes.ts"
import { decodeEventEntry } from "../branch/BranchDefinition.ts"
import type { EpochMillis, OutputStream } from "../command/ShellEvent.ts"
import type { Entry, Position } from "../journal/Entry.ts"
import { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { ChunkRecord } from "../compute/ShellOutputChunks.ts"
import type { TerminalInput, TerminalResized } from "../compute/TerminalEntry.ts"
import type { CommandRecord } from "./CommandRecord.ts"
import { readEntries } from "./readEntries.ts"
import { requestTags } from "./readRecord.ts"

/** A piece of output. */
export interface OutputPiece {
  readonly stream: OutputStream
  /** The bytes; UTF-8 if the output was decoded when it was recorded. */
  readonly bytes: Uint8Array
  /** The text, if the output was decoded when it was recorded. */
  readonly text: string | undefined
  /** Time at which the output was read from the command. */
  readonly timestamp: EpochMillis
}

export type RecordedEvent = OutputPiece | TerminalInput | TerminalResized

const terminalTags: ReadonlySet<string> = new Set(["TerminalInput", "TerminalResized"])

/** Entries of output in one read; each has up to 64 KiB. */
const pageSize = 16

const pieceOf = (entry: Entry, { base64, content, stream, timestamp }: ChunkRecord) => {
  if (base64 === undefined) {
    const text = content ?? ""
    return Result.succeed({ stream, timestamp, text, bytes: encodeUtf8(text) })
  }
  return Result.mapBoth(Base64.decode(base64), {
    onSuccess: (bytes): OutputPiece => ({ stream, timestamp, bytes, text: undefined }),
    onFailure: () => {
      const what = "its base64 is invalid"
      const reason = { _tag: "Corrupt" as const, what, position: entry.position }
      return JournalError.because(reason, `journal: entry ${entry.position} (${entry.tag}) cannot be read: ${what}`)
    },
  })
}

export const piecesOf = (entry: Entry): Result.Result<ReadonlyArray<OutputPiece>, JournalError> => {
  const event = entry.body === undefined ? undefined : decodeEventEntry(ComputeBranch, entry)
  if (event === undefined) return Result.succeed([])
  if (Result.isFailure(event)) return Result.fail(event.failure)
  if (event.success._tag !== "ShellOutputChunks") return Result.succeed([])
  return Result.all(event.success.chunks.map((chunk) => pieceOf(entry, chunk)))
}

const shownIn = (entry: Entry): Result.Result<ReadonlyArray<RecordedEvent>, JournalError> => {
  if (entry.body === undefined || !terminalTags.has(entry.tag)) return piecesOf(entry)
  const event = decodeEventEntry(ComputeBranch, entry)
  if (event === undefined) return Result.succeed([])
  return Result.map(
    event,
    (decoded) => decoded._tag === "TerminalInput" || decoded._tag === "TerminalResized" ? [decoded] : [],
  )
}

/** Options of {@link entriesOf} and {@link commandOutput}. */
export interface EntriesOptions {
  /** Number of the run: see `CommandRecord.attempts`. Default: all entries for `entries`, the last run for `output`. */
  readonly attempt?: number | undefined
}

/** The positions before and after a run, both exclusive. */
const rangeOf = (record: CommandRecord, attempt: number): readonly [after: Position, before: Position] | undefined => {
  const index = record.attempts.findIndex(({ number }) => number === attempt)
  const run = record.attempts[index]
  return run === undefined ? undefined : [run.after, record.attempts[index + 1]?.after ?? Infinity]
}

/**
 * The entries of a command in order: its request, its leases, its output, its end. For a running command, those so far.
 * Reads one page at a time.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("sh", ["-c", "exit 3"], { commandId: "c1" }))
 *   const record = yield* Audit.find("c1")
 *   return yield* Stream.runCollect(Audit.entries(record))
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(KernelShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const entries = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(entries.at(-1)?.tag) // ShellOutput
 * ```
 */
export const entriesOf = (
  record: CommandRecord,
  options: EntriesOptions = {},
): Stream.Stream<Entry, JournalError, Journal> => {
  const { attempt } = options
  const [start, before] = attempt === undefined
    ? [record.position - 1, Infinity]
    : rangeOf(record, attempt) ?? [Infinity, Infinity]
  const filter = { branch: ComputeBranch.name, correlationId: record.commandId }
  /** Whether an entry comes after the end of this command: the same id may have been run again. */
  const isBeyond = ({ position, tag }: Entry): boolean =>
    position >= before || (record.endPosition !== undefined && position > record.endPosition) ||
    (position > record.position && requestTags.includes(tag))
  if (!Number.isFinite(start)) return Stream.empty
  return Stream.unwrap(
    Effect.map(
      Journal,
      (journal) =>
        Stream.takeWhile(
          readEntries(journal, { after: start, filter, maxEntries: pageSize }),
          (entry) => !isBeyond(entry),
        ),
    ),
  )
}

/**
 * The output of a command in the order in which it was read; the exact bytes if the run was recorded as bytes. If there
 * were several runs, the last by default. For a running command, the output so far. Pruned output is left out.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("echo", ["hello"], { commandId: "c1" }))
 *   const record = yield* Audit.find("c1")
 *   return yield* Audit.output(record).pipe(Stream.map(({ bytes }) => bytes), Stream.decodeText, Stream.mkString)
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * console.log(await Effect.runPromise(Effect.provide(program, layer))) // hello
 * ```
 */
export const commandOutput = (
  record: CommandRecord,
  options: EntriesOptions = {},
): Stream.Stream<OutputPiece, JournalError, Journal> => eventsOf(record, options, piecesOf)

export const commandRecording = (
  record: CommandRecord,
  options: EntriesOptions = {},
): Stream.Stream<RecordedEvent, JournalError, Journal> => eventsOf(record, options, shownIn)

const eventsOf = <A>(
  record: CommandRecord,
  options: EntriesOptions,
  read: (entry: Entry) => Result.Result<ReadonlyArray<A>, JournalError>,
): Stream.Stream<A, JournalError, Journal> => {
  const attempt = options.attempt ?? record.attempts.at(-1)?.number
  if (attempt === undefined) return Stream.empty
  return entriesOf(record, { attempt }).pipe(
    Stream.mapEffect((entry) => Effect.fromResult(read(entry))),
    Stream.flatMap((events) => Stream.fromIterable(events)),
  )
}
