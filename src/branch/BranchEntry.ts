/**
 * Entries that every branch has beside its requests and events: who answers a request, and who lives. They stand in the
 * same journal, so there is no lock table and no second queue.
 *
 * - A **request** is open from its entry to the **last event** with the same correlation id.
 * - A **lease** is the right to append events for an open request. It is the newest `LeaseTaken` after the request, and
 *   belongs to the **daemon** that the entry names. It is taken by an append whose condition is that no newer lease is
 *   there, so one of several wins; and every event is appended under that same condition, so a daemon that lost its
 *   lease (it was paused, or cut off) appends nothing more.
 * - A lease is **renewed** by `DaemonAlive`, one entry for all leases of a daemon. Whoever has seen no sign of a daemon
 *   for as long as its leases last, by its own clock, or finds that the daemon's process is dead, takes them over.
 * - An **attempt** is one run of a request. Events belong to the attempt of the lease before them: output of attempt 1
 *   that stands before a lease of attempt 2 is of a run that was lost.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Draft, Entry } from "../journal/Entry.ts"
import { HostIdentity } from "./HostIdentity.ts"

const Millis: Schema.Int = Schema.Int.check(Schema.isGreaterThan(0))
const Count: Schema.Int = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Attempt: Schema.Int = Schema.Int.check(Schema.isGreaterThan(0))

/** The fields of {@link LeaseExecution}, as Schemas. */
export type LeaseExecutionFields = {
  readonly executable: Schema.optionalKey<typeof Schema.String>
  readonly user: Schema.optionalKey<typeof Schema.String>
  readonly workingDirectory: Schema.optionalKey<typeof Schema.String>
}

/**
 * Schema of how a request is about to be answered, as far as it is known before anything is started: `user` that the process
 * runs as, canonical `workingDirectory`, and canonical absolute path of the `executable`.
 */
export const LeaseExecution: Schema.Struct<LeaseExecutionFields> = Schema.Struct({
  executable: Schema.optionalKey(Schema.String),
  user: Schema.optionalKey(Schema.String),
  workingDirectory: Schema.optionalKey(Schema.String),
})

/** The circumstances in which a request is about to be answered. */
export type LeaseExecution = typeof LeaseExecution.Type

/** The fields of {@link LeaseTaken}, as Schemas. */
export type LeaseTakenFields = {
  readonly attempt: typeof Schema.Int
  readonly daemon: typeof Schema.String
  readonly execution: Schema.optionalKey<typeof LeaseExecution>
  readonly host: typeof HostIdentity
  readonly lasts: Schema.NullOr<typeof Schema.Int>
}

/**
 * Schema: the request with this correlation id is answered by `daemon`, a process of `host`. `attempt` counts the runs of
 * the request from 1; it is that of the lease before when the lease is taken only to end the request. `lasts` is how
 * long the lease holds without a sign of the daemon, in milliseconds; `null` for as long as the process lives. `execution`
 * tells how it is about to be answered; it is missing where the lease is taken only to end the request.
 */
export const LeaseTaken: Schema.TaggedStruct<"LeaseTaken", LeaseTakenFields> = Schema.TaggedStruct("LeaseTaken", {
  attempt: Attempt,
  daemon: Schema.String,
  execution: Schema.optionalKey(LeaseExecution),
  host: HostIdentity,
  lasts: Schema.NullOr(Millis),
})

/** A request has somebody who answers it. */
export type LeaseTaken = typeof LeaseTaken.Type

/** The fields of {@link CancelRequested}, as Schemas. */
export type CancelRequestedFields = {
  readonly by: Schema.optionalKey<typeof Schema.String>
  readonly force: Schema.optionalKey<typeof Schema.Boolean>
}

/**
 * Schema: whoever answers the request with this correlation id shall end it. `by` says who wants it; `force` that it shall
 * have no time to end by itself, also when it was told to end before.
 */
export const CancelRequested: Schema.TaggedStruct<"CancelRequested", CancelRequestedFields> = Schema.TaggedStruct(
  "CancelRequested",
  { by: Schema.optionalKey(Schema.String), force: Schema.optionalKey(Schema.Boolean) },
)

/** A request shall end. */
export type CancelRequested = typeof CancelRequested.Type

/** The fields of {@link DaemonStarted}, as Schemas. */
export type DaemonStartedFields = {
  readonly daemon: typeof Schema.String
  readonly host: typeof HostIdentity
  readonly lasts: typeof Schema.Int
  readonly settled: typeof Schema.Int
}

/**
 * Schema: a daemon has begun to answer. While it answers anything, the next sign of it comes within `lasts` ms. Every request up to position `settled` has its last event: whoever looks for
 * open requests begins there. The correlation id of this entry is the daemon's id.
 */
export const DaemonStarted: Schema.TaggedStruct<"DaemonStarted", DaemonStartedFields> = Schema.TaggedStruct(
  "DaemonStarted",
  { daemon: Schema.String, host: HostIdentity, lasts: Millis, settled: Count },
)

/** A daemon has begun. */
export type DaemonStarted = typeof DaemonStarted.Type

/** The fields of {@link DaemonAlive}, as Schemas. */
export type DaemonAliveFields = {
  readonly daemon: typeof Schema.String
  readonly lasts: typeof Schema.Int
  readonly settled: typeof Schema.Int
}

/** Schema: a daemon lives, and renews all its leases. `lasts` and `settled` as in {@link DaemonStarted}. */
export const DaemonAlive: Schema.TaggedStruct<"DaemonAlive", DaemonAliveFields> = Schema.TaggedStruct("DaemonAlive", {
  daemon: Schema.String,
  lasts: Millis,
  settled: Count,
})

/** A daemon lives. */
export type DaemonAlive = typeof DaemonAlive.Type

/** The fields of {@link DaemonCompleted}, as Schemas. */
export type DaemonCompletedFields = { readonly daemon: typeof Schema.String; readonly settled: typeof Schema.Int }

/** Schema: a daemon has ended, and holds no lease. `settled` as in {@link DaemonStarted}. */
export const DaemonCompleted: Schema.TaggedStruct<"DaemonCompleted", DaemonCompletedFields> = Schema.TaggedStruct(
  "DaemonCompleted",
  { daemon: Schema.String, settled: Count },
)

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

/** What every branch has beside its requests and events. */
export type BranchEntry = typeof BranchEntry.Type

/** The tags of {@link BranchEntry}: no request or event of a branch may have one of them. */
export const branchTags: ReadonlyArray<BranchEntry["_tag"]> = [
  "LeaseTaken",
  "CancelRequested",
  "DaemonStarted",
  "DaemonAlive",
  "DaemonCompleted",
]

/** Tags of the entries by which a daemon shows itself. */
export const signTags: ReadonlyArray<BranchEntry["_tag"]> = ["DaemonStarted", "DaemonAlive", "DaemonCompleted"]

const encode = Schema.encodeSync(BranchEntry)
const decode = Schema.decodeUnknownResult(BranchEntry)

/**
 * An entry of a branch's own as one to append. Its version is that of these Schemas, not of the branch's: daemons of
 * several versions of a branch understand each other's leases.
 */
export const branchDraft = (branch: { readonly name: string }, correlationId: string, entry: BranchEntry): Draft => ({
  branch: branch.name,
  correlationId,
  version: 1,
  body: encode(entry),
})

/** What a journal's entry says, if it is one of the branch's own and can be read. */
export const branchEntryOf = (branch: { readonly name: string }, entry: Entry): BranchEntry | undefined => {
  if (entry.branch !== branch.name || !branchTags.some((tag) => tag === entry.tag)) return undefined
  return Result.getOrUndefined(decode(entry.body))
}

/**
 * The lease of a process that answers a request itself, to be appended together with the request. It holds for as long as
 * the process lives, so no daemon takes the request; when the process is dead, a daemon on its machine ends it.
 *
 * @example
 * ```ts
 * import { ShellExec } from "@sluice/shell"
 * import { currentHost, ownLease, requestDraft } from "@sluice/shell/branch"
 * import { Compute } from "@sluice/shell/compute"
 * import { Effect } from "effect"
 *
 * const request = ShellExec.make("make", ["all"])
 * const host = await Effect.runPromise(currentHost)
 * const [asked, taken] = [requestDraft(Compute, request), ownLease(Compute, request, host)]
 * console.assert(taken.correlationId === asked.correlationId && taken.body["lasts"] === null)
 * ```
 */
export const ownLease = <Request, Event>(
  branch: { readonly name: string; readonly correlationOf: (message: Request | Event) => string },
  request: Request,
  host: HostIdentity,
  daemon = "in-process",
): Draft =>
  branchDraft(branch, branch.correlationOf(request), { _tag: "LeaseTaken", daemon, host, attempt: 1, lasts: null })
