/**
 * Runs GNU sed's tests (`testsuite` of its source, in the folder `SLUICE_SED`) in the sandbox: programs with their inputs and
 * results, and the table of `misc.pl`, which perl reads (in bubblewrap).
 */
import * as Schema from "effect/Schema"
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { Sandbox } from "@sluice/shell/sandbox"
import { wallsAround } from "../kernel/walls.ts"

const folder = process.env["SLUICE_SED"] ?? ""

/** Prints the table as JSON. The rest of the file runs the tests, and is left out. */
const reader = `
use JSON::PP;
open(my $in, '<', $ARGV[0]); local $/; my $text = <$in>;
$text =~ /my \\@Tests =\\s*(\\(.*?\\n    \\));/s or die 'no table';
my $prog = 'sed';
my @tests = eval $1; die $@ if $@;
print JSON::PP->new->latin1->allow_nonref->encode(\\@tests);
`

const Table = Schema.Array(Schema.Array(Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.Unknown)])))

const readTable = () => {
  const args = [...wallsAround(folder), "perl", "-e", reader, "misc.pl"]
  const { stderr, stdout } = spawnSync("bwrap", args, { encoding: "latin1" })
  if (stdout === "") throw new Error(stderr)
  return Schema.decodeUnknownSync(Schema.fromJsonString(Table))(stdout)
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))
const textOf = (value: unknown): string => typeof value === "string" ? value : ""

/** A file of a test by its name, or without one by its place. */
const fileOf = (value: unknown, at: number): readonly [name: string, text: string] => {
  if (typeof value === "string") return [`in${at}`, value]
  const [name, text] = Object.entries(Object(value))[0] ?? ["", ""]
  return [name, textOf(text)]
}

it("misc.pl", async () => {
  const failures: Array<string> = []
  let count = 0
  for (const [name, ...parts] of readTable()) {
    await using sandbox = await Sandbox.open({ cwd: "/w", files: { "/w/.keep": "" }, env: { LC_ALL: "C" } })
    const words: Array<string> = []
    let expected: { out: string; exit: number } = { out: "", exit: 0 }
    let isChecked = true
    for (const [at, part] of parts.entries()) {
      if (typeof part === "string") words.push(part)
      else if (part["IN"] !== undefined) {
        const [file, text] = fileOf(part["IN"], at)
        await sandbox.writeFile(`/w/${file}`, bytesOf(text))
        words.push(file)
      } else if (part["OUT"] !== undefined) expected = { ...expected, out: textOf(part["OUT"]) }
      else if (part["EXIT"] !== undefined) expected = { ...expected, exit: Number(part["EXIT"]) }
      else if (part["ERR"] === undefined && part["ERR_SUBST"] === undefined) isChecked = false
    }
    if (!isChecked) continue
    count++
    const found = await sandbox.run(`sed ${words.join(" ")}`, { timeout: 20_000, check: false })
    const out = Array.from(found.stdoutRaw, (byte) => String.fromCharCode(byte)).join("")
    if (out !== expected.out || found.exitCode !== expected.exit) {
      failures.push(`${String(name)}: ${found.exitCode} ${JSON.stringify(out)} ${found.stderr}`)
    }
  }
  // With -z, `^` and `$` of the flag M are at newlines, not at NUL.
  const unknown = failures.filter((failure) => !failure.startsWith("zero-anchor:"))
  expect(unknown, `${failures.length} of ${count}`).toEqual([])
}, 600_000)

const programs = existsSync(folder)
  ? readdirSync(folder).filter((file) => file.endsWith(".sed")).map((file) => file.slice(0, -".sed".length))
    .filter((name) => existsSync(`${folder}/${name}.inp`) && existsSync(`${folder}/${name}.good`))
  : []

it.each(programs)("%s.sed", async (name) => {
  const read = (kind: string) => new Uint8Array(readFileSync(`${folder}/${name}.${kind}`))
  const files = { "/w/p.sed": read("sed"), "/w/input": read("inp"), "/w/good": read("good") }
  await using sandbox = await Sandbox.open({ cwd: "/w", files, env: { LC_ALL: "C" } })
  const script = `sed -f p.sed < input > out; cmp out good || diff out good`
  const { stdout } = await sandbox.run(script, { check: false })
  expect(stdout).toBe("")
})
