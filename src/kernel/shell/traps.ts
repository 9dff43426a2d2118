/** Runs the commands of traps, and converts signals between names and numbers. Source: POSIX `trap`. */
import type { Span } from "../../shell-language/SyntaxTree.ts"
import { Signal } from "../System.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { ScriptSource } from "./ScriptSource.ts"

const byNumber: ReadonlyMap<number, string> = new Map(Object.entries(Signal).map(([name, number]) => [number, name]))

export const signalName = (number: number): string => byNumber.get(number) ?? `SIG${number}`

/** Returns the number of a signal given as `TERM`, `SIGTERM`, `term` or `15`; 0 for `EXIT`. */
export const signalNumber = (text: string): number | undefined => {
  if (/^\d+$/.test(text)) return text === "0" || byNumber.has(Number(text)) ? Number(text) : undefined
  const name = text.toUpperCase()
  if (name === "EXIT") return 0
  return Object.entries(Signal).find(([known]) => known === name || known === `SIG${name}`)?.[1]
}

/** Lists signals by number and name; `undefined` if one of the words is not a signal. */
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

/** Runs the command of a trap and restores `$?`, unless the trap ends the shell. */
export const runTrap = async (shell: Shell, trap: string): Promise<void> => {
  const command = shell.traps.get(trap)
  if (command === undefined || command === "") return
  if (shell.runningTraps.has(trap)) return
  const { pendingJump, pipeStatus, status } = shell
  shell.pendingJump = undefined
  // Line numbers continue from the command that caused the trap; the trap of a signal has its own.
  const source = new ScriptSource(command, shell.source.name, trap.startsWith("SIG") ? 1 : shell.line)
  shell.runningTraps.add(trap)
  try {
    await shell.interpreter.run(shell, command, source)
  } finally {
    shell.runningTraps.delete(trap)
  }
  if (shell.pendingJump === undefined) {
    shell.pendingJump = pendingJump
    shell.status = status
  }
  shell.pipeStatus = pipeStatus
}

/** Sets `BASH_COMMAND` of the next trap. */
export const noteCommand = (shell: Shell, { end, start }: Span): void => {
  if (!shell.isRunningTrap) shell.command = { source: shell.source, start, end }
}

/** Sets `LINENO` and `BASH_COMMAND` for the next command and runs the DEBUG trap. */
export const beginCommand = (
  shell: Shell,
  span: Span,
  line: number = span.start,
): Promise<void> | undefined => {
  shell.position = line
  noteCommand(shell, span)
  return shell.traps.has("DEBUG") ? runTrap(shell, "DEBUG") : undefined
}

export const runReturnTrap = async (shell: Shell, status: number): Promise<number> => {
  shell.status = status
  if (shell.traps.has("RETURN")) await runTrap(shell, "RETURN")
  return status
}

export const runPending = async (shell: Shell): Promise<void> => {
  for (let signal = shell.pendingSignals.shift(); signal !== undefined; signal = shell.pendingSignals.shift()) {
    await runTrap(shell, signalName(signal))
  }
}

/** Runs the EXIT trap once; returns the exit code. */
export const runExitTrap = async (shell: Shell): Promise<number> => {
  if (shell.pendingSignals.length > 0) await runPending(shell)
  const command = shell.traps.get("EXIT")
  if (command === undefined) return shell.status
  shell.traps.delete("EXIT")
  shell.pendingJump = undefined
  const status = shell.status
  try {
    await shell.interpreter.run(shell, command, new ScriptSource(command, shell.source.name))
  } catch (error) {
    if (!(error instanceof ShellError)) throw error
    if (error.message !== "") await shell.reportError(error.message)
    return error.exitCode
  }
  // Only an `exit` within the trap changes the exit code.
  return hasExited(shell) ? shell.status : status
}

const hasExited = (shell: Shell): boolean => shell.pendingJump?.kind === "exit"
