/**
 * Parses compound commands (`if`, `for`, `case`, `( … )` and the others) and function definitions.
 * Source: POSIX.1-2024 XCU 2.9.4; bash(1) "Compound Commands".
 */
import type { ArithmeticTextParser } from "./ArithmeticTextParser.ts"
import type { RedirectionParser } from "./RedirectionParser.ts"
import type { Scanner } from "./Scanner.ts"
import type * as Tree from "../SyntaxTree.ts"
import * as modes from "./textModes.ts"
import { plainText, type WordParser } from "./WordParser.ts"

type BodyOf<T> = T extends Tree.CompoundCommand ? Omit<T, "redirects" | "span"> : never
type Body = BodyOf<Tree.CompoundCommand>

/** Parses statements, at least one unless the list may be empty. `of` names their context in an error. */
export type ListRule = (of: string, mayBeEmpty?: boolean) => Tree.List

/** The reserved words that begin a compound command. */
export const compoundOpeners: ReadonlySet<string> = new Set([
  "if",
  "while",
  "until",
  "for",
  "select",
  "case",
  "{",
  "[[",
])
export const identifierPattern: RegExp = /^[A-Za-z_][A-Za-z0-9_]*$/

export interface CompoundCommandParser {
  readonly compound: (start: number) => Tree.CompoundCommand
  readonly functionBody: (start: number, name: string) => Tree.FunctionDefinition
  /** Parses a function definition that begins with `function`. */
  readonly namedFunction: (start: number) => Tree.FunctionDefinition
}

/** Makes a parser of compound commands. The lists within them are parsed by the given rule. */
export const makeCompoundCommandParser = (
  scanner: Scanner,
  wordParser: WordParser,
  arithmetic: ArithmeticTextParser,
  redirections: RedirectionParser,
  parseCondition: () => Tree.Condition,
  list: ListRule,
): CompoundCommandParser => {
  const compound = (start: number): Tree.CompoundCommand => {
    scanner.enter()
    const body = parseBody()
    scanner.leave()
    scanner.ended = scanner.position
    const redirects = redirections.redirects()
    if (redirects.length > 0) scanner.ended = scanner.position
    return { ...body, redirects, span: scanner.span(start, scanner.ended) }
  }

  const parseBody = (): Body => {
    if (scanner.operator() === "(") return parseParenthesized()
    const opened = scanner.position
    const reserved = scanner.reservedWord()
    scanner.consumeReserved(reserved)
    switch (reserved) {
      case "{": {
        const body = list('after "{"')
        expectClosing("}", opened)
        return { _tag: "Group", body }
      }
      case "if":
        return parseIf(opened)
      case "while":
      case "until": {
        const condition = list(`after "${reserved}"`)
        return { _tag: "While", until: reserved === "until", condition, body: parseDo(opened) }
      }
      case "for":
        return scanner.operator() === "(" ? parseForArithmetic(opened) : parseFor("For", opened)
      case "select":
        return parseFor("Select", opened)
      case "case":
        return parseCase(opened)
      case "[[": {
        const expression = parseCondition()
        expectClosing("]]", opened)
        return { _tag: "Conditional", expression }
      }
      default:
        throw scanner.error("a compound command", opened)
    }
  }

  /** Consumes a closing word, or fails because it is missing. */
  const expectClosing = (word: string, opened: number): void => {
    // A newline before `]]` belongs to the condition, which does not accept every newline.
    if (word !== "]]") redirections.skipNewlines()
    if (scanner.consumeReserved(word)) return
    throw scanner.atEnd() ? scanner.unclosed(word, opened) : scanner.error(`"${word}"`)
  }

  const parseParenthesized = (): Body => {
    const opened = scanner.position
    const text = arithmetic.arithmetic(opened, "((")
    if (text !== undefined) return { _tag: "ArithmeticCommand", text }
    scanner.consume("(")
    const body = list('after "("')
    if (scanner.atEnd()) throw scanner.unclosed(")", opened)
    scanner.expect(")", "or a command")
    return { _tag: "Subshell", body }
  }

  const parseIf = (opened: number): Body => {
    const branches: Array<Tree.IfBranch> = []
    let start = opened
    do {
      const condition = list('after "if"')
      expectClosing("then", opened)
      const body = list('after "then"')
      branches.push({ _tag: "IfBranch", condition, body, span: scanner.span(start, scanner.ended) })
      scanner.skipBlanks()
      start = scanner.position
    } while (scanner.consumeReserved("elif"))
    const otherwise = scanner.consumeReserved("else") ? list('after "else"') : undefined
    expectClosing("fi", opened)
    return { _tag: "If", branches, otherwise }
  }

  const parseDo = (opened: number, bracesToo = false): Tree.List => {
    redirections.skipNewlines()
    const brace = bracesToo && scanner.consumeReserved("{")
    if (!brace) expectClosing("do", opened)
    const body = list(brace ? 'after "{"' : 'after "do"')
    expectClosing(brace ? "}" : "done", opened)
    return body
  }

  const parseFor = (_tag: "For" | "Select", opened: number): Body => {
    const before = scanner.position
    const name = plainText(wordParser.requireWord("a name"))
    if (name === undefined || !identifierPattern.test(name)) throw scanner.error("a name", before)
    let words: Array<Tree.Word> | undefined
    let separated = scanner.consume(";")
    const lines = scanner.operator() === "\n"
    separated ||= lines
    redirections.skipNewlines()
    if ((!separated || lines) && scanner.consumeReserved("in")) {
      words = []
      for (let word = wordParser.word(); word !== undefined; word = wordParser.word()) words.push(word)
      separated = scanner.consume(";") || scanner.operator() === "\n"
      if (!separated) throw scanner.error('";" or a newline after the words')
    }
    return { _tag, name, words, body: parseDo(opened, separated) }
  }

  const parseForArithmetic = (opened: number): Body => {
    scanner.expect("(", "")
    if (scanner.peek() !== "(") throw scanner.error("a name")
    const open = scanner.position++
    const clause = (end: string): Tree.ArithmeticText | undefined => {
      const text = arithmetic.arithmeticText(modes.arithmeticClause)
      if (scanner.peek() === "") throw scanner.unclosed("))", open)
      if (!scanner.text.startsWith(end, scanner.position)) throw scanner.error(`"${end}"`)
      scanner.position += end.length
      const blank = text.parts.every((part) => part._tag === "Literal" && part.value.trim() === "")
      return blank ? undefined : text
    }
    const first = clause(";")
    const condition = clause(";")
    const after = clause("))")
    scanner.consume(";")
    return { _tag: "ForArithmetic", first, condition, after, body: parseDo(opened, true) }
  }

  const parseCase = (opened: number): Body => {
    const word = wordParser.requireWord("a word")
    expectClosing("in", opened)
    const clauses: Array<Tree.CaseClause> = []
    for (redirections.skipNewlines(); !scanner.consumeReserved("esac"); redirections.skipNewlines()) {
      if (scanner.atEnd()) throw scanner.unclosed("esac", opened)
      const start = scanner.position
      scanner.consume("(")
      const patterns: Array<Tree.Word> = []
      do {
        patterns.push(wordParser.requireWord("a pattern"))
      } while (scanner.consume("|"))
      scanner.expect(")", "after the pattern")
      const body = list("", true)
      const operator = scanner.operator()
      const terminator = operator === ";&" || operator === ";;&" ? operator : ";;"
      if (!scanner.consume(terminator) && scanner.reservedWord() !== "esac") {
        throw scanner.peek() === "" && operator === ""
          ? scanner.unclosed("esac", opened)
          : scanner.error('";;" or "esac"')
      }
      clauses.push({ _tag: "CaseClause", patterns, body, terminator, span: scanner.span(start) })
    }
    return { _tag: "Case", word, clauses }
  }

  const namedFunction = (start: number): Tree.FunctionDefinition => {
    scanner.consumeReserved("function")
    const before = scanner.position
    const name = plainText(wordParser.requireWord("a name"))
    if (name === undefined) throw scanner.error("a name without quotes and expansions", before)
    if (scanner.operator() === "(") {
      const at = scanner.position
      // `function f (a)` has a subshell as its body.
      scanner.consume("(")
      if (!scanner.consume(")")) scanner.position = at
    }
    return functionBody(start, name)
  }

  const functionBody = (start: number, name: string): Tree.FunctionDefinition => {
    redirections.skipNewlines()
    const at = scanner.position
    if (scanner.operator() !== "(" && !compoundOpeners.has(scanner.reservedWord())) {
      throw scanner.error("a compound command")
    }
    const body = compound(at)
    return { _tag: "FunctionDefinition", name, body, span: scanner.span(start, scanner.ended) }
  }
  return { compound, functionBody, namedFunction }
}
