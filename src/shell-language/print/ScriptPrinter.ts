/**
 * Prints scripts, lists and commands as canonical text, one command a line, with the replacements of a `Rewrite`.
 *
 * @module
 */
import { plainText } from "../parse/WordParser.ts"
import type * as Tree from "../SyntaxTree.ts"
import { quoteText } from "./quotes.ts"
import { makeParameterPrinter } from "./ParameterPrinter.ts"
import type { Rewrite } from "./Rewrite.ts"
import { NotPrintableError, TextOutput } from "./TextOutput.ts"
import { WordPrinter } from "./WordPrinter.ts"

const reserved: ReadonlySet<string> = new Set(
  "if then elif else fi for in do done case esac while until select function time coproc { } ! [[ ]]".split(" "),
)

/** Prints the commands of a tree. */
export class ScriptPrinter {
  readonly #output: TextOutput
  readonly #rewrite: Rewrite
  readonly #words: WordPrinter
  /** The variables that hold the files of redirections. */
  #files: ReadonlyMap<Tree.Redirect, string> = new Map()
  /** Whether the simple command that is being printed has files opened before it. */
  #isOpened = false

  /** @param source The text that the tree was parsed from; `undefined` to print without regard to its lines. */
  constructor(source: string | undefined, maxLength: number, rewrite: Rewrite) {
    this.#output = new TextOutput(source, maxLength)
    this.#rewrite = rewrite
    this.#words = new WordPrinter(this.#output, rewrite, {
      substituted: (script) => this.#substituted(script),
      // `SLUICE_open` runs in between: `$?` is the status of the command before it.
      parameter: (parameter, inQuotes) =>
        parameter.name === "?" && parameter.operation === undefined && this.#isOpened
          ? this.#put("${SLUICE_STATUS}")
          : printParameter(parameter, inQuotes),
    })
    const printParameter = makeParameterPrinter(this.#output, this.#words)
  }

  #put(text: string): string {
    return this.#output.put(text)
  }

  /** Prints statements. */
  statements(statements: ReadonlyArray<Tree.AndOr>): string {
    return statements.map((statement, at) =>
      this.#output.lines(statement.span.start, at === 0 ? 0 : 1) + this.#andOr(statement)
    ).join("")
  }

  #substituted({ statements }: Tree.Script): string {
    // Without the blank, `$((` would begin arithmetic.
    const command = statements[0]?.pipelines[0]?.commands[0]?._tag
    const space = command === "Subshell" || command === "ArithmeticCommand" ? this.#put(" ") : ""
    return space + this.statements(statements)
  }

  /** Prints a list with the separator that a closing word needs. */
  #list({ statements }: Tree.List): string {
    return this.statements(statements) + this.#put(statements.at(-1)?.background === true ? " " : "; ")
  }

  #andOr({ background, operators, pipelines }: Tree.AndOr): string {
    const text = pipelines.map((pipeline, at) =>
      (at === 0 ? "" : this.#put(` ${operators[at - 1] ?? ""} `)) + this.#pipeline(pipeline)
    )
    return text.join("") + (background ? this.#put(" &") : "")
  }

  #pipeline({ commands, negated, pipes, time }: Tree.Pipeline): string {
    const before = [...(negated ? ["!"] : []), ...(time === undefined ? [] : [time === "posix" ? "time -p" : "time"])]
    if (before.length + commands.length === 0) return this.#put("! !")
    const prefix = this.#put(before.join(" ") + (before.length > 0 && commands.length > 0 ? " " : ""))
    return prefix +
      commands.map((command, at) => (at === 0 ? "" : this.#put(` ${pipes[at - 1] ?? ""} `)) + this.#command(command))
        .join("")
  }

  #command(command: Tree.Command): string {
    switch (command._tag) {
      case "FunctionDefinition":
        return this.#put(`function ${command.name} () `) + this.#command(command.body)
      case "Coprocess": {
        const name = command.body._tag === "SimpleCommand" ? "" : `${command.name} `
        return this.#put(`coproc ${name}`) + this.#command(command.body)
      }
      default:
        return this.#withFiles(
          command.redirects,
          () =>
            command._tag === "SimpleCommand" ? this.#simple(command) : this.#compound(command) +
              command.redirects.map((redirect) => this.#put(" ") + this.#redirect(redirect)).join(""),
        )
    }
  }

  /** Prints a command after the opening of those files that `rewrite.open` takes from its redirections. */
  #withFiles(redirects: ReadonlyArray<Tree.Redirect>, command: () => string): string {
    const before = this.#files
    const files = new Map<Tree.Redirect, string>()
    let text = ""
    for (const redirect of redirects) {
      const mode = redirect._tag === "FileRedirect" ? this.#rewrite.open?.(redirect) : undefined
      if (mode === undefined || redirect._tag !== "FileRedirect") continue
      const name = `SLUICE_FILE_${files.size + 1}`
      files.set(redirect, name)
      text += this.#put(`${files.size > 1 ? " && " : ""}SLUICE_open ${name} ${mode} `) +
        this.#words.target(redirect.target)
    }
    this.#files = files
    // A file that cannot be opened fails as the redirection would: with `set -e` it ends the script.
    const made = files.size === 0
      ? command()
      : this.#put("if ") + text + this.#put("; then ") + command() + this.#put("; else ((0)); fi")
    this.#files = before
    return made
  }

  #simple(command: Tree.SimpleCommand): string {
    this.#isOpened = command.redirects.some((redirect) => this.#files.has(redirect))
    const { assignments, redirects, words } = this.#rewrite.command?.(command) ?? command
    const pieces = [
      ...assignments.map((assignment) => (): string => this.#assignment(assignment)),
      ...words.map((word, at) => (): string => at === 0 ? this.#name(word) : this.#argument(word)),
      ...redirects.map((redirect) => (): string => this.#redirect(redirect)),
    ]
    // `{,}` leaves an empty text.
    const text = pieces.map((piece) => piece()).filter((each) => each !== "").join(" ")
    this.#isOpened = false
    return text
  }

  #argument(word: Tree.Word): string {
    return word.assignment === undefined ? this.#words.argument(word) : this.#assignment(word.assignment)
  }

  /** Prints a word where a reserved word or an option of `time` could be read, quoted if it is one. */
  #name(word: Tree.Word): string {
    const text = plainText(word)
    return text !== undefined && !word.braces && (reserved.has(text) || text.startsWith("-"))
      ? this.#put(quoteText(text))
      : this.#words.argument(word)
  }

  #wordList(words: ReadonlyArray<Tree.Word> | undefined): string {
    return words === undefined ? "" : this.#put(" in") + words.map((word) => this.#put(" ") + this.#name(word)).join("")
  }

  #compound(command: Tree.CompoundCommand): string {
    switch (command._tag) {
      case "Subshell":
        return this.#put("( ") + this.statements(command.body.statements) + this.#put(" )")
      case "Group":
        return this.#put("{ ") + this.#list(command.body) + this.#put("}")
      case "If": {
        const branches = command.branches.map(({ body, condition }, at) =>
          this.#put(at === 0 ? "if " : "elif ") + this.#list(condition) + this.#put("then ") + this.#list(body)
        )
        const otherwise = command.otherwise === undefined ? "" : this.#put("else ") + this.#list(command.otherwise)
        return branches.join("") + otherwise + this.#put("fi")
      }
      case "While":
        return this.#put(command.until ? "until " : "while ") + this.#list(command.condition) + this.#loop(command.body)
      case "For":
      case "Select":
        return this.#put(`${command._tag === "For" ? "for" : "select"} ${command.name}`) +
          this.#wordList(command.words) + this.#put("; ") + this.#loop(command.body)
      case "ForArithmetic": {
        const clause = (text: Tree.ArithmeticText | undefined): string =>
          text === undefined ? "" : this.#words.arithmetic(text)
        const head = this.#put("for ((") + clause(command.first) + this.#put(";") + clause(command.condition) +
          this.#put(";") + clause(command.after) + this.#put(")); ")
        return head + this.#loop(command.body)
      }
      case "Case":
        return this.#put("case ") + this.#pattern(command.word) + this.#put(" in ") +
          command.clauses.map((clause) => this.#clause(clause)).join("") + this.#put("esac")
      case "Conditional":
        return this.#put("[[ ") + this.#condition(command.expression) + this.#put(" ]]")
      case "ArithmeticCommand":
        return this.#put("((") + this.#words.arithmetic(command.text) + this.#put("))")
    }
  }

  #loop(body: Tree.List): string {
    return this.#put("do ") + this.#list(body) + this.#put("done")
  }

  #clause({ body, patterns, span, terminator }: Tree.CaseClause): string {
    const before = this.#output.lines(span.start, 0) + this.#put("(")
    const texts = patterns.map((pattern, at) => (at === 0 ? "" : this.#put(" | ")) + this.#pattern(pattern))
    return before + texts.join("") + this.#put(") ") + this.statements(body.statements) + this.#put(` ${terminator} `)
  }

  /** Prints a word in which braces are plain text. */
  #pattern(pattern: Tree.Word): string {
    return reserved.has(plainText(pattern) ?? "") ? this.#name(pattern) : this.#words.word(pattern)
  }

  #condition(condition: Tree.Condition): string {
    switch (condition._tag) {
      case "ConditionLogical":
        return condition.operands.map((operand, at) =>
          (at === 0 ? "" : this.#put(` ${condition.operator} `)) + this.#operand(operand)
        ).join("")
      case "ConditionNot":
        return this.#put("! ") + this.#operand(condition.operand)
      case "ConditionUnary":
        return this.#put(`${condition.operator} `) + this.#words.word(condition.operand, "condition")
      case "ConditionBinary": {
        const { left, operator, right } = condition
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) {
          return this.#number(left) + this.#put(` ${operator} `) + this.#number(right)
        }
        return this.#words.word(left, "condition") + this.#put(` ${operator} `) +
          this.#words.word(right, operator === "=~" ? "regex" : "condition")
      }
      case "ConditionWord":
        return this.#put("-n ") + this.#words.word(condition.word, "condition")
    }
  }

  /** Prints a side of `-eq`, which is an expression written as a word. */
  #number(word: Tree.Word): string {
    const [only, ...more] = word.parts
    const parts = only?._tag === "DoubleQuoted" && more.length === 0 ? only.parts : word.parts
    const made = parts.every(({ _tag }) => _tag === "Parameter") ? this.#rewrite.arithmetic?.(parts) ?? parts : parts
    return made.length === parts.length ? this.#words.word(word, "condition") : this.#words.doubleQuoted(made)
  }

  #operand(condition: Tree.Condition): string {
    return condition._tag === "ConditionLogical"
      ? this.#put("( ") + this.#condition(condition) + this.#put(" )")
      : this.#condition(condition)
  }

  #assignment({ append, name, subscript, value }: Tree.Assignment): string {
    return this.#put(name) + (subscript === undefined ? "" : this.#words.subscript(subscript)) +
      this.#put(append ? "+=" : "=") +
      (value._tag === "Word" ? this.#words.word(value) : this.#put("(") +
        value.elements.map((element, at) => (at === 0 ? "" : this.#put(" ")) + this.#element(element)).join("") +
        this.#put(")"))
  }

  #element({ append, subscript, value }: Tree.ArrayElement): string {
    if (subscript !== undefined) {
      return this.#words.subscript(subscript) + this.#put(append ? "+=" : "=") + this.#words.word(value)
    }
    const text = this.#words.argument(value)
    // Without the backslash this would be a subscript.
    return /^\[[^]*\]\+?=/.test(text) ? `\\${text}` : text
  }

  #redirect(given: Tree.Redirect): string {
    const redirect = given._tag === "FileRedirect" && given.operator !== "<<<"
      ? this.#rewrite.redirect?.(given) ?? given
      : given
    const { fd, operator, variable } = redirect
    const before = this.#put(variable === undefined ? `${fd ?? ""}` : `{${variable}}`)
    if (redirect._tag === "HereDocument") return before + this.#hereDocument(redirect)
    const name = this.#files.get(given)
    return before + this.#put(operator.endsWith("&") ? operator : `${operator} `) +
      (name === undefined
        ? operator === "<<<" ? this.#words.word(redirect.target) : this.#words.target(redirect.target)
        : this.#put(`"\${${name}}"`))
  }

  /** Prints a here-document as a here-string, whose end cannot be read in two ways. */
  #hereDocument({ body, closed, quoted: isLiteral }: Tree.HereDocument): string {
    const last = body.parts.at(-1)
    if (!closed) throw new NotPrintableError("HereDocument")
    if (last === undefined) return this.#put("< /dev/null")
    // A here-string adds a newline of its own.
    if (last._tag !== "Literal" || !last.value.endsWith("\n")) throw new NotPrintableError("HereDocument")
    const parts: ReadonlyArray<Tree.WordPart> = [...body.parts.slice(0, -1), {
      ...last,
      value: last.value.slice(0, -1),
    }]
    return isLiteral
      ? this.#put(`<<< ${parts.map((part) => part._tag === "Literal" ? quoteText(part.value) : "").join("")}`)
      : this.#put("<<< ") + this.#words.doubleQuoted(parts)
  }
}
