/**
 * Options of builtins, as getopt(3) reads them.
 *
 * @module
 */

/** What was given: letters, the values of those that take one, and the rest. */
export interface BuiltinOptions {
  readonly letters: ReadonlySet<string>
  readonly values: ReadonlyMap<string, string>
  readonly rest: ReadonlyArray<string>
  /** How many arguments were options. */
  readonly taken: number
  /** What is wrong, for people. */
  readonly problem: string | undefined
}

/**
 * Reads options up to the first argument that is none, or `--`. `spec` has the letters, each followed by `:` when it takes
 * a value. The name of the builtin is the first argument.
 */
export const parseBuiltinOptions = (args: ReadonlyArray<string>, spec: string): BuiltinOptions => {
  const letters = new Set<string>()
  const values = new Map<string, string>()
  const made = (at: number, problem?: string): BuiltinOptions => ({
    letters,
    values,
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
      break
    }
  }
  return made(at)
}
