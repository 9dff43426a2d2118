import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sharedFlags } from "../../../src/cli/journal/flags.ts"
import { journalSpec } from "../../../src/cli/journal/journalSpec.ts"
import { runInProcess } from "../support.ts"

it.effect("shows the help of every subcommand, every flag in it", () =>
  Effect.gen(function* () {
    const all = yield* runInProcess("journal", "--help")
    expect({ status: all.status, stderr: all.stderr }).toEqual({ status: 0, stderr: "" })
    expect(all.stdout).toContain("Exit status: 0 success; 1 verify found damage")
    for (const { flags, name, short } of journalSpec.commands) {
      expect(all.stdout).toMatch(new RegExp(`\\n +${name} +${short}`))
      const { status, stdout } = yield* runInProcess("journal", name, "--help")
      expect(status).toBe(0)
      for (const [flag, { about }] of Object.entries({ ...sharedFlags, ...flags })) {
        expect(stdout).toContain(`--${flag}`)
        expect(stdout).toContain(about)
      }
    }
  }))

const somewhere = "--journal /nowhere/x.db"

const wrong: ReadonlyArray<readonly [line: string, problem: string]> = [
  ["journal shwo x", 'unknown command shwo; did you mean "show"? (see sluice journal --help)'],
  ["journal show", "missing ID: give the id of a command, or last for the newest (see sluice journal show --help)"],
  ["journal list --faild", 'unknown flag --faild; did you mean "--failed"? (see sluice journal list --help)'],
  ["journal list --since 5", `--since: "5" is not a time; write an age`],
  ["journal list --max-count many", `--max-count: "many" is neither a whole number from 1 nor all`],
  ["journal replay x --speed 0", `--speed: "0" is not a speed`],
  ["journal show x --attempt 0", `--attempt: "0" is not a whole number from 1`],
  ["journal verify --expect 7", `--expect: "7" is not a head; write POSITION:HASH`],
  ["journal export --format mp4", `--format: "mp4" is not a format; write one of ndjson, asciicast, asciicast-v3`],
  ["journal export --format asciicast", "--format asciicast needs one command: give its ID, or last"],
  ["journal export x --format asciicast --size big", `--size: "big" is not a terminal size`],
  ["journal prune", "nothing to prune: give --older-than 30d, --keep-entries N, --keep-bytes 1G, or --command-id ID"],
  ["journal prune --dry-run --why because", "nothing to prune:"],
  ["journal prune --older-than 30", `--older-than: "30" is not an age`],
  ["journal prune --keep-bytes much", `--keep-bytes: "much" is not a size`],
  ["journal list --journal=", "--journal: is empty"],
  ["journal list --journal notes.txt", `--journal: cannot tell the store of "notes.txt"; write FILE.db`],
  ["journal list --journal mysql://me:s3cret@host/db", "--journal: no store for a URL of this kind; write FILE.db"],
  [`journal list ${somewhere}`, "/nowhere/x.db was not opened: it does not exist (ENOENT)"],
  ["journal --journal /nowhere/x.ndjson list", "/nowhere/x.ndjson"],
  ["run --journal notes.txt -- true", `--journal: cannot tell the store of "notes.txt"`],
]

it.effect.each(wrong)(
  "reports the problem with '%s' in one line, and exits with 125",
  ([line, problem]) =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* runInProcess(...line.split(" "))
      expect({ status, stdout }).toEqual({ status: 125, stdout: "" })
      expect(stderr).toMatch(/^sluice: /)
      expect(stderr).toContain(problem)
      expect(stderr).not.toContain("s3cret")
      expect(stderr.match(/\n/g)).toHaveLength(1)
    }),
)

const unreachable = "postgres://me:s3cret@127.0.0.1:1/x"

it.live.each([
  ["journal", "list", "--journal", unreachable],
  ["run", "--json", "--journal", unreachable, "--", "true"],
])("never shows the password of a journal that it cannot reach: %j", (args) =>
  Effect.gen(function* () {
    const { status, stderr, stdout } = yield* runInProcess(...args)
    expect(status).toBe(125)
    expect(stderr + stdout).not.toContain("s3cret")
    expect(stderr).toMatch(/^(sluice|exec): .*127\.0\.0\.1.*\n$/)
  }))
