import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { expandBraces, type Word } from "../../src/shell-language/ShellLanguage.ts"
import { random } from "../support/random.ts"
import { render, scriptOf } from "./render.ts"

const argument = (text: string): Word => {
  const command = scriptOf(`x ${text}`).statements[0]?.pipelines[0]?.commands[0]
  const word = command?._tag === "SimpleCommand" ? command.words[1] : undefined
  if (word === undefined) throw new Error(`${text} is no argument`)
  return word
}

const expanded = (text: string, limit?: number): ReadonlyArray<string> | undefined =>
  expandBraces(argument(text), limit)?.map(render)

it("expands alternatives and sequences, but not quoted text and later expansions", () => {
  const words = {
    "a{b,c}d": ["abd", "acd"],
    "{a,b}{1..3}": ["a1", "a2", "a3", "b1", "b2", "b3"],
    "{a,{b,c}d}": ["a", "bd", "cd"],
    "{a..e..2}": ["a", "c", "e"],
    "{3..1}": ["3", "2", "1"],
    "{-01..1}": ["-01", "000", "001"],
    "{$a,'b c'}\"d\"": ['$a·"d"', "'b c'·\"d\""],
    "{~,~a}/b": ["Tilde{user:}·/b", "Tilde{user:a}·/b"],
    "{$(a,b),c}": ["CommandSubstitution{script:[cmd(a,b)]}", "c"],
    "{a,b": ["{a,b"],
    "{}": ["{}"],
    "{a}": ["{a}"],
    "\\{a,b}": ["\\{·a,b}"],
    "{a\\,b,c}": ["a·\\,·b", "c"],
    "{1..$a}": ["{1..·$a·}"],
    "{,}": ["∅", "∅"],
    '"{a,b}"': ['"{a,b}"'],
  }
  expect(Object.fromEntries(Object.keys(words).map((text) => [text, expanded(text)]))).toEqual(words)
})

it("stops instead of making too many words", () => {
  expect(expanded("{1..10}", 9)).toBeUndefined()
  expect(expanded("{1..10}", 10)?.length).toBe(10)
  expect(expanded("{1..1000000000}")).toBeUndefined()
  expect(expanded("{a,b}".repeat(60))).toBeUndefined()
  expect(expanded("{a,".repeat(5000) + "}".repeat(5000))).toBeUndefined()
  expect(expanded("{a,b}" + "{".repeat(200_000))).toBeUndefined()
})

if (existsSync("/bin/bash")) {
  it("expands as bash does", () => {
    const { int, pick } = random(11)
    const pieces = ["{", "{", "}", "}", ",", ",", "..", "a", "b", "1", "3", "0", "-", "."]
    const known = [
      "{a..C}",
      "{1..{2,3}}",
      "a{b}c,d}",
      "{{a,b}",
      "{a,b}}",
      "{1..2}..3}",
      "x{}{a,b}",
      "{{}}",
      "{1..3..0}",
    ]
    const made = Array.from({ length: 1500 }, () => Array.from({ length: int(1, 14) }, () => pick(pieces)).join(""))
    const texts = [...new Set([...known, ...made])]
    const ours = texts.map((text) => {
      const words = (expandBraces(argument(text)) ?? []).filter(({ parts }) => parts.length > 0)
      const plain = words.map(({ parts }) => parts.map((part) => "value" in part ? part.value : "").join(""))
      return `${text} is ${plain.map((word) => `<${word}>`).join("") || "<>"}`
    })
    const script = texts.map((text) => `printf '%s is ' '${text}'; printf '<%s>' ${text}; echo`).join("\n")
    expect(ours).toEqual(execFileSync("/bin/bash", { input: script, encoding: "utf8" }).trimEnd().split("\n"))
  })
}
