/** Implements `export`, `readonly`, `declare`, `typeset` and `local`. */
import type { Assignment } from "../../../shell-language/SyntaxTree.ts"
import { type Coroutine, runCoroutine } from "../../Coroutine.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { quoteTraced, trace } from "../trace.ts"
import type { Variable } from "../Variable.ts"
import { arrayInSteps, quoteElement } from "./escapes.ts"
import { functionText } from "./type.ts"
import { withOptions } from "./parseBuiltinOptions.ts"
import { printVariables } from "./printVariables.ts"
import { parseVariableName, subscriptKey } from "./namedVariables.ts"

/** The declaration that `declare -p` prints for a variable. */
export function* declaration(name: string, variable: Variable): Coroutine<string> {
  const marks = variable.letters
  const start = `declare -${marks === "" ? "-" : marks} ${name}`
  if (variable.array === undefined && variable.table === undefined) {
    return variable.value === undefined ? start : `${start}=${yield* quoteElement(variable.value)}`
  }
  return `${start}=${yield* arrayInSteps(variable)}`
}

interface DeclarationOptions {
  readonly on: ReadonlySet<string>
  readonly off: ReadonlySet<string>
  /** The scope in which names are looked up. */
  readonly where: "local" | "global" | "found"
  /** Whether `set -x` shows each assignment, as bash does for `export` and `readonly`. */
  readonly isTraced?: boolean
}

const setAttributes = (variable: Variable, name: string, options: DeclarationOptions): void => {
  if (options.off.has("r") && variable.readonly) throw new ShellError(`${name}: readonly variable`)
  for (const [letters, to] of [[options.on, true], [options.off, false]] as const) {
    if (letters.has("x")) variable.exported = to
    if (letters.has("i")) variable.integer = to
    if (letters.has("n")) variable.reference = to
    if (letters.has("l")) variable.case = to ? "lower" : undefined
    if (letters.has("u")) variable.case = to ? "upper" : undefined
  }
  if (options.on.has("A") && variable.array !== undefined) {
    throw new ShellError(`${name}: cannot convert indexed to associative array`)
  }
  if (options.on.has("a") && variable.table !== undefined) {
    throw new ShellError(`${name}: cannot convert associative to indexed array`)
  }
  if (options.on.has("A")) variable.toTable()
  else if (options.on.has("a")) variable.toArray()
}

const variableOf = (shell: Shell, name: string, options: DeclarationOptions): Variable => {
  if (options.where === "global") return shell.variables.global(name)
  return options.where === "local"
    ? shell.variables.local(name)
    : shell.variables.need(name, !options.on.has("n") && !options.off.has("n"))
}

/** Declares one argument: `name`, `name=value`, `name+=value`, `name[key]=value`, or a whole array. */
const declareOne = async (
  shell: Shell,
  text: string,
  array: Assignment | undefined,
  options: DeclarationOptions,
): Promise<void> => {
  const [, target = text, plus, value] = /^([^=]*?)(\+?)=(.*)$/s.exec(text) ?? []
  const place = parseVariableName(target)
  if (place === undefined) throw new ShellError(`\`${text}': not a valid identifier`)
  const { name } = place
  if (array !== undefined) {
    const known = options.where === "local" && !shell.variables.isLocal(name) ? undefined : shell.variables.find(name)
    let made: Variable | undefined
    await shell.interpreter.assign(shell, array, {
      isTable: options.on.has("A") || known?.table !== undefined,
      make: () => {
        made = variableOf(shell, name, options)
        if (options.on.has("A")) made.toTable()
        setAttributes(made, name, { ...options, on: new Set([...options.on].filter((letter) => letter !== "a")) })
        return made
      },
    })
    if (options.on.has("r") && made !== undefined) made.readonly = true
    return
  }
  const variable = variableOf(shell, name, options)
  setAttributes(variable, name, options)
  if (value !== undefined) {
    if (options.isTraced) await trace(shell, `${target}${plus ?? ""}=${value === "" ? "" : quoteTraced(value)}`)
    shell.variables.assign(variable, name, value, await subscriptKey(shell, place), plus === "+")
  }
  if (options.on.has("r")) variable.readonly = true
}

const declareAll = async (
  shell: Shell,
  name: string,
  words: ReadonlyArray<string>,
  arrays: ReadonlyMap<number, Assignment>,
  offset: number,
  options: DeclarationOptions,
): Promise<number> => {
  let status = 0
  for (const [index, word] of words.entries()) {
    if (word === "-" && name === "local" && shell.call !== undefined) {
      shell.call.options ??= new Set(shell.options)
      continue
    }
    try {
      await declareOne(shell, word, arrays.get(index + offset), options)
    } catch (error) {
      if (!(error instanceof ShellError) || error.unwinds === "shell") throw error
      status = await shell.reportError(`${name}: ${error.message}`)
    }
  }
  return status
}

/** Prints the variables that have all of these attributes. */
const listVariables = (shell: Shell, letters: ReadonlyArray<string>): Promise<number> =>
  printVariables(
    shell,
    (name, variable) =>
      letters.every((letter) => variable.letters.includes(letter)) ? declaration(name, variable) : undefined,
  )

/** Prints variables by name and reports those that do not exist. */
const showVariables = async (shell: Shell, command: string, names: ReadonlyArray<string>): Promise<number> => {
  let status = 0
  for (const name of names) {
    const variable = shell.variables.find(name, false)
    if (variable === undefined) status = await shell.reportError(`${command}: ${name}: not found`)
    else await shell.print(`${await runCoroutine(shell.system, declaration(name, variable))}\n`)
  }
  return status
}

const showFunctions = async (shell: Shell, names: ReadonlyArray<string>, namesOnly: boolean): Promise<number> => {
  let status = 0
  for (const name of names.length === 0 ? [...shell.functions.keys()].sort() : names) {
    if (!shell.functions.has(name)) status = 1
    else if (namesOnly) await shell.print(names.length === 0 ? `declare -f ${name}\n` : `${name}\n`)
    else await shell.print(`${functionText(shell, name)}\n`)
  }
  return status
}

const declareBuiltin: Builtin = (shell, args, arrays) => {
  const [command = ""] = args
  if (command === "local" && shell.functionDepth === 0) {
    return shell.reportError("local: can only be used in a function")
  }
  const on = new Set<string>()
  const off = new Set<string>()
  let at = 1
  for (; /^[-+]./.test(args[at] ?? ""); at++) {
    const arg = args[at] ?? ""
    if (arg === "--" && ++at) break
    for (const letter of arg.slice(1)) {
      if (!"aAfFgiIlnprtux".includes(letter)) {
        return shell.reportError(`${command}: ${arg[0]}${letter}: invalid option`, 2)
      }
      ;(arg[0] === "-" ? on : off).add(letter)
    }
  }
  const words = args.slice(at)
  if (on.has("f") || on.has("F")) {
    if (!on.has("x") && !on.has("r")) return showFunctions(shell, words, on.has("F"))
    return words.every((name) => shell.functions.has(name)) ? 0 : 1
  }
  if (on.has("p") && words.length > 0) return showVariables(shell, command, words)
  if (words.length === 0) {
    return listVariables(shell, [...on].filter((letter) => "aAilnrux".includes(letter)))
  }
  const where = on.has("g") ? "global" : shell.functionDepth > 0 ? "local" : "found"
  return declareAll(shell, command, words, arrays, at, { on, off, where })
}

/** `export` and `readonly`, which set an attribute by its letter. */
const setAttribute = (spec: string, letter: string): Builtin =>
  withOptions(spec, (shell, { letters, rest, taken }, [command = ""], arrays) => {
    if (letters.has("f")) return rest.every((name) => shell.functions.has(name)) ? 0 : 1
    if (rest.length === 0) return listVariables(shell, [letter])
    const on = new Set([...letters].filter((given) => given === "a" || given === "A"))
    const off = new Set<string>()
    ;(letters.has("n") ? off : on).add(letter)
    return declareAll(shell, command, rest, arrays, taken + 1, {
      ...{ on, off, where: "found" },
      isTraced: shell.hasOption("xtrace"),
    })
  })

export const declareBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["declare", declareBuiltin],
  ["typeset", declareBuiltin],
  ["local", declareBuiltin],
  ["export", setAttribute("fnp", "x")],
  ["readonly", setAttribute("aAfp", "r")],
]
