/**
 * Makes the parser of simple commands, and of function definitions, which begin like them.
 * Source: POSIX.1-2024 XCU 2.9.1 "Simple Commands"; bash(1) "Simple Commands".
 */
import type { Assignment, FunctionDefinition, Redirect, SimpleCommand, Word, WordPart } from "../SyntaxTree.ts"
import type { AliasExpander } from "./AliasExpander.ts"
import type { AssignmentParser } from "./AssignmentParser.ts"
import type { CompoundCommandParser } from "./CompoundCommandParser.ts"
import type { RedirectionParser } from "./RedirectionParser.ts"
import type { Scanner } from "./Scanner.ts"
import { plainText, type WordParser } from "./WordParser.ts"

/** Commands whose arguments may be assignments. */
const declaring = new Set(["declare", "typeset", "local", "export", "readonly", "eval", "let", "alias"])

/** Makes a parser of simple commands, and of function definitions without `function`. */
export const makeSimpleCommandParser = (
  scanner: Scanner,
  aliases: AliasExpander,
  wordParser: WordParser,
  redirections: RedirectionParser,
  assignmentParser: AssignmentParser,
  functionBody: CompoundCommandParser["functionBody"],
): (start: number) => SimpleCommand | FunctionDefinition => {
  /** Parses a simple command that begins at `start`, or a function definition without `function`. */
  const parseCommand = (start: number): SimpleCommand | FunctionDefinition => {
    const assignments: Array<Assignment> = []
    const words: Array<Word> = []
    const redirects: Array<Redirect> = []
    let declares = false
    let left = aliases.last?.at === start ? aliases.last.left : undefined
    scanner.ended = start
    for (;; scanner.ended = scanner.position) {
      // The name of the command after assignments, or any word after an alias that ends with a blank, may be an alias.
      if (words.length === 0 ? assignments.length > 0 : left !== undefined) {
        scanner.skipBlanks()
        const at = scanner.position
        if (words.length === 0 || scanner.text.length - at <= (left ?? 0)) {
          aliases.expand()
          left = aliases.last !== undefined && aliases.last.at >= at ? aliases.last.left : undefined
        }
      }
      const redirect = redirections.redirect()
      if (redirect !== undefined) {
        redirects.push(redirect)
        continue
      }
      if (scanner.operator() !== "" || scanner.peek() === "") break
      const from = scanner.position
      const found = words.length === 0 || declares ? assignmentParser.assignment() : wordParser.word()
      if (found === undefined) break
      redirections.checkElementName(from)
      if (found._tag === "Word") words.push(found)
      else if (words.length === 0) assignments.push(found)
      else {
        const { value, span } = found
        const isWord = value._tag === "Word"
        const head = { start: span.start, end: isWord ? value.span.start : span.end }
        const literal: WordPart = {
          _tag: "Literal",
          value: scanner.text.slice(from, isWord ? assignmentParser.valueAt : scanner.position),
          span: head,
        }
        const parts = [literal, ...(isWord ? value.parts : [])]
        words.push({ _tag: "Word", parts, braces: false, assignment: found, span })
      }
      if (words.length === 1 && found._tag === "Word") declares = declaring.has(plainText(found) ?? "")
    }
    const [first] = words
    if (scanner.operator() === "(" && words.length === 1 && assignments.length + redirects.length === 0) {
      const name = first === undefined ? undefined : plainText(first)
      if (name === undefined) throw scanner.error("a function's name without quotes and expansions", start)
      scanner.consume("(")
      scanner.expect(")", "after a function's name")
      return functionBody(start, name)
    }
    if (scanner.ended === start) throw scanner.error("a command")
    return {
      _tag: "SimpleCommand",
      assignments,
      words,
      redirects,
      span: scanner.span(start, scanner.ended),
    }
  }
  return parseCommand
}
