import { expect, it } from "@effect/vitest"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse, print } from "../../../src/shell-language/ShellLanguage.ts"
import { readCases } from "../../kernel/shell/oracle.ts"
import { attacks } from "../../policy/attacks.ts"
import { Grammar } from "../../policy/grammar.ts"
import { forSeeds } from "../../support/random.ts"
import { bashRuns } from "../bashRuns.ts"
import { canonical, textOf } from "../canonical.ts"
import { scriptOf } from "../render.ts"
import { scripts } from "../scripts.ts"

const printed = (text: string): string | undefined => {
  const made = print(scriptOf(text), { source: text })
  return made._tag === "Success" ? made.success : undefined
}

const everyday = ["everyday.txt", "everyday-agents.txt"].flatMap((name) =>
  readFileSync(new URL(`../../policy/${name}`, import.meta.url), "utf8").trimEnd().split("\n---\n")
)
const cases = readdirSync(new URL("../../kernel/shell/cases", import.meta.url)).sort().flatMap((file) =>
  readCases(file.replace(".txt", "")).map(({ script }) => script)
)

/** Expects that the printed text of a tree parses to the same tree and prints to itself. */
const expectSame = (text: string): boolean => {
  const tree = parse(text)
  if (tree._tag === "Failure") return false
  const made = print(tree.success, { source: text })
  if (made._tag === "Failure") return false
  const again = parse(made.success)
  expect([text, made.success, again._tag]).toEqual([text, made.success, "Success"])
  if (again._tag === "Failure") return false
  expect([text, made.success, textOf(canonical(again.success))]).toEqual([
    text,
    made.success,
    textOf(canonical(tree.success)),
  ])
  expect([text, print(again.success, { source: made.success })]).toEqual([text, made])
  return true
}

it("prints text that parses to the same tree, for every script of the tests", () => {
  const all = [...scripts, ...everyday, ...cases, ...attacks.map(([, , script]) => script)]
  expect(all.filter(expectSame).length).toBeGreaterThan(2000)
})

it("prints text that parses to the same tree, for generated scripts", () => {
  let count = 0
  forSeeds(4000, (random) => {
    if (expectSame(new Grammar(random).script(random.int(1, 3)))) count++
  })
  expect(count).toBeGreaterThan(1000)
})

it("prints one form for each meaning", () => {
  const forms: Readonly<Record<string, string>> = {
    "a;b # c": "a\nb",
    "a & b": "a &\nb",
    "echo $x\"$y\"'z'\\;": "echo ${x}\"${y}\"'z'\\;",
    "echo `a \\`b\\``": "echo $(a $(b))",
    'cat <<E\na $x "b"\nE': 'cat <<< "a ${x} \\"b\\""',
    "cat <<'E' | wc\n$a\n`b`\n'E'\nE": "cat <<< '$a\n`b`\n'\\''E'\\''' | wc",
    "cat <<E\nE": "cat < /dev/null",
    "echo {a,b}{1..2} {} {a": "echo a1 a2 b1 b2 '{}' \\{a",
    "case x in a|b) c ;; esac": "case x in (a | b) c ;; esac",
    "f() { a; }": "function f () { a; }",
    "$((1)) ; $( (a) ) ; ( (b) )": "$((1))\n$( ( a ))\n( ( b ) )",
    ">x if": "'if' > x",
    "[[ x ]] && [[ ! ( a && b ) ]]": "[[ -n x ]] && [[ ! ( -n a && -n b ) ]]",
    "echo é $'\\e[1m' \\~ a~": "echo 'é' $'\\033[1m' \\~ a\\~",
    'echo "${x:-a;b}" ${x:-a;b}': 'echo "${x:-"a;b"}" ${x:-a\\;b}',
    "if a; then b; fi\n\n\necho $LINENO": "if a; then b; fi\n\n\necho ${LINENO}",
  }
  expect(Object.fromEntries(Object.keys(forms).map((text) => [text, printed(text)]))).toEqual(forms)
})

it("refuses trees without canonical text and text above the limit", () => {
  expect(print(scriptOf("cat <<E\na"))).toEqual({ _tag: "Failure", failure: "NotPrintable" })
  expect(print(scriptOf("echo ${x!}"))).toEqual({ _tag: "Failure", failure: "NotPrintable" })
  expect(print(scriptOf("echo aaaaaaaaaa"), { maxLength: 10 })).toEqual({ _tag: "Failure", failure: "TooLong" })
  // Substitutions within braces are written once for each word.
  let text = "a"
  for (let depth = 0; depth < 12; depth++) text = `echo {,,,}$(${text}){1..16}`
  expect(print(scriptOf(text), { maxLength: 131_072 })).toEqual({ _tag: "Failure", failure: "TooLong" })
})

// The printer computes the same on every runtime, and bash answers the same: it is asked on one of them.
if (existsSync("/bin/bash") && "Deno" in globalThis) {
  const inBraces = (text: string): string => `{ :; ${text}\n\n}`
  const compare = (
    texts: ReadonlyArray<string>,
    files?: Readonly<Record<string, string>>,
    path?: string,
  ): number => {
    const pairs = texts.flatMap((text) => {
      const made = parse(text)._tag === "Success" ? printed(text) : undefined
      // How long something took, which process it was, on which line it stands, what comes in any order, and which users there
      // are: tests of SSH make some.
      return made === undefined ||
          /\btime\b|LINENO|\bcaller\b|BASH_COMMAND|BASH_EXECUTION_STRING|\$!|\$\$|random|\bps\b|shuf|%1|-P4|ls -l|mktemp|ls \| tee|\/etc\/passwd/
            .test(text)
        ? []
        : [[text, made] as const]
    })
    const before = bashRuns(pairs.map(([text]) => inBraces(text)), files, path)
    const after = bashRuns(pairs.map(([, made]) => inBraces(made)), files, path)
    expect(pairs.map(([text], at) => [text, after[at]])).toEqual(pairs.map(([text], at) => [text, before[at]]))
    return pairs.length
  }
  // A message of bash quotes the word: `$x: ambiguous redirect`.
  const quotes = (text: string): boolean => text.includes("echo t > $x")

  it("prints scripts that do the same in bash", () => {
    expect(compare(cases.filter((text) => !quotes(text)))).toBeGreaterThan(1100)
  })

  it("prints everyday scripts that do the same in bash", () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-print-"))
    try {
      const absent =
        "git npm npx node python3 docker curl wget make kill df sleep date jq zip unzip mktemp nohup bc pytest"
      for (const name of absent.split(" ")) {
        writeFileSync(join(folder, name), `#!/bin/sh\n[ ${name} = date ] && echo 1700000000 || echo ${name} "$@"\n`)
        chmodSync(join(folder, name), 0o755)
      }
      const lines = "b,2,x\na,1,y\nTODO 10-20\nfoo=bar\n"
      const names = "a.txt b.txt file.txt data.csv config.txt access.log urls.txt list.txt x.ts y.md old.txt new.txt"
      const files = Object.fromEntries(names.split(" ").map((name) => [name, lines]))
      expect(compare(everyday, files, `${folder}:/usr/bin:/bin`)).toBeGreaterThan(200)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
}
