/** Parses the options of a builtin as getopt(3) does, and reports an invalid one before the builtin runs. */
import type { Later } from "../../System.ts"
import type { Builtin, Shell } from "../Shell.ts"

export interface BuiltinOptions {
  readonly letters: ReadonlySet<string>
  readonly values: ReadonlyMap<string, string>
  /** Each value in the order of the arguments: options such as `-o` are given several times. */
  readonly allValues: ReadonlyArray<readonly [letter: string, value: string]>
  readonly rest: ReadonlyArray<string>
  readonly taken: number
  readonly problem: string | undefined
}

/** Parses the options after the builtin's name. `spec` has the letters, each followed by `:` if it takes a value. */
const parseBuiltinOptions = (args: ReadonlyArray<string>, spec: string): BuiltinOptions => {
  const letters = new Set<string>()
  const values = new Map<string, string>()
  const allValues: Array<readonly [string, string]> = []
  const made = (at: number, problem?: string): BuiltinOptions => ({
    letters,
    values,
    allValues,
    rest: args.slice(at),
    taken: at - 1,
    problem,
  })
  let at = 1
  for (; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--") return made(at + 1)
    if (!/^-./.test(arg)) break
    for (let place = 1; place < arg.length; place++) {
      const letter = arg[place] ?? ""
      const known = letter === ":" ? -1 : spec.indexOf(letter)
      if (known < 0) return made(at, `-${letter}: invalid option`)
      letters.add(letter)
      if (spec[known + 1] !== ":") continue
      const value = place + 1 < arg.length ? arg.slice(place + 1) : args[++at]
      if (value === undefined) return made(at, `-${letter}: option requires an argument`)
      values.set(letter, value)
      allValues.push([letter, value])
      break
    }
  }
  return made(at)
}

/** Makes a builtin of a function that is given the options; a wrong option is exit code 2. */
export const withOptions = (
  spec: string,
  run: (
    shell: Shell,
    options: BuiltinOptions,
    args: ReadonlyArray<string>,
    arrays: Parameters<Builtin>[2],
  ) => Later<number>,
): Builtin =>
(shell, args, arrays) => {
  const options = parseBuiltinOptions(args, spec)
  return options.problem === undefined
    ? run(shell, options, args, arrays)
    : shell.reportError(`${args[0]}: ${options.problem}`, 2)
}
