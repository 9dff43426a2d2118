import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { parse, type SimpleCommand, type WordPart } from "../../src/shell-language/ShellLanguage.ts"
import { random } from "../support/random.ts"

const command = (text: string): SimpleCommand | undefined => {
  const parsed = parse(text)
  // What stands on further lines would be commands of its own: that is left to the other tests.
  const alone = parsed._tag === "Success" && parsed.success.statements.length === 1
  const found = alone ? parsed.success.statements[0]?.pipelines[0]?.commands[0] : undefined
  return found?._tag === "SimpleCommand" ? found : undefined
}

/** The text of parts when every parameter in them is unset. */
const said = (parts: ReadonlyArray<WordPart>): string =>
  parts.map((part) => {
    if ("value" in part) return part.value
    if (part._tag === "DoubleQuoted") return said(part.parts)
    if (part._tag !== "Parameter") return "?"
    return part.operation?._tag === "ParameterFallback" ? said(part.operation.word.parts) : ""
  }).join("")

/** Runs scripts in one shell, each by itself; `undefined` for an invalid one. */
const outputs = (shell: string, scripts: ReadonlyArray<string>): ReadonlyArray<string | undefined> => {
  const each = scripts.map((script) =>
    `${shell} -c '${script.replaceAll("'", "'\\''")}' 2>/dev/null || printf 'wrong'; printf '\\0'`
  )
  const env = { ...process.env, LC_ALL: "C.UTF-8" }
  const all = execFileSync("/bin/sh", ["-s"], { input: each.join("\n"), encoding: "utf8", env }).split("\0").slice(
    0,
    -1,
  )
  return all.map((output) => output.endsWith("wrong") ? undefined : output)
}

const cases = (seed: number, count: number, pieces: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { int, pick } = random(seed)
  return [
    ...new Set(Array.from({ length: count }, () => Array.from({ length: int(1, 9) }, () => pick(pieces)).join(""))),
  ]
}

if (existsSync("/bin/bash")) {
  it("splits a line into the words that bash makes of it", () => {
    const pieces = [
      "a",
      "b",
      " ",
      " ",
      "\t",
      "'c d'",
      '"e f"',
      "\\",
      "\\ ",
      "\\\n",
      "'",
      '"',
      "#",
      " #",
      "$'\\t'",
      '$"g"',
      "=",
      "$%",
      "]",
    ]
    const lines = cases(21, 250, pieces).map((line) => `printf '<%s>' ${line}`)
    const ours = lines.map((line) => {
      const words = command(line)?.words.slice(2).map(({ parts }) => `<${said(parts)}>`).join("")
      return [line, words === undefined ? undefined : words || "<>"] as const
    }).filter(([line, words]) => words !== undefined || parse(line)._tag === "Failure")
    const theirs = outputs("/bin/bash", ours.map(([line]) => line))
    expect(ours).toEqual(ours.map(([line], i) => [line, theirs[i]]))
    expect(theirs.filter((output) => output !== undefined).length).toBeGreaterThan(100)
  })

  it("reads the same here-document text as bash", () => {
    const pieces = [
      "a",
      " ",
      "\n",
      "\n",
      "\\",
      "\\\\",
      "\\$",
      "\\`",
      '"',
      "'",
      "\\\n",
      "\t",
      "E",
      "\\E",
      '\\"',
      "$%",
      "\n\tE x\n",
    ]
    const scripts = cases(22, 150, pieces).map((body, i) => `cat <<${["E", "-E", "'E'", "-\\E"][i % 4]}\n${body}\nE\n`)
    const ours = scripts.map((script) => {
      const here = command(script)?.redirects[0]
      return [script, here?._tag === "HereDocument" && here.closed ? said(here.body.parts) : undefined] as const
    }).filter(([, text]) => text !== undefined)
    expect(ours.length).toBeGreaterThan(80)
    const theirs = outputs("/bin/bash", ours.map(([script]) => script))
    expect(ours).toEqual(ours.map(([script], i) => [script, theirs[i]]))
  })

  it("reads quotes within ${ } as bash does, within double quotes and outside", () => {
    const pieces = [
      "a",
      " ",
      "'",
      "'b}'",
      '"',
      '"c }"',
      "\\",
      "\\}",
      "\\$",
      "\\\\",
      '\\"',
      "\\a",
      "$%",
      "{",
      "d",
      "${u-e}",
    ]
    // What `$$` and names stand for is none of the parser's business.
    const scripts = cases(23, 300, pieces).filter((word) => !/\$[$a-z]/.test(word)).map((word, i) =>
      i % 2 === 0 ? `v="\${u-${word}}"` : `v=\${u-${word}}`
    )
    const ours = scripts.map((script) => {
      const found = command(script)
      const value = found?.words.length === 0 && found.assignments.length === 1
        ? found.assignments[0]?.value
        : undefined
      return [script, value?._tag === "Word" ? said(value.parts) : undefined] as const
    })
    const theirs = outputs("/bin/bash", scripts.map((script) => `${script}\nprintf %s "$v"`))
    const both = ours.map((our, i) => [our, theirs[i]] as const).filter(([[, our], their]) =>
      our !== undefined || their !== undefined
    )
    // A script that is right for us and wrong for bash, or the other way round, is told as well, unless it is no assignment.
    const told = both.filter(([[script], their]) => their === undefined || command(script)?.words.length === 0)
    expect(told.map(([our]) => our)).toEqual(told.map(([[script], their]) => [script, their]))
    expect(told.length).toBeGreaterThan(80)
  })
}
