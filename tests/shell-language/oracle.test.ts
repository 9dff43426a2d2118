import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse } from "../../src/shell-language/ShellLanguage.ts"
import { scripts } from "./scripts.ts"

const right = (script: string): boolean => parse(script)._tag === "Success"

/** The scripts that a shell accepts without running them. Messages other than warnings are errors, whatever the status. */
const asked = (shell: string): ReadonlyArray<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-oracle-"))
  try {
    scripts.forEach((script, i) => writeFileSync(join(folder, `${i}`), script))
    const each = `i=0
    while [ "$i" -lt ${scripts.length} ]; do
      if said=$(${shell} -n "$i" 2>&1 </dev/null); then
        case $said in "" | *": warning:"*) echo right ;; *) echo wrong ;; esac
      else echo wrong; fi
      i=$((i + 1))
    done`
    const answers = execFileSync("/bin/sh", ["-c", each], { cwd: folder, encoding: "utf8" }).trimEnd().split("\n")
    return answers.map((answer) => answer === "right")
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The scripts on which the parser and a shell differ, each with its reason. */
const differing = (
  shell: string,
  reasons: Readonly<Record<string, (script: string) => boolean>>,
): ReadonlyArray<string> => {
  const answers = asked(shell)
  return scripts.flatMap((script, i) => {
    if (right(script) === answers[i]) return []
    const reason = Object.entries(reasons).find(([, holds]) => holds(script))?.[0]
    return [`${JSON.stringify(script)}: ${shell} says ${answers[i] ? "right" : "wrong"} (${reason ?? "no reason"})`]
  })
}

const among = (...scripts: ReadonlyArray<string>) => (script: string): boolean => scripts.includes(script)

const early = {
  "backquotes and here-documents are parsed when the script is, not when they are expanded": among(
    "echo `if`",
    "cat <<E\n$(if)\nE",
    "cat <<E\n${x\nE",
    "cat <<E\n`if`\nE",
    "cat <<E\n$((1\nE",
    'echo `a \\`b\\` c` "`a "b"`" `a "`',
    "echo $(a `b)`) ",
  ),
}

if (existsSync("/bin/bash")) {
  it("accepts the scripts that bash accepts, except those in the list", () => {
    const reasons = {
      ...early,
      "a function's name that bash refuses when it is defined": among(
        "$x() { :; }",
        '"x"() { :; }',
        'f"x"() { :; }',
        'function "f" { a; }',
        "function $f { a; }",
      ),
      "a loop's variable that bash refuses when it runs": among(
        "for 1a in b; do :; done",
        'for "i" in a; do :; done',
      ),
      "bash takes an empty condition for a false one": among("[[ ]]", "[[ ! ]]", "[[ a && ]]"),
      "coprocesses are not supported": (script: string) => script.startsWith("coproc"),
    }
    const differences = differing("bash", reasons)
    expect(differences.filter((difference) => difference.endsWith("(no reason)"))).toEqual([])
    expect(differences.length).toBe(19)
  })
}

if (existsSync("/bin/dash")) {
  it("accepts the POSIX scripts that dash accepts", () => {
    const extension =
      /\[\[|[<>]\(|=\(|\(\(|\bfunction\b|\bselect\b|;;?&|\|&|\$['"[]|<<<|&>|\bcoproc\b|\btime\b|\{ ?[a-z]+\}>|^! ?[!;]|^!$|; \{/
    const reasons = {
      ...early,
      "an extension of bash": (script: string) => extension.test(script),
      "POSIX has only compound commands as the bodies of functions": (script: string) =>
        /^(f|a)\(\) (:|echo x|g\(\)|b)/.test(script),
      "bash's names of functions": among("f-g() { :; }", "1() { :; }", "é() { a; }"),
      "bash's subscripts": among("a[1 2", "a[1", "a[b", "echo ${x[} ", "echo ${x[1} "),
      "bash looks for the end of quotes within ${ }": among('echo "${x:-\'}"', 'echo ${"x"} ${$x} ${$(a)}'),
      "a delimiter that dash expands": among("cat <<$(a)\nb\n$(a)\n"),
      "a newline and then a semicolon before do": among("for i\n; do :; done"),
    }
    const differences = differing("dash", reasons)
    expect(differences.filter((difference) => difference.endsWith("(no reason)"))).toEqual([])
    // Most scripts are POSIX's, or else this would say little.
    expect(scripts.filter((script) => !extension.test(script)).length).toBeGreaterThan(350)
  })
}

it("compares several hundred valid and invalid scripts", () => {
  const accepted = scripts.filter(right).length
  expect(accepted).toBeGreaterThan(300)
  expect(scripts.length - accepted).toBeGreaterThan(200)
  expect(new Set(scripts).size).toBe(scripts.length)
})
