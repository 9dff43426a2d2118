/**
 * The commands that run, of all leaves of this program: they end when the program does.
 *
 * @module
 */
import { scheduleNextTurn } from "../../shell/scheduleNextTurn.ts"
import { listenForExit } from "./exitHooks.ts"
import type { RunningTree, Terminator } from "./terminate.ts"

const running = new Map<RunningTree, Terminator>()
let stopListening: (() => void) | undefined
let looksAgain = false

/** Ends all that run, without waiting. */
const endAll = (): void => {
  const byTerminator = Map.groupBy(running, ([, terminator]) => terminator)
  running.clear()
  for (const [{ endNow }, trees] of byTerminator) endNow(trees.map(([tree]) => tree))
}

/** Stops listening when nothing runs any more; a little later, because one command often follows another. */
const settle = (): void => {
  if (looksAgain || running.size > 0) return
  looksAgain = true
  scheduleNextTurn(() => {
    looksAgain = false
    if (running.size > 0) return
    stopListening?.()
    stopListening = undefined
  })
}

/** Ends a command when this program ends, until what comes back is called. */
export const endWithProgram = (tree: RunningTree, terminator: Terminator): () => void => {
  stopListening ??= listenForExit(endAll)
  running.set(tree, terminator)
  return () => {
    if (running.delete(tree)) settle()
  }
}
