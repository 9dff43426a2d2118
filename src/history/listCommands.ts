/**
 * Lists the commands of a journal that match conditions, newest first.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { EpochMillis } from "../command/ShellEvent.ts"
import type { Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { type CommandRecord, isFailed } from "./CommandRecord.ts"
import { globMatcher } from "./glob.ts"
import { makeLivenessCheck } from "./livenessCheck.ts"
import { type IsHolderGone, readRecord, requestLine, requestTags } from "./readRecord.ts"

/** An exit code, or every other. */
export type ExitCodeFilter = number | { readonly not: number }

/** Which commands are meant: all conditions that are given hold. */
export interface ListOptions {
  /** Asked for at this time or later, milliseconds since 1970. */
  readonly since?: EpochMillis | undefined
  /** Asked for before this time. */
  readonly until?: EpochMillis | undefined
  /** Those that ended otherwise than well: an exit code that is not 0, a fault, or lost. Default: whatever became of it. */
  readonly failed?: boolean | undefined
  /**
   * A pattern for the program (its name, or its path as it was given) or for the whole command line: `*` is any
   * characters, `?` is one, `[a-z]` one of a set, `[!a-z]` one that is not.
   */
  readonly command?: string | undefined
  /** Those in whose command line this regular expression finds something. */
  readonly grep?: RegExp | undefined
  /** Those that ran to their end with this exit code, or with any other than it. */
  readonly exitCode?: ExitCodeFilter | undefined
  /** A pattern, as for `command`, for the name of the machine that ran it last. */
  readonly host?: string | undefined
  /** Asked for before this position of the journal: the next page of the newest begins with that of the last one. */
  readonly before?: Position | undefined
  /** The most that come. Default: all. */
  readonly limit?: number | undefined
  /** Default: `"newest"` first. */
  readonly order?: "newest" | "oldest" | undefined
}

/** A request that was looked at: its id, and its command when it is meant. */
export interface ScannedCommand {
  readonly commandId: string
  readonly position: Position
  readonly record: CommandRecord | undefined
}

/** Requests that are read at once; a request may carry a large input. */
const pageSize = 32

/** Requests whose fate is read at once: what costs a round trip on a server. */
const concurrency = 8

/** How far clocks may step back: a request that is older than asked for by more has only older ones before it. */
const slackMillis = 3_600_000

const requestFilter = { branch: ComputeBranch.name, tags: requestTags }

const commandMatcher = (pattern: string): (entry: Entry) => boolean => {
  const isMeant = globMatcher(pattern)
  return (entry) => {
    const [exec, line] = requestLine(entry)
    const program = exec === undefined || exec.useShell ? [] : [exec.command, exec.command.replace(/^.*[/\\]/, "")]
    return [line, ...program].some(isMeant)
  }
}

const lineMatcher = (pattern: RegExp): (entry: Entry) => boolean => {
  // One that is sticky or global would begin where it last ended.
  const plain = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""))
  return (entry) => plain.test(requestLine(entry)[1])
}

/** What is told of a request without looking at what became of it. */
const requestMatcher = (options: ListOptions): (entry: Entry) => boolean => {
  const { command, grep, since = -Infinity, until = Infinity } = options
  const isMeant = command === undefined ? () => true : commandMatcher(command)
  const hasLine = grep === undefined ? () => true : lineMatcher(grep)
  return (entry) => since <= entry.time && entry.time < until && isMeant(entry) && hasLine(entry)
}

/** The fields of a command by its state. */
const recordMatcher = ({ exitCode, failed = false, host }: ListOptions): (record: CommandRecord) => boolean => {
  const isHost = host === undefined ? undefined : globMatcher(host)
  return (record) => {
    if (failed && !isFailed(record)) return false
    if (isHost !== undefined && (record.host === undefined || !isHost(record.host))) return false
    if (exitCode === undefined) return true
    if (record.state._tag !== "Exited") return false
    return typeof exitCode === "number" ? record.state.exitCode === exitCode : record.state.exitCode !== exitCode.not
  }
}

/** Every request in order, until nothing more can be meant; the record of those that are. */
export const scanCommands = (
  journal: JournalService,
  options: ListOptions,
  isGone: IsHolderGone,
): Stream.Stream<ScannedCommand, JournalError> => {
  const { before = Infinity, order = "newest", since = -Infinity, until = Infinity } = options
  const mayBeMeant = requestMatcher(options)
  const isMeant = recordMatcher(options)
  const newest = order === "newest"
  const isBeyond = ({ position, time }: Entry): boolean =>
    newest ? time < since - slackMillis : time >= until + slackMillis || position >= before
  const look = (entry: Entry): Effect.Effect<ScannedCommand, JournalError> => {
    const { correlationId: commandId, position } = entry
    if (!mayBeMeant(entry)) return Effect.succeed({ commandId, position, record: undefined })
    return Effect.map(
      readRecord(journal, entry, isGone),
      (record) => ({ commandId, position, record: isMeant(record) ? record : undefined }),
    )
  }
  const page = (cursor: Position | undefined) =>
    Effect.gen(function* () {
      const entries = newest
        ? yield* journal.readBackward({ before: cursor, filter: requestFilter, limit: pageSize })
        : yield* journal.read({ after: cursor, filter: requestFilter, limit: pageSize })
      const end = entries.findIndex(isBeyond)
      const wanted = end < 0 ? entries : entries.slice(0, end)
      const looked = yield* Effect.forEach(wanted, look, { concurrency })
      const more = end < 0 && entries.length === pageSize
      return [looked, more ? Option.fromUndefinedOr(entries.at(-1)?.position) : Option.none()] as const
    })
  return Stream.paginate<Position | undefined, ScannedCommand, JournalError>(newest ? options.before : undefined, page)
}

/**
 * The commands of a journal, newest first, each with what became of it. However long the journal is, no more than a page
 * of requests is in memory; what they wrote is not read.
 *
 * A journal that is pruned meanwhile, or written to, does no harm: what is listed is what was there.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("echo", ["hello"]))
 *   yield* Shell.run(ShellExec.make("sh", ["-c", "exit 3"]))
 *   return yield* Stream.runCollect(Audit.list({ failed: true }))
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const [failed] = await Effect.runPromise(Effect.provide(program, layer))
 * console.assert(failed?.line === "sh -c 'exit 3'" && failed.state._tag === "Exited")
 * ```
 */
export const listCommands = (options: ListOptions = {}): Stream.Stream<CommandRecord, JournalError, Journal> => {
  const { limit = Infinity } = options
  return Stream.unwrap(Effect.gen(function* () {
    const journal = yield* Journal
    return scanCommands(journal, options, makeLivenessCheck(journal)).pipe(
      Stream.flatMap(({ record }) => record === undefined ? Stream.empty : Stream.succeed(record)),
      Stream.take(limit),
    )
  }))
}
