/**
 * Ends the running commands of all leaves when this program ends.
 *
 * @module
 */
import { scheduleNextTurn } from "../../shell/scheduleNextTurn.ts"
import { listenForExit } from "./listenForExit.ts"
import type { RunningCommand, Terminator } from "./Terminator.ts"

const running = new Map<RunningCommand, Terminator>()
let stopListening: (() => void) | undefined
let isSettling = false

/** Ends all running commands synchronously. */
const endAll = (): void => {
  const byTerminator = Map.groupBy(running, ([, terminator]) => terminator)
  running.clear()
  for (const [{ endSync }, trees] of byTerminator) endSync(trees.map(([tree]) => tree))
}

/** Stops listening when no command runs; deferred, because one command often follows another. */
const settle = (): void => {
  if (isSettling || running.size > 0) return
  isSettling = true
  scheduleNextTurn(() => {
    isSettling = false
    if (running.size > 0) return
    stopListening?.()
    stopListening = undefined
  })
}

/** Registers a command to end with this program. Returns a function that unregisters it. */
export const endWithProgram = (tree: RunningCommand, terminator: Terminator): () => void => {
  stopListening ??= listenForExit(endAll)
  running.set(tree, terminator)
  return () => {
    if (running.delete(tree)) settle()
  }
}
