/**
 * Traps: commands that run when a signal comes, when a command fails, when the shell ends.
 *
 * Source: POSIX `trap`.
 *
 * @module
 */
import { Signal } from "../System.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"

const byNumber: ReadonlyMap<number, string> = new Map(Object.entries(Signal).map(([name, number]) => [number, name]))

/** The name of a signal: `SIGTERM`. */
export const signalName = (number: number): string => byNumber.get(number) ?? `SIG${number}`

/** The number that `TERM`, `SIGTERM`, `term` or `15` means; 0 is `EXIT`. */
export const signalNumber = (text: string): number | undefined => {
  if (/^\d+$/.test(text)) return text === "0" || byNumber.has(Number(text)) ? Number(text) : undefined
  const name = text.toUpperCase()
  if (name === "EXIT") return 0
  return Object.entries(Signal).find(([known]) => known === name || known === `SIG${name}`)?.[1]
}

/** Signals by number and name; `undefined` when one of the words is none. */
export const listSignals = (words: ReadonlyArray<string>): string | undefined => {
  if (words.length === 0) {
    return Object.entries(Signal).map(([name, number]) => `${String(number).padStart(2)}) ${name}`).join("\n")
  }
  const lines: Array<string> = []
  for (const word of words) {
    const number = signalNumber(/^\d+$/.test(word) && Number(word) > 128 ? String(Number(word) - 128) : word)
    if (number === undefined) return undefined
    lines.push(/^\d+$/.test(word) ? signalName(number).slice(3) : String(number))
  }
  return lines.join("\n")
}

/** Runs a trap's command; `$?` is afterwards what it was, unless the trap ends the shell. */
export const runTrap = async (shell: Shell, trap: string): Promise<void> => {
  const command = shell.traps.get(trap)
  if (command === undefined || command === "") return
  const { flow, pipeStatus, status } = shell
  shell.flow = undefined
  const wasTrapping = shell.trapping
  shell.trapping = true
  try {
    await shell.machine.run(shell, command)
  } finally {
    shell.trapping = wasTrapping
  }
  if (shell.flow === undefined) {
    shell.flow = flow
    shell.status = status
  }
  shell.pipeStatus = pipeStatus
}

/** Runs the traps of the signals that came. */
export const runPending = async (shell: Shell): Promise<void> => {
  for (let signal = shell.pending.shift(); signal !== undefined; signal = shell.pending.shift()) {
    await runTrap(shell, signalName(signal))
  }
}

/** Runs the EXIT trap, once; answers with the exit code. */
export const runExitTrap = async (shell: Shell): Promise<number> => {
  if (shell.pending.length > 0) await runPending(shell)
  const command = shell.traps.get("EXIT")
  if (command === undefined) return shell.status
  shell.traps.delete("EXIT")
  shell.flow = undefined
  const status = shell.status
  try {
    await shell.machine.run(shell, command)
  } catch (error) {
    if (!(error instanceof ShellError)) throw error
    if (error.message !== "") await shell.complain(error.message)
    return error.exitCode
  }
  // Only an `exit` within the trap changes the code: the flow tells, since `run` leaves `$?` as its last command did.
  return hasExited(shell) ? shell.status : status
}

const hasExited = (shell: Shell): boolean => shell.flow?.kind === "exit"
