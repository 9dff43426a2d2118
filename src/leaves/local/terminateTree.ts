/**
 * Ends a whole process tree, found at the moment it has to end: nothing is paid for it when a command starts.
 *
 * A signal to the child alone leaves its descendants, and a process group of its own costs milliseconds at every
 * spawn on Deno and cuts the command off from the terminal. So the tree is read when it is needed: by parent, and
 * by a marker in the environment, which also finds who called setsid(2) and lost its parent. Before they are
 * signalled all are stopped, again and again until a look finds nobody new: what is stopped cannot fork.
 *
 * What it cannot find: a process that left its parent *and* cleared its environment, unless it was seen before.
 *
 * Source: kill(2), signal(7), proc(5).
 *
 * @module
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { Marker, ProcessEntry, ProcessTable, QuickLook } from "./ProcessTable.ts"
import { scheduleNextTurn } from "../../shell/scheduleNextTurn.ts"

/** The tree to end. */
export interface Tree {
  /** The processes it grew from, as far as they have not been reaped. None: the marker alone tells who is of it. */
  readonly roots?: (() => ReadonlyArray<number>) | undefined
  /** A process group that is the tree's and nobody else's, for as long as it is. */
  readonly group?: (() => number | undefined) | undefined
  /** Text that stands in the environment of the tree's processes and of no others; of several trees, any of these. */
  readonly marker: Marker
  /** Markers of other runs that {@link Tree.marker} fits as well: who carries one of them is none of the tree's. */
  readonly others?: (() => ReadonlyArray<string>) | undefined
  readonly table: ProcessTable
  readonly signal: (pids: ReadonlyArray<number>, signal: string) => Promise<void>
}

/** How long killed processes may take to vanish before the leaf gives up on them: they may be stuck in the kernel. */
const reapMillis = 2_000

/** How long the end of a tree may take in all, when it forks away from those who kill it. */
const killMillis = 15_000

/** How long one pursuit of those who fork away takes at the most: nothing else runs meanwhile. */
const pursuitMillis = 10

/** Ids of nobody that are looked at again. */
const maxAbsent = 128

/** How long a tree may go on forking away from those who stop it before those it has are killed. */
const freezeMillis = 500

/** How long the start of a program may take before its process counts as one without an environment. */
const startMillis = 500

const pause = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    // Real time, not the Clock's: the death of a process is an event of the machine, not of the program.
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** Lets everything else have its turn. */
const turn: Effect.Effect<void> = Effect.callback((resume) => void scheduleNextTurn(() => resume(Effect.void)))

/** What a look finds. */
export interface Look {
  readonly alive: ReadonlyArray<number>
  readonly fresh: ReadonlyArray<number>
  readonly outside: ReadonlyArray<number>
  /** Whether the machine's processes could be seen at all: without a free file descriptor they cannot. */
  readonly complete: boolean
}

/** What a pursuit finds. */
export interface Pursuit {
  readonly caught: number
  readonly complete: boolean
}

/** The tree's processes, remembered by id and start: an id that was given to another is not signalled. */
export class Members {
  readonly #tree: Tree
  readonly #known = new Map<number, string>()
  readonly #found = new Set<number>()
  #since = 0
  /** Ids that were given since the last look began. */
  #arrivals: (() => ReadonlyArray<number>) | undefined
  /** Those who start a program: what they carry is to be seen in a moment. */
  readonly #unclear = new Set<number>()
  readonly #unclearSince = new Map<number, number>()
  /** Whether one of those was of the tree, or gone before it was seen: then it may have started others before. */
  #lost = false
  /** Ids that belonged to nobody when they were looked at. */
  #absent: Array<number> = []
  /** Those who are not of the tree, by id and start: they need no second look. */
  readonly #strange = new Map<number, string>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /** Everybody who was ever found, dead or alive. */
  get found(): ReadonlySet<number> {
    return this.#found
  }

  /** Looks again. Answers with who is alive, and who of them was not known before (`outside`: not in the group). */
  async look(): Promise<Look> {
    const { marker, table } = this.#tree
    if (table.quick !== undefined) return this.lookNow(table.quick)
    const living = await table.living()
    const fresh = this.#relatives(living)
    const marked = await table.marked(this.#strangers(living), marker, this.#others)
    return this.#taken(living, fresh, marked)
  }

  /**
   * Looks again, without waiting. After the first look, which is at everybody, newcomers are found by {@link pursue}, and
   * only those who are known are looked at: a machine may have thousands of processes.
   */
  lookNow(quick: QuickLook): Look {
    if (this.#arrivals === undefined || this.#lost || this.#tree.group !== undefined) return this.#lookAtAll(quick)
    for (const [pid, started] of this.#known) if (quick.entry(pid)?.started !== started) this.#known.delete(pid)
    return { alive: [...this.#known.keys()], fresh: [], outside: [], complete: true }
  }

  #lookAtAll(quick: QuickLook): Look {
    this.#arrivals = quick.watch()
    this.#unclear.clear()
    this.#absent = []
    this.#lost = false
    const living = quick.living()
    const fresh = this.#relatives(living)
    const marked: Array<number> = []
    for (const pid of this.#strangers(living)) {
      const entry = living.get(pid)
      if (entry !== undefined && this.#isMarked(quick, entry)) marked.push(pid)
    }
    return this.#taken(living, fresh, marked)
  }

  /** Adds the root, the group and all descendants of those who are known; answers with who was not known. */
  #relatives(living: ReadonlyMap<number, ProcessEntry>): Array<number> {
    const group = this.#tree.group?.()
    const fresh: Array<number> = []
    for (const [pid, started] of this.#known) if (living.get(pid)?.started !== started) this.#known.delete(pid)
    const tops = (this.#tree.roots?.() ?? []).flatMap((root) => living.get(root) ?? [])
    for (const top of tops) {
      if (this.#known.has(top.pid)) continue
      this.#add(top)
      fresh.push(top.pid)
      // A number only where starts can be compared: a stranger that is older than the root is not its descendant.
      if (tops.length === 1) this.#since = Number(top.started) || 0
    }
    if (group !== undefined) {
      for (const entry of living.values()) {
        if (entry.group !== group || this.#known.has(entry.pid)) continue
        this.#add(entry)
        fresh.push(entry.pid)
      }
    }
    this.#descend(living, this.#known.keys(), fresh)
    return fresh
  }

  #descend(living: ReadonlyMap<number, ProcessEntry>, from: Iterable<number>, fresh: Array<number>): void {
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

  #strangers(living: ReadonlyMap<number, ProcessEntry>): Array<number> {
    const strangers: Array<number> = []
    for (const { pid, started } of living.values()) {
      if (this.#known.has(pid) || this.#strange.get(pid) === started || Number(started) < this.#since) continue
      strangers.push(pid)
    }
    return strangers
  }

  #taken(living: ReadonlyMap<number, ProcessEntry>, fresh: Array<number>, marked: ReadonlyArray<number>): Look {
    const group = this.#tree.group?.()
    const added: Array<number> = []
    for (const pid of marked) {
      const entry = living.get(pid)
      if (entry === undefined || this.#known.has(pid)) continue
      this.#add(entry)
      added.push(pid)
    }
    fresh.push(...added)
    if (added.length > 0) this.#descend(living, added, fresh)
    const outside = fresh.filter((pid) => group === undefined || living.get(pid)?.group !== group)
    return {
      alive: [...this.#known.keys()],
      fresh,
      outside,
      complete: this.#tree.table.quick === undefined || living.size > 0,
    }
  }

  #isMarked(quick: QuickLook, { pid, started }: ProcessEntry): boolean {
    const marked = quick.isMarked(pid, this.#tree.marker, this.#others)
    if (marked === false) this.#strange.set(pid, started)
    if (marked !== undefined) return marked
    const now = performance.now()
    const since = this.#unclearSince.get(pid) ?? now
    this.#unclearSince.set(pid, since)
    if (now - since < startMillis) this.#unclear.add(pid)
    return false
  }

  /**
   * Stops, as fast as they can be found, those who came since the last look or pursuit: a process that starts the next
   * and dies lives for a millisecond or two, and a look at everybody takes longer. Answers with how many it caught, and
   * whether it is `complete`: no process has been started since that was not looked at, and none that was is in the
   * middle of execve(2). After a complete pursuit that caught nobody, when nobody who is known lives, nobody is left.
   *
   * Why that holds: who lives then had its id before the look, and was in it, or got its id later, and was looked at by
   * its id. One that had its id a moment before it could be seen has a parent that was alive at that time, and that was
   * looked at earlier, with the same alternative; the first of them is the tree's root, which was there all the time. Two
   * things break that chain. A parent that was looked at while it was in execve(2), and was gone when it was looked at
   * again: then everybody is looked at anew. And a parent that was caught while it started another: so the ids that
   * belonged to nobody are looked at again by the next pursuit.
   */
  pursue(stop: (pid: number) => void): Pursuit {
    const { table: { quick } } = this.#tree
    const arrivals = this.#arrivals
    if (quick === undefined || arrivals === undefined) return { caught: 0, complete: true }
    const until = performance.now() + pursuitMillis
    const again = this.#absent
    this.#absent = []
    let caught = 0
    for (let first = true;; first = false) {
      const unclear = [...this.#unclear]
      this.#unclear.clear()
      const fresh = arrivals()
      for (const pid of [...unclear, ...(first ? again : []), ...fresh]) {
        if (this.#known.has(pid)) continue
        const entry = quick.entry(pid)
        if (entry === undefined) {
          if (this.#unclearSince.has(pid)) this.#lost = true
          this.#absent.push(pid)
          continue
        }
        if (this.#strange.get(pid) === entry.started) continue
        if (!(this.#known.has(entry.parent) || this.#isMarked(quick, entry)) || !quick.isProcess(pid)) continue
        // It may have had children before it could be told whose it is.
        if (this.#unclearSince.has(pid)) this.#lost = true
        stop(pid)
        this.#add(entry)
        caught++
      }
      if (this.#absent.length > maxAbsent) this.#absent.splice(0, this.#absent.length - maxAbsent)
      if (fresh.length === 0 && this.#unclear.size === 0) return { caught, complete: !this.#lost }
      if (performance.now() > until) return { caught, complete: false }
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

/**
 * Stops whoever is found until nobody is left who runs, and answers with all who live: what is stopped cannot fork.
 * Gives up on a tree that forks faster than it is seen, with those it has (`complete` is `false` then).
 */
const freezeNow = Effect.fnUntraced(function* (tree: Tree, members: Members) {
  const deadline = performance.now() + freezeMillis
  const stopped = new Set<number>()
  for (;;) {
    const look = yield* Effect.promise(() => members.look())
    const running = look.alive.filter((pid) => !stopped.has(pid))
    if (running.length > 0) yield* Effect.promise(() => tree.signal(running, "SIGSTOP"))
    for (const pid of running) stopped.add(pid)
    const pursuit = members.pursue((pid) => {
      void tree.signal([pid], "SIGSTOP")
      stopped.add(pid)
    })
    const complete = look.complete && pursuit.complete
    if (complete && running.length === 0 && pursuit.caught === 0) return { alive: look.alive, complete }
    if (performance.now() > deadline) return { alive: look.alive, complete: false }
    // Others have their turn: commands that are being ended at the same time, above all.
    yield* turn
  }
})

/**
 * One tree at a time has all of this program's attention: many that fork away and are pursued by turns would each have
 * the time of the others to get away in.
 */
const attention = Semaphore.makeUnsafe(1)

const freeze = (tree: Tree, members: Members): ReturnType<typeof freezeNow> =>
  tree.table.quick === undefined ? freezeNow(tree, members) : attention.withPermit(freezeNow(tree, members))

/** How often a look that finds nobody is repeated where it cannot be said whether somebody slipped through. */
const unsureLooks = 2

/** Stops everybody, then kills them; again until nobody is left. Answers with those who could not be killed. */
export const killAll: (tree: Tree, members: Members) => Effect.Effect<ReadonlyArray<number>> = Effect.fnUntraced(
  function* (tree: Tree, members: Members) {
    const deadline = performance.now() + killMillis
    let unsure = tree.table.quick === undefined ? unsureLooks : 1
    let undying = ""
    let since = performance.now()
    for (let round = 0;; round++) {
      const { alive, complete } = yield* freeze(tree, members)
      const now = performance.now()
      if (alive.length === 0 && complete && --unsure <= 0) return []
      if (alive.join() !== undying) [undying, since] = [alive.join(), now]
      if (now > deadline || (alive.length > 0 && now - since > reapMillis)) return alive
      if (alive.length > 0) yield* Effect.promise(() => tree.signal(alive, "SIGKILL"))
      yield* pause(Math.min(50, 2 + 4 * round))
    }
  },
)

/**
 * Asks everybody in the tree to end, all at one moment, and waits for as long as somebody lives. Who is started
 * later is left in peace: it may be what cleans up. Answers with how many were asked.
 */
const askAll = Effect.fnUntraced(function* (tree: Tree, members: Members) {
  const { alive: asked, complete } = yield* freeze(tree, members)
  if (asked.length === 0) return complete ? 0 : 1
  yield* Effect.promise(() => tree.signal(asked, "SIGTERM"))
  yield* Effect.promise(() => tree.signal(asked, "SIGCONT"))
  for (let round = 0;; round++) {
    const { alive } = yield* Effect.promise(() => members.look())
    if (alive.length === 0) return asked.length
    yield* pause(Math.min(50, 2 + 4 * round))
  }
})

/**
 * Ends those who are found: SIGTERM to all, at most `grace` of waiting, SIGKILL to all. Done when nobody lives; answers
 * with those who could not be killed.
 */
export const endMembers = (
  tree: Tree,
  members: Members,
  grace: Duration.Duration,
): Effect.Effect<ReadonlyArray<number>> =>
  // Also when all did as they were asked: one more look finds who was born while they died.
  Effect.flatMap(
    Effect.timeoutOption(askAll(tree, members), grace),
    (asked) => Option.isSome(asked) && asked.value === 0 ? Effect.succeed([]) : killAll(tree, members),
  )

/** Ends the tree: see {@link endMembers}. */
export const terminateTree = (tree: Tree, grace: Duration.Duration): Effect.Effect<ReadonlyArray<number>> =>
  Effect.suspend(() => endMembers(tree, new Members(tree), grace))
