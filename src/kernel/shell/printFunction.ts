/** Prints a function as `declare -f` of bash does: one command a line, indented by four. Source: bash's print_cmd.c. */
import type {
  AndOr,
  Command,
  CompoundCommand,
  Condition,
  HereDocument,
  List,
  Pipeline,
  Redirect,
  SimpleCommand,
  Span,
} from "../../shell-language/SyntaxTree.ts"
import type { ShellFunction } from "./Call.ts"
import { printRedirect } from "./printCommand.ts"

const indentation = 4

class FunctionPrinter {
  readonly #source: string
  #parts: Array<string> = []
  #last = ""
  #indent = 0
  /** Whether the next command goes on in its line. */
  #isInline = false
  /** Here-documents whose bodies follow at the end of the line. */
  #documents: ReadonlyArray<HereDocument> = []
  /** Whether a here-document was printed since the last semicolon: bash prints none after the next command. */
  #followsDocument = false

  constructor(source: string) {
    this.#source = source
  }

  /** The text of a function. */
  define(name: string, body: CompoundCommand): string {
    this.#put(`${name} () \n`)
    this.#body(body)
    return this.#parts.join("")
  }

  #put(text: string): void {
    if (text === "") return
    this.#parts.push(text)
    this.#last = text[text.length - 1] ?? ""
  }

  #newLine(text: string): void {
    this.#put(`\n${" ".repeat(this.#indent)}${text}`)
  }

  #semicolon(): void {
    if (this.#last !== "&" && this.#last !== "\n") this.#put(";")
  }

  #text({ end, start }: Span): string {
    return this.#source.slice(start, end)
  }

  /** Prints the body of a function between braces on lines of their own. */
  #body(body: CompoundCommand): void {
    this.#put(`${" ".repeat(this.#indent)}{ \n`)
    this.#nested(() => body._tag === "Group" ? this.#list(body.body) : this.#command(body))
    this.#newLine("}")
    if (body._tag === "Group") this.#redirects(body.redirects)
  }

  #nested(print: () => void): void {
    this.#indent += indentation
    print()
    this.#flushDocuments("")
    this.#indent -= indentation
  }

  #list({ statements }: List): void {
    for (const [at, statement] of statements.entries()) {
      this.#andOr(statement)
      const isLast = at === statements.length - 1
      if (statement.background) {
        this.#flushDocuments(" &", true)
        if (!isLast) this.#put(" ")
        this.#isInline = !isLast
      } else if (!isLast) {
        if (this.#documents.length > 0) this.#flushDocuments("")
        else if (this.#followsDocument) this.#followsDocument = false
        else this.#put(";")
        this.#put("\n")
      }
    }
    this.#flushDocuments("")
  }

  #andOr({ operators, pipelines }: AndOr): void {
    for (const [at, pipeline] of pipelines.entries()) {
      if (at > 0) {
        this.#flushDocuments(` ${operators[at - 1] ?? "&&"} `, true)
        this.#isInline = true
      }
      this.#pipeline(pipeline)
    }
  }

  #pipeline({ commands, negated, pipes, time }: Pipeline): void {
    const before = (time === undefined ? "" : time === "posix" ? "time -p " : "time ") + (negated ? "! " : "")
    if (before !== "") {
      this.#begin()
      this.#put(commands.length === 0 ? before.trimEnd() : before)
      this.#isInline = true
    }
    for (const [at, command] of commands.entries()) {
      this.#command(command)
      if (at === commands.length - 1) return
      this.#flushDocuments(pipes[at] === "|&" ? " 2>&1 |" : " |", true)
      this.#put(" ")
      this.#isInline = true
    }
  }

  /** Begins a command: with its indentation, unless it goes on in a line. */
  #begin(): void {
    if (!this.#isInline) this.#put(" ".repeat(this.#indent))
    this.#isInline = false
  }

  #command(command: Command): void {
    this.#begin()
    if (command._tag === "SimpleCommand") return this.#simple(command)
    if (command._tag === "FunctionDefinition") {
      this.#put(`function ${command.name} () \n`)
      return this.#body(command.body)
    }
    if (command._tag === "Coprocess") {
      this.#put(`coproc ${command.name} `)
      this.#isInline = true
      return this.#command(command.body)
    }
    this.#compound(command)
    this.#redirects(command.redirects)
  }

  #simple({ assignments, redirects, words }: SimpleCommand): void {
    const texts = [...assignments, ...words].map(({ span }) => this.#text(span))
    this.#put(texts.join(" "))
    this.#redirects(redirects, texts.length > 0)
  }

  #redirects(redirects: ReadonlyArray<Redirect>, isAfter = true): void {
    const files = redirects.filter((redirect) => redirect._tag === "FileRedirect")
    if (files.length > 0) {
      this.#put((isAfter ? " " : "") + files.map((redirect) => printRedirect(redirect, this.#source)).join(" "))
    }
    this.#documents = [...this.#documents, ...redirects.filter((redirect) => redirect._tag === "HereDocument")]
  }

  #compound(command: CompoundCommand): void {
    switch (command._tag) {
      case "Subshell":
        this.#put("( ")
        this.#isInline = true
        this.#list(command.body)
        return this.#put(" )")
      case "Group":
        this.#put("{ \n")
        this.#nested(() => this.#list(command.body))
        return this.#newLine("}")
      case "If":
        return this.#branch(command.branches, command.otherwise)
      case "While":
        this.#put(command.until ? "until " : "while ")
        this.#condition(command.condition, "do")
        this.#nested(() => this.#list(command.body))
        return this.#end("done")
      case "For":
      case "Select": {
        const words = command.words?.map(({ span }) => this.#text(span)).join(" ") ?? '"$@"'
        this.#put(`${command._tag === "For" ? "for" : "select"} ${command.name} in ${words};`)
        return this.#loopBody(command.body)
      }
      case "ForArithmetic": {
        const { after, condition, first } = command
        const texts = [first, condition, after].map((text) => text === undefined ? "1" : this.#text(text.span).trim())
        this.#put(`for ((${texts.join("; ")}))`)
        return this.#loopBody(command.body)
      }
      case "Case":
        this.#put(`case ${this.#text(command.word.span)} in `)
        for (const { body, patterns, terminator } of command.clauses) {
          this.#indent += indentation
          this.#newLine(`${patterns.map(({ span }) => this.#text(span)).join(" | ")})\n`)
          this.#nested(() => this.#list(body))
          this.#newLine(terminator)
          this.#indent -= indentation
        }
        return this.#newLine("esac")
      case "Conditional":
        return this.#put(`[[ ${this.#conditional(command.expression)} ]]`)
      case "ArithmeticCommand":
        return this.#put(`((${this.#text(command.text.span)}))`)
    }
  }

  #condition(list: List, word: "do" | "then"): void {
    this.#isInline = true
    this.#list(list)
    this.#semicolon()
    this.#put(` ${word}\n`)
  }

  #loopBody(body: List): void {
    this.#newLine("do\n")
    this.#nested(() => this.#list(body))
    this.#end("done")
  }

  #end(word: "done" | "fi"): void {
    this.#semicolon()
    this.#newLine(word)
  }

  /** Prints `if`; an `elif` is an `if` within `else`. */
  #branch(
    [first, ...rest]: ReadonlyArray<{ readonly condition: List; readonly body: List }>,
    otherwise: List | undefined,
  ): void {
    if (first === undefined) return
    this.#put("if ")
    this.#condition(first.condition, "then")
    this.#nested(() => this.#list(first.body))
    if (rest.length > 0 || otherwise !== undefined) {
      this.#semicolon()
      this.#newLine("else\n")
      this.#nested(() => {
        if (rest.length === 0) return otherwise === undefined ? undefined : this.#list(otherwise)
        this.#begin()
        this.#branch(rest, otherwise)
      })
    }
    this.#end("fi")
  }

  #conditional(condition: Condition): string {
    switch (condition._tag) {
      case "ConditionWord":
        return `-n ${this.#text(condition.word.span)}`
      case "ConditionUnary":
        return `${condition.operator} ${this.#text(condition.operand.span)}`
      case "ConditionBinary": {
        const operator = this.#source.slice(condition.left.span.end, condition.right.span.start).trim()
        return `${this.#text(condition.left.span)} ${operator} ${this.#text(condition.right.span)}`
      }
      case "ConditionNot":
        return `! ${this.#operand(condition.operand)}`
      case "ConditionLogical":
        return condition.operands.map((operand) => this.#operand(operand)).join(` ${condition.operator} `)
    }
  }

  /** Several conditions within others were in parentheses, unless `&&` binds them within `||`. */
  #operand(condition: Condition): string {
    const text = this.#conditional(condition)
    if (condition._tag !== "ConditionLogical") return text
    const isInParentheses = /\(\s*$/.test(
      this.#source.slice(Math.max(0, condition.span.start - 64), condition.span.start),
    )
    return isInParentheses || this.#source[condition.span.start] === "(" ? `( ${text} )` : text
  }

  /** Ends the line with the here-documents that wait, and with what joins the next command. */
  #flushDocuments(joint: string, isRequired = false): void {
    const documents = this.#documents
    this.#documents = []
    if (documents.length === 0) return isRequired ? this.#put(joint) : undefined
    for (const { delimiter, fd, operator, quoted, variable } of documents) {
      const from = variable === undefined ? fd ?? "" : `{${variable}}`
      this.#put(` ${from}${operator}${quoted ? `'${delimiter.replaceAll("'", "'\\''")}'` : delimiter}`)
    }
    this.#put(`${joint}\n`)
    for (const { body, delimiter, operator } of documents) {
      const text = this.#text(body.span)
      this.#put(`${operator === "<<-" ? text.replace(/^\t+/gm, "") : text}${delimiter}\n`)
    }
    if (joint !== "") this.#put(" ")
    this.#followsDocument = true
  }
}

export const printFunction = ({ body, source }: ShellFunction, name: string): string =>
  new FunctionPrinter(source.text).define(name, body)
