/**
 * Declares the journal entries that every branch adds to its requests and events (leases, cancel requests, daemon
 * heartbeats), and encodes and decodes them. These entries are in the same journal, so there is no lock table and no
 * second queue.
 *
 * - A **request** is open from its entry to the **last event** with the same correlation id.
 * - A **lease** is the right to append events for an open request. It is the newest `LeaseTaken` after the request, and
 *   belongs to the **daemon** that the entry names. It is taken by an append on the condition that there is no newer
 *   lease, so one of several daemons wins; and every event is appended under that same condition, so a daemon that lost
 *   its lease (it was paused, or cut off) appends nothing more. A `LeaseTaken` that cannot be read is not a lease:
 *   later versions of its Schema only add optional fields, so no daemon has written it.
 * - A lease is **renewed** by `DaemonAlive`, one entry for all leases of a daemon. A daemon that has seen no entry of the
 *   lease's holder for the duration of the lease, by its own clock, or finds that the holder's process is dead, takes the
 *   lease over.
 * - An **attempt** is one run of a request. Events belong to the attempt of the lease before them: output of attempt 1
 *   that stands before a lease of attempt 2 is of a run that was lost.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Draft, Entry } from "../journal/Entry.ts"
import { HostIdentity } from "./HostIdentity.ts"

type Str = typeof Schema.String
type Int = typeof Schema.Int

const Millis: Schema.Int = Schema.Int.check(Schema.isGreaterThan(0))
const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Attempt: Schema.Int = Schema.Int.check(Schema.isGreaterThan(0))

/**
 * Schema of the circumstances of a run that are known before anything is started: the `user` that the process runs as,
 * the canonical `workingDirectory`, and the canonical absolute path of the `executable`.
 */
export const LeaseExecution: Schema.Struct<{
  readonly executable: Schema.optionalKey<Str>
  readonly user: Schema.optionalKey<Str>
  readonly workingDirectory: Schema.optionalKey<Str>
}> = Schema.Struct({
  executable: Schema.optionalKey(Schema.String),
  user: Schema.optionalKey(Schema.String),
  workingDirectory: Schema.optionalKey(Schema.String),
})

/** User, directory and program with which a request is about to be run. */
export type LeaseExecution = typeof LeaseExecution.Type

/**
 * Schema: the daemon `daemonId`, a process of `host`, has taken the lease of the request with this correlation id.
 *
 * `attempt` counts the runs of the request from 1; where the lease is taken only to end the request, it repeats the attempt
 * of the lease before. `leaseMillis` is how long the lease holds after the newest entry of the daemon, in milliseconds;
 * `null` for as long as its process lives. `execution` is missing where the lease is taken only to end the request.
 */
export const LeaseTaken: Schema.TaggedStruct<"LeaseTaken", {
  readonly attempt: Int
  readonly daemonId: Str
  readonly execution: Schema.optionalKey<typeof LeaseExecution>
  readonly host: typeof HostIdentity
  readonly leaseMillis: Schema.NullOr<Int>
}> = Schema.TaggedStruct("LeaseTaken", {
  attempt: Attempt,
  daemonId: Schema.String,
  execution: Schema.optionalKey(LeaseExecution),
  host: HostIdentity,
  leaseMillis: Schema.NullOr(Millis),
})

/** A daemon has taken the lease of a request. */
export type LeaseTaken = typeof LeaseTaken.Type

/**
 * Schema: asks the holder of the lease to end the request with this correlation id. `by` names the requester; with
 * `force` the request ends at once, without its grace period, even after an earlier cancel request.
 */
export const CancelRequested: Schema.TaggedStruct<"CancelRequested", {
  readonly by: Schema.optionalKey<Str>
  readonly force: Schema.optionalKey<typeof Schema.Boolean>
}> = Schema.TaggedStruct(
  "CancelRequested",
  { by: Schema.optionalKey(Schema.String), force: Schema.optionalKey(Schema.Boolean) },
)

/** A request to end a running request. */
export type CancelRequested = typeof CancelRequested.Type

/**
 * Schema: a daemon has started. While it holds a lease, its next entry comes within `leaseMillis`. Every request up to
 * position `settledThrough` has its last event: a search for open requests starts there. `maxOpen` is its option. The
 * correlation id of this entry is the daemon's id.
 */
export const DaemonStarted: Schema.TaggedStruct<"DaemonStarted", {
  readonly daemonId: Str
  readonly host: typeof HostIdentity
  readonly leaseMillis: Int
  readonly maxOpen: Schema.optionalKey<Int>
  readonly settledThrough: Int
}> = Schema.TaggedStruct("DaemonStarted", {
  daemonId: Schema.String,
  host: HostIdentity,
  leaseMillis: Millis,
  maxOpen: Schema.optionalKey(Count),
  settledThrough: Count,
})

/** A daemon has started. */
export type DaemonStarted = typeof DaemonStarted.Type

/**
 * Schema: a daemon is alive, and renews all its leases. `leaseMillis` and `settledThrough` are as in {@link
 * DaemonStarted}.
 */
export const DaemonAlive: Schema.TaggedStruct<"DaemonAlive", {
  readonly daemonId: Str
  readonly leaseMillis: Int
  readonly settledThrough: Int
}> = Schema.TaggedStruct("DaemonAlive", { daemonId: Schema.String, leaseMillis: Millis, settledThrough: Count })

/** A heartbeat of a daemon, which renews its leases. */
export type DaemonAlive = typeof DaemonAlive.Type

/** Schema: a daemon has ended, and holds no lease. `settledThrough` is as in {@link DaemonStarted}. */
export const DaemonCompleted: Schema.TaggedStruct<"DaemonCompleted", {
  readonly daemonId: Str
  readonly settledThrough: Int
}> = Schema.TaggedStruct("DaemonCompleted", { daemonId: Schema.String, settledThrough: Count })

/** A daemon has ended. */
export type DaemonCompleted = typeof DaemonCompleted.Type

/** Schema of the entries that every branch has. */
export const BranchEntry: Schema.Union<
  readonly [
    typeof LeaseTaken,
    typeof CancelRequested,
    typeof DaemonStarted,
    typeof DaemonAlive,
    typeof DaemonCompleted,
  ]
> = Schema.Union([LeaseTaken, CancelRequested, DaemonStarted, DaemonAlive, DaemonCompleted])

/** An entry that every branch has. */
export type BranchEntry = typeof BranchEntry.Type

/**
 * The tags of {@link BranchEntry}: no request or event of a branch may have one of them.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 *
 * console.log(Branch.branchEntryTags.includes("LeaseTaken")) // true
 * ```
 */
export const branchEntryTags: ReadonlyArray<BranchEntry["_tag"]> = [
  "LeaseTaken",
  "CancelRequested",
  "DaemonStarted",
  "DaemonAlive",
  "DaemonCompleted",
]

/**
 * Tags of the entries by which a daemon shows that it lives, or has ended.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 *
 * console.log(Branch.daemonTags.every((tag) => Branch.branchEntryTags.includes(tag))) // true
 * ```
 */
export const daemonTags: ReadonlyArray<BranchEntry["_tag"]> = ["DaemonStarted", "DaemonAlive", "DaemonCompleted"]

const encode = Schema.encodeSync(BranchEntry)
const decode = Schema.decodeUnknownResult(BranchEntry)

/**
 * Makes the draft of an entry that every branch has. It has the version of these Schemas, not of the branch's, so that
 * daemons of several versions of a branch understand each other's leases.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { ComputeBranch } from "@sluice/shell/daemon"
 *
 * const entry = Branch.CancelRequested.make({ by: "ada" })
 * const { branch, correlationId } = Branch.draftBranchEntry(ComputeBranch, "build-17", entry)
 * console.log(branch, correlationId) // compute build-17
 * ```
 */
export const draftBranchEntry = (
  branch: { readonly name: string },
  correlationId: string,
  entry: BranchEntry,
): Draft => ({
  branch: branch.name,
  correlationId,
  version: 1,
  body: encode(entry),
})

/**
 * Decodes an entry that every branch has; `undefined` for any other entry, and for an unreadable one.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { ComputeBranch } from "@sluice/shell/daemon"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const journal = yield* Journal
 *   const cancel = Branch.CancelRequested.make({ by: "ada" })
 *   yield* journal.append([Branch.draftBranchEntry(ComputeBranch, "build-17", cancel)])
 *   const entries = yield* journal.read({ after: 0 })
 *   return entries.map((entry) => Branch.decodeBranchEntry(ComputeBranch, entry)?._tag)
 * })
 * const tags = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
 * console.log(tags.join()) // CancelRequested
 * ```
 */
export const decodeBranchEntry = (branch: { readonly name: string }, entry: Entry): BranchEntry | undefined => {
  if (entry.branch !== branch.name || !branchEntryTags.some((tag) => tag === entry.tag)) return undefined
  return Result.getOrUndefined(decode(entry.body))
}

/**
 * Makes the lease of a process that runs a request itself, to be appended together with the request. It holds for as long as
 * the process lives, so no daemon takes the request; when the process is dead, a daemon on its machine ends it.
 *
 * @example
 * ```ts
 * import { ShellExec } from "@sluice/shell"
 * import { Branch } from "@sluice/shell/branch"
 * import { ComputeBranch } from "@sluice/shell/daemon"
 * import { Effect } from "effect"
 *
 * const request = ShellExec.make("make", ["all"])
 * const host = await Effect.runPromise(Branch.currentHost)
 * const [asked, taken] = [Branch.draftRequest(ComputeBranch, request), Branch.draftOwnLease(ComputeBranch, request, host)]
 * console.log(taken.correlationId === asked.correlationId && taken.body["leaseMillis"]) // null
 * ```
 */
export const draftOwnLease = <Request, Event>(
  branch: { readonly name: string; readonly correlationOf: (message: Request | Event) => string },
  request: Request,
  host: HostIdentity,
  daemonId = "in-process",
): Draft =>
  draftBranchEntry(branch, branch.correlationOf(request), {
    _tag: "LeaseTaken",
    daemonId,
    host,
    attempt: 1,
    leaseMillis: null,
  })
