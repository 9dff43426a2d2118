/** Ends the running commands of all leaves when this program ends, and then calls the actions of their recorders. */
import { scheduleNextTurn } from "../../../shell/scheduleNextTurn.ts"
import { listenForExit } from "./listenForExit.ts"
import type { RunningCommand, Terminator } from "./Terminator.ts"

const running = new Map<RunningCommand, Terminator>()
const actions = new Set<() => void>()
let stopListening: (() => void) | undefined
let isSettling = false

/** Ends all running commands synchronously. */
const endAll = (): void => {
  const byTerminator = Map.groupBy(running, ([, terminator]) => terminator)
  running.clear()
  for (const [{ endSync }, trees] of byTerminator) endSync(trees.map(([tree]) => tree))
  for (const action of actions) action()
  actions.clear()
}

const isNeeded = (): boolean => running.size > 0 || actions.size > 0

/** Stops listening when no command runs; deferred, because one command often follows another. */
const settle = (): void => {
  if (isSettling || isNeeded()) return
  isSettling = true
  scheduleNextTurn(() => {
    isSettling = false
    if (isNeeded()) return
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

/** Registers an action to run when this program ends. Returns a function that unregisters it. */
export const atProgramEnd = (action: () => void): () => void => {
  stopListening ??= listenForExit(endAll)
  actions.add(action)
  return () => {
    if (actions.delete(action)) settle()
  }
}
