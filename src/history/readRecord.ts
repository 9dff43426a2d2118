/**
 * Reads the entries of one command and builds its `CommandRecord`.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { decodeBranchEntry, type LeaseTaken } from "../branch/BranchEntry.ts"
import { decodeEventEntry, decodeRequestEntry } from "../branch/BranchDefinition.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { formatCommandLine } from "../shell/formatCommandLine.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { isLastEvent } from "../compute/RunPlayer.ts"
import type { Attempt, CommandRecord, CommandState, Outcome } from "./CommandRecord.ts"

/** Tags of the entries that say how far a command is: all but its output. */
export const requestTags: ReadonlyArray<string> = ComputeBranch.request.tags
export const leaseTag = "LeaseTaken"
export const endTags: ReadonlyArray<string> = ComputeBranch.lastTags
const milestoneTags: ReadonlyArray<string> = [...requestTags, leaseTag, ...endTags]

/** Marks that are read at once: nearly every command has two. */
const pageSize = 32

const tell = (error: JournalError): string => error.message.replace(/^journal: /, "")

/** The request of an entry, and the line that one would type for it. */
export const requestLine = (entry: Entry): readonly [exec: ShellExec | undefined, line: string] => {
  if (entry.body === undefined) return [undefined, "[pruned]"]
  const request = decodeRequestEntry(ComputeBranch, entry)
  if (request === undefined) return [undefined, "[no command]"]
  return Result.isFailure(request)
    ? [undefined, request.failure.reason._tag === "TooNew" ? "[written by a newer version]" : "[cannot be read]"]
    : [request.success, formatCommandLine(request.success)]
}

const unknown = { durationMillis: undefined, stdoutBytes: undefined, stderrBytes: undefined, executable: undefined }

const unreadable = (what: string): Outcome => ({ ...unknown, state: { _tag: "Unreadable", what } })

/** How a command ended, by the entry that ends it. */
export const outcomeOf = (entry: Entry): Outcome => {
  if (entry.body === undefined) return unreadable("pruned")
  const event = decodeEventEntry(ComputeBranch, entry)
  if (event !== undefined && Result.isFailure(event)) return unreadable(tell(event.failure))
  const last = event?.success
  if (last === undefined || !isLastEvent(last)) return unreadable(`${entry.tag} ends no command`)
  const { executable, stderrBytes, stdoutBytes } = last
  const end = { stdoutBytes, stderrBytes, executable: executable === "" ? undefined : executable }
  if (last._tag === "ShellFault") {
    const { message, reason } = last
    return { ...end, state: { _tag: "Faulted", reason, message }, durationMillis: undefined }
  }
  const { duration, exitCode, signal } = last
  return { ...end, state: { _tag: "Exited", exitCode, signal }, durationMillis: duration }
}

/** What the marks of one request come to, in order. */
class MilestoneReader {
  readonly attempts: Array<Attempt> = []
  /** Who answers the request now. */
  holder: LeaseTaken | undefined
  last: Entry | undefined

  /** Takes the next mark; answers whether what follows is no longer of this request. */
  take(mark: Entry): boolean {
    // The same command, run again.
    if (requestTags.includes(mark.tag)) return true
    if (mark.tag !== leaseTag) {
      this.last = mark
      return true
    }
    const entry = decodeBranchEntry(ComputeBranch, mark)
    this.holder = entry?._tag === "LeaseTaken" ? entry : undefined
    // A lease that is taken only to end the request has the number of the one before.
    const number = this.holder?.attempt ?? this.attempts.length + 1
    if (this.attempts.at(-1)?.number !== number) this.begin(mark, number)
    return false
  }

  begin({ position, time }: Entry, number = 1): void {
    this.attempts.push({ number, lease: this.holder, after: position, time })
  }
}

/** Whether the process that holds a lease is gone. */
export type IsHolderGone = (lease: LeaseTaken) => Effect.Effect<boolean, JournalError>

/** What a journal knows of the command of a request's entry. */
export const readRecord = (
  journal: JournalService,
  entry: Entry,
  isGone: IsHolderGone,
): Effect.Effect<CommandRecord, JournalError> =>
  Effect.gen(function* () {
    const { correlationId, position, time } = entry
    const branch = ComputeBranch.name
    const [exec, line] = requestLine(entry)
    const reading = new MilestoneReader()
    let after: Position = position
    let done = false
    while (!done) {
      const marks = yield* journal.read({
        after,
        filter: { branch, correlationId, tags: milestoneTags },
        limit: pageSize,
      })
      done = marks.some((mark) => reading.take(mark)) || marks.length < pageSize
      after = marks.at(-1)?.position ?? after
    }
    const { attempts, holder, last } = reading
    // A shell that takes no lease shows by what it writes that it has begun.
    if (attempts.length === 0) {
      const [next] = last === undefined
        ? yield* journal.read({ after: position, filter: { branch, correlationId }, limit: 1 })
        : [last]
      if (next !== undefined && !requestTags.includes(next.tag)) reading.begin(entry)
    }
    const lease = attempts.at(-1)?.lease
    const { executable, user, workingDirectory = exec?.workingDirectory } = lease?.execution ?? {}
    const host = lease?.host.host === "" ? undefined : lease?.host.host
    const who = { user, host, workingDirectory }
    const request = { commandId: correlationId, position, requested: time, exec, line, attempts, ...who }
    if (last !== undefined) {
      const { durationMillis = Math.max(0, last.time - (attempts.at(-1)?.time ?? time)), ...end } = outcomeOf(last)
      const ran = end.executable ?? executable
      return { ...request, ...end, executable: ran, durationMillis, ended: last.time, endPosition: last.position }
    }
    const lost = holder !== undefined && (yield* isGone(holder))
    const state: CommandState = { _tag: attempts.length === 0 ? "Waiting" : lost ? "Lost" : "Running" }
    return { ...request, ...unknown, executable, state, ended: undefined, endPosition: undefined }
  })
