/**
 * State that the parts of one daemon share.
 *
 * @module
 */
import type * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { Filter, Position } from "../journal/Entry.ts"
import type { JournalService } from "../journal/JournalService.ts"
import type { RequestExecution } from "./RequestExecution.ts"
import { type BranchEntry, type DaemonAlive, daemonTags } from "./BranchEntry.ts"
import type { DaemonSettings } from "./DaemonOptions.ts"
import type { Branch } from "./BranchDefinition.ts"
import type { HostIdentity } from "./HostIdentity.ts"
import type { OpenRequest, OpenRequests } from "./OpenRequests.ts"

/** What the parts of a daemon share. */
export interface DaemonContext<Request, Event, E> {
  readonly id: string
  readonly host: HostIdentity
  readonly journal: JournalService
  readonly branch: Branch<Request, Event>
  readonly settings: DaemonSettings<Request, Event, E>
  readonly requests: OpenRequests
  /** What it does now, by correlation id. */
  readonly active: Map<string, ActiveRequest<Request, Event, E>>
  /** Opened when somebody has a lease: then time matters. */
  readonly leaseActivity: Latch.Latch
  /** Opened when another daemon may have a lease. */
  readonly leaseSeen: Latch.Latch
  /** What it does lives here, and ends with it. */
  readonly scope: Scope.Scope
}

/** A request that a daemon takes, has taken, or ends in the place of another. */
export interface ActiveRequest<Request, Event, E> {
  readonly request: OpenRequest
  /** Whether it takes one of the places of those that run at once. */
  takesSlot: boolean
  /** The position of the lease, once it is taken. */
  lease: Position | undefined
  execution: RequestExecution<Request, Event, E> | undefined
}

/** A sign of life, and how far everything is settled. */
export const makeDaemonAlive = <Request, Event, E>(
  { id, requests, settings }: DaemonContext<Request, Event, E>,
): DaemonAlive => ({
  _tag: "DaemonAlive",
  daemonId: id,
  leaseMillis: settings.leaseMillis,
  settledThrough: requests.settled,
})

/** The signs of one daemon, or of all of a branch. */
export const daemonEntryFilter = (
  branch: { readonly name: string },
  daemon?: string,
  tags: ReadonlyArray<BranchEntry["_tag"]> = daemonTags,
): Filter => ({ branch: branch.name, tags, ...(daemon === undefined ? undefined : { correlationId: daemon }) })
