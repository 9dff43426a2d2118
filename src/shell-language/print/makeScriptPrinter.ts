/**
 * Makes the printer of statements and commands: writes canonical text, one statement a line, with the replacements of a
 * `Rewrite`, files opened before their command, and here-documents as here-strings.
 *
 * @module
 */
import { plainText } from "../parse/WordParser.ts"
import type * as Tree from "../SyntaxTree.ts"
import { quoteText } from "./quotes.ts"
import { makeParameterPrinter } from "./makeParameterPrinter.ts"
import type { Rewrite } from "./Rewrite.ts"
import { NotPrintableError, TextOutput } from "./TextOutput.ts"
import { WordPrinter } from "./WordPrinter.ts"

const reserved: ReadonlySet<string> = new Set(
  "if then elif else fi for in do done case esac while until select function time coproc { } ! [[ ]]".split(" "),
)

/**
 * Makes a function that prints statements.
 *
 * @param source The text that the tree was parsed from; `undefined` to print without regard to its lines.
 */
export const makeScriptPrinter = (
  source: string | undefined,
  maxLength: number,
  rewrite: Rewrite,
): (statements: ReadonlyArray<Tree.AndOr>) => string => {
  const output = new TextOutput(source, maxLength)
  const put = (text: string): string => output.put(text)
  /** The variables that hold the files of redirections. */
  let openedFiles: ReadonlyMap<Tree.Redirect, string> = new Map()
  /** Whether the simple command that is being printed has files opened before it. */
  let isOpened = false
  const wordPrinter: WordPrinter = new WordPrinter(output, rewrite, {
    substituted: (script) => printSubstituted(script),
    // `SLUICE_open` runs in between: `$?` is the status of the command before it.
    parameter: (parameter, inQuotes) =>
      parameter.name === "?" && parameter.operation === undefined && isOpened
        ? put("${SLUICE_STATUS}")
        : printParameter(parameter, inQuotes),
  })
  const printParameter = makeParameterPrinter(output, wordPrinter)

  const printStatements = (statements: ReadonlyArray<Tree.AndOr>): string =>
    statements.map((statement, at) => output.lines(statement.span.start, at === 0 ? 0 : 1) + printAndOr(statement))
      .join("")

  const printSubstituted = ({ statements }: Tree.Script): string => {
    // Without the blank, `$((` would begin arithmetic.
    const command = statements[0]?.pipelines[0]?.commands[0]?._tag
    const space = command === "Subshell" || command === "ArithmeticCommand" ? put(" ") : ""
    return space + printStatements(statements)
  }

  /** Prints a list with the separator that a closing word needs. */
  const printList = ({ statements }: Tree.List): string =>
    printStatements(statements) + put(statements.at(-1)?.background === true ? " " : "; ")

  const printAndOr = ({ background, operators, pipelines }: Tree.AndOr): string => {
    const text = pipelines.map((pipeline, at) =>
      (at === 0 ? "" : put(` ${operators[at - 1] ?? ""} `)) + printPipeline(pipeline)
    )
    return text.join("") + (background ? put(" &") : "")
  }

  const printPipeline = ({ commands, negated, pipes, time }: Tree.Pipeline): string => {
    const before = [...(negated ? ["!"] : []), ...(time === undefined ? [] : [time === "posix" ? "time -p" : "time"])]
    if (before.length + commands.length === 0) return put("! !")
    const prefix = put(before.join(" ") + (before.length > 0 && commands.length > 0 ? " " : ""))
    return prefix +
      commands.map((command, at) => (at === 0 ? "" : put(` ${pipes[at - 1] ?? ""} `)) + printCommand(command))
        .join("")
  }

  const printCommand = (command: Tree.Command): string => {
    switch (command._tag) {
      case "FunctionDefinition":
        return put(`function ${command.name} () `) + printCommand(command.body)
      case "Coprocess": {
        const name = command.body._tag === "SimpleCommand" ? "" : `${command.name} `
        return put(`coproc ${name}`) + printCommand(command.body)
      }
      default:
        return printWithFiles(
          command.redirects,
          () =>
            command._tag === "SimpleCommand" ? printSimple(command) : printCompound(command) +
              command.redirects.map((redirect) => put(" ") + printRedirect(redirect)).join(""),
        )
    }
  }

  /** Prints a command after the opening of those files that `rewrite.open` takes from its redirections. */
  const printWithFiles = (redirects: ReadonlyArray<Tree.Redirect>, command: () => string): string => {
    const before = openedFiles
    const files = new Map<Tree.Redirect, string>()
    let text = ""
    for (const redirect of redirects) {
      const mode = redirect._tag === "FileRedirect" ? rewrite.open?.(redirect) : undefined
      if (mode === undefined || redirect._tag !== "FileRedirect") continue
      const name = `SLUICE_FILE_${files.size + 1}`
      files.set(redirect, name)
      text += put(`${files.size > 1 ? " && " : ""}SLUICE_open ${name} ${mode} `) +
        wordPrinter.target(redirect.target)
    }
    openedFiles = files
    // A file that cannot be opened fails as the redirection would: with `set -e` it ends the script.
    const made = files.size === 0 ? command() : put("if ") + text + put("; then ") + command() + put("; else ((0)); fi")
    openedFiles = before
    return made
  }

  const printSimple = (command: Tree.SimpleCommand): string => {
    isOpened = command.redirects.some((redirect) => openedFiles.has(redirect))
    const { assignments, redirects, words } = rewrite.command?.(command) ?? command
    const pieces = [
      ...assignments.map((assignment) => (): string => printAssignment(assignment)),
      ...words.map((word, at) => (): string => at === 0 ? printName(word) : printArgument(word)),
      ...redirects.map((redirect) => (): string => printRedirect(redirect)),
    ]
    // `{,}` leaves an empty text.
    const text = pieces.map((piece) => piece()).filter((each) => each !== "").join(" ")
    isOpened = false
    return text
  }

  const printArgument = (word: Tree.Word): string =>
    word.assignment === undefined ? wordPrinter.argument(word) : printAssignment(word.assignment)

  /** Prints a word where a reserved word or an option of `time` could be read, quoted if it is one. */
  const printName = (word: Tree.Word): string => {
    const text = plainText(word)
    return text !== undefined && !word.braces && (reserved.has(text) || text.startsWith("-"))
      ? put(quoteText(text))
      : wordPrinter.argument(word)
  }

  const printWordList = (words: ReadonlyArray<Tree.Word> | undefined): string =>
    words === undefined ? "" : put(" in") + words.map((word) => put(" ") + printName(word)).join("")

  const printCompound = (command: Tree.CompoundCommand): string => {
    switch (command._tag) {
      case "Subshell":
        return put("( ") + printStatements(command.body.statements) + put(" )")
      case "Group":
        return put("{ ") + printList(command.body) + put("}")
      case "If": {
        const branches = command.branches.map(({ body, condition }, at) =>
          put(at === 0 ? "if " : "elif ") + printList(condition) + put("then ") + printList(body)
        )
        const otherwise = command.otherwise === undefined ? "" : put("else ") + printList(command.otherwise)
        return branches.join("") + otherwise + put("fi")
      }
      case "While":
        return put(command.until ? "until " : "while ") + printList(command.condition) + printLoop(command.body)
      case "For":
      case "Select":
        return put(`${command._tag === "For" ? "for" : "select"} ${command.name}`) +
          printWordList(command.words) + put("; ") + printLoop(command.body)
      case "ForArithmetic": {
        const clause = (text: Tree.ArithmeticText | undefined): string =>
          text === undefined ? "" : wordPrinter.arithmetic(text)
        const head = put("for ((") + clause(command.first) + put(";") + clause(command.condition) +
          put(";") + clause(command.after) + put(")); ")
        return head + printLoop(command.body)
      }
      case "Case":
        return put("case ") + printPattern(command.word) + put(" in ") +
          command.clauses.map((clause) => printClause(clause)).join("") + put("esac")
      case "Conditional":
        return put("[[ ") + printCondition(command.expression) + put(" ]]")
      case "ArithmeticCommand":
        return put("((") + wordPrinter.arithmetic(command.text) + put("))")
    }
  }

  const printLoop = (body: Tree.List): string => put("do ") + printList(body) + put("done")

  const printClause = ({ body, patterns, span, terminator }: Tree.CaseClause): string => {
    const before = output.lines(span.start, 0) + put("(")
    const texts = patterns.map((pattern, at) => (at === 0 ? "" : put(" | ")) + printPattern(pattern))
    return before + texts.join("") + put(") ") + printStatements(body.statements) + put(` ${terminator} `)
  }

  /** Prints a word in which braces are plain text. */
  const printPattern = (pattern: Tree.Word): string =>
    reserved.has(plainText(pattern) ?? "") ? printName(pattern) : wordPrinter.word(pattern)

  const printCondition = (condition: Tree.Condition): string => {
    switch (condition._tag) {
      case "ConditionLogical":
        return condition.operands.map((operand, at) =>
          (at === 0 ? "" : put(` ${condition.operator} `)) + printOperand(operand)
        ).join("")
      case "ConditionNot":
        return put("! ") + printOperand(condition.operand)
      case "ConditionUnary":
        return put(`${condition.operator} `) + wordPrinter.word(condition.operand, "condition")
      case "ConditionBinary": {
        const { left, operator, right } = condition
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) {
          return printNumber(left) + put(` ${operator} `) + printNumber(right)
        }
        return wordPrinter.word(left, "condition") + put(` ${operator} `) +
          wordPrinter.word(right, operator === "=~" ? "regex" : "condition")
      }
      case "ConditionWord":
        return put("-n ") + wordPrinter.word(condition.word, "condition")
    }
  }

  /** Prints a side of `-eq`, which is an expression written as a word. */
  const printNumber = (word: Tree.Word): string => {
    const [only, ...more] = word.parts
    const parts = only?._tag === "DoubleQuoted" && more.length === 0 ? only.parts : word.parts
    const made = parts.every(({ _tag }) => _tag === "Parameter") ? rewrite.arithmetic?.(parts) ?? parts : parts
    return made.length === parts.length ? wordPrinter.word(word, "condition") : wordPrinter.doubleQuoted(made)
  }

  const printOperand = (condition: Tree.Condition): string =>
    condition._tag === "ConditionLogical"
      ? put("( ") + printCondition(condition) + put(" )")
      : printCondition(condition)

  const printAssignment = ({ append, name, subscript, value }: Tree.Assignment): string =>
    put(name) + (subscript === undefined ? "" : wordPrinter.subscript(subscript)) +
    put(append ? "+=" : "=") +
    (value._tag === "Word" ? wordPrinter.word(value) : put("(") +
      value.elements.map((element, at) => (at === 0 ? "" : put(" ")) + printElement(element)).join("") +
      put(")"))

  const printElement = ({ append, subscript, value }: Tree.ArrayElement): string => {
    if (subscript !== undefined) {
      return wordPrinter.subscript(subscript) + put(append ? "+=" : "=") + wordPrinter.word(value)
    }
    const text = wordPrinter.argument(value)
    // Without the backslash this would be a subscript.
    return /^\[[^]*\]\+?=/.test(text) ? `\\${text}` : text
  }

  const printRedirect = (given: Tree.Redirect): string => {
    const redirect = given._tag === "FileRedirect" && given.operator !== "<<<"
      ? rewrite.redirect?.(given) ?? given
      : given
    const { fd, operator, variable } = redirect
    const before = put(variable === undefined ? `${fd ?? ""}` : `{${variable}}`)
    if (redirect._tag === "HereDocument") return before + printHereDocument(redirect)
    const name = openedFiles.get(given)
    return before + put(operator.endsWith("&") ? operator : `${operator} `) +
      (name === undefined
        ? operator === "<<<" ? wordPrinter.word(redirect.target) : wordPrinter.target(redirect.target)
        : put(`"\${${name}}"`))
  }

  /** Prints a here-document as a here-string, whose end cannot be read in two ways. */
  const printHereDocument = ({ body, closed, quoted: isLiteral }: Tree.HereDocument): string => {
    const last = body.parts.at(-1)
    if (!closed) throw new NotPrintableError("HereDocument")
    if (last === undefined) return put("< /dev/null")
    // A here-string adds a newline of its own.
    if (last._tag !== "Literal" || !last.value.endsWith("\n")) throw new NotPrintableError("HereDocument")
    const parts: ReadonlyArray<Tree.WordPart> = [...body.parts.slice(0, -1), {
      ...last,
      value: last.value.slice(0, -1),
    }]
    return isLiteral
      ? put(`<<< ${parts.map((part) => part._tag === "Literal" ? quoteText(part.value) : "").join("")}`)
      : put("<<< ") + wordPrinter.doubleQuoted(parts)
  }
  return printStatements
}
