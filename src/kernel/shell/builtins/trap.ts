/**
 * Implements the builtin `trap`, which sets and lists the commands for signals, failures and the end of the shell.
 * Source: POSIX `trap`; bash(1) `trap`.
 */
import { Signal } from "../../System.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { listSignals, signalName, signalNumber } from "../traps.ts"
import { singleQuote } from "./escapes.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

const conditions = ["EXIT", "ERR", "DEBUG", "RETURN"]

/** The full name of a signal or a condition: `EXIT`, `SIGTERM`. */
const trapName = (text: string): string | undefined => {
  const upper = text.toUpperCase().replace(/^SIG(?=EXIT$|ERR$|DEBUG$|RETURN$)/, "")
  if (conditions.includes(upper)) return upper
  const number = signalNumber(text)
  return number === undefined ? undefined : number === 0 ? "EXIT" : signalName(number)
}

const trapBuiltin = withOptions("lp", async (shell, { letters, rest }) => {
  if (letters.has("l")) return shell.writeOutput(`${listSignals([])}\n`)
  const [action = ""] = rest
  const shows = letters.has("p") || rest.length === 0
  if (shows) {
    const known = shell.inheritedTraps ?? shell.traps
    const order = (name: string): number => name === "EXIT" ? 0 : signalNumber(name) ?? 100 + conditions.indexOf(name)
    const names = rest.length > 0 ? rest.map(trapName) : [...known.keys()].sort((a, b) => order(a) - order(b))
    return shell.writeOutput(
      names.map((name) => {
        const command = name === undefined ? undefined : known.get(name)
        return command === undefined ? "" : `trap -- ${singleQuote(command)} ${name}\n`
      }).join(""),
    )
  }
  const resets = action === "-" || rest.length === 1 || /^\d+$/.test(action)
  const names = action === "-" || !resets ? rest.slice(1) : rest
  let status = 0
  shell.inheritedTraps = undefined
  for (const text of names) {
    const name = trapName(text)
    if (name === undefined) status = await shell.reportError(`trap: ${text}: invalid signal specification`)
    else setTrap(shell, name, resets ? undefined : action)
  }
  return status
})

export const setTrap = (shell: Shell, name: string, command: string | undefined): void => {
  if (command === undefined) shell.traps.delete(name)
  else shell.traps.set(name, command)
  const signal = conditions.includes(name) ? undefined : signalNumber(name)
  if (signal === undefined || signal === Signal.SIGKILL) return
  const receive = (): void => {
    // Children of a trap would make the trap run again without end; bash does not count them either.
    if (signal !== Signal.SIGCHLD || !shell.runningTraps.has("SIGCHLD")) shell.pendingSignals.push(signal)
  }
  shell.system.onSignal(signal, command === undefined ? "default" : command === "" ? "ignore" : receive)
}

export const trapBuiltins: ReadonlyArray<readonly [string, Builtin]> = [["trap", trapBuiltin]]
