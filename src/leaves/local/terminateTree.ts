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
import type { ProcessEntry, ProcessTable } from "./ProcessTable.ts"

/** The tree to end. */
export interface Tree {
  /** The process it grew from; missing where nobody remembers one: then the marker alone tells who is of it. */
  readonly root?: number | undefined
  /** Whether the root has been reaped: then its id may belong to somebody else. Default: it has not. */
  readonly rootGone?: (() => boolean) | undefined
  /** A process group that is the tree's and nobody else's, for as long as it is. */
  readonly group?: (() => number | undefined) | undefined
  /** Text that stands in the environment of the tree's processes and of no others. */
  readonly marker: string
  /** Markers of other runs that {@link Tree.marker} fits as well: who carries one of them is none of the tree's. */
  readonly others?: (() => ReadonlyArray<string>) | undefined
  readonly table: ProcessTable
  readonly signal: (pids: ReadonlyArray<number>, signal: string) => Promise<void>
}

/** How long a killed process may take to vanish before the leaf gives up: it may be stuck in the kernel. */
const reapMillis = 2_000

/** How long one pursuit of those who fork away takes at the most. */
const pursuitMillis = 10

/** How long a tree may go on forking away from those who stop it. */
const freezeMillis = 500

const pause = (millis: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    // Real time, not the Clock's: the death of a process is an event of the machine, not of the program.
    const timer = setTimeout(() => resume(Effect.void), millis)
    return Effect.sync(() => clearTimeout(timer))
  })

/** The tree's processes, remembered by id and start: an id that was given to another is not signalled. */
export class Members {
  readonly #tree: Tree
  readonly #known = new Map<number, string>()
  readonly #found = new Set<number>()
  #since = 0
  #seen = new Set<number>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /** Everybody who was ever found, dead or alive. */
  get found(): ReadonlySet<number> {
    return this.#found
  }

  /** Looks again. Answers with who is alive, and who of them was not known before (`outside`: not in the group). */
  async look(): Promise<
    {
      readonly alive: ReadonlyArray<number>
      readonly fresh: ReadonlyArray<number>
      readonly outside: ReadonlyArray<number>
    }
  > {
    const { marker, root, rootGone, table } = this.#tree
    const group = this.#tree.group?.()
    const living = await table.living()
    this.#seen = new Set(living.keys())
    for (const [pid, started] of this.#known) if (living.get(pid)?.started !== started) this.#known.delete(pid)
    const fresh: Array<number> = []
    const add = (entry: ProcessEntry): void => {
      this.#add(entry)
      fresh.push(entry.pid)
    }
    const top = root === undefined ? undefined : living.get(root)
    if (top !== undefined && rootGone?.() !== true && !this.#known.has(top.pid)) {
      add(top)
      // A number only where starts can be compared: a stranger that is older than the root is not its descendant.
      this.#since = Number(top.started) || 0
    }
    const children = new Map<number, Array<ProcessEntry>>()
    for (const entry of living.values()) {
      const siblings = children.get(entry.parent)
      if (siblings === undefined) children.set(entry.parent, [entry])
      else siblings.push(entry)
    }
    const descend = (from: Iterable<number>): void => {
      const queue = [...from]
      for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
        for (const child of children.get(pid) ?? []) {
          if (this.#known.has(child.pid)) continue
          add(child)
          queue.push(child.pid)
        }
      }
    }
    if (group !== undefined) {
      for (const entry of living.values()) if (entry.group === group && !this.#known.has(entry.pid)) add(entry)
    }
    descend(this.#known.keys())
    const strangers: Array<number> = []
    for (const { pid, started } of living.values()) {
      if (!this.#known.has(pid) && !(Number(started) < this.#since)) strangers.push(pid)
    }
    for (const pid of await table.marked(strangers, marker, this.#others)) {
      const entry = living.get(pid)
      if (entry !== undefined && !this.#known.has(pid)) add(entry)
    }
    descend(fresh)
    const outside = fresh.filter((pid) => group === undefined || living.get(pid)?.group !== group)
    return { alive: [...this.#known.keys()], fresh, outside }
  }

  /**
   * Stops, as fast as they can be found, whoever has come since the last look: a process that starts the next and
   * dies lives for a millisecond or two, and a look at everybody takes longer. Answers with how many it caught.
   */
  pursue(stop: (pid: number) => void): number {
    const { marker, table: { quick } } = this.#tree
    if (quick === undefined) return 0
    const others = this.#others
    const until = performance.now() + pursuitMillis
    let caught = 0
    for (let quiet = 0; quiet < 2 && performance.now() < until;) {
      quiet++
      for (const pid of quick.ids().toReversed()) {
        if (this.#seen.has(pid)) continue
        this.#seen.add(pid)
        quiet = 0
        const entry = quick.entry(pid)
        if (entry === undefined || !(this.#known.has(entry.parent) || quick.isMarked(pid, marker, others))) continue
        stop(pid)
        this.#add(entry)
        caught++
      }
    }
    return caught
  }

  #add({ pid, started }: ProcessEntry): void {
    this.#known.set(pid, started)
    this.#found.add(pid)
  }

  get #others(): ReadonlyArray<string> {
    return this.#tree.others?.() ?? []
  }

  /** Whether a process has come to the machine since the last pursuit: it may be one that slipped through. */
  newcomers(): boolean {
    return this.#tree.table.quick?.ids().some((pid) => !this.#seen.has(pid)) ?? false
  }
}

/** How often an empty look is doubted while processes keep coming to the machine. */
const doubts = 6

/**
 * Stops whoever is found until a look finds nobody new, and answers with all who live: what is stopped cannot fork.
 * Gives up on a tree that forks faster than it is seen, with those it has.
 */
const freeze = Effect.fnUntraced(function* (tree: Tree, members: Members) {
  const deadline = performance.now() + freezeMillis
  const stopped = new Set<number>()
  for (;;) {
    const { alive } = yield* Effect.promise(() => members.look())
    const running = alive.filter((pid) => !stopped.has(pid))
    if (running.length > 0) yield* Effect.promise(() => tree.signal(running, "SIGSTOP"))
    for (const pid of running) stopped.add(pid)
    const caught = members.pursue((pid) => {
      void tree.signal([pid], "SIGSTOP")
      stopped.add(pid)
    })
    if ((running.length === 0 && caught === 0) || performance.now() > deadline) return alive
  }
})

/** Stops everybody, then kills them; again until a look finds nobody. */
export const killAll: (tree: Tree, members: Members) => Effect.Effect<void> = Effect.fnUntraced(function* (
  tree: Tree,
  members: Members,
) {
  const deadline = performance.now() + reapMillis
  let doubted = 0
  for (let round = 0; performance.now() < deadline; round++) {
    const doomed = yield* freeze(tree, members)
    if (doomed.length === 0) {
      // Between two of its generations a chain of processes that start the next and die is nowhere to be seen.
      yield* pause(3)
      if (++doubted > doubts || !members.newcomers()) return
      continue
    }
    yield* Effect.promise(() => tree.signal(doomed, "SIGKILL"))
    yield* pause(Math.min(50, 2 + 4 * round))
  }
})

/**
 * Asks everybody in the tree to end, all at one moment, and waits for as long as somebody lives. Who is started
 * later is left in peace: it may be what cleans up. Answers with how many were asked.
 */
const askAll = Effect.fnUntraced(function* (tree: Tree, members: Members) {
  const asked = yield* freeze(tree, members)
  if (asked.length === 0) return 0
  yield* Effect.promise(() => tree.signal(asked, "SIGTERM"))
  yield* Effect.promise(() => tree.signal(asked, "SIGCONT"))
  for (let round = 0;; round++) {
    const { alive } = yield* Effect.promise(() => members.look())
    if (alive.length === 0) return asked.length
    yield* pause(Math.min(50, 2 + 4 * round))
  }
})

/** Ends those who are found: SIGTERM to all, at most `grace` of waiting, SIGKILL to all. Done when nobody lives. */
export const endMembers = (tree: Tree, members: Members, grace: Duration.Duration): Effect.Effect<void> =>
  // Also when all did as they were asked: one more look finds who was born while they died.
  Effect.flatMap(
    Effect.timeoutOption(askAll(tree, members), grace),
    (asked) => Option.isSome(asked) && asked.value === 0 ? Effect.void : killAll(tree, members),
  )

/** Ends the tree: see {@link endMembers}. */
export const terminateTree = (tree: Tree, grace: Duration.Duration): Effect.Effect<void> =>
  Effect.suspend(() => endMembers(tree, new Members(tree), grace))
