import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import {
  makeScriptReader,
  parse,
  type ParseOptions,
  type ParseResult,
  positionOf,
  quoteWord,
  type Script,
  type ShellSyntaxError,
} from "../../src/shell-language/ShellLanguage.ts"
import { quoteOnOneLine } from "../../src/shell-language/quoteWord.ts"
import { random } from "../support/random.ts"
import { render } from "./render.ts"
import { scripts } from "./scripts.ts"

const failure = (text: string, options?: ParseOptions): ShellSyntaxError => {
  const parsed = parse(text, options)
  if (parsed._tag === "Success") throw new Error(`${JSON.stringify(text)} is right`)
  return parsed.failure
}

it("reports a syntax error with its position, the token found and the one expected", () => {
  const messages = {
    "fi": '1, column 1: found "fi", expected a command',
    "a\n  b | ; c": '2, column 7: found ";", expected a command',
    "if a; then b; done": '1, column 15: found "done", expected "fi"',
    "if a; b; fi": '1, column 10: found "fi", expected "then"',
    "while a; done": '1, column 10: found "done", expected "do"',
    "a && && b": '1, column 6: found "&&", expected a command',
    "{ }": '1, column 3: found "}", expected a command after "{"',
    "()": '1, column 2: found ")", expected a command after "("',
    "(a) b": '1, column 5: found "b", expected a command',
    "a >\nb": "1, column 4: found a newline, expected a file name after >",
    "a <<<": "1, column 6: found the end, expected a word after <<<",
    "a <<;": '1, column 5: found ";", expected a delimiter after <<',
    "for 1 in a; do b; done": '1, column 5: found "1", expected a name',
    "for a in b do c; done": '1, column 18: found "done", expected "do"',
    "case a b": '1, column 8: found "b", expected "in"',
    "case a in b c) esac": '1, column 13: found "c", expected ")" after the pattern',
    "case a in b) c ) esac": '1, column 16: found ")", expected ";;" or "esac"',
    "f() a": '1, column 5: found "a", expected a compound command',
    "f( a": '1, column 4: found "a", expected ")" after a function\'s name',
    "$f() { a; }": '1, column 1: found "$f", expected a function\'s name without quotes and expansions',
    "[[ a b ]]": '1, column 6: found "b", expected an operator of two operands',
    "[[ -f ]]": '1, column 7: found "]]", expected an operand of -f',
    "[[ a == ]]": '1, column 9: found "]]", expected an operand of ==',
    "[[ ( a ]]": '1, column 8: found "]]", expected ")" for the parenthesis in the condition',
    "[[ a ) ]]": '1, column 6: found ")", expected "]]"',
    "for ((a;b)); do c; done": '1, column 10: found ")", expected ";"',
    "a=(b;c)": '1, column 5: found ";", expected a word or ")"',
    "coproc a": '1, column 1: found "coproc", expected a command that is supported',
    "echo $(if)": '1, column 10: found ")", expected a command after "if"',
    "a\0b": '1, column 2: found "\\u0000b", expected a text without NUL',
    "a 'b": `1, column 5: found the end, expected "'" for the opening at line 1, column 3`,
    '\n a "b': `2, column 6: found the end, expected '"' for the opening at line 2, column 4`,
    "a $(b": '1, column 6: found the end, expected ")" for the opening at line 1, column 4',
    "a ${b": '1, column 6: found the end, expected "}" for the opening at line 1, column 4',
    "{ a\n": '2, column 1: found the end, expected "}" for the opening at line 1, column 1',
    "a `b $(c` d": '1, column 9: found the end, expected ")" for the opening at line 1, column 7',
  }
  const prefix = "shell: line "
  expect(Object.fromEntries(Object.keys(messages).map((text) => [text, failure(text).message.slice(prefix.length)])))
    .toEqual(messages)
})

it("counts lines and columns from 1, and offsets from 0, in UTF-16 units", () => {
  expect(failure("é\n😀 a)")).toMatchObject({ _tag: "ShellSyntaxError", line: 2, column: 5, offset: 6, found: '")"' })
  expect(positionOf("a\n\nb", 0)).toEqual({ line: 1, column: 1 })
  expect(positionOf("a\n\nb", 1)).toEqual({ line: 1, column: 2 })
  expect(positionOf("a\n\nb", 3)).toEqual({ line: 3, column: 1 })
})

it("distinguishes an incomplete script from an invalid one", () => {
  const unfinished = [
    "a &&",
    "a |",
    "'a",
    '"a',
    "`a",
    "$(a",
    "${a",
    "$((1",
    "{ a",
    "( a",
    "((a",
    "[[ a",
    "[[ a &&",
    "a=(b",
  ]
    .concat([
      "if a",
      "if a; then",
      "if a; then b",
      "while a",
      "for a in b",
      "for a in b; do",
      "case a in",
      "case a in b)",
    ])
    .concat(["case a in b) c", "f()", "f() {", "a \"$(b '", "if a; then\nb <<E\nc\nE\n"])
  for (const text of unfinished) expect([text, failure(text).incomplete]).toEqual([text, true])
  const wrong = ["fi", "a ) b", "if a; fi", "a | | b", "$(if)", "`if`", "a=(b;", "[[ a b", "a\0"]
  for (const text of wrong) expect([text, failure(text).incomplete]).toEqual([text, false])
})

it("accepts an incomplete script when the missing text is added", () => {
  const opened = { "a &&": " b", "'a": "'", "$(a": ")", "{ a": "; }", "if a; then b": "\nfi", "a <<E\nb": "\nE\n" }
  for (const [text, rest] of Object.entries(opened)) expect(parse(text + rest)._tag).toBe("Success")
})

it("refuses scripts above the limits on length and depth, and accepts scripts just below", () => {
  expect(failure("a".repeat(11), { maxLength: 10 }).expected).toBe("a text of at most 10 characters")
  expect(parse("a".repeat(10), { maxLength: 10 })._tag).toBe("Success")
  const nested = (depth: number): string => "$(a ".repeat(depth) + ")".repeat(depth)
  expect(failure(nested(11), { maxDepth: 10 }).expected).toBe("at most 10 nested levels")
  expect(parse(nested(10), { maxDepth: 10 })._tag).toBe("Success")
  expect(parse(nested(190))._tag).toBe("Success")
  for (
    const open of ["$(", "${a:-", "{ ", "if ", '"$(', "a=$(", "<(", "`\\`", "case a in b) ", "[[ ! ", "[[ ( ", "f() { "]
  ) {
    expect(parse(open.repeat(5000), { maxDepth: 100_000 })._tag).toBe("Failure")
  }
})

it("returns an error when the stack is nearly full", () => {
  const text = "a=([$(".repeat(150)
  const deep = (): ParseResult<Script> => {
    try {
      return deep()
    } catch {
      return parse(text)
    }
  }
  const parsed = deep()
  expect(parsed._tag === "Failure" && parsed.failure.expected).toContain("the call stack is full")
})

it("reads extended patterns outside [[ ]] only with the option", () => {
  expect(failure("a @(b|c)").found).toBe('"("')
  const parsed = parse("a @(b|c)d; case e in !(f)) g;; esac; h=+(i)", { extglob: true })
  expect(parsed._tag === "Success" && render(parsed.success)).toBe(
    "[cmd(a @(·b|c·)·d); Case{word:e clauses:[CaseClause{patterns:[!(·f·)] body:[cmd(g)] terminator:;;}]}; cmd(h=+(·i·))]",
  )
})

it("parses line by line: the lines before an error can run", () => {
  const reader = makeScriptReader("a; b &\n\n# c\nif d\nthen e; fi <<E | f\nx\nE\nfi\ng")
  const read = (): string => {
    const line = reader.next()
    return line._tag === "Failure" ? line.failure.message : line.success === undefined ? "" : render(line.success)
  }
  expect(read()).toBe("[cmd(a); cmd(b) &]")
  expect(read()).toContain("If{")
  const error = 'shell: line 8, column 1: found "fi", expected a command'
  expect([read(), read()]).toEqual([error, error])
  const other = makeScriptReader("shopt -s extglob\na @(b)")
  expect(other.next()._tag).toBe("Success")
  other.extglob = true
  expect(other.next()._tag).toBe("Success")
  expect(other.next()).toEqual({ _tag: "Success", success: undefined })
  expect(makeScriptReader("\0").next()._tag).toBe("Failure")
})

it("parses the same commands line by line as at once", () => {
  for (const text of scripts) {
    const whole = parse(text)
    const reader = makeScriptReader(text)
    const lines: Array<string> = []
    let line = reader.next()
    for (; line._tag === "Success" && line.success !== undefined; line = reader.next()) {
      lines.push(render(line.success).slice(1, -1))
    }
    expect([text, line._tag]).toEqual([text, whole._tag])
    if (whole._tag === "Success") expect(`[${lines.join("; ")}]`).toBe(render(whole.success))
  }
})

if (existsSync("/bin/dash")) {
  it("quotes any text as one word", () => {
    const { int } = random(3)
    const made = Array.from(
      { length: 200 },
      () => String.fromCharCode(...Array.from({ length: int(0, 9) }, () => int(1, 126))),
    )
    const texts = [
      "",
      "a",
      "a b",
      "it's",
      "$a `b` \\",
      "'",
      "''",
      "-n",
      "é😀\n",
      "~",
      "a=b",
      "!",
      "#",
      "{a,b}",
      ...made,
    ]
    const read = (script: string) =>
      execFileSync("/bin/dash", { input: script, encoding: "utf8" }).split("\0").slice(0, -1)
    expect(read(texts.map((text) => `printf '%s\\0' ${quoteWord(text)}`).join("\n"))).toEqual(texts)
    const words = texts.map((text) => quoteOnOneLine(text, '"$nl"')).join(" ")
    expect(words).not.toContain("\n")
    expect(read(`nl=$(printf '\\nx'); nl=\${nl%x}; printf '%s\\0' ${words}`)).toEqual(texts)
  })
}
