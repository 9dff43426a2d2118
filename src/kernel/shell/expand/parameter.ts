/**
 * What `$name` and `${…}` stand for.
 *
 * Source: POSIX 2.6.2 "Parameter Expansion"; bash(1) "Parameter Expansion".
 *
 * @module
 */
import type {
  ArithmeticText,
  Parameter,
  ParameterCase,
  ParameterFallback,
  ParameterReplace,
  ParameterSlice,
  ParameterTransform,
  Subscript,
  Word,
  WordPart,
} from "../../../shell-language/Tree.ts"
import { quoteValue, singleQuote, unescapeText } from "../builtins/escapes.ts"
import type { Later } from "../../System.ts"
import { optionString } from "../Options.ts"
import type { Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { characterCount, characters } from "../text.ts"
import { element, type Variables } from "../Variables.ts"
import { type Pattern, patternOf } from "./Pattern.ts"
import type { Sink } from "./Sink.ts"

/** How parts of words within `${…}` are expanded: given, since those may hold parameters again. */
export interface Expander {
  readonly parts: (parts: ReadonlyArray<WordPart>, quoted: boolean, sink: Sink, split: boolean) => Later<void>
  readonly text: (word: Word) => Later<string>
  readonly pattern: (word: Word) => Later<string>
  readonly replacement: (word: Word) => Later<string>
  readonly arithmetic: (text: ArithmeticText) => Later<bigint>
}

/** A parameter that is meant: a name, and which element. */
export interface Target {
  readonly name: string
  /** An element's key, all elements, or the parameter itself. */
  readonly key: string | { readonly mark: "@" | "*" } | undefined
}

const isSpecial = (name: string): boolean => !/^[A-Za-z_]/.test(name)

/** The value of a special or positional parameter. */
const special = (shell: Shell, name: string): string | undefined => {
  switch (name) {
    case "?":
      return String(shell.status)
    case "$":
      return String(shell.mainPid)
    case "#":
      return String(shell.positional.length)
    case "!":
      return shell.lastBackground === undefined ? undefined : String(shell.lastBackground)
    case "-":
      return optionString(shell.options)
    case "0":
      return shell.name
  }
  return shell.positional[Number(name) - 1]
}

/** The key that a subscript means for a variable: a number, unless its array is associative. */
export const keyOf = (
  shell: Shell,
  name: string,
  subscript: Subscript,
  expander: Pick<Expander, "text" | "arithmetic">,
): Later<string | { readonly mark: "@" | "*" }> => {
  if (subscript._tag === "AllElements") return { mark: subscript.mark }
  if (shell.variables.find(name)?.table !== undefined) return expander.text(subscript.word)
  const index = expander.arithmetic(subscript.text)
  return typeof index === "bigint" ? String(index) : index.then(String)
}

/** One value of a target that is no list. */
const scalarOf = (shell: Shell, { key, name }: Target): string | undefined => {
  if (isSpecial(name)) return special(shell, name)
  if (key === undefined) return shell.variables.get(name)
  const variable = shell.variables.find(name)
  return variable === undefined || typeof key === "object" ? undefined : element(variable, key)
}

const markOf = ({ key, name }: Target): "@" | "*" | undefined =>
  name === "@" || name === "*" ? name : typeof key === "object" ? key.mark : undefined

const listOf = (shell: Shell, { name }: Target): ReadonlyArray<string> =>
  name === "@" || name === "*" ? shell.positional : shell.variables.find(name)?.values ?? []

/** The target that a text names: `${!name}` and `declare -n`. */
const targetOf = (shell: Shell, text: string): Target => {
  const found = /^([A-Za-z_]\w*|[0-9]+|[@*#?$!-])(?:\[(.*)\])?$/s.exec(text)
  if (found?.[1] === undefined) throw new ShellError(`${text}: invalid variable name`, "line")
  const [, name, inner] = found
  if (inner === undefined) return { name, key: undefined }
  if (inner === "@" || inner === "*") return { name, key: { mark: inner } }
  const table = shell.variables.find(name)?.table !== undefined
  return { name, key: table ? inner : String(shell.machine.arithmetic(shell, inner)) }
}

const shown = ({ key, name }: Target): string =>
  key === undefined ? name : `${name}[${typeof key === "object" ? key.mark : key}]`

/** Expands a parameter into a sink. */
export const parameter = (
  shell: Shell,
  node: Parameter,
  quoted: boolean,
  sink: Sink,
  expander: Expander,
): Later<void> => {
  if (node.operation === undefined && node.subscript === undefined && !node.indirect) {
    const name = node.name
    if (name === "@" || name === "*") return sink.list(shell.positional, name, quoted)
    const value = isSpecial(name) ? special(shell, name) : shell.variables.get(name)
    if (value === undefined) unset(shell, name)
    return quoted ? sink.add(value ?? "", true) : sink.split(value ?? "")
  }
  return expanded(shell, node, quoted, sink, expander)
}

const unset = (shell: Shell, name: string): void => {
  if (shell.on("nounset")) {
    throw new ShellError(`${/^[0-9]+$/.test(name) ? `$${name}` : name}: unbound variable`, "shell", shell.fatalStatus)
  }
}

const expanded = async (
  shell: Shell,
  node: Parameter,
  quoted: boolean,
  sink: Sink,
  expander: Expander,
): Promise<void> => {
  const operation = node.operation
  const emit = (text: string): void => quoted ? sink.add(text, true) : sink.split(text)
  if (operation?._tag === "ParameterNames") {
    const names = [...shell.variables.names].filter((name) =>
      name.startsWith(node.name) && shell.variables.find(name)?.isSet === true
    )
    return sink.list(names, operation.mark, quoted)
  }
  if (operation?._tag === "ParameterKeys") {
    return sink.list(shell.variables.find(node.name)?.keys ?? [], operation.mark, quoted)
  }
  let target: Target = {
    name: node.name,
    key: node.subscript === undefined ? undefined : await keyOf(shell, node.name, node.subscript, expander),
  }
  if (node.indirect) {
    const variable = target.key === undefined ? shell.variables.find(node.name, false) : undefined
    const names = variable?.reference === true ? undefined : scalarOf(shell, target)
    if (variable?.reference === true) return emit(variable.value ?? "")
    if (names === undefined || names === "") throw new ShellError(`${node.name}: invalid indirect expansion`, "line")
    target = targetOf(shell, names)
  }
  const mark = markOf(target)
  if (mark === undefined) {
    const value = scalarOf(shell, target)
    if (operation?._tag === "ParameterFallback") {
      // Within quotes there is a field, whatever is in it.
      if (quoted) sink.add("", true)
      return fallback(shell, operation, target, value, () => emit(value ?? ""), quoted, sink, expander)
    }
    if (value === undefined && !(operation?._tag === "ParameterTransform" && "aA".includes(operation.operator))) {
      unset(shell, shown(target))
    }
    if (operation === undefined) return emit(value ?? "")
    if (operation._tag === "ParameterLength") return emit(String(characterCount(value ?? "")))
    if (operation._tag === "ParameterSlice") return emit(await sliceText(value ?? "", operation, expander))
    if (operation._tag === "ParameterTransform" && value === undefined && !"aA".includes(operation.operator)) {
      return emit("")
    }
    return emit((await mapper(shell, operation, target, expander))(value ?? ""))
  }
  const values = listOf(shell, target)
  const give = (list: ReadonlyArray<string>): void => sink.list(list, mark, quoted)
  if (operation === undefined) return give(values)
  switch (operation._tag) {
    case "ParameterLength":
      return emit(String(values.length))
    case "ParameterFallback": {
      const joined = values.length === 0 ? undefined : values.join(" ")
      return fallback(shell, operation, target, joined, () => give(values), quoted, sink, expander)
    }
    case "ParameterSlice":
      return give(await sliceList(shell, target, values, operation, expander))
    case "ParameterTransform":
      if ("AKka".includes(operation.operator) && !isSpecial(target.name)) {
        return operation.operator === "k"
          ? give(pairs(shell.variables, target.name))
          : operation.operator === "a"
          ? give(values.map(() => shell.variables.find(target.name)?.letters ?? ""))
          : emit((await mapper(shell, operation, target, expander))(""))
      }
  }
  const map = await mapper(shell, operation, target, expander)
  return give(values.map(map))
}

const pairs = (variables: Variables, name: string): ReadonlyArray<string> => {
  const variable = variables.find(name)
  const values = variable?.values ?? []
  return (variable?.keys ?? []).flatMap((key, index) => [key, values[index] ?? ""])
}

const fallback = async (
  shell: Shell,
  operation: ParameterFallback,
  target: Target,
  value: string | undefined,
  use: () => void,
  quoted: boolean,
  sink: Sink,
  expander: Expander,
): Promise<void> => {
  const missing = value === undefined || (operation.colon && value === "")
  const word = () => expander.parts(operation.word.parts, quoted, sink, true)
  switch (operation.operator) {
    case "-":
      return missing ? word() : use()
    case "+":
      return missing ? undefined : word()
    case "=": {
      if (!missing) return use()
      if (isSpecial(target.name)) throw new ShellError(`$${target.name}: cannot assign in this way`, "line")
      const text = await expander.text(operation.word)
      shell.variables.set(target.name, text, typeof target.key === "object" ? undefined : target.key)
      const made = scalarOf(shell, target) ?? ""
      return quoted ? sink.add(made, true) : sink.split(made)
    }
    case "?": {
      if (!missing) return use()
      const text = await expander.text(operation.word)
      const message = text === "" ? (operation.colon ? "parameter null or not set" : "parameter not set") : text
      throw new ShellError(`${shown(target)}: ${message}`, "shell", shell.fatalStatus)
    }
  }
}

/** What an operation makes of each value. */
const mapper = async (
  shell: Shell,
  operation: NonNullable<Parameter["operation"]>,
  target: Target,
  expander: Expander,
): Promise<(value: string) => string> => {
  switch (operation._tag) {
    case "ParameterTrim": {
      const pattern = compile(shell, await expander.pattern(operation.pattern))
      return (value) => pattern.trim(value, operation.side === "prefix" ? "start" : "end", operation.longest)
    }
    case "ParameterReplace":
      return replacer(shell, operation, expander)
    case "ParameterCase":
      return caser(shell, operation, expander)
    case "ParameterTransform":
      return transformer(shell, operation, target)
    default:
      return (value) => value
  }
}

const compile = (shell: Shell, pattern: string): Pattern => patternOf(pattern, { ignoreCase: shell.on("nocasematch") })

const places = { first: "first", all: "all", prefix: "start", suffix: "end" } as const

const replacer = async (
  shell: Shell,
  operation: ParameterReplace,
  expander: Expander,
): Promise<(value: string) => string> => {
  const text = await expander.pattern(operation.pattern)
  const by = operation.replacement === undefined ? "" : await expander.replacement(operation.replacement)
  const put = (match: string): string =>
    by.replace(/\\([\\&])|&/g, (_, escaped: string | undefined) => escaped ?? match)
  if (text === "" && (operation.which === "first" || operation.which === "all")) return (value) => value
  const pattern = compile(shell, text)
  return (value) => {
    const made = pattern.replace(value, places[operation.which], put)
    if (made.length > shell.limits.valueLength) throw new ShellError("the value is too long", "line")
    return made
  }
}

const caser = async (
  shell: Shell,
  operation: ParameterCase,
  expander: Expander,
): Promise<(value: string) => string> => {
  const pattern = operation.pattern === undefined
    ? undefined
    : compile(shell, await expander.pattern(operation.pattern))
  const change = (character: string): string => {
    if (pattern?.matches(character) === false) return character
    const upper = character.toUpperCase()
    if (operation.to === "upper" || (operation.to === "toggle" && character !== upper)) return upper
    return character.toLowerCase()
  }
  return (value) => {
    const [first = "", ...rest] = Array.from(value)
    return change(first) + (operation.all ? rest.map(change) : rest).join("")
  }
}

const transformer = (
  shell: Shell,
  { operator }: ParameterTransform,
  target: Target,
): (value: string) => string => {
  switch (operator) {
    case "Q":
      return singleQuote
    case "U":
      return (value) => value.toUpperCase()
    case "L":
      return (value) => value.toLowerCase()
    case "u":
      return (value) => {
        const [first = "", ...rest] = Array.from(value)
        return first.toUpperCase() + rest.join("")
      }
    case "E":
      return (value) => unescapeText(value, { quotes: `"'?` }).text
    case "a":
      return () => shell.variables.find(target.name)?.letters ?? ""
    case "A":
      return (value) => assignmentOf(shell.variables, target, value)
    case "K":
    case "k":
      return (value) => {
        const list = pairs(shell.variables, target.name)
        return typeof target.key === "object"
          ? list.map((text, index) => index % 2 === 0 ? text : `"${text.replace(/["\\$`]/g, "\\$&")}"`).join(" ")
          : singleQuote(value)
      }
    case "P":
      return (value) => value
  }
}

/** The command that makes a variable again: `${x@A}`. */
const assignmentOf = (variables: Variables, { key, name }: Target, value: string): string => {
  const variable = variables.find(name)
  if (variable === undefined) return ""
  const letters = variable.letters
  if (typeof key === "object") {
    const list = pairs(variables, name)
    const elements = list.flatMap((text, index) =>
      index % 2 === 0 ? [`[${quoteValue(text)}]="${(list[index + 1] ?? "").replace(/["\\$`]/g, "\\$&")}"`] : []
    )
    return `declare -${letters} ${name}=(${elements.join(" ")}${variable.table !== undefined ? " " : ""})`
  }
  return letters === "" ? `${name}=${singleQuote(value)}` : `declare -${letters} ${name}=${singleQuote(value)}`
}

/** The range that an offset and a length mean; counted from the end when they are below 0. */
const range = async (
  { length, offset }: ParameterSlice,
  size: number,
  expander: Expander,
): Promise<readonly [start: number, end: number] | undefined> => {
  const given = Number(await expander.arithmetic(offset))
  const start = given < 0 ? size + given : given
  if (length === undefined) return start < 0 || start > size ? undefined : [start, size]
  const count = Number(await expander.arithmetic(length))
  if (start < 0 || start > size) return undefined
  const end = count < 0 ? size + count : Math.min(size, start + count)
  if (end < start) throw new ShellError(`${count}: substring expression < 0`, "line")
  return [start, end]
}

const sliceText = async (value: string, operation: ParameterSlice, expander: Expander): Promise<string> => {
  const units = characters(value)
  const found = await range(operation, units.length, expander)
  if (found === undefined) return ""
  return typeof units === "string" ? value.slice(...found) : Array.from(units).slice(...found).join("")
}

const sliceList = async (
  shell: Shell,
  { name }: Target,
  values: ReadonlyArray<string>,
  operation: ParameterSlice,
  expander: Expander,
): Promise<ReadonlyArray<string>> => {
  const offset = Number(await expander.arithmetic(operation.offset))
  const count = operation.length === undefined ? Infinity : Number(await expander.arithmetic(operation.length))
  if (count < 0) throw new ShellError(`${count}: substring expression < 0`, "line")
  if (name === "@" || name === "*") {
    const all = [shell.name, ...values]
    const start = offset < 0 ? all.length + offset : offset
    return start < 0 ? [] : all.slice(start, start + count)
  }
  const variable = shell.variables.find(name)
  const keys = variable?.keys ?? []
  const start = offset < 0 ? Number(keys.at(-1) ?? -1) + 1 + offset : offset
  if (start < 0) return []
  const first = variable?.table !== undefined ? Math.max(0, start - 1) : keys.findIndex((key) => Number(key) >= start)
  return first < 0 ? [] : values.slice(first, first + count)
}
