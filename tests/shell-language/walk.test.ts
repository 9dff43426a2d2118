import { expect, it } from "@effect/vitest"
import { children, type Node, staticText, walk } from "../../src/shell-language/ShellLanguage.ts"
import { scriptOf } from "./render.ts"
import { scripts } from "./scripts.ts"
import { parse } from "../../src/shell-language/ShellLanguage.ts"

/** The names of all commands in the order of the walk. */
const names = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  walk(scriptOf(text), (node) => {
    if (node._tag !== "SimpleCommand") return
    const [name] = node.words
    if (name !== undefined) found.push(staticText(name) ?? "?")
  })
  return found
}

it("visits every command, however deeply it is nested", () => {
  const places: ReadonlyArray<string> = [
    "c1 | c2 && c3 || c4 & c5; c6",
    "! c1\ntime c2",
    "(c1; (c2)); { c3; }",
    "if c1; then c2; elif c3; then c4; else c5; fi",
    "while c1; do c2; done; until c3; do c4; done",
    "for i in $(c1); do c2; done; select i in $(c3); do c4; done",
    "for (($(c1); $(c2); $(c3))); do c4; done",
    "case $(c1) in $(c2) | `c3`) c4;; *) c5; esac",
    "f() { c1; }; function g { c2; }",
    "f() { c1; } >$(c2)",
    "[[ -f $(c1) && ( $(c2) == $(c3)* || ! `c4` =~ $(c5) ) ]]",
    "(( $(c1) + a[$(c2)] ))",
    'c1 $(c2 "$(c3 `c4 \\`c5\\``)")',
    "c1 <(c2) >(c3 <$(c4))",
    "a=$(c1) b[$(c2)]=$(c3) c=($(c4) [$(c5)]=$(c6))",
    'c1 <$(c2) 2>"$(c3)" <<<`c4`',
    "c1 <<E\n$(c2) ${a:-$(c3)} `c4` $((1 + $(c5)))\nE\nc6",
    "c1 <<-E\n\t$(c2 <<F\n\tc3\n\t$(c3)\n\tF\n\t)\n\tE",
    "c1 ${a-$(c2)} ${a:=$(c3)} ${a#$(c4)} ${a/$(c5)/$(c6)} ${a:$(c7):$(c8)} ${a^$(c9)}",
    "c1 \"${a[$(c2)]:-'$(c3)'}\" ${!a[$(c4)]} ${#a[$(c5)]}",
    "c1 ${a!$(c2)} ${(f)$(c3)} ${a[$(c4)}",
    "c1 $((a[$(c2)] ? $(c3) : 1)) $[$(c4)] $((a $(c5) 1))",
    "c1 {a,$(c2)}{b,`c3`}",
    "c1 $\"$(c2)\" $'$(no)' '$(no)' \\$(c3)".replace(" \\$(c3)", ""),
    "c1; export a=$(c2) b=($(c3)) d[$(c4)]=e",
    "a[$(c1)] $(c2)".replace("a[$(c1)] $(c2)", "c1 a[$(c2)]"),
    "$(c1)$(c2)".replace("$(c1)$(c2)", "c1 \\\n$\\\n(c2)"),
    "{fd}>$(c1) c2".replace("{fd}>$(c1) c2", "{fd}>f c1 $(c2)"),
    "c1 # $(no)\nc2",
  ]
  for (const text of places) {
    const wanted = [...new Set(text.match(/\bc\d\b/g))].sort()
    const found = names(text).filter((name) => name !== "?")
    expect([text, [...found].filter((name) => /^c\d$/.test(name)).sort()]).toEqual([text, wanted])
    expect(found).not.toContain("no")
  }
})

it("visits a name that is composed at run time as its parts", () => {
  expect(names("$a; \"b\"'c'\\d; e$f; ~/g; *h; {i,j}; ./k; `l`")).toEqual([
    "?",
    "bcd",
    "?",
    "?",
    "?",
    "?",
    "./k",
    "?",
    "l",
  ])
})

it("visits each node once, parents first, and skips the descendants of a declined node", () => {
  const script = scriptOf("a=(b) export c=d[e] f; $((g[h] + $i)) ${j[k]}")
  const visited: Array<Node> = []
  walk(script, (node) => {
    visited.push(node)
  })
  expect(new Set(visited).size).toBe(visited.length)
  for (const node of visited) for (const child of children(node)) expect(visited).toContain(child)
  const declined: Array<string> = []
  walk(scriptOf("a $(b); c"), (node) => {
    if (node._tag === "SimpleCommand") declined.push(node._tag)
    return node._tag !== "SimpleCommand"
  })
  expect(declined).toEqual(["SimpleCommand", "SimpleCommand"])
})

it("gives every node a span within the script, and a literal the span of its text", () => {
  let checked = 0
  for (const text of scripts) {
    const parsed = parse(text)
    if (parsed._tag === "Failure") continue
    checked++
    walk(parsed.success, (node) => {
      const { end, start } = node.span
      expect(start).toBeGreaterThanOrEqual(0)
      expect(end).toBeGreaterThanOrEqual(start)
      expect(end).toBeLessThanOrEqual(text.length)
      const moved = /\\\n|<<-|`/.test(text)
      if (node._tag === "Literal" && !moved) expect(text.slice(start, end)).toBe(node.value)
    })
  }
  expect(checked).toBeGreaterThan(300)
})
