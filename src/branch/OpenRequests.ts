/** Tracks the open requests of a branch for one daemon, up to a maximum. */
import type { Entry, Position } from "../journal/Entry.ts"
import { branchEntryTags, type CancelRequested, decodeBranchEntry, type LeaseTaken } from "./BranchEntry.ts"
import { LivenessTracker } from "./LivenessTracker.ts"

export interface ObservedLease {
  readonly position: Position
  readonly taken: LeaseTaken
}

/** An open request. Its body stays in the journal. */
export interface OpenRequest {
  readonly correlationId: string
  readonly position: Position
  lease: ObservedLease | undefined
  /** The position of the newest `LeaseTaken`, also an unreadable one, else of the request; a new lease follows it. */
  newestLease: Position
  cancel: CancelRequested | undefined
  /** An append for its lease failed: the winning entry has not been seen yet. */
  isContended: boolean
  hasLapsed: boolean
  /** The request may run again, and so needs a slot. */
  needsSlot: boolean
}

export interface BranchTags {
  readonly name: string
  readonly lastTags: ReadonlyArray<string>
  readonly request: { readonly tags: ReadonlyArray<string> }
}

export const trackedTags = (branch: BranchTags): ReadonlyArray<string> => [
  ...branch.request.tags,
  ...branch.lastTags,
  ...branchEntryTags,
]

/**
 * Follows the entries of a branch. It holds at most `maxOpen` requests that wait or that its daemon runs: later ones are
 * left in the journal (`behind`) until there is room, or until they are refused.
 */
export class OpenRequests {
  readonly #branch: BranchTags
  readonly #daemonId: string
  readonly #maxOpen: number
  readonly #open = new Map<string, OpenRequest>()
  readonly #signs = new LivenessTracker()
  #unreadable = Infinity
  cursor: Position
  /** Requests after this position are not all held; `undefined` if all are. */
  behind: Position | undefined

  constructor(branch: BranchTags, daemonId: string, maxOpen: number, cursor: Position) {
    this.#branch = branch
    this.#daemonId = daemonId
    this.#maxOpen = maxOpen
    this.cursor = cursor
  }

  get values(): Iterable<OpenRequest> {
    return this.#open.values()
  }

  get room(): number {
    return this.#maxOpen - this.loadOf(this.#daemonId)
  }

  /** Number of requests that wait, or that a daemon runs. */
  loadOf(daemonId: string): number {
    let load = 0
    for (const { lease } of this.#open.values()) if (lease === undefined || lease.taken.daemonId === daemonId) load++
    return load
  }

  get isLeased(): boolean {
    for (const { lease } of this.#open.values()) if (lease !== undefined) return true
    return false
  }

  get(correlationId: string): OpenRequest | undefined {
    return this.#open.get(correlationId)
  }

  /** The position through which every request has its last event. */
  get settled(): Position {
    let settled = Math.min(this.cursor, this.behind ?? Infinity, this.#unreadable)
    for (const { position } of this.#open.values()) settled = Math.min(settled, position - 1)
    return settled
  }

  apply(entry: Entry): void {
    this.cursor = Math.max(this.cursor, entry.position)
    if (this.#branch.request.tags.includes(entry.tag)) this.#request(entry)
    else this.#about(entry)
  }

  applyLate(request: Entry, since: ReadonlyArray<Entry>): void {
    this.#hold(request)
    for (const entry of since) this.#about(entry)
    this.behind = request.position
  }

  /** Leaves a request that this daemon cannot read to others; removes it when it was pruned. */
  leaveToOthers({ correlationId, position }: OpenRequest, pruned: boolean): void {
    if (!pruned) this.#unreadable = Math.min(this.#unreadable, position - 1)
    if (this.#open.get(correlationId)?.position === position) this.#open.delete(correlationId)
  }

  /** Adds elapsed time in which entries of others would have been seen. */
  passTime(millis: number): void {
    const leased = new Set<string>()
    for (const { lease } of this.#open.values()) if (lease !== undefined) leased.add(lease.taken.daemonId)
    this.#signs.passTime(millis, leased)
  }

  isSilent(lease: LeaseTaken): boolean {
    return this.#signs.isSilent(lease)
  }

  lastSignOf(daemon: string): Position {
    return this.#signs.positionOf(daemon)
  }

  markAlive(daemon: string, position: Position): void {
    this.#signs.markAlive(daemon, position)
    for (const open of this.#open.values()) if (open.lease?.taken.daemonId === daemon) open.hasLapsed = false
  }

  #request(entry: Entry): void {
    if (this.behind !== undefined) return
    const isFull = this.#open.size >= this.#maxOpen && this.room <= 0
    if (isFull && !this.#open.has(entry.correlationId)) this.behind = entry.position - 1
    else this.#hold(entry)
  }

  #hold({ correlationId, position }: Entry): void {
    const known = this.#open.get(correlationId)
    if (known !== undefined && known.position >= position) return
    // Clients do not reuse an open id; if one does, the last event closes both.
    this.#open.delete(correlationId)
    this.#open.set(correlationId, {
      correlationId,
      position,
      lease: undefined,
      newestLease: position,
      cancel: undefined,
      isContended: false,
      hasLapsed: false,
      needsSlot: false,
    })
  }

  #about(entry: Entry): void {
    const { correlationId, position } = entry
    const open = this.#open.get(correlationId)
    if (this.#branch.lastTags.includes(entry.tag)) {
      if (open !== undefined && open.position < position) this.#open.delete(correlationId)
      return
    }
    const decoded = decodeBranchEntry(this.#branch, entry)
    switch (decoded?._tag) {
      case "DaemonStarted":
      case "DaemonAlive":
        return this.markAlive(decoded.daemonId, position)
      case "DaemonCompleted":
        return this.#signs.markGone(decoded.daemonId, position)
      case "CancelRequested":
        if (open !== undefined && open.position < position && (open.cancel === undefined || decoded.force === true)) {
          open.cancel = open.cancel === undefined ? decoded : { ...open.cancel, force: true }
        }
        return
    }
    if (entry.tag !== "LeaseTaken" || open === undefined || position <= open.newestLease) return
    open.newestLease = position
    open.isContended = false
    if (decoded === undefined) return
    open.lease = { position, taken: decoded }
    open.hasLapsed = false
    if (position > this.lastSignOf(decoded.daemonId)) this.markAlive(decoded.daemonId, position)
  }
}
