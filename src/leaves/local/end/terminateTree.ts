/**
 * Ends a whole process tree, which is searched only at that moment: stops its processes, sends SIGTERM, waits for a grace
 * period, and sends SIGKILL until none is left; returns those that survive.
 *
 * A signal to the child alone leaves its descendants, and a process group of its own costs milliseconds at every spawn
 * on Deno and separates the command from the terminal. For this reason the tree is searched only when it is to end: by
 * parent, and by a marker in the environment, which also finds processes that called setsid(2) and lost their parent.
 * Before any signal, all processes are stopped, repeatedly until a search finds no new one: a stopped process cannot
 * fork.
 *
 * A process that left its parent *and* cleared its environment is not found, unless it was seen before.
 *
 * Source: kill(2), signal(7), proc(5).
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { callbackLater } from "../../../base/waits.ts"
import { scheduleNextTurn } from "../../../shell/scheduleNextTurn.ts"
import { type ProcessTree, TreeMembers } from "./TreeMembers.ts"
import { pause } from "../../../host/waitRealTime.ts"

/** Maximum time for killed processes to vanish before the leaf gives up on them: they may be stuck in the kernel. */
export const maxReapMillis = 2_000

/** Maximum time to end a tree that forks while it is killed. */
const maxKillMillis = 15_000

/** Maximum time to stop a tree that keeps forking, before those that were found are killed. */
const maxFreezeMillis = 500

/** Lets other work of this program run. */
const nextTurn: Effect.Effect<void> = callbackLater((resume) => void scheduleNextTurn(() => resume(Effect.void)))

/**
 * Stops processes until none of the tree runs, and succeeds with all that are alive: a stopped process cannot fork. Gives up
 * on a tree that forks faster than it is found, with `complete` set to `false`.
 */
const stopAllNow = Effect.fnUntraced(function* (tree: ProcessTree, members: TreeMembers) {
  const deadline = performance.now() + maxFreezeMillis
  const stopped = new Set<number>()
  for (;;) {
    const found = yield* Effect.promise(() => members.search())
    const running = found.alive.filter((pid) => !stopped.has(pid))
    if (running.length > 0) yield* Effect.promise(() => tree.signal(running, "SIGSTOP"))
    for (const pid of running) stopped.add(pid)
    const pursuit = members.pursue((pid) => {
      void tree.signal([pid], "SIGSTOP")
      stopped.add(pid)
    })
    const complete = found.complete && pursuit.complete
    if (complete && running.length === 0 && pursuit.caught === 0) return { alive: found.alive, complete }
    if (performance.now() > deadline) return { alive: found.alive, complete: false }
    // Other fibers must run, especially those that end other commands.
    yield* nextTurn
  }
})

/**
 * One tree at a time is stopped: trees that fork quickly and are pursued by turns would each escape during the others' turns.
 */
const stopLock = Semaphore.makeUnsafe(1)

const stopAll = (tree: ProcessTree, members: TreeMembers): ReturnType<typeof stopAllNow> =>
  tree.table.sync === undefined ? stopAllNow(tree, members) : stopLock.withPermit(stopAllNow(tree, members))

/** Number of times that an empty search is repeated, because it may have missed a process. */
const maxUnsureSearches = 2

/** Stops and kills all processes, repeatedly until none is left. Succeeds with those that could not be killed. */
export const killMembers: (tree: ProcessTree, members: TreeMembers) => Effect.Effect<ReadonlyArray<number>> = Effect
  .fnUntraced(
    function* (tree: ProcessTree, members: TreeMembers) {
      const deadline = performance.now() + maxKillMillis
      let unsure = tree.table.sync === undefined ? maxUnsureSearches : 1
      let survivors = ""
      let since = performance.now()
      for (let round = 0;; round++) {
        const { alive, complete } = yield* stopAll(tree, members)
        const now = performance.now()
        if (alive.length === 0 && complete && --unsure <= 0) return []
        if (alive.join() !== survivors) [survivors, since] = [alive.join(), now]
        if (alive.length > 0) yield* Effect.promise(() => tree.signal(alive, "SIGKILL"))
        if (alive.length > 0 && now - since > maxReapMillis) return alive
        if (now > deadline) {
          // Includes processes that were stopped since the search: nothing else would ever end them.
          const last = yield* Effect.promise(() => members.search())
          yield* Effect.promise(() => tree.signal(last.alive, "SIGKILL"))
          return last.alive
        }
        yield* pause(Math.min(50, 2 + 4 * round))
      }
    },
  )

/**
 * Sends SIGTERM to all processes of the tree at one moment, and waits until all have ended. Processes that start later do not
 * get the signal: they may clean up. Succeeds with the number of signalled processes.
 */
const signalAndWait = Effect.fnUntraced(function* (tree: ProcessTree, members: TreeMembers) {
  const { alive: signalled, complete } = yield* stopAll(tree, members)
  if (signalled.length === 0) return complete ? 0 : 1
  yield* Effect.promise(() => tree.signal(signalled, "SIGTERM"))
  yield* Effect.promise(() => tree.signal(signalled, "SIGCONT"))
  for (let round = 0;; round++) {
    const { alive } = yield* Effect.promise(() => members.search())
    if (alive.length === 0) return signalled.length
    yield* pause(Math.min(50, 2 + 4 * round))
  }
})

/**
 * Ends the processes of a tree: SIGTERM, at most `grace` of waiting, SIGKILL. Finishes when none is alive, and succeeds with
 * those that could not be killed.
 */
export const endMembers = (
  tree: ProcessTree,
  members: TreeMembers,
  grace: Duration.Duration,
): Effect.Effect<ReadonlyArray<number>> =>
  // Runs even if all processes have ended in time: another search finds processes that started meanwhile.
  Effect.flatMap(
    Effect.timeoutOption(signalAndWait(tree, members), grace),
    (count) => Option.isSome(count) && count.value === 0 ? Effect.succeed([]) : killMembers(tree, members),
  )

/** Finds and ends the processes of a tree: see {@link endMembers}. */
export const terminateTree = (tree: ProcessTree, grace: Duration.Duration): Effect.Effect<ReadonlyArray<number>> =>
  Effect.suspend(() => endMembers(tree, new TreeMembers(tree), grace))
