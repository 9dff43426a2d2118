/** Implements the `kill` utility, which sends signals to processes and lists the names of signals. */
import { type Program, Signal } from "../System.ts"
import { signalName, signalNumber } from "../shell/traps.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

/** Parses `TERM`, `SIGTERM`, `term` or `15`; fails if it is none of these. */
export const parseSignal = (io: UtilityIo, text: string): number =>
  signalNumber(text) ?? io.failUsage(`‘${text}’: invalid signal`)

/** Rewrites `kill -9 1` and `kill -TERM 1` to `-s`. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const match = /^-([0-9]+|(?:SIG)?[A-Z][A-Z0-9]+)$/.exec(args[0] ?? "")
  return match === null ? args : ["-s", match[1] ?? "", "--", ...args.slice(1)]
}

/** `kill [-s SIGNAL | -SIGNAL] PID... | -l [NUMBER]`: sends signals. Source: kill(1). */
export const kill: Program = defineUtility("kill", "+s|signal: l|list::", (io) => {
  if (io.has("l")) {
    if (io.operands.length === 0) { for (const name of Object.keys(Signal)) io.print(`${name.slice(3)}\n`) }
    for (const text of io.operands) {
      const isNumber = /^[0-9]+$/.test(text)
      const number = signalNumber(isNumber ? `${Number(text) % 128}` : text)
      if (number === undefined) io.warn(`‘${text}’: invalid signal`)
      else io.print(`${isNumber ? signalName(number).slice(3) : number}\n`)
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
