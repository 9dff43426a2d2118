/** Implements the `nice` and `nohup` utilities, which run a command with another priority or without SIGHUP. */
import { type Program, Signal } from "../../System.ts"
import { defineUtility } from "../shared/defineUtility.ts"
import { runProgram } from "../shared/spawn.ts"

/** Rewrites `-5` and `--5` to `-n 5` and `-n -5`. */
const rewriteArgs = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first = "", ...rest] = args
  return /^-[-+]?\d+$/.test(first) ? ["-n", first.slice(1), ...rest] : args
}

/** `nice [-n N] [COMMAND [ARG]...]`: runs a command; all processes of the kernel have the priority 0. Source: nice(1). */
export const nice: Program = defineUtility("nice", "+n|adjustment:", async (io) => {
  const adjustment = io.value("n")
  if (adjustment !== undefined && !/^[-+]?\d+$/.test(adjustment)) io.fail(`invalid adjustment ‘${adjustment}’`)
  if (io.operands.length > 0) return await runProgram(io, io.operands)
  if (adjustment !== undefined) io.failUsage("a command must be given with an adjustment")
  io.print("0\n")
  return 0
}, { errorExitCode: 125, rewriteArgs })

/** `nohup COMMAND [ARG]...`: runs a command that ignores SIGHUP; there is no terminal to redirect from. Source: nohup(1). */
export const nohup: Program = defineUtility("nohup", "+", async (io) => {
  io.system.onSignal(Signal.SIGHUP, "ignore")
  return await runProgram(io, io.operands)
}, { errorExitCode: 125, minOperands: 1 })
