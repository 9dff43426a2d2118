/** Parses, with a cache, and evaluates a text as arithmetic over the variables of a shell. */
import { parseArithmetic } from "../../../shell-language/parse/parseArithmetic.ts"
import { parseNumeral } from "../../../shell-language/parse/parseNumeral.ts"
import type { Arithmetic, ArithmeticVariable, Subscript } from "../../../shell-language/SyntaxTree.ts"
import type { Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { elementOf } from "../Variables.ts"
import {
  ArithmeticError,
  type ArithmeticVariables,
  evaluateArithmetic,
  maxDepth,
  maxEvaluations,
} from "./evaluateArithmetic.ts"

const cache = new Map<string, Arithmetic>()

const lastOperator = /[^\s\w()[\]]+\s*$/

/** Describes why an expression cannot be read at an offset, as bash does. */
const describeFailure = (text: string, offset: number): string => {
  const rest = text.slice(offset).trimStart()
  const [numeral = ""] = /^[0-9][0-9A-Za-z@_#]*/.exec(rest) ?? []
  if (numeral !== "" && parseNumeral(numeral) === undefined) {
    const read = text.slice(0, text.length - rest.length + numeral.length).trim()
    return `${read}: value too great for base (error token is "${numeral}")`
  }
  if (rest === "") {
    return `${text.trim()}: syntax error: operand expected (error token is "${lastOperator.exec(text)?.[0] ?? ""}")`
  }
  const problem = /^\w/.test(rest) ? "syntax error in expression" : "syntax error: invalid arithmetic operator"
  return `${text.trim()}: ${problem} (error token is "${rest.trimEnd()}")`
}

const parse = (text: string): Arithmetic => {
  const known = cache.get(text)
  if (known !== undefined) return known
  const parsed = parseArithmetic(text)
  if (parsed._tag === "Failure") throw new ArithmeticError(describeFailure(text, parsed.failure.offset))
  if (cache.size >= 256) cache.clear()
  cache.set(text, parsed.success)
  return parsed.success
}

/** The source text of a subscript, which is the key in an associative array. */
const literalKey = (subscript: Subscript): string =>
  subscript._tag === "AllElements"
    ? subscript.mark
    : subscript.word.parts.map((part) => "value" in part ? part.value : "").join("")

const variablesOf = (shell: Shell): ArithmeticVariables => {
  const host: ArithmeticVariables = {
    get: (place, depth) => {
      const key = keyOf(place, depth)
      const value = key === undefined
        ? /^[0-9]/.test(place.name) ? undefined : shell.variables.get(place.name)
        : valueOf(place.name, key)
      if (value === undefined && shell.hasOption("nounset")) {
        throw new ShellError(`${place.name}: unbound variable`, "shell", shell.fatalStatus)
      }
      return value
    },
    set: (place, value, depth) => shell.variables.set(place.name, value, keyOf(place, depth)),
    parse,
    evaluationsLeft: maxEvaluations,
  }
  const valueOf = (name: string, key: string): string | undefined => {
    const variable = shell.variables.find(name)
    return variable === undefined ? undefined : elementOf(variable, key)
  }
  const keyOf = ({ name, subscript }: ArithmeticVariable, depth: number): string | undefined => {
    if (subscript === undefined) return undefined
    if (shell.variables.find(name)?.table !== undefined) return literalKey(subscript)
    if (subscript._tag === "AllElements") throw new ArithmeticError(`${name}[${subscript.mark}]: bad array subscript`)
    const { expression } = subscript.text
    if (depth > maxDepth) {
      throw new ArithmeticError(`${name}[${literalKey(subscript)}]: expression recursion level exceeded`)
    }
    return String(evaluateArithmetic(expression ?? parse(literalKey(subscript)), host, depth + 1))
  }
  return host
}

const hosts = new WeakMap<Shell, ArithmeticVariables>()

/** Evaluates a text; `parsed` is its tree, if known, with positions that count from `start` on. */
export const evaluateExpression = (shell: Shell, text: string, parsed?: Arithmetic, start = 0): bigint => {
  const host = hosts.get(shell) ?? variablesOf(shell)
  hosts.set(shell, host)
  host.evaluationsLeft = maxEvaluations
  try {
    return evaluateArithmetic(parsed ?? parse(text), host)
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error
    if (error.at === undefined) throw new ShellError(error.message, "line")
    const token = text.slice(error.at - start).trim()
    throw new ShellError(`${text.trim()}: ${error.message} (error token is "${token}")`, "line")
  }
}
