import { expect, it } from "@effect/vitest"
import { ScriptParser } from "../../src/shell-language/parse/ScriptParser.ts"
import type { ParserState } from "../../src/shell-language/parse/Scanner.ts"
import {
  expandBraces,
  makeScriptReader,
  parse,
  parseArithmetic,
  ShellSyntaxError,
  staticText,
  walk,
} from "../../src/shell-language/ShellLanguage.ts"
import { forSeeds, type Random } from "../support/random.ts"
import { scripts } from "./scripts.ts"

const tokens =
  "if then fi for in do done case esac while select function time coproc { } ( ) (( )) [[ ]] $( $(( ${ ` ' \" \\ ; & "
    .concat(
      "| && || |& ;; ;& < << <<- <<< > >& &> <( >( a x= a[ ] = += # ! f() $x ~ $' $\" 1 -f =~ == < * ? @( E { , .. ",
    )
    .concat("${x:- ${x// ${x[ ${!x ${#x declare \ud800 😀 é")
    .split(" ")
    .concat([" ", "\n", "\t", "\r", "\0", "\\\n", "\ufeff"])

const bytes = ({ int }: Random): string => String.fromCharCode(...Array.from({ length: int(0, 80) }, () => int(0, 255)))

const units = ({ int }: Random): string =>
  String.fromCharCode(...Array.from({ length: int(0, 80) }, () => int(0, 65_535)))

const soup = ({ int, pick }: Random): string =>
  Array.from({ length: int(1, 50) }, () => pick(tokens)).join(pick(["", " "]))

const mutant = ({ int, pick }: Random): string => {
  let text = pick(scripts)
  for (let i = int(1, 4); i > 0; i--) {
    const from = int(0, text.length)
    const to = from + int(0, 4)
    text = text.slice(0, from) + pick([pick(tokens), "", pick(scripts)]) + text.slice(to)
  }
  return text
}

it("parses any text to a tree or an error, each time the same, at once and line by line", () => {
  forSeeds(2500, (random) => {
    const text = random.pick([bytes, units, soup, soup, mutant, mutant, mutant])(random)
    const shown = JSON.stringify(text)
    const parsed = parse(text)
    if (parsed._tag === "Failure") {
      const { column, line, message, offset } = parsed.failure
      expect(parsed.failure).toBeInstanceOf(ShellSyntaxError)
      expect([shown, offset >= 0 && offset <= text.length && line >= 1 && column >= 1]).toEqual([shown, true])
      expect(message.length).toBeLessThan(500)
    } else {
      walk(parsed.success, (node) => {
        const { end, start } = node.span
        if (!(start >= 0 && start <= end && end <= text.length)) throw new Error(`${node._tag} of ${shown}`)
        if (node._tag !== "Word") return
        staticText(node)
        expandBraces(node)
      })
    }
    const reader = makeScriptReader(text)
    let line = reader.next()
    while (line._tag === "Success" && line.success !== undefined) line = reader.next()
    expect([shown, line._tag]).toEqual([shown, parsed._tag])
    parseArithmetic(text)
  })
})

/** Number of characters that are read while a text is parsed. */
const work = (text: string): number => {
  const source: ParserState = {
    text,
    maxDepth: 200,
    extglob: false,
    depth: 0,
    arithmeticAttempts: 0,
    notArithmetic: new Set(),
    steps: 0,
    maxSteps: Infinity,
    exhausted: false,
    refused: undefined,
  }
  try {
    new ScriptParser(source, text, (offset) => offset).script()
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error
  }
  return source.steps
}

const within = (before: string, middle: string, after: string) => (n: number): string =>
  before + middle.repeat(n) + after

const around = (open: string, close: string) => (n: number): string => open.repeat(n) + "a" + close.repeat(n)

const growing: Readonly<Record<string, (n: number) => string>> = {
  "commands": within("", "a b; ", ""),
  "lines": within("", "a $b\n", ""),
  "pipes": within("a", " | a", ""),
  "words": within("a", " 'b'\"$c\"\\d", ""),
  "one word": within("", "a", ""),
  "one word of parts": within("", "a$b'c'", ""),
  "blanks": within("", " ", ""),
  "continuations": within("", "\\\n", ""),
  "comments": within("", "# a\n", ""),
  "hashes": within("", "#", ""),
  "quotes that do not end": within("", "a 'b\" ", ""),
  "assignments": within("", "a[1]+=b ", ""),
  "subscripts that are none": within("", "a[b]c; ", ""),
  "subscripts that do not end": within("", "a[", ""),
  "elements": within("a=(", "[1]=2 b ", ")"),
  "redirections": within("", ">a 2>&1 ", ""),
  "here-documents": within("", "a <<E\nb $c\nE\n", ""),
  "here-documents of one line": (n) => `a${" <<E".repeat(n)}\n${"b\nE\n".repeat(n)}`,
  "a long here-document": within("a <<-E\n", "\t$b c\n", "E"),
  "here-documents without end": within("", "a <<E\n", ""),
  "elif": within("if a; then b; ", "elif c; then d; ", "fi"),
  "clauses": within("case a in ", "b|c) d;; ", "esac"),
  "conditions": within("[[ a ", "&& b ", "]]"),
  "arithmetic": within("((1", " + $a", "))"),
  "sums": within("", "$((1 + 2)) ", ""),
  "what is no arithmetic": within("", "$((1 +)) ", ""),
  "subshells that look like arithmetic": within("", "((a); b)\n", ""),
  "substitutions that look like arithmetic": within("a", " $((b); c)", ""),
  "quotes that only arithmetic sees": within("", "((a #'\n) )\n", ""),
  "nested subshells that look like arithmetic": around("((", ") )"),
  "nested substitutions that look like arithmetic": around("$((", ") )"),
  "backquotes": within("", "`a` ", ""),
  "long backquotes": within("`", "a $b; ", "`"),
  "tildes": within("a=", ":~b", ""),
  "dollars": within("", "$", ""),
  "replacements": within("", "${a//b/c} ", ""),
  "slices": within("", "${a:1:2} ", ""),
  "nested fallbacks": around("${a:-", "}"),
  "nested substitutions": around("$(", ")"),
  "nested parentheses": around("( ", ")"),
  "nested quotes": around('"$(', ')"'),
  "functions": within("", "f() { a; }\n", ""),
}

for (const [name, text] of Object.entries(growing)) {
  it(`parses ten times the text with ten times the work: ${name}`, () => {
    // What is nested deeper than it may be is given up early, which is less work still.
    const few = work(text(300))
    const many = work(text(3000))
    expect(many).toBeLessThan(few * 12)
    expect(many).toBeLessThan(text(3000).length * 250)
    expect(many).toBeGreaterThan(0)
  })
}

it("parses a word of a million characters and a hundred thousand words", () => {
  for (
    const text of [
      "a".repeat(1_000_000),
      `'${"\ud800".repeat(1_000_000)}'`,
      "a ".repeat(100_000),
      "é$'\\x41'".repeat(100_000),
    ]
  ) {
    expect(parse(text)._tag).toBe("Success")
  }
})

it("refuses a text that takes more work than any real script", () => {
  const parsed = parse("(".repeat(3000))
  expect(parsed._tag === "Failure" && parsed.failure.expected).toMatch(/nested levels|shorter command/)
})

it.each(["a;", "a && ", "a | ", "(a);", "$(a) ", "`a` ", ": $((1)); ", "{ a; }; ", "case a in b) c;; esac; "])(
  "refuses a line that holds the event loop for seconds: %s",
  (piece) => {
    const parsed = parse(piece.repeat(120_000), { maxLength: Infinity })
    expect(parsed._tag === "Failure" && parsed.failure.expected).toContain("a shorter command")
  },
)

it("parses any number of lines, one after the other", () => {
  const reader = makeScriptReader("a;\n".repeat(120_000))
  let lines = 0
  for (let next = reader.next(); next._tag === "Success" && next.success !== undefined; next = reader.next()) lines++
  expect(lines).toBe(120_000)
})
