/**
 * What a daemon remembers of its branch: the requests that are open, and when it heard of whoever answers them.
 *
 * @module
 */
import type { Entry, Position } from "../journal/Entry.ts"
import { branchEntryOf, branchTags, type CancelRequested, type LeaseTaken } from "./BranchEntry.ts"
import { Signs } from "./Signs.ts"

/** A lease as it stands in the journal; `taken` is missing when the entry cannot be read. */
export interface SeenLease {
  readonly position: Position
  readonly taken: LeaseTaken | undefined
}

/** An open request. Its content stays in the journal. */
export interface Open {
  readonly correlationId: string
  readonly position: Position
  lease: SeenLease | undefined
  cancel: CancelRequested | undefined
  /** An append that would have taken it lost: what won has not been seen yet. */
  contended: boolean
  /** Its daemon seems to be lost. */
  lapsed: boolean
  /** It may be run again, and so takes a place. */
  wantsPlace: boolean
}

/** What a ledger needs to know of its branch. */
export interface LedgerBranch {
  readonly name: string
  readonly lastTags: ReadonlyArray<string>
  readonly request: { readonly tags: ReadonlyArray<string> }
}

/** The entries that a ledger is made of. */
export const ledgerTags = (branch: LedgerBranch): ReadonlyArray<string> => [
  ...branch.request.tags,
  ...branch.lastTags,
  ...branchTags,
]

/**
 * Follows the entries of a branch. It holds at most `maxOpen` requests: when more are open, the later ones are left in the
 * journal (`behind`) until there is room.
 */
export class Ledger {
  readonly #branch: LedgerBranch
  readonly #maxOpen: number
  readonly #open = new Map<string, Open>()
  readonly #signs = new Signs()
  #unreadable = Infinity
  /** Entries up to this one have been applied. */
  cursor: Position
  /** Requests after this one are not all here; `undefined` when they are. */
  behind: Position | undefined

  constructor(branch: LedgerBranch, maxOpen: number, cursor: Position) {
    this.#branch = branch
    this.#maxOpen = maxOpen
    this.cursor = cursor
  }

  get open(): Iterable<Open> {
    return this.#open.values()
  }

  /** How many more requests may be held. */
  get room(): number {
    return this.#maxOpen - this.#open.size
  }

  /** Whether somebody has a lease. */
  get isLeased(): boolean {
    for (const { lease } of this.#open.values()) if (lease !== undefined) return true
    return false
  }

  get(correlationId: string): Open | undefined {
    return this.#open.get(correlationId)
  }

  /** Every request up to here has its last event. */
  get settled(): Position {
    let settled = Math.min(this.cursor, this.behind ?? Infinity, this.#unreadable)
    for (const { position } of this.#open.values()) settled = Math.min(settled, position - 1)
    return settled
  }

  /** Takes the next entry of the branch in. */
  apply(entry: Entry): void {
    this.cursor = Math.max(this.cursor, entry.position)
    if (this.#branch.request.tags.includes(entry.tag)) this.#request(entry)
    else this.#about(entry)
  }

  /** A request that was left in the journal, and what the journal says of it since, in order. */
  applyLate(request: Entry, since: ReadonlyArray<Entry>): void {
    this.#hold(request)
    for (const entry of since) this.#about(entry)
    this.behind = request.position
  }

  /** A request that this daemon cannot read: it is left to others, unless it was pruned, and nobody can. */
  leave({ correlationId, position }: Open, pruned: boolean): void {
    if (!pruned) this.#unreadable = Math.min(this.#unreadable, position - 1)
    if (this.#open.get(correlationId)?.position === position) this.#open.delete(correlationId)
  }

  /** Time has passed, in which signs of others would have been seen. */
  passTime(millis: number): void {
    const leased = new Set<string>()
    for (const { lease } of this.#open.values()) if (lease?.taken !== undefined) leased.add(lease.taken.daemonId)
    this.#signs.passTime(millis, leased)
  }

  /** Whether nothing was heard of a lease's daemon for as long as the lease lasts. */
  isSilent(lease: LeaseTaken): boolean {
    return this.#signs.isSilent(lease)
  }

  /** The newest entry by which a daemon showed itself. */
  signOf(daemon: string): Position {
    return this.#signs.positionOf(daemon)
  }

  /** A daemon has shown itself. */
  heard(daemon: string, position: Position): void {
    this.#signs.heard(daemon, position)
    for (const open of this.#open.values()) if (open.lease?.taken?.daemonId === daemon) open.lapsed = false
  }

  #request(entry: Entry): void {
    if (this.behind !== undefined) return
    if (this.room <= 0 && !this.#open.has(entry.correlationId)) this.behind = entry.position - 1
    else this.#hold(entry)
  }

  #hold({ correlationId, position }: Entry): void {
    const known = this.#open.get(correlationId)
    if (known !== undefined && known.position >= position) return
    // Its id was open already, which clients do not do: the last event will be of both.
    this.#open.delete(correlationId)
    this.#open.set(correlationId, {
      correlationId,
      position,
      lease: undefined,
      cancel: undefined,
      contended: false,
      lapsed: false,
      wantsPlace: false,
    })
  }

  #about(entry: Entry): void {
    const { correlationId, position } = entry
    const open = this.#open.get(correlationId)
    if (this.#branch.lastTags.includes(entry.tag)) {
      if (open !== undefined && open.position < position) this.#open.delete(correlationId)
      return
    }
    const said = branchEntryOf(this.#branch, entry)
    switch (said?._tag) {
      case "DaemonStarted":
      case "DaemonAlive":
        return this.heard(said.daemonId, position)
      case "DaemonCompleted":
        return this.#signs.gone(said.daemonId, position)
      case "CancelRequested":
        if (open !== undefined && open.position < position && (open.cancel === undefined || said.force === true)) {
          open.cancel = open.cancel === undefined ? said : { ...open.cancel, force: true }
        }
        return
    }
    if (entry.tag !== "LeaseTaken" || open === undefined) return
    if (position < open.position || position <= (open.lease?.position ?? 0)) return
    open.lease = { position, taken: said }
    open.contended = false
    open.lapsed = false
    if (said !== undefined && position > this.signOf(said.daemonId)) this.heard(said.daemonId, position)
  }
}
