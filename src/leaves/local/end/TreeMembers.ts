/**
 * Finds the processes of a tree by parent, process group and environment marker, remembers them by id and start time,
 * and pursues those that start since the last search.
 *
 * Source: proc(5), execve(2).
 */
import type { Marker, ProcessEntry, ProcessTable, SyncProcessTable } from "./ProcessTable.ts"

export interface ProcessTree {
  /** Its root processes that have not been reaped. Without any, only the marker identifies its processes. */
  readonly roots?: (() => ReadonlyArray<number>) | undefined
  /** A process group that belongs to the tree alone, while it does. */
  readonly group?: (() => number | undefined) | undefined
  /** Text in the environment of the tree's processes and of no others; for several trees, any of these. */
  readonly marker: Marker
  /** Markers of other runs that {@link ProcessTree.marker} matches too: processes with one of them are not in the tree. */
  readonly others?: (() => ReadonlyArray<string>) | undefined
  readonly table: ProcessTable
  readonly signal: (pids: ReadonlyArray<number>, signal: string) => Promise<void>
}

/** Maximum time of one pursuit, during which nothing else runs in this program. */
const maxPursuitMillis = 10

/** Maximum number of ids without a process that are checked again. */
const maxAbsent = 128

/** Maximum time of execve(2) before a process counts as one without an environment. */
const maxExecMillis = 500

export interface TreeSearchResult {
  readonly alive: ReadonlyArray<number>
  /** The members that were not known before. */
  readonly fresh: ReadonlyArray<number>
  /** The new members that are outside the tree's process group. */
  readonly outside: ReadonlyArray<number>
  /** Whether the machine's processes could be read at all: without a free file descriptor they cannot. */
  readonly complete: boolean
}

export interface PursuitResult {
  readonly caught: number
  readonly complete: boolean
}

/** The processes of a tree by id and start time, so that a reused id is not signalled. */
export class TreeMembers {
  readonly #tree: ProcessTree
  readonly #known = new Map<number, string>()
  readonly #found = new Set<number>()
  #since = 0
  /** Reads the ids that were assigned since the last search began. */
  #arrivals: (() => ReadonlyArray<number>) | undefined
  /** Processes in execve(2): their environment can be read in a moment. */
  readonly #inExec = new Set<number>()
  readonly #execSince = new Map<number, number>()
  /**
   * Whether one of the processes in execve(2) was in the tree, or ended before it was checked: it may have started
   * others.
   */
  #mustSearchAll = false
  /** Ids that had no process when they were checked. */
  #absent: Array<number> = []
  /** Processes outside the tree by id and start time: they are not checked again. */
  readonly #foreign = new Map<number, string>()

  constructor(tree: ProcessTree) {
    this.#tree = tree
  }

  /** All processes that were ever found, dead or alive. */
  get found(): ReadonlySet<number> {
    return this.#found
  }

  async search(): Promise<TreeSearchResult> {
    const { marker, table } = this.#tree
    if (table.sync !== undefined) return this.searchSync(table.sync)
    const living = await table.living()
    const fresh = this.#addRelatives(living)
    const marked = await table.marked(this.#unknown(living), marker, this.#others)
    return this.#toLook(living, fresh, marked)
  }

  /**
   * Searches again, without waiting. Only the first search reads all processes (a machine may have thousands); later
   * ones check the known processes, and {@link pursue} finds new ones.
   */
  searchSync(table: SyncProcessTable): TreeSearchResult {
    if (this.#arrivals === undefined || this.#mustSearchAll || this.#tree.group !== undefined) {
      return this.#searchAll(table)
    }
    for (const [pid, started] of this.#known) if (table.entry(pid)?.started !== started) this.#known.delete(pid)
    return { alive: [...this.#known.keys()], fresh: [], outside: [], complete: true }
  }

  #searchAll(table: SyncProcessTable): TreeSearchResult {
    this.#arrivals = table.watch()
    this.#inExec.clear()
    this.#absent = []
    this.#mustSearchAll = false
    const living = table.living()
    const fresh = this.#addRelatives(living)
    const marked: Array<number> = []
    for (const pid of this.#unknown(living)) {
      const entry = living.get(pid)
      if (entry !== undefined && this.#isMarked(table, entry)) marked.push(pid)
    }
    return this.#toLook(living, fresh, marked)
  }

  /** Adds the roots, the group and all descendants of known processes. Returns those that were not known. */
  #addRelatives(living: ReadonlyMap<number, ProcessEntry>): Array<number> {
    const group = this.#tree.group?.()
    const fresh: Array<number> = []
    for (const [pid, started] of this.#known) if (living.get(pid)?.started !== started) this.#known.delete(pid)
    const tops = (this.#tree.roots?.() ?? []).flatMap((root) => living.get(root) ?? [])
    for (const top of tops) {
      if (this.#known.has(top.pid)) continue
      this.#add(top)
      fresh.push(top.pid)
      // NaN where start times cannot be compared: a process that is older than the root is not its descendant.
      if (tops.length === 1) this.#since = Number(top.started) || 0
    }
    if (group !== undefined) {
      for (const entry of living.values()) {
        if (entry.group !== group || this.#known.has(entry.pid)) continue
        this.#add(entry)
        fresh.push(entry.pid)
      }
    }
    this.#addDescendants(living, this.#known.keys(), fresh)
    return fresh
  }

  #addDescendants(living: ReadonlyMap<number, ProcessEntry>, from: Iterable<number>, fresh: Array<number>): void {
    const children = Map.groupBy(living.values(), (entry) => entry.parent)
    const queue = [...from]
    for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
      for (const child of children.get(pid) ?? []) {
        if (this.#known.has(child.pid)) continue
        this.#add(child)
        fresh.push(child.pid)
        queue.push(child.pid)
      }
    }
  }

  #unknown(living: ReadonlyMap<number, ProcessEntry>): Array<number> {
    const unknown: Array<number> = []
    for (const { pid, started } of living.values()) {
      if (this.#known.has(pid) || this.#foreign.get(pid) === started || Number(started) < this.#since) continue
      unknown.push(pid)
    }
    return unknown
  }

  #toLook(
    living: ReadonlyMap<number, ProcessEntry>,
    fresh: Array<number>,
    marked: ReadonlyArray<number>,
  ): TreeSearchResult {
    const group = this.#tree.group?.()
    const added: Array<number> = []
    for (const pid of marked) {
      const entry = living.get(pid)
      if (entry === undefined || this.#known.has(pid)) continue
      this.#add(entry)
      added.push(pid)
    }
    fresh.push(...added)
    if (added.length > 0) this.#addDescendants(living, added, fresh)
    const outside = fresh.filter((pid) => group === undefined || living.get(pid)?.group !== group)
    return {
      alive: [...this.#known.keys()],
      fresh,
      outside,
      complete: this.#tree.table.sync === undefined || living.size > 0,
    }
  }

  #isMarked(table: SyncProcessTable, { pid, started }: ProcessEntry): boolean {
    const marked = table.isMarked(pid, this.#tree.marker, this.#others)
    if (marked === false) this.#foreign.set(pid, started)
    if (marked !== undefined) return marked
    const now = performance.now()
    const since = this.#execSince.get(pid) ?? now
    this.#execSince.set(pid, since)
    if (now - since < maxExecMillis) this.#inExec.add(pid)
    return false
  }

  /**
   * Stops, as fast as they can be found, the processes that started since the last search or pursuit: a process that forks
   * the next one and exits lives for a millisecond or two, and a search of all processes takes longer. `caught` counts them.
   * The pursuit is `complete` if every process started since was checked, and none of those is still in execve(2). After a
   * complete pursuit that caught none, with no known process alive, the tree has ended.
   *
   * Proof: a process alive at that point had its id before the search, and was in it, or got its id later, and was checked
   * by its id. A process that had its id shortly before it was visible has a parent that was alive at that time and was
   * checked earlier, with the same two cases; the first of this chain is the tree's root, which existed all the time. Two
   * things break the chain. A parent that was checked while in execve(2) and had exited at the second check: then all
   * processes are searched again. And a parent that was stopped while it forked: so the next pursuit checks the ids without
   * a process again.
   */
  pursue(stop: (pid: number) => void): PursuitResult {
    const { table: { sync: table } } = this.#tree
    const arrivals = this.#arrivals
    if (table === undefined || arrivals === undefined) return { caught: 0, complete: true }
    const deadline = performance.now() + maxPursuitMillis
    const again = this.#absent
    this.#absent = []
    let caught = 0
    for (let first = true;; first = false) {
      const inExec = [...this.#inExec]
      this.#inExec.clear()
      const fresh = arrivals()
      for (const pid of [...inExec, ...(first ? again : []), ...fresh]) {
        if (this.#known.has(pid)) continue
        const entry = table.entry(pid)
        if (entry === undefined) {
          if (this.#execSince.has(pid)) this.#mustSearchAll = true
          this.#absent.push(pid)
          continue
        }
        if (this.#foreign.get(pid) === entry.started) continue
        if (!(this.#known.has(entry.parent) || this.#isMarked(table, entry)) || !table.isProcess(pid)) continue
        // It may have forked before its environment could be read.
        if (this.#execSince.has(pid)) this.#mustSearchAll = true
        stop(pid)
        this.#add(entry)
        caught++
      }
      if (this.#absent.length > maxAbsent) this.#absent.splice(0, this.#absent.length - maxAbsent)
      if (fresh.length === 0 && this.#inExec.size === 0) return { caught, complete: !this.#mustSearchAll }
      if (performance.now() > deadline) return { caught, complete: false }
    }
  }

  #add({ pid, started }: ProcessEntry): void {
    this.#known.set(pid, started)
    this.#found.add(pid)
  }

  get #others(): ReadonlyArray<string> {
    return this.#tree.others?.() ?? []
  }
}
