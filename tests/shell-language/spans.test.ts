import { expect, it } from "@effect/vitest"
import { type Node, walk } from "../../src/shell-language/ShellLanguage.ts"
import { scriptOf } from "./render.ts"

/** The text of each node of some kind. */
const texts = (text: string, ...tags: ReadonlyArray<Node["_tag"]>): ReadonlyArray<string> => {
  const found: Array<string> = []
  walk(scriptOf(text), ({ _tag, span }) => {
    if (tags.includes(_tag)) found.push(text.slice(span.start, span.end))
  })
  return found
}

it("locates lists, pipelines and commands", () => {
  const text = " a 1 | b &&\n ! c >d & e # f\n"
  expect(texts(text, "AndOr")).toEqual(["a 1 | b &&\n ! c >d &", "e"])
  expect(texts(text, "Pipeline")).toEqual(["a 1 | b", "! c >d", "e"])
  expect(texts(text, "SimpleCommand")).toEqual(["a 1", "b", "c >d", "e"])
})

it("locates compound commands, their branches and their redirections", () => {
  expect(texts("x; if a; then b; elif c; then d; fi >e ; y", "If")).toEqual(["if a; then b; elif c; then d; fi >e"])
  expect(texts("if a; then b; elif c; then d; fi", "IfBranch")).toEqual(["if a; then b;", "elif c; then d;"])
  expect(texts("case a in b) c;; (d) e; esac", "CaseClause")).toEqual(["b) c;;", "(d) e; "])
  expect(texts("x; f() { a; } 2>&1; y", "FunctionDefinition", "Group")).toEqual(["f() { a; } 2>&1", "{ a; } 2>&1"])
  expect(texts("for i in a; do b; done|c", "For")).toEqual(["for i in a; do b; done"])
  expect(texts("a 2>&1 <b <<<c {d}>e", "FileRedirect")).toEqual(["2>&1", "<b", "<<<c", "{d}>e"])
  expect(texts("( a; b ) | { c; d; }", "List")).toEqual(["a; b", "c; d;"])
})

it("locates words and their parts", () => {
  expect(texts("a'b'\"c $d\"${e:-f}$(g)`h`$((i)) j", "Word").slice(0, 2)).toEqual([
    "a'b'\"c $d\"${e:-f}$(g)`h`$((i))",
    "f",
  ])
  expect(texts("'b'$'c'\"d $e\"\\f", "SingleQuoted", "DoubleQuoted", "Parameter", "Escaped")).toEqual([
    "'b'",
    "$'c'",
    '"d $e"',
    "$e",
    "\\f",
  ])
  expect(texts("${e:-f} ${g//h/i} ${j:1:2}", "ParameterFallback", "ParameterReplace", "ParameterSlice")).toEqual([
    ":-f",
    "//h/i",
    ":1:2",
  ])
  expect(texts("a=(b [1]=c) d[e]+=f", "Assignment", "ArrayElement", "Index")).toEqual([
    "a=(b [1]=c)",
    "b",
    "[1]=c",
    "[1]",
    "d[e]+=f",
    "[e]",
  ])
  expect(texts("a=~:~b ~/c", "Tilde")).toEqual(["~", "~b", "~"])
})

it("locates arithmetic and conditions", () => {
  expect(texts("$((1 + a[2] * $b))", "ArithmeticBinary", "ArithmeticVariable", "ArithmeticExpanded")).toEqual([
    "1 + a[2] * $b",
    "a[2] * $b",
    "a[2]",
    "$b",
  ])
  expect(texts("[[ -f a && ( b == c ) ]]", "ConditionLogical", "ConditionUnary", "ConditionBinary")).toEqual([
    "-f a && ( b == c )",
    "-f a",
    "b == c",
  ])
})

it("locates text within backquotes and here-documents in the whole script", () => {
  expect(texts("x `a \\`b \\$c\\` d` y", "SimpleCommand")).toEqual([
    "x `a \\`b \\$c\\` d` y",
    "a \\`b \\$c\\` d",
    "b \\$c",
  ])
  expect(texts("x <<-E\n\t\ta $b\n\t$(c d)\n\tE\n", "Parameter", "SimpleCommand")).toEqual([
    "x <<-E",
    "$b",
    "c d",
  ])
  expect(texts("`x $((a + 1))`", "ArithmeticBinary")).toEqual(["a + 1"])
})
