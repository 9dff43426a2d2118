/**
 * What bash reads as code when a script runs, although the tree shows no command there: arithmetic takes the values of
 * variables for expressions, and a subscript in an expression may hold `$(…)`; names that builtins take may have
 * subscripts; prompts are expanded. `x='a[$(id)]'; echo $((x))` runs `id`.
 *
 * Builtins that run what they are told to (`eval`, `trap`, `command`, `source`, …) are commands, and visible as such: they
 * are the reader's own business.
 *
 * Source: bash(1) "ARITHMETIC EVALUATION", "Arrays", "PROMPTING"; what bash 5.2 does.
 *
 * @module
 */
import { BuiltinArguments } from "./BuiltinArguments.ts"
import { isForced } from "./forceNumbers.ts"
import { isNumericWord, NumericVariables } from "./NumericVariables.ts"
import { staticText } from "./staticText.ts"
import type {
  Assignment,
  FileRedirect,
  Node,
  Parameter,
  Redirect,
  Span,
  Subscript,
  Word,
  WordPart,
} from "../SyntaxTree.ts"
import { walk } from "../walk.ts"

/** A place of which it cannot be said what bash runs there. */
export interface Evaluation {
  readonly span: Span
  /** What stands there, for people: `arithmetic over "x", which may hold anything`. */
  readonly what: string
}

/** Variables that are integers: what they are given is evaluated. */
const integers = new Set(
  "RANDOM SRANDOM SECONDS LINENO OPTIND HISTCMD BASHPID EPOCHSECONDS BASH_SUBSHELL UID EUID PPID".split(" "),
)
/** Variables whose values bash expands or runs by itself. */
const active = new Set(
  "PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND BASH_ENV ENV BASH_ALIASES BASH_CMDS MAILPATH MAIL".split(" "),
)
/** What bash would expand once more. */
const expandedAgain = /[$`\\]/
const plainExpression = /^[\w\s+\-*/%=<>!&|^~?:(),]*$/
const plainName = /^[A-Za-z_][A-Za-z0-9_]*(?:\[\d+\])?$/
const arithmeticOperators = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"])

class Evaluations {
  readonly found: Array<Evaluation> = []
  readonly #numbers: NumericVariables
  readonly #names: BuiltinArguments
  /** Subscripts that are no arithmetic. */
  readonly #keys = new Set<Node>()

  constructor(root: Node) {
    this.#numbers = new NumericVariables(root)
    this.#names = new BuiltinArguments({
      arithmetic: (word) => this.#arithmetic(word.parts),
      arrays: this.#numbers.arrays,
      isNumber: (word) => this.#isNumber(word),
      name: (word) => this.#name(word),
      report: (span, what) => this.#report(span, what),
    })
    walk(root, (node) => this.#look(node))
  }

  #report(span: Span, what: string): void {
    this.found.push({ span, what })
  }

  #look(node: Node): void {
    switch (node._tag) {
      case "ArithmeticText":
        return this.#keys.has(node) ? undefined : this.#arithmetic(node.parts)
      case "ConditionBinary":
        if (!arithmeticOperators.has(node.operator)) return
        this.#arithmetic(node.left.parts)
        return this.#arithmetic(node.right.parts)
      case "ConditionUnary":
        return node.operator === "-v" || node.operator === "-R" ? this.#name(node.operand) : undefined
      case "Assignment":
        return this.#assignment(node)
      case "For":
      case "Select":
        return this.#variable(node.name, node.span)
      case "Parameter":
        return this.#parameter(node)
      case "FileRedirect":
        this.#descriptor(node)
        return this.#redirect(node)
      case "HereDocument":
        return this.#descriptor(node)
      case "SimpleCommand":
        return this.#names.look(node)
    }
  }

  #isNumber(word: Word): boolean {
    const [only] = word.parts
    return isNumericWord(word) || (word.parts.length === 1 && only !== undefined && this.#holdsNumber(only))
  }

  #holdsNumber(part: WordPart): boolean {
    if (part._tag === "DoubleQuoted") {
      return part.parts.length === 1 && part.parts.every((inner) => this.#holdsNumber(inner))
    }
    return part._tag === "Parameter" && !part.indirect && part.operation === undefined &&
      part.subscript === undefined &&
      this.#numbers.isNumber(part.name, part.span.start)
  }

  /** Each variable and each expansion in an expression must be known to be a number. */
  #arithmetic(parts: ReadonlyArray<WordPart>): void {
    const [first] = parts
    if (first === undefined) return
    const text = this.#flat(parts)
    if (text === undefined) return this.#report(first.span, "arithmetic over text that is only known when it runs")
    for (const { 0: name, index } of text.matchAll(/[\d\0][\w@#\0]*|[A-Za-z_][\w\0]*/g)) {
      if (/^[\d\0]/.test(name) || /^\s*=(?!=)/.test(text.slice(index + name.length, index + name.length + 64))) continue
      if (!name.includes("\0") && this.#numbers.isNumber(name, first.span.start)) continue
      this.#report(first.span, `arithmetic over "${name.replaceAll("\0", "…")}", which may hold anything`)
    }
  }

  /** The text of an expression, a NUL for each number that is only known when it runs. */
  #flat(parts: ReadonlyArray<WordPart>): string | undefined {
    let text = ""
    for (const [at, part] of parts.entries()) {
      const more = part._tag === "Literal"
        ? expandedAgain.test(part.value) ? undefined : part.value
        : part._tag === "SingleQuoted"
        ? plainExpression.test(part.value) ? part.value : undefined
        : part._tag === "DoubleQuoted"
        ? this.#flat(part.parts)
        : isForced(parts, at) || this.#isNumber({ _tag: "Word", parts: [part], braces: false, span: part.span })
        ? "\0"
        : undefined
      if (more === undefined) return undefined
      text += more
    }
    return text
  }

  #name(word: Word): void {
    const [only] = word.parts
    const text = staticText(word) ?? (word.parts.length === 1 && only?._tag === "Literal" ? only.value : "")
    if (!plainName.test(text)) this.#report(word.span, "a name that is only known when it runs, or has a subscript")
    else this.#variable(text.replace(/\[.*/, ""), word.span)
  }

  #variable(name: string, span: Span): void {
    if (integers.has(name) || active.has(name)) this.#report(span, `${name}, whose value bash evaluates`)
  }

  /** Subscripts of an associative array are expanded, and not evaluated. */
  #key(name: string, subscript: Subscript | undefined): void {
    if (subscript?._tag === "Index" && this.#numbers.isAssociative(name, subscript.span.start)) {
      this.#keys.add(subscript.text)
    }
  }

  #assignment({ name, span, subscript, value }: Assignment): void {
    this.#key(name, subscript)
    if (value._tag === "ArrayLiteral") {
      for (const element of value.elements) {
        const { subscript } = element
        if (subscript?._tag === "Index" && staticText(subscript.word) !== undefined) this.#key(name, subscript)
      }
    }
    const known = integers.has(name) && value._tag === "Word" && this.#isNumber(value)
    if (!known) this.#variable(name, span)
  }

  #parameter({ indirect, name, operation, span, subscript }: Parameter): void {
    if (!indirect) this.#key(name, subscript)
    if (operation?._tag === "ParameterTransform" && operation.operator === "P") {
      this.#report(span, "a value that is expanded as a prompt")
    }
    if (operation?._tag === "ParameterFallback" && operation.operator === "=") this.#variable(name, span)
    if (indirect && name !== "#") this.#report(span, `the variable that "${name}" names`)
  }

  #descriptor({ span, variable }: Redirect): void {
    if (variable === undefined) return
    if (!plainName.test(variable)) this.#report(span, "a descriptor's name with a subscript")
    this.#variable(variable, span)
  }

  #redirect({ fd, operator, target }: FileRedirect): void {
    // Bash expands the word of `>&word` once more when it turns out to be a file.
    if (operator !== ">&" || (fd !== undefined && fd !== 1) || this.#isNumber(target)) return
    if (/[$`\\<>]/.test(staticText(target) ?? "$")) this.#report(target.span, "a word that is expanded twice")
  }
}

/**
 * Every place in a tree where bash would read as code what the tree shows as text or as a value. When there is none, the
 * commands of the tree are all that the shell itself runs, whatever variables and files hold.
 *
 * It is on the safe side: arithmetic is only taken for harmless when each of its variables has been given a number before
 * (`i=0; while ((i < 3))`), and is never given anything else.
 *
 * It holds for scripts that end where an expansion fails. `bash -c` goes on with the next line of its text, so that what
 * stood behind `$((1 / 0))` on a line may not have run: hand bash the whole script in braces.
 */
export const findEvaluations = (root: Node): ReadonlyArray<Evaluation> => new Evaluations(root).found
