/** Streams the commands of a journal that match conditions, page by page. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { EpochMillis } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { type CommandRecord, isFailed } from "./CommandRecord.ts"
import { globMatcher } from "../base/globMatcher.ts"
import { makeLivenessCheck } from "./makeLivenessCheck.ts"
import { type IsHolderGone, readRecord, requestLine, requestTags } from "./readRecord.ts"

/** An exit code, or all others. */
export type ExitCodeFilter = number | { readonly not: number }

/** Conditions of listed commands; all given ones must hold. */
export interface ListOptions {
  /** Requested at this time or later, milliseconds since 1970. */
  readonly since?: EpochMillis | undefined
  readonly until?: EpochMillis | undefined
  /** Only failed commands: an exit code other than 0, a fault, or a lost process. Default: all. */
  readonly failed?: boolean | undefined
  /**
   * A pattern for the program (its name, or its path as it was given) or for the whole command line: `*` is any
   * characters, `?` is one, `[a-z]` one of a set, `[!a-z]` one that is not.
   */
  readonly command?: string | undefined
  /** A regular expression that the command line must match. */
  readonly grep?: RegExp | undefined
  /** The exit code of a command that ran to its end, or the one it must not have. */
  readonly exitCode?: ExitCodeFilter | undefined
  /** A pattern, as for `command`, for the name of the machine of its last run. */
  readonly host?: string | undefined
  /** Requested before this position: for the next page, the position of the last listed command. */
  readonly before?: Position | undefined
  /** Maximum of commands. Default: all. */
  readonly maxCommands?: number | undefined
  /** Default: `"newest"` first. */
  readonly order?: "newest" | "oldest" | undefined
}

export interface ScannedCommand {
  readonly commandId: string
  readonly position: Position
  readonly record: CommandRecord | undefined
}

/** Requests in one read; a request may contain a large input. */
const pageSize = 32

/** Records that are read concurrently: each is a round trip to a database server. */
const concurrency = 8

/** Tolerance for clocks that step back: the scan ends at a request that is older than `since` by more than this. */
const clockToleranceMillis = 3_600_000

const requestFilter = { branch: ComputeBranch.name, tags: requestTags }

export const commandMatcher = (
  pattern: string,
): (exec: Pick<ShellExec, "command" | "useShell"> | undefined, line: string) => boolean => {
  const matches = globMatcher(pattern)
  return (exec, line) => {
    const program = exec === undefined || exec.useShell ? [] : [exec.command, exec.command.replace(/^.*[/\\]/, "")]
    return [line, ...program].some(matches)
  }
}

const lineMatcher = (pattern: RegExp): (entry: Entry) => boolean => {
  // Without the flags that make `test` continue at the last match.
  const plain = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""))
  return (entry) => plain.test(requestLine(entry)[1])
}

const requestMatcher = (options: ListOptions): (entry: Entry) => boolean => {
  const { command, grep, since = -Infinity, until = Infinity } = options
  const matchesCommand = command === undefined ? () => true : commandMatcher(command)
  const matchesLine = grep === undefined ? () => true : lineMatcher(grep)
  return (entry) =>
    since <= entry.time && entry.time < until && matchesCommand(...requestLine(entry)) && matchesLine(entry)
}

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

/** Scans the requests in order until no further one can match, and reads the records of those that do. */
export const scanCommands = (
  journal: JournalService,
  options: ListOptions,
  isGone: IsHolderGone,
): Stream.Stream<ScannedCommand, JournalError> => {
  const { before = Infinity, order = "newest", since = -Infinity, until = Infinity } = options
  const matchesRequest = requestMatcher(options)
  const matchesRecord = recordMatcher(options)
  const newest = order === "newest"
  const isBeyond = ({ position, time }: Entry): boolean =>
    newest ? time < since - clockToleranceMillis : time >= until + clockToleranceMillis || position >= before
  const scanRequest = (entry: Entry): Effect.Effect<ScannedCommand, JournalError> => {
    const { correlationId: commandId, position } = entry
    if (!matchesRequest(entry)) return Effect.succeed({ commandId, position, record: undefined })
    return Effect.map(
      readRecord(journal, entry, isGone),
      (record) => ({ commandId, position, record: matchesRecord(record) ? record : undefined }),
    )
  }
  const page = (cursor: Position | undefined) =>
    Effect.gen(function* () {
      const entries = newest
        ? yield* journal.readBackward({ before: cursor, filter: requestFilter, maxEntries: pageSize })
        : yield* journal.read({ after: cursor, filter: requestFilter, maxEntries: pageSize })
      const end = entries.findIndex(isBeyond)
      const wanted = end < 0 ? entries : entries.slice(0, end)
      const scanned = yield* Effect.forEach(wanted, scanRequest, { concurrency })
      // A long scan would block the event loop if reads do not wait.
      yield* Effect.yieldNow
      const more = end < 0 && entries.length === pageSize
      return [scanned, more ? Option.fromUndefinedOr(entries.at(-1)?.position) : Option.none()] as const
    })
  return Stream.paginate<Position | undefined, ScannedCommand, JournalError>(newest ? options.before : undefined, page)
}

/**
 * Lists the commands of a journal with their states, newest first. Reads one page of requests at a time and no output.
 * Entries that are appended or pruned meanwhile do no harm.
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
 * console.log(failed?.line, failed?.state._tag) // sh -c 'exit 3' Exited
 * ```
 */
export const listCommands = (options: ListOptions = {}): Stream.Stream<CommandRecord, JournalError, Journal> => {
  const { maxCommands = Infinity } = options
  return Stream.unwrap(Effect.gen(function* () {
    const journal = yield* Journal
    return scanCommands(journal, options, makeLivenessCheck(journal)).pipe(
      Stream.flatMap(({ record }) => record === undefined ? Stream.empty : Stream.succeed(record)),
      Stream.take(maxCommands),
    )
  }))
}
