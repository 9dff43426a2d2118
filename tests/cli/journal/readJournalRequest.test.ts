import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { sharedFlags, subcommands } from "../../../src/cli/journal/flags.ts"
import { said } from "../support.ts"

it.effect("shows the help of every subcommand, every flag in it", () =>
  Effect.gen(function* () {
    const all = yield* said("journal", "--help")
    expect({ status: all.status, stderr: all.stderr }).toEqual({ status: 0, stderr: "" })
    expect(all.stdout).toContain("Exit status: 0 when all is well; 1 when verify finds what does not hold")
    for (const [name, spec] of Object.entries(subcommands)) {
      expect(all.stdout).toMatch(new RegExp(`\\n +${name} +${spec.short}`))
      const { status, stdout } = yield* said("journal", name, "--help")
      expect(status).toBe(0)
      for (const [flag, { about }] of Object.entries({ ...sharedFlags, ...spec.flags })) {
        expect(stdout).toContain(`--${flag}`)
        expect(stdout).toContain(about)
      }
    }
  }))

const somewhere = "--journal /nowhere/x.db"

const wrong: ReadonlyArray<readonly [line: string, problem: string]> = [
  ["journal shwo x", "there is no command shwo; did you mean show? (sluice journal --help tells more)"],
  ["journal show", "which command? give its ID, or last: the newest (sluice journal show --help tells more)"],
  ["journal list --faild", "there is no flag --faild; did you mean --failed? (sluice journal list --help tells more)"],
  ["journal list --since 5", `--since: "5" is no time; write how long ago`],
  ["journal list --limit many", `--limit: "many" is neither a whole number from 1 on nor all`],
  ["journal replay x --speed 0", `--speed: "0" is no speed`],
  ["journal show x --attempt 0", `--attempt: "0" is no whole number from 1 on`],
  ["journal verify --expect 7", `--expect: "7" is no head; write POSITION:HASH`],
  ["journal export --format mp4", `--format: "mp4" is no format; it can be ndjson, asciicast, asciicast-v3`],
  ["journal export --format asciicast", "--format asciicast records one command: give its ID, or last"],
  ["journal export x --format asciicast --size big", `--size: "big" is no size of a terminal`],
  ["journal prune", "prune what? give --older-than 30d, --keep-entries N, --keep-bytes 1G, or --command-id ID"],
  ["journal prune --dry-run --why because", "prune what?"],
  ["journal prune --older-than 30", `--older-than: "30" is no length of time`],
  ["journal prune --keep-bytes much", `--keep-bytes: "much" is no size`],
  ["journal list --journal=", "--journal: is empty"],
  ["journal list --journal notes.txt", `--journal: "notes.txt" does not say which store it is; write FILE.db`],
  ["journal list --journal mysql://me:s3cret@host/db", "--journal: no store for a URL of this kind; write FILE.db"],
  [`journal list ${somewhere}`, "/nowhere/x.db was not opened: it is not there (ENOENT)"],
  ["journal --journal /nowhere/x.ndjson list", "/nowhere/x.ndjson"],
  ["run --journal notes.txt -- true", `--journal: "notes.txt" does not say which store it is`],
]

it.effect.each(wrong)(
  "says in one line what is wrong with '%s', and exits with 125",
  ([line, problem]) =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* said(...line.split(" "))
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
    const { status, stderr, stdout } = yield* said(...args)
    expect(status).toBe(125)
    expect(stderr + stdout).not.toContain("s3cret")
    expect(stderr).toMatch(/^sluice: .*127\.0\.0\.1.*\n$/)
  }), 60_000)
