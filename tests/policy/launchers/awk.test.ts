/** awk: programs that run something by one reading, and nothing by another. Each is tried in the awks of this machine. */
import { describe, expect, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { awk } from "../../../src/policy/launchers/awk.ts"

const callers: ReadonlyArray<ReadonlyArray<string>> = [["mawk"], ["gawk"], ["original-awk"], ["busybox", "awk"]]

const awks = callers.filter(([name = "", ...words]) => spawnSync(name, [...words, "BEGIN{exit}"]).status === 0)

/** Which awks make a file by a program whose input is the line `touch m`. */
const makers = (program: string): ReadonlyArray<string> =>
  awks.flatMap(([name = "", ...words]) => {
    const cwd = mkdtempSync(join(tmpdir(), "awk-"))
    spawnSync(name, [...words, program], { cwd, input: "touch m\n", timeout: 5_000 })
    const made = existsSync(cwd) && readdirSync(cwd).length > 0
    rmSync(cwd, { recursive: true })
    return made ? [name] : []
  })

const outcome = (program: string): string => awk([program])._tag

/** With the awks that take them for a program that runs or writes something. */
const attacks: ReadonlyArray<readonly [program: string, by: string]> = [
  ['BEGIN{\r/"/;system("touch m");#"/\n}', "mawk gawk original-awk"],
  ['BEGIN{\v/"/;system("touch m");#"/\n}', "mawk"],
  ['BEGIN{\f/"/;system("touch m");#"/\n}', "mawk"],
  // A slash behind `if (…)`, a word, `?`, `+` or a regular expression begins another one, or divides.
  ["{if (1) /,/ system($0); /,/; z=1/2}", "gawk original-awk"],
  ["{x=1; if (1)\n/2/ system($0); x=/1/ }", "gawk original-awk"],
  ["{print /,/ system($0); /,/; z=1/2}", "mawk gawk original-awk"],
  ["{length /,/ system($0); /,/; z=1/2}", "mawk"],
  ["{x = 1 ? /,/ system($0) : 0; /,/; z=1/2}", "mawk gawk original-awk"],
  ["{x = 1 + /,/ system($0); /,/; z=1/2}", "mawk gawk"],
  ['{ if (1) /"/; system($0); #"/\n}', "gawk original-awk busybox"],
  // Output.
  ['BEGIN { print "x" > "m" }', "mawk gawk original-awk busybox"],
  ['BEGIN { print "x" >> "m" }', "mawk gawk original-awk busybox"],
  ['BEGIN { print("x")>"m" }', "mawk gawk original-awk busybox"],
  ['BEGIN { printf "x",\n1 > "m" }', "mawk gawk original-awk busybox"],
  ['BEGIN { print "x" ||\n1 > "m" }', "mawk gawk original-awk"],
  ['BEGIN { print (1) (2) > "m" }', "mawk gawk original-awk busybox"],
  ['BEGIN { print "x" \\\n> "m" }', "mawk gawk original-awk busybox"],
  // Commands.
  ['BEGIN { "touch m" | getline }', "mawk gawk original-awk busybox"],
  ['BEGIN { print "" | "touch m" }', "mawk gawk original-awk busybox"],
  ['BEGIN { print "" |& "touch m"; close("touch m") }', "gawk"],
  ['BEGIN { f = "system"; @f("touch m") }', "gawk"],
]

describe("awk", () => {
  it.each(attacks)("refuses %j", (program, by) => {
    const known = by.split(" ").filter((name) => awks.some(([each]) => each === name))
    expect([outcome(program), makers(program)]).toEqual(["Refused", known])
  })

  it.each([
    ...[
      "{print $1}",
      "/@/ {print $1}",
      "NR>=10 && NR<=20",
      "$5+0 > 80",
      "$1 ~ /e|f/",
      "!/^#/",
      "a||b",
      "$0 !~ /x/ {n++}",
    ],
    ...["{ if ($3 > max) { max = $3; line = $0 } } END { print line }", "{a[NR]=$1} END {print a[int(NR/2)+1]}"],
    ...['BEGIN { FS=","; OFS="\\t" }\n{ sum[$1] += $2 }\nEND { for (k in sum) print k, sum[k] } # per key'],
    ...[
      "/[[:space:]]$/",
      '{ gsub(/[ \\t]+$/, ""); print }',
      "/start/,/end/",
      '{ print > "/dev/stderr" }',
      "{ x /= 2 }",
    ],
    ...["{ print length / 2 }", "{ x = $1 > 2; print x }", "{ print ($1 > 2) }", '{ print "é|" $1 }', "{ i++ / 2 }"],
    ...['function f(x) { return x / 2 }\n{ print f($1) / 3 "/" }', '{ print "| " $1 }', '{print(length($0)/2)"/"NR}'],
  ])("lets %j run", (program) => {
    expect([outcome(program), makers(program)]).toEqual(["Plain", []])
  })

  it.each([
    ...[
      'BEGIN { awk::system("x") }',
      'BEGIN { print "x" > "/dev/stderr" ".m" }',
      'BEGIN { getline < "x" }',
      '@load "x"',
      '@include "x"',
      '{ print "\u001f" }',
      '{ print "a\\\nb" }',
    ],
    ...["{ x\\ y }", "{ é = 1 }", "/[/]/", "/[", "/x", '"x', '{ print "é\\\\" }', "BEGIN { print 1 > x ? 2 : 3 }"],
  ])("refuses %j, which runs nothing or cannot be told", (program) => {
    expect(outcome(program)).toBe("Refused")
  })

  it.each([
    ...[
      "-f x",
      "-E x",
      "-i x",
      "-l x",
      "-e 1",
      "-o",
      "-d",
      "-D 1",
      "-p",
      "-W exec=x",
      "--exec x",
      "--source 1",
      "--load x",
    ],
    ...["--include x", "1 -f", "-vx=1", "-F: 1 -lx", "--file=x"],
  ])("refuses the options %s", (call) => {
    const words = call === "-vx=1" ? ["-vx=1", "system(1)"] : call.split(" ")
    expect(awk(words)._tag).toBe("Refused")
  })
})
