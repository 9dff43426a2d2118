/**
 * Determines from a script alone which of its variables hold numbers at a position, and which are associative arrays.
 *
 * @module
 */
import { staticText } from "./staticText.ts"
import type * as Tree from "../SyntaxTree.ts"
import { walk } from "../walk.ts"

/** Builtins whose arguments may be assignments. */
export const declarations: ReadonlySet<string> = new Set(["declare", "typeset", "local", "export", "readonly"])

/** Builtins that assign to the names among their arguments, or unset them. */
const assigningBuiltins = new Set([
  "read",
  "mapfile",
  "readarray",
  "printf",
  "getopts",
  "unset",
  "wait",
  ...declarations,
])

/** Variables that bash sets to any text: what was read, an option's value, a last argument. */
const setByBash = [
  ..."_ REPLY OPTARG MAPFILE COPROC BASH_REMATCH BASH_COMMAND BASH_ARGV BASH_EXECUTION_STRING PIPESTATUS".split(" "),
  ..."DIRSTACK FUNCNAME GROUPS PWD OLDPWD READLINE_LINE COMP_LINE COMP_WORDS".split(" "),
]

/** Variables that bash computes itself, whatever the environment has for them. */
const computed = new Set("RANDOM SRANDOM LINENO EPOCHSECONDS BASHPID PPID".split(" "))

/** Matches the names of bash's own arrays. */
const arraysOfBash = /^(?:BASH|COMP|COPROC|DIRSTACK|FUNCNAME|GROUPS|MAPFILE|PIPESTATUS|READLINE)/

/** Options with which a declaration assigns. With others (`-f`, `-p`, unknown ones) it does not. */
const plainDeclaration = /^-[grx]+$/

const number = /^[-+]?\d+$/
const numbersInBraces = /^\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}$/

/** Whether a part expands to a number, whatever the values of variables. */
const isNumericPart = (part: Tree.WordPart): boolean =>
  part._tag === "ArithmeticExpansion" ||
  (part._tag === "DoubleQuoted" && part.parts.length === 1 && part.parts.every(isNumericPart)) ||
  (part._tag === "Parameter" && !part.indirect && isCount(part))

const isCount = ({ name, operation, subscript }: Tree.Parameter): boolean =>
  operation?._tag === "ParameterLength" ||
  (operation === undefined && subscript === undefined && (name === "#" || name === "?" || name === "$" || name === "!"))

/** Whether a word expands to a number, whatever the values of variables. */
export const isNumericWord = (word: Tree.Word): boolean => {
  const text = staticText(word)
  if (text !== undefined) return number.test(text)
  const [only] = word.parts
  return only !== undefined && word.parts.length === 1 && isNumericPart(only)
}

const isNumbers = (word: Tree.Word): boolean => {
  const [only] = word.parts
  return isNumericWord(word) ||
    (word.parts.length === 1 && only?._tag === "Literal" && numbersInBraces.test(only.value))
}

const givesNumbers = ({ value }: Tree.Assignment): boolean =>
  value._tag === "Word" ? isNumericWord(value) : value.elements.every((element) => isNumbers(element.value))

/** The simple command that a statement certainly runs, in the shell itself. */
const certainCommand = ({ background, pipelines: [pipeline] }: Tree.AndOr): Tree.SimpleCommand | undefined => {
  const [command] = pipeline?.commands ?? []
  return !background && pipeline?.commands.length === 1 && command?._tag === "SimpleCommand" ? command : undefined
}

/** The assignments that a statement certainly makes, those of declarations included. `local` counts in functions only. */
const certainAssignments = (statement: Tree.AndOr, inFunction: boolean): ReadonlyArray<Tree.Assignment> => {
  const command = certainCommand(statement)
  if (command === undefined) return []
  // A redirection that fails leaves the variable unchanged.
  if (command.redirects.length > 0) return []
  const [first] = command.words
  if (first === undefined) return command.assignments
  const name = staticText(first) ?? ""
  if (!declarations.has(name) || (name === "local" && !inFunction)) return []
  const assignments: Array<Tree.Assignment> = []
  for (const word of command.words.slice(1)) {
    if (word.assignment !== undefined) assignments.push(word.assignment)
    else if (!plainDeclaration.test(staticText(word) ?? "")) return []
  }
  return assignments
}

/** The names that an expression such as `i = 0` assigns to. */
const assignedNames = (expression: Tree.Arithmetic | undefined): ReadonlyArray<string> =>
  expression?._tag === "ArithmeticAssignment" && expression.operator === undefined
    ? [expression.target.name]
    : expression?._tag === "ArithmeticBinary" && expression.operator === ","
    ? [...assignedNames(expression.left), ...assignedNames(expression.right)]
    : []

/** The text at the start of a word, which may be a name. */
const textOf = ({ assignment, parts: [first] }: Tree.Word): string =>
  assignment?.name ?? (first !== undefined && "value" in first ? first.value : "")

/** Whether a command declares associative arrays and nothing else. */
const isAssociative = ([name, option, ...names]: ReadonlyArray<Tree.Word>): boolean =>
  name !== undefined && /^(?:declare|typeset|local)$/.test(staticText(name) ?? "") &&
  option !== undefined && staticText(option) === "-A" && names.length > 0 &&
  names.every((word) => /^[A-Za-z_]\w*$/.test(staticText(word) ?? word.assignment?.name ?? ""))

/** The associative arrays that a statement certainly declares. */
const declaredTables = (statement: Tree.AndOr, inFunction: boolean): ReadonlyArray<string> => {
  const command = certainCommand(statement)
  if (command === undefined) return []
  const { assignments, redirects, words } = command
  const isLocal = words[0] !== undefined && staticText(words[0]) === "local"
  return assignments.length + redirects.length === 0 && isAssociative(words) && (!isLocal || inFunction)
    ? words.slice(2).map(textOf)
    : []
}

/** The variables of a script and what their values can be. */
export class NumericVariables {
  readonly #otherwise = new Set<string>(setByBash)
  /** Names that are assigned to. */
  readonly #given = new Set<string>()
  readonly #from = new Map<string, Array<readonly [start: number, end: number]>>()
  /** Names that a builtin assigns to or unsets, other than by `declare -A`. */
  readonly #changed = new Set<string>()
  readonly #assigned: Array<readonly [name: string, at: number]> = []
  readonly #associative = new Map<string, Array<readonly [start: number, end: number]>>()
  /** Whether a function replaces a declaration, which then may not assign. */
  #redefined = false
  /** Names that are arrays somewhere. */
  readonly arrays: Set<string> = new Set()

  constructor(root: Tree.Node) {
    walk(root, (node) => this.#look(node))
  }

  #known(name: string, start: number, end: number): void {
    const ranges = this.#from.get(name) ?? []
    ranges.push([start, end])
    this.#from.set(name, ranges)
  }

  #give(name: string, numeric: boolean): void {
    this.#given.add(name)
    if (!numeric) this.#otherwise.add(name)
  }

  #list({ span, statements }: Tree.Script | Tree.List, inFunction = false): void {
    for (const statement of statements) {
      for (const { append, name, subscript } of certainAssignments(statement, inFunction)) {
        // The earlier value would be a part of the new one, or of the array.
        if (!append && subscript === undefined) this.#known(name, statement.span.end, span.end)
      }
      for (const name of declaredTables(statement, inFunction)) {
        this.#associative.set(name, [...this.#associative.get(name) ?? [], [statement.span.start, span.end]])
      }
    }
  }

  #look(node: Tree.Node): void {
    switch (node._tag) {
      case "Script":
      case "List":
        return this.#list(node)
      case "FunctionDefinition":
        if (declarations.has(node.name)) this.#redefined = true
        return node.body._tag === "Group" ? this.#list(node.body.body, true) : undefined
      case "FileRedirect":
      case "HereDocument":
        if (node.variable !== undefined) this.#changed.add(node.variable.replace(/\[.*/s, ""))
        return
      case "Assignment":
        this.#assigned.push([node.name, node.span.start])
        if (node.value._tag === "ArrayLiteral" || node.subscript !== undefined) this.arrays.add(node.name)
        return this.#give(node.name, givesNumbers(node))
      case "For":
      case "Select":
        this.#give(node.name, node._tag === "For" && node.words?.every(isNumbers) === true)
        return this.#known(node.name, node.body.span.start, node.body.span.end)
      case "ForArithmetic":
        for (const name of assignedNames(node.first?.expression)) {
          this.#known(name, node.first?.span.end ?? 0, node.span.end)
        }
        return
      case "Parameter":
        if (node.operation?._tag === "ParameterFallback" && node.operation.operator === "=") {
          this.#give(node.name, isNumericWord(node.operation.word))
        }
        return
      case "SimpleCommand": {
        if (!node.words.some((word) => assigningBuiltins.has(staticText(word) ?? ""))) return
        if (!isAssociative(node.words)) {
          for (const word of node.words.slice(1)) this.#changed.add(/^\w+/.exec(textOf(word))?.[0] ?? "")
        }
        for (const word of node.words) {
          const name = /^\w+/.exec(staticText(word) ?? "")?.[0]
          if (name === undefined) continue
          this.#give(name, false)
          this.arrays.add(name)
        }
      }
    }
  }

  /** Whether a variable holds a number at a position, whatever ran before and whatever the environment. */
  isNumber(name: string, at: number): boolean {
    if (computed.has(name)) return !this.#given.has(name)
    return !this.#redefined && !this.#otherwise.has(name) &&
      (this.#from.get(name) ?? []).some(([start, end]) => start <= at && at <= end)
  }

  /**
   * Whether a variable is an associative array at a position, so that its subscripts are text instead of arithmetic. An
   * array that was indexed before stays indexed.
   */
  isAssociative(name: string, at: number): boolean {
    const ranges = this.#associative.get(name) ?? []
    const isWithin = (place: number): boolean => ranges.some(([start, end]) => start <= place && place <= end)
    return isWithin(at) && !this.#redefined && !this.#changed.has(name) && !arraysOfBash.test(name) &&
      this.#assigned.every(([assigned, place]) => assigned !== name || isWithin(place))
  }
}
