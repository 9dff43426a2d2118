/**
 * Makes a program of the kernel from a utility's function: parses its options, runs it and writes its last output.
 *
 * @module
 */
import { errnoText } from "../../Errno.ts"
import { RegexError } from "../../regex/RegexError.ts"
import type { Later, Program } from "../../System.ts"
import { formatUsage, parseOptions } from "./parseOptions.ts"
import { Output } from "./Output.ts"
import { UtilityExit } from "./UtilityExit.ts"
import { UtilityIo } from "./UtilityIo.ts"

/** Options of a utility's program. */
export interface UtilityOptions {
  /** The exit code of an error. Default: 1. */
  readonly errorExitCode?: number
  /** Rewrites the arguments before they are parsed: `head -5`. */
  readonly rewriteArgs?: (args: ReadonlyArray<string>) => ReadonlyArray<string>
}

/**
 * Makes a program of the kernel from a function. `spec` lists the options as words such as `n|lines:`: the first name is
 * the one that the code uses, `:` requires a value, `::` allows one (`--color=auto`). With a leading `+` the first operand
 * ends the options; with a leading `=` nothing is an option.
 */
export const defineUtility =
  (name: string, spec: string, run: (io: UtilityIo) => Later<number | void>, options: UtilityOptions = {}): Program =>
  async (system) => {
    const { errorExitCode = 1, rewriteArgs } = options
    const err = new Output(system, 2)
    let io: UtilityIo | undefined
    try {
      const args = system.args.slice(1)
      const parsed = parseOptions(spec, rewriteArgs === undefined ? args : rewriteArgs(args), errorExitCode)
      io = new UtilityIo(system, name, parsed, errorExitCode)
      const isHelp = parsed.lastValues.has("help") && spec[0] !== "="
      if (isHelp) io.print(formatUsage(name, spec))
      const code = isHelp ? 0 : (await run(io)) ?? io.exitCode
      await io.err.flush()
      await io.out.flush()
      return code
    } catch (cause) {
      if (!(cause instanceof UtilityExit || cause instanceof RegexError)) throw cause
      const exit = cause instanceof UtilityExit ? cause : new UtilityExit(undefined, cause.message)
      const reason = exit.errno === undefined ? "" : `: ${errnoText(exit.errno)}`
      if (exit.message !== "") err.putText(`${name}: ${exit.message}${reason}\n`)
      // In the order of printing: the message that ends the utility comes last.
      try {
        for (const output of [io?.out, io?.err, err]) await output?.flush()
        return exit.exitCode ?? errorExitCode
      } catch (failure) {
        if (failure instanceof UtilityExit) return errorExitCode
        throw failure
      }
    }
  }
