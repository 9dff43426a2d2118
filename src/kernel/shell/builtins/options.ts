/** Implements the builtins of options and arguments: `set`, `shopt`, `shift` and `getopts`. */
import { optionLetters, optionNames, shoptNames } from "../shellOptions.ts"
import { PositionalParameters } from "../PositionalParameters.ts"
import type { Coroutine } from "../../Coroutine.ts"
import type { Builtin, Shell } from "../Shell.ts"
import type { Variable } from "../Variable.ts"
import { arrayInSteps, quoteValueInSteps } from "./escapes.ts"
import { printVariables } from "./printVariables.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

function* assignment(name: string, variable: Variable): Coroutine<string> {
  if (variable.array === undefined && variable.table === undefined) {
    return `${name}=${yield* quoteValueInSteps(variable.value ?? "")}`
  }
  return `${name}=${yield* arrayInSteps(variable)}`
}

/** Turns an option of `set` on or off; returns whether it exists. */
export const setOption = (shell: Shell, name: string | undefined, on: boolean): boolean => {
  if (name === undefined || !optionNames.includes(name)) return false
  if (on) shell.options.add(name)
  else shell.options.delete(name)
  return true
}

const listOptions = (shell: Shell, asCommands: boolean): string =>
  optionNames.map((name) =>
    asCommands
      ? `set ${shell.hasOption(name) ? "-" : "+"}o ${name}\n`
      : `${name.padEnd(15)}\t${shell.hasOption(name) ? "on" : "off"}\n`
  ).join("")

const setBuiltin: Builtin = (shell, args) => {
  if (args.length === 1) {
    return printVariables(shell, (name, variable) => variable.isSet ? assignment(name, variable) : undefined)
  }
  let at = 1
  for (; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (arg === "--" || arg === "-") {
      if (arg === "-") { for (const name of ["xtrace", "verbose"]) shell.options.delete(name) }
      if (arg === "--" || at + 1 < args.length) shell.positional = new PositionalParameters(args.slice(at + 1))
      return 0
    }
    if (!/^[-+]./.test(arg)) break
    const on = arg.startsWith("-")
    for (const letter of arg.slice(1)) {
      if (letter === "o") {
        const name = args[at + 1]
        if (name === undefined) return shell.writeOutput(listOptions(shell, !on))
        at++
        if (!setOption(shell, name, on)) return shell.reportError(`set: ${name}: invalid option name`, 2)
      } else if (!setOption(shell, optionLetters[letter], on)) {
        return shell.reportError(`set: ${arg[0]}${letter}: invalid option`, 2)
      }
    }
  }
  if (at < args.length) shell.positional = new PositionalParameters(args.slice(at))
  return 0
}

const shoptBuiltin = withOptions("opqsu", async (shell, { letters, rest }) => {
  const known = letters.has("o") ? optionNames : shoptNames
  const changes = letters.has("s") || letters.has("u")
  let status = 0
  for (
    const name of rest.length > 0
      ? rest
      : known.filter((name) => !changes || shell.hasOption(name) === letters.has("s"))
  ) {
    if (!known.includes(name)) {
      status = await shell.reportError(`shopt: ${name}: invalid ${letters.has("o") ? "option" : "shell option"} name`)
    } else if (changes && rest.length > 0) {
      if (letters.has("s")) shell.options.add(name)
      else shell.options.delete(name)
    } else {
      if (!shell.hasOption(name) && rest.length > 0) status = 1
      if (letters.has("q")) continue
      const on = shell.hasOption(name)
      await shell.print(
        letters.has("p")
          ? letters.has("o") ? `set ${on ? "-" : "+"}o ${name}\n` : `shopt ${on ? "-s" : "-u"} ${name}\n`
          : `${name.padEnd(15)}\t${on ? "on" : "off"}\n`,
      )
    }
  }
  return status
})

const shiftBuiltin: Builtin = (shell, [, text = "1"]) => {
  if (!/^[-+]?\d+$/.test(text)) return shell.reportError(`shift: ${text}: numeric argument required`)
  const count = Number(text)
  if (count < 0) return shell.reportError(`shift: ${text}: shift count out of range`)
  if (count > shell.positional.count) return 1
  shell.positional.shift(count)
  return 0
}

const getopts: Builtin = async (shell, args) => {
  const [, spec, name, ...given] = args
  if (spec === undefined || name === undefined) {
    return shell.reportError("getopts: usage: getopts optstring name [arg ...]", 2)
  }
  const words = given.length > 0 ? given : shell.positional.words
  const quiet = spec.startsWith(":") || shell.variables.get("OPTERR") === "0"
  const variables = shell.variables
  let index = Number(variables.get("OPTIND") ?? 1)
  if (index !== shell.optionIndex) shell.optionOffset = 0
  const finish = (letter: string, status: number): number => {
    variables.set("OPTIND", String(index))
    shell.optionIndex = index
    variables.set(name, letter)
    return status
  }
  const word = words[index - 1]
  if (shell.optionOffset === 0) {
    if (word === undefined || !/^-./.test(word)) return finish("?", 1)
    if (word === "--") {
      index++
      return finish("?", 1)
    }
    shell.optionOffset = 1
  }
  const letter = word?.[shell.optionOffset++] ?? ""
  const ended = shell.optionOffset >= (word?.length ?? 0)
  const next = (): void => {
    index++
    shell.optionOffset = 0
  }
  const known = letter === ":" ? -1 : spec.indexOf(letter)
  variables.unset("OPTARG")
  if (known < 0) {
    if (ended) next()
    if (spec.startsWith(":")) variables.set("OPTARG", letter)
    else if (!quiet) await shell.print(`${shell.name}: illegal option -- ${letter}\n`, 2)
    return finish("?", 0)
  }
  if (spec[known + 1] !== ":") {
    if (ended) next()
    return finish(letter, 0)
  }
  const offset = shell.optionOffset
  next()
  const value = ended ? words[index++ - 1] : word?.slice(offset)
  if (value === undefined) {
    index--
    if (spec.startsWith(":")) variables.set("OPTARG", letter)
    else if (!quiet) await shell.print(`${shell.name}: option requires an argument -- ${letter}\n`, 2)
    return finish(spec.startsWith(":") ? ":" : "?", 0)
  }
  variables.set("OPTARG", value)
  return finish(letter, 0)
}

export const optionBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["set", setBuiltin],
  ["shopt", shoptBuiltin],
  ["shift", shiftBuiltin],
  ["getopts", getopts],
]
