/**
 * What the parts of a daemon share.
 *
 * @module
 */
import type * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import type { Filter, Position } from "../journal/Entry.ts"
import type { JournalService } from "../journal/JournalService.ts"
import type { Answering } from "./Answering.ts"
import { type BranchEntry, type DaemonAlive, signTags } from "./BranchEntry.ts"
import type { DaemonSettings } from "./DaemonOptions.ts"
import type { Branch } from "./declare.ts"
import type { HostIdentity } from "./HostIdentity.ts"
import type { Ledger, Open } from "./Ledger.ts"

/** What the parts of a daemon share. */
export interface DaemonContext<Request, Event, E> {
  readonly id: string
  readonly host: HostIdentity
  readonly journal: JournalService
  readonly branch: Branch<Request, Event>
  readonly settings: DaemonSettings<Request, Event, E>
  readonly ledger: Ledger
  /** What it does now, by correlation id. */
  readonly works: Map<string, Work<Request, Event, E>>
  /** Opened when somebody has a lease: then time matters. */
  readonly stirred: Latch.Latch
  /** Opened when another daemon may have a lease. */
  readonly leased: Latch.Latch
  /** What it does lives here, and ends with it. */
  readonly scope: Scope.Scope
}

/** A request that a daemon takes, has taken, or ends in the place of another. */
export interface Work<Request, Event, E> {
  readonly open: Open
  /** Whether it takes one of the places of those that run at once. */
  place: boolean
  /** The position of the lease, once it is taken. */
  lease: Position | undefined
  answering: Answering<Request, Event, E> | undefined
}

/** A sign of life, and how far everything is settled. */
export const aliveNow = <Request, Event, E>(
  { id, ledger, settings }: DaemonContext<Request, Event, E>,
): DaemonAlive => ({
  _tag: "DaemonAlive",
  daemonId: id,
  leaseMillis: settings.leaseMillis,
  settledThrough: ledger.settled,
})

/** The signs of one daemon, or of all of a branch. */
export const signsOf = (
  branch: { readonly name: string },
  daemon?: string,
  tags: ReadonlyArray<BranchEntry["_tag"]> = signTags,
): Filter => ({ branch: branch.name, tags, ...(daemon === undefined ? undefined : { correlationId: daemon }) })
