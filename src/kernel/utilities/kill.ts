/** Implements the `kill` utility, which sends signals to processes and lists the names of signals. */
import { type Program, Signal } from "../System.ts"
import { parseSignal } from "./shared/parseSignal.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/** Rewrites `kill -9 1` and `kill -TERM 1` to `-s`. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const match = /^-([0-9]+|(?:SIG)?[A-Z][A-Z0-9]+)$/.exec(args[0] ?? "")
  return match === null ? args : ["-s", match[1] ?? "", "--", ...args.slice(1)]
}

/**
 * `kill [-s SIGNAL | -SIGNAL] PID... | -l [NUMBER]`: sends signals. Source: kill(1).
 *
 * @stability stable
 */
export const kill: Program = defineUtility("kill", "+s|signal: l|list::", (io) => {
  const names = new Map(Object.entries(Signal).map(([name, number]) => [name.slice(3), number]))
  if (io.has("l")) {
    if (io.operands.length === 0) { for (const name of names.keys()) io.print(`${name}\n`) }
    for (const text of io.operands) {
      const number = Number(text) % 128
      const found = [...names].find(([name, value]) => value === number || name === text.replace(/^SIG/, ""))
      if (found === undefined) io.warn(`‘${text}’: invalid signal`)
      else io.print(`${/^[0-9]+$/.test(text) ? found[0] : found[1]}\n`)
    }
    return
  }
  if (io.operands.length === 0) return io.failUsage("no process ID specified")
  const signal = parseSignal(io, io.value("s") ?? "TERM")
  for (const operand of io.operands) {
    if (!/^-?[0-9]+$/.test(operand)) io.warn(`‘${operand}’: invalid process id`)
    else {
      const result = io.system.kill(Number(operand), signal)
      if (result < 0) io.warn(`sending signal to ${operand} failed`, result)
    }
  }
}, { rewriteArgs })
