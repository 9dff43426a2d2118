import { expect, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { findEvaluations, parse } from "../../../src/shell-language/ShellLanguage.ts"
import { type Random, random } from "../../support/random.ts"
import { hidden, known, ranInBash } from "./code/markers.ts"

const lines = (name: string): ReadonlyArray<string> =>
  readFileSync(new URL(`code/${name}.txt`, import.meta.url), "utf8").split("\n").filter((line) => line !== "")

const blocks = readFileSync(new URL("code/hostileLines.txt", import.meta.url), "utf8").trimEnd().split("\n---\n")
const hostile = [...lines("hostile"), ...blocks]

it("reports nothing in everyday scripts", () => {
  for (const script of lines("harmless")) {
    const parsed = parse(script)
    const found = parsed._tag === "Success" ? findEvaluations(parsed.success) : [parsed.failure.message]
    expect([script, found]).toEqual([script, []])
  }
})

it("reports the position and a description", () => {
  const parsed = parse("i=0\necho $((i + j))")
  expect(parsed._tag === "Success" ? findEvaluations(parsed.success) : []).toEqual([
    { span: { start: 12, end: 17 }, what: 'arithmetic over "j", which may hold anything' },
  ])
})

/** Scripts with a variable that looks like a number, but that bash or the command's environment may set to another value. */
const uncertain = [
  "REPLY=0; read <<< x; echo $((REPLY))",
  "OPTARG=0; getopts a: o; echo $((OPTARG))",
  "_=0; echo x; echo $((_))",
  "declare() { :; }; declare i=0; echo $((i))",
  "declare -Z i=0; echo $((i))",
  "declare -p i=0; echo $((i))",
  "unset RANDOM; echo $((RANDOM))",
  "echo $((SECONDS))",
  "(ls {i}>&1); echo $((i))",
  "exec {i}<&99; echo a >&$i",
  "printf -v x -v 'a[0$y]' z",
]

it("counts a variable as a number only if an assignment is certain", () => {
  for (const script of uncertain) {
    const parsed = parse(script)
    const found = parsed._tag === "Success" ? findEvaluations(parsed.success) : []
    expect([script, found.length > 0]).toEqual([script, true])
  }
})

/** Pieces from which scripts are composed and nested. */
const pieces = [
  ..."m1 m2 $(m1 $( ) `m2` ` ' \" \\ $' $\" ${ } ${x:- ${x# ${x/ / (( )) $(( $[ [ ] a[ = += ( { <<E <<'E' <<-E E # ! [[ ]] "
    .split(" "),
  ..."-eq =~ == esac ;; do done then fi <( >( > < && || x= * ? @( $ \r é 1 0 + ${!x ${#x ${x@P} ${x[ f() {a,b} ~ <<< |& >& "
    .split(" "),
  ...[
    "\n",
    "\nE\n",
    " ",
    " ",
    "\t",
    "\\\n",
    "; }",
    "{ ",
    "case x in ",
    "for i in ",
    "if ",
    ";",
    "&",
    "|",
    "x=(",
    "\u00a0",
  ],
]

const mutant = ({ int, pick }: Random): string => {
  let text = pick(hostile)
  for (let left = int(1, 3); left > 0; left--) {
    const from = int(0, text.length)
    text = text.slice(0, from) + pick([pick(pieces), pick(pieces), ""]) + text.slice(from + pick([0, 0, 1, 3]))
  }
  return text
}

/** Loops that may not end are left out. */
const scripts = (seed: number, count: number): ReadonlyArray<string> => {
  const source = random(seed)
  const made = new Set<string>()
  while (made.size < count) {
    const script = mutant(source)
    if (!/until|while|for *\(\(/.test(script) && typeof known(script).names !== "string") made.add(script)
  }
  return [...made]
}

if (existsSync("/bin/bash")) {
  it("lists only scripts that run a command in bash", () => {
    const ran = ranInBash(hostile)
    expect(ran.filter((names) => names.size > 0).length).toBeGreaterThan(hostile.length * 0.8)
  })

  it("shows every command that bash runs in the tree or in the report, or refuses the script", () => {
    expect(hidden(hostile)).toEqual([])
    // What is told of all of them, so that nothing is right by being refused.
    const told = hostile.map((script) => known(script).names)
    expect(told.filter((names) => names === "refused").length).toBeLessThan(20)
  })

  it("hides no command of mutated scripts", () => {
    expect(hidden(scripts(1, 600))).toEqual([])
  })
}
