/**
 * Finds the places of a script where bash evaluates data as code although the syntax tree has no command there.
 *
 * Arithmetic evaluates the values of variables, a subscript in an expression may hold `$(…)`, the names that builtins
 * accept may have subscripts, and prompts are expanded: `x='a[$(id)]'; echo $((x))` runs `id`.
 *
 * Builtins that run their arguments (`eval`, `trap`, `command`, `source`, …) are commands of the tree and are left to the
 * caller.
 *
 * Source: bash(1) "ARITHMETIC EVALUATION", "Arrays", "PROMPTING"; tests against bash 5.2.
 *
 * @module
 */
import { makeArgumentCheck } from "./makeArgumentCheck.ts"
import { isForced } from "./forceNumbers.ts"
import { isNumericWord, NumericVariables } from "./NumericVariables.ts"
import { staticText } from "./staticText.ts"
import type * as Tree from "../SyntaxTree.ts"
import { walk } from "../walk.ts"

/** A place where bash may run commands that the tree does not show. */
export interface Evaluation {
  readonly span: Tree.Span
  /** A description of the place: `arithmetic over "x", which may hold anything`. */
  readonly what: string
}

/** Variables with the integer attribute, whose values are evaluated. */
const integers = new Set(
  "RANDOM SRANDOM SECONDS LINENO OPTIND HISTCMD BASHPID EPOCHSECONDS BASH_SUBSHELL UID EUID PPID".split(" "),
)
/** Variables whose values bash expands or runs. */
const active = new Set(
  "PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND BASH_ENV ENV BASH_ALIASES BASH_CMDS MAILPATH MAIL".split(" "),
)
/** Matches characters that bash expands once more. */
const expandedAgain = /[$`\\]/
const plainExpression = /^[\w\s+\-*/%=<>!&|^~?:(),]*$/
const plainName = /^[A-Za-z_][A-Za-z0-9_]*(?:\[\d+\])?$/
const arithmeticOperators = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])

/**
 * Returns every place in a tree where bash would evaluate as code what the tree has as text or as a value. If there is
 * none, the shell itself runs only the commands of the tree, whatever variables and files hold.
 *
 * The result is conservative: arithmetic counts as harmless only if each of its variables is assigned a number before
 * (`i=0; while ((i < 3))`) and never anything else.
 *
 * It is valid for scripts that end where an expansion fails. `bash -c` continues with the next line, without the rest of
 * the line after `$((1 / 0))`: pass the whole script to bash in braces.
 */
export const findEvaluations = (root: Tree.Node): ReadonlyArray<Evaluation> => {
  const found: Array<Evaluation> = []
  const variables = new NumericVariables(root)
  /** Subscripts that are not arithmetic. */
  const keys = new Set<Tree.Node>()

  const report = (span: Tree.Span, what: string): void => {
    found.push({ span, what })
  }

  const look = (node: Tree.Node): void => {
    switch (node._tag) {
      case "ArithmeticText":
        return keys.has(node) ? undefined : checkArithmetic(node.parts)
      case "ConditionBinary":
        if (!arithmeticOperators.has(node.operator)) return
        checkArithmetic(node.left.parts)
        return checkArithmetic(node.right.parts)
      case "ConditionUnary":
        return node.operator === "-v" || node.operator === "-R" ? checkName(node.operand) : undefined
      case "Assignment":
        return checkAssignment(node)
      case "For":
      case "Select":
        return checkVariable(node.name, node.span)
      case "Parameter":
        return checkParameter(node)
      case "FileRedirect":
        checkDescriptor(node)
        return checkRedirect(node)
      case "HereDocument":
        return checkDescriptor(node)
      case "SimpleCommand":
        return checkArguments(node)
    }
  }

  const isNumber = (word: Tree.Word): boolean => {
    const [only] = word.parts
    return isNumericWord(word) || (word.parts.length === 1 && only !== undefined && holdsNumber(only))
  }

  const holdsNumber = (part: Tree.WordPart): boolean => {
    if (part._tag === "DoubleQuoted") {
      return part.parts.length === 1 && part.parts.every((inner) => holdsNumber(inner))
    }
    return part._tag === "Parameter" && !part.indirect && part.operation === undefined &&
      part.subscript === undefined &&
      variables.isNumber(part.name, part.span.start)
  }

  /** Reports an expression unless each variable and each expansion in it is known to be a number. */
  const checkArithmetic = (parts: ReadonlyArray<Tree.WordPart>): void => {
    const [first] = parts
    if (first === undefined) return
    const text = flatten(parts)
    if (text === undefined) return report(first.span, "arithmetic over text that is only known when it runs")
    for (const { 0: name, index } of text.matchAll(/[\d\0][\w@#\0]*|[A-Za-z_][\w\0]*/g)) {
      if (/^[\d\0]/.test(name) || /^\s*=(?!=)/.test(text.slice(index + name.length, index + name.length + 64))) continue
      if (!name.includes("\0") && variables.isNumber(name, first.span.start)) continue
      report(first.span, `arithmetic over "${name.replaceAll("\0", "…")}", which may hold anything`)
    }
  }

  /** The text of an expression, with a NUL for each number that depends on the run. */
  const flatten = (parts: ReadonlyArray<Tree.WordPart>): string | undefined => {
    let text = ""
    for (const [at, part] of parts.entries()) {
      const more = part._tag === "Literal"
        ? expandedAgain.test(part.value) ? undefined : part.value
        : part._tag === "SingleQuoted"
        ? plainExpression.test(part.value) ? part.value : undefined
        : part._tag === "DoubleQuoted"
        ? flatten(part.parts)
        : isForced(parts, at) || isNumber({ _tag: "Word", parts: [part], braces: false, span: part.span })
        ? "\0"
        : undefined
      if (more === undefined) return undefined
      text += more
    }
    return text
  }

  const checkName = (word: Tree.Word): void => {
    const [only] = word.parts
    const text = staticText(word) ?? (word.parts.length === 1 && only?._tag === "Literal" ? only.value : "")
    if (!plainName.test(text)) report(word.span, "a name that is only known when it runs, or has a subscript")
    else checkVariable(text.replace(/\[.*/, ""), word.span)
  }

  const checkVariable = (name: string, span: Tree.Span): void => {
    if (integers.has(name) || active.has(name)) report(span, `${name}, whose value bash evaluates`)
  }

  /** Notes a subscript of an associative array, which is expanded but not evaluated. */
  const noteKey = (name: string, subscript: Tree.Subscript | undefined): void => {
    if (subscript?._tag === "Index" && variables.isAssociative(name, subscript.span.start)) {
      keys.add(subscript.text)
    }
  }

  const checkAssignment = ({ name, span, subscript, value }: Tree.Assignment): void => {
    noteKey(name, subscript)
    if (value._tag === "ArrayLiteral") {
      for (const element of value.elements) {
        const { subscript } = element
        if (subscript?._tag === "Index" && staticText(subscript.word) !== undefined) noteKey(name, subscript)
      }
    }
    const known = integers.has(name) && value._tag === "Word" && isNumber(value)
    if (!known) checkVariable(name, span)
  }

  const checkParameter = ({ indirect, name, operation, span, subscript }: Tree.Parameter): void => {
    if (!indirect) noteKey(name, subscript)
    if (operation?._tag === "ParameterTransform" && operation.operator === "P") {
      report(span, "a value that is expanded as a prompt")
    }
    if (operation?._tag === "ParameterFallback" && operation.operator === "=") checkVariable(name, span)
    if (indirect && name !== "#") report(span, `the variable that "${name}" names`)
  }

  const checkDescriptor = ({ span, variable }: Tree.Redirect): void => {
    if (variable === undefined) return
    if (!plainName.test(variable)) report(span, "a descriptor's name with a subscript")
    checkVariable(variable, span)
  }

  const checkRedirect = ({ fd, operator, target }: Tree.FileRedirect): void => {
    // Bash expands the word of `>&word` once more if it is a file.
    if (operator !== ">&" || (fd !== undefined && fd !== 1) || isNumber(target)) return
    if (/[$`\\<>]/.test(staticText(target) ?? "$")) report(target.span, "a word that is expanded twice")
  }

  const checkArguments = makeArgumentCheck({
    arithmetic: (word) => checkArithmetic(word.parts),
    arrays: variables.arrays,
    isNumber,
    name: checkName,
    report,
  })
  walk(root, look)
  return found
}
