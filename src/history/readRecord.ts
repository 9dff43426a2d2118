/** Builds the `CommandRecord` of one command from its request, its leases and its end in the journal. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { defined } from "../base/defined.ts"
import { decodeBranchEntry, type LeaseTaken } from "../branch/BranchEntry.ts"
import { decodeEventEntry, decodeRequestEntry } from "../branch/BranchDefinition.ts"
import type { Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { formatCommandLine } from "../shell/formatCommandLine.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { ComputeRequest } from "../compute/ComputeRequest.ts"
import { isLastEvent } from "../compute/RunPlayer.ts"
import { findRoot } from "./requestSummary.ts"
import type { Attempt, CommandRecord, CommandState, Outcome } from "./CommandRecord.ts"

/** Tags of milestones: the entries of a command except its output. */
export const requestTags: ReadonlyArray<string> = ComputeBranch.request.tags
export const leaseTag = "LeaseTaken"
export const endTags: ReadonlyArray<string> = ComputeBranch.lastTags
const outputTags: ReadonlyArray<string> = [...requestTags, ...ComputeBranch.event.tags]
const milestoneTags: ReadonlyArray<string> = [...requestTags, leaseTag, ...endTags]

/** Milestones in one read: nearly every command has two. */
const pageSize = 32

const messageOf = (error: JournalError): string => error.message.replace(/^journal: /, "")

/** The request of an entry and its command line; without a request, the reason in brackets. */
export const requestLine = (entry: Entry): readonly [exec: ComputeRequest | undefined, line: string] => {
  if (entry.body === undefined) return [undefined, "[pruned]"]
  const request = decodeRequestEntry(ComputeBranch, entry)
  if (request === undefined) return [undefined, "[no command]"]
  return Result.isFailure(request)
    ? [undefined, request.failure.reason._tag === "TooNew" ? "[written by a newer version]" : "[cannot be read]"]
    : [request.success, formatCommandLine(request.success)]
}

const unknown = { durationMillis: undefined, stdoutBytes: undefined, stderrBytes: undefined, executable: undefined }

const unreadable = (what: string): Outcome => ({ ...unknown, state: { _tag: "Unreadable", what } })

export const outcomeOf = (entry: Entry): Outcome => {
  if (entry.body === undefined) return unreadable("pruned")
  const event = decodeEventEntry(ComputeBranch, entry)
  if (event !== undefined && Result.isFailure(event)) return unreadable(messageOf(event.failure))
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

class MilestoneReader {
  readonly attempts: Array<Attempt> = []
  holder: LeaseTaken | undefined
  last: Entry | undefined

  /** Takes the next milestone; returns whether the following ones belong to another request. */
  take(milestone: Entry): boolean {
    // The same id was run again.
    if (requestTags.includes(milestone.tag)) return true
    if (milestone.tag !== leaseTag) {
      this.last = milestone
      return true
    }
    const entry = decodeBranchEntry(ComputeBranch, milestone)
    // A pruned lease still counts as an attempt; a lease that cannot be read does not.
    if (entry === undefined && milestone.body !== undefined) return false
    this.holder = entry?._tag === "LeaseTaken" ? entry : undefined
    // A lease that is taken only to end the request has the number of the attempt before.
    const number = this.holder?.attempt ?? this.attempts.length + 1
    if (this.attempts.at(-1)?.number !== number) this.begin(milestone, number)
    return false
  }

  begin({ position, time }: Entry, number = 1): void {
    this.attempts.push({ number, lease: this.holder, after: position, time })
  }
}

export type IsHolderGone = (lease: LeaseTaken) => Effect.Effect<boolean, JournalError>

/** A command as recorded in the journal: `Running` even if the process of the `holder` is gone. */
export interface UncheckedCommand {
  readonly record: CommandRecord
  readonly holder: LeaseTaken | undefined
}

export const checkHolder = (
  { holder, record }: UncheckedCommand,
  isGone: IsHolderGone,
): Effect.Effect<CommandRecord, JournalError> =>
  holder === undefined
    ? Effect.succeed(record)
    : Effect.map(isGone(holder), (lost) => lost ? { ...record, state: { _tag: "Lost" } } : record)

export const readRecord = (
  journal: JournalService,
  entry: Entry,
  isGone: IsHolderGone,
): Effect.Effect<CommandRecord, JournalError> =>
  Effect.flatMap(readUnchecked(journal, entry), (command) => checkHolder(command, isGone))

/** Builds the record of the command whose request is this entry, without checking its holder. */
export const readUnchecked = (
  journal: JournalService,
  entry: Entry,
): Effect.Effect<UncheckedCommand, JournalError> =>
  Effect.gen(function* () {
    const { correlationId, position, time } = entry
    const branch = ComputeBranch.name
    const [exec, line] = requestLine(entry)
    const milestones = new MilestoneReader()
    let after: Position = position
    let done = false
    while (!done) {
      const page = yield* journal.read({
        after,
        filter: { branch, correlationId, tags: milestoneTags },
        maxEntries: pageSize,
      })
      done = page.some((entry) => milestones.take(entry)) || page.length < pageSize
      after = page.at(-1)?.position ?? after
    }
    const { attempts, holder, last } = milestones
    // A command of a shell without leases has started once there is output.
    if (attempts.length === 0) {
      const [next] = last === undefined
        ? yield* journal.read({ after: position, filter: { branch, correlationId, tags: outputTags }, maxEntries: 1 })
        : [last]
      if (next !== undefined && !requestTags.includes(next.tag)) milestones.begin(entry)
    }
    const lease = attempts.at(-1)?.lease
    const { executable, user, workingDirectory = exec?.workingDirectory } = lease?.execution ?? {}
    const host = lease?.host.host === "" ? undefined : lease?.host.host
    const who = { user, host, workingDirectory }
    const { requestedBy, terminal } = exec?.delivery ?? {}
    const root = yield* findRoot(journal, correlationId)
    const request = {
      ...{ commandId: correlationId, position, requested: time, exec, line, attempts, ...who },
      ...defined({ terminal, requestedBy, root }),
    }
    if (last !== undefined) {
      const { durationMillis = Math.max(0, last.time - (attempts.at(-1)?.time ?? time)), ...end } = outcomeOf(last)
      // The canonical path, as while it runs; an output has the path by which the program was found.
      const ran = executable ?? end.executable
      const ended = { ended: last.time, endPosition: last.position }
      return { record: { ...request, ...end, executable: ran, durationMillis, ...ended }, holder: undefined }
    }
    const state: CommandState = { _tag: attempts.length === 0 ? "Waiting" : "Running" }
    return {
      record: { ...request, ...unknown, executable, state, ended: undefined, endPosition: undefined },
      holder,
    }
  })
