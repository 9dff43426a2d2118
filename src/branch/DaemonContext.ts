/** Declares the state that the parts of one daemon share. */
import type * as Scope from "effect/Scope"
import type { Latch } from "../base/waits.ts"
import type { Filter, Position } from "../journal/Entry.ts"
import type { JournalService } from "../journal/JournalService.ts"
import type { RequestExecution } from "./RequestExecution.ts"
import { type BranchEntry, type DaemonAlive, daemonTags } from "./BranchEntry.ts"
import type { DaemonSettings } from "./DaemonOptions.ts"
import type { Branch } from "./BranchDefinition.ts"
import type { HostIdentity } from "./HostIdentity.ts"
import type { OpenRequest, OpenRequests } from "./OpenRequests.ts"

export interface DaemonContext<Request, Event, E> {
  readonly id: string
  readonly host: HostIdentity
  readonly journal: JournalService
  readonly branch: Branch<Request, Event>
  readonly settings: DaemonSettings<Request, Event, E>
  readonly requests: OpenRequests
  readonly active: Map<string, ActiveRequest<Request, Event, E>>
  /** Opens when any lease is held: only then are there deadlines to keep. */
  readonly leaseActivity: Latch
  /** Opens when another daemon may hold a lease. */
  readonly leaseSeen: Latch
  /** Opens when there are more requests than `maxOpen`. */
  readonly overload: Latch
  readonly scope: Scope.Scope
}

/** A request that a daemon takes, has taken, or ends in the place of another. */
export interface ActiveRequest<Request, Event, E> {
  readonly request: OpenRequest
  takesSlot: boolean
  lease: Position | undefined
  execution: RequestExecution<Request, Event, E> | undefined
}

export const makeDaemonAlive = <Request, Event, E>(
  { id, requests, settings }: DaemonContext<Request, Event, E>,
): DaemonAlive => ({
  _tag: "DaemonAlive",
  daemonId: id,
  leaseMillis: settings.leaseMillis,
  settledThrough: requests.settled,
})

export const daemonEntryFilter = (
  branch: { readonly name: string },
  daemon?: string,
  tags: ReadonlyArray<BranchEntry["_tag"]> = daemonTags,
): Filter => ({ branch: branch.name, tags, ...(daemon === undefined ? undefined : { correlationId: daemon }) })
