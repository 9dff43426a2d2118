/** Makes the function that applies an operation of `${…}` to a value. */
import type * as Tree from "../../../shell-language/SyntaxTree.ts"
import { arrayInSteps, elementsInSteps, singleQuoteInSteps, unescapeInSteps } from "../builtins/escapes.ts"
import { mapPieces } from "../characters.ts"
import type { Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import type { Variable } from "../Variable.ts"
import type { Variables } from "../Variables.ts"
import { compilePattern, type ShellPattern } from "./ShellPattern.ts"
import type { Later } from "../../System.ts"
import { type Coroutine, runCoroutine, runCoroutineSync, stepsPerYield } from "../../Coroutine.ts"
import type { Expander, ParameterReference } from "./ParameterReference.ts"

export const makeValueMapper = async (
  shell: Shell,
  operation: NonNullable<Tree.Parameter["operation"]>,
  target: ParameterReference,
  expander: Expander,
): Promise<(value: string) => Later<string>> => {
  switch (operation._tag) {
    case "ParameterTrim": {
      const pattern = compile(shell, await expander.pattern(operation.pattern))
      const from = operation.side === "prefix" ? "start" : "end"
      return (value) => runCoroutine(shell.system, pattern.trim(value, from, operation.longest))
    }
    case "ParameterReplace":
      return makeReplacer(shell, operation, expander)
    case "ParameterCase":
      return makeCaseChanger(shell, operation, expander)
    case "ParameterTransform":
      return makeTransformer(shell, operation, target)
    default:
      return (value) => value
  }
}

const compile = (shell: Shell, pattern: string): ShellPattern =>
  compilePattern(pattern, { ignoreCase: shell.hasOption("nocasematch") })

const places = { first: "first", all: "all", prefix: "start", suffix: "end" } as const

const anchors: Readonly<Record<string, "prefix" | "suffix">> = { "#": "prefix", "%": "suffix" }

const makeReplacer = async (
  shell: Shell,
  operation: Tree.ParameterReplace,
  expander: Expander,
): Promise<(value: string) => Later<string>> => {
  const given = await expander.pattern(operation.pattern)
  // An anchor may result from an expansion: `p='#a'; ${x/$p/b}`.
  const expands = "Parameter CommandSubstitution".includes(operation.pattern.parts[0]?._tag ?? "-")
  const anchor = operation.which === "first" && expands ? anchors[given[0] ?? ""] : undefined
  const which = anchor ?? operation.which
  const text = anchor === undefined ? given : given.slice(1)
  const by = operation.replacement === undefined ? "" : await expander.replacement(operation.replacement)
  const standsForMatch = shell.hasOption("patsub_replacement")
  const put = (match: string): string =>
    by.replace(/\\([\\&])|&/g, (_, escaped: string | undefined) => escaped ?? (standsForMatch ? match : "&"))
  if (text === "" && (which === "first" || which === "all")) return (value) => value
  const pattern = compile(shell, text)
  const replacing = { at: places[which], by: put, maxLength: shell.limits.maxValueLength }
  if (text !== "") return (value) => runCoroutine(shell.system, pattern.replace(value, replacing))
  // An empty pattern matches at both ends of every value.
  return (value) => {
    const made = which === "prefix" ? put("") + value : value + put("")
    if (made.length > shell.limits.maxValueLength) throw new ShellError("the value is too long", "line")
    return made
  }
}

const makeCaseChanger = async (
  shell: Shell,
  operation: Tree.ParameterCase,
  expander: Expander,
): Promise<(value: string) => Later<string>> => {
  const pattern = operation.pattern === undefined
    ? undefined
    : compile(shell, await expander.pattern(operation.pattern))
  const { all, to } = operation
  if (pattern === undefined && all && to !== "toggle") {
    return (value) => runCoroutine(shell.system, changeWhole(value, to))
  }
  const change = (character: string): string => {
    if (pattern !== undefined && !runCoroutineSync(pattern.matches(character))) return character
    const upper = character.toUpperCase()
    if (to === "upper" || (to === "toggle" && character !== upper)) return upper
    return character.toLowerCase()
  }
  return (value) => runCoroutine(shell.system, changeCase(value, all, change))
}

const changeWhole = (value: string, to: "upper" | "lower"): Coroutine<string> =>
  mapPieces(
    value,
    // JavaScript maps a final sigma to a different letter, unlike bash, and a piece may end within a word.
    (piece) => to === "upper" ? piece.toUpperCase() : piece.replaceAll("\u03a3", "\u03c3").toLowerCase(),
  )

function* changeCase(value: string, all: boolean, change: (character: string) => string): Coroutine<string> {
  const parts: Array<string> = []
  let part: Array<string> = []
  let units = 0
  for (const character of value) {
    part.push(change(character))
    units += character.length
    if (!all) break
    if (part.length >= stepsPerYield) {
      parts.push(part.join(""))
      part = []
      yield
    }
  }
  return parts.join("") + part.join("") + value.slice(units)
}

function* withoutEscapes(value: string): Coroutine<string> {
  return (yield* unescapeInSteps(value, { quotes: `"'?` })).text
}

const makeTransformer = (
  shell: Shell,
  { operator }: Tree.ParameterTransform,
  target: ParameterReference,
): (value: string) => Later<string> => {
  switch (operator) {
    case "Q":
      return (value) => runCoroutine(shell.system, singleQuoteInSteps(value))
    case "U":
      return (value) => runCoroutine(shell.system, changeWhole(value, "upper"))
    case "L":
      return (value) => runCoroutine(shell.system, changeWhole(value, "lower"))
    case "u":
      return (value) => {
        const [first = ""] = value
        return first.toUpperCase() + value.slice(first.length)
      }
    case "E":
      return (value) => runCoroutine(shell.system, withoutEscapes(value))
    case "a":
      return () => shell.variables.find(target.name)?.letters ?? ""
    case "A":
      return (value) => runCoroutine(shell.system, assignmentOf(shell.variables, target, value))
    case "K":
    case "k":
      return (value) => runCoroutine(shell.system, pairsOf(shell.variables, target, value))
    case "P":
      return (value) => value
  }
}

const isArray = (variable: Variable | undefined): variable is Variable =>
  variable?.array !== undefined || variable?.table !== undefined

/** The value that is quoted; that of `${x[@]@A}` without an array is the whole one. */
const scalarOf = (variable: Variable | undefined, key: ParameterReference["key"], value: string): string =>
  typeof key === "object" ? variable?.value ?? "" : value

/** The quoted keys and values of an array: `${x[@]@K}`. */
function* pairsOf(variables: Variables, { key, name }: ParameterReference, value: string): Coroutine<string> {
  const variable = variables.find(name)
  if (typeof key !== "object" || !isArray(variable)) return yield* singleQuoteInSteps(scalarOf(variable, key, value))
  return yield* elementsInSteps(variable, (each) => `${each} `)
}

/** The declaration that recreates a variable: `${x@A}`. */
function* assignmentOf(variables: Variables, { key, name }: ParameterReference, value: string): Coroutine<string> {
  const variable = variables.find(name)
  if (variable === undefined) return ""
  const letters = variable.letters
  if (typeof key === "object" && isArray(variable)) {
    return `declare -${letters} ${name}=${yield* arrayInSteps(variable)}`
  }
  return `${letters === "" ? "" : `declare -${letters} `}${name}=${yield* singleQuoteInSteps(
    scalarOf(variable, key, value),
  )}`
}
