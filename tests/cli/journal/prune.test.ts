import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { Journal } from "../../../src/journal/Journal.ts"
import { decodeCheckpoint } from "../../../src/journal/checkpoint.ts"
import { ask, deadHost, exit, ran, take, write } from "../../history/support.ts"
import { fill, journalWith } from "./support.ts"

const day = 86_400_000

/** A command on each of ten days up to now, with three entries each. */
const days = Effect.gen(function* () {
  for (let n = 9; n >= 0; n--) {
    yield* TestClock.setTime(Date.now() - n * day)
    yield* ran(`d${n}`)
  }
})

const checkpoints = (file: string) =>
  fill(
    file,
    Effect.map(
      Effect.flatMap(Journal, (journal) => journal.read({ filter: { branch: "journal" } })),
      (entries) => entries.map(decodeCheckpoint),
    ),
  )

it.effect("prunes old entries and records it, and the journal still verifies", () =>
  Effect.gen(function* () {
    const { file, said, saidIn } = yield* journalWith(days)
    const args = ["prune", "--older-than", "100h", "--why", "kept long enough"]
    expect(yield* said(...args, "--dry-run")).toEqual({
      status: 0,
      stdout: "would prune 15 entries up to position 15\n",
      stderr: "",
    })
    expect((yield* said("stats", "--json")).stdout).toContain('"entries":30')
    expect(yield* saidIn({ env: { USER: "ann" } }, ...args)).toEqual({
      status: 0,
      stdout: "pruned 15 entries up to position 15; recorded at 31\n",
      stderr: "",
    })
    expect(yield* checkpoints(file)).toMatchObject([
      { kind: "removed", through: 15, count: 15, by: "ann", why: "kept long enough" },
    ])
    expect((yield* said("verify")).stdout).toMatch(
      /^holds: 16 entries\npruned: entries up to 15, recorded in a checkpoint\n/,
    )
    expect((yield* said("list")).stdout.match(/\n/g)).toHaveLength(6)
    expect((yield* said(...args)).stdout).toBe("nothing to prune\n")
  }))

it.effect("prunes to a number of entries, or of bytes", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(days)
    expect(JSON.parse((yield* said("prune", "--keep-entries", "12", "--json")).stdout)).toEqual({
      dryRun: false,
      through: 18,
      removed: 18,
      stripped: 0,
      checkpoints: [31],
    })
    const { removed } = JSON.parse((yield* said("prune", "--keep-bytes", "1K", "--dry-run", "--json")).stdout)
    expect(removed).toBeGreaterThan(0)
    expect(removed).toBeLessThan(13)
  }))

it.effect("never prunes a command that has not ended, nor entries after its request", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.gen(function* () {
      yield* ran("c1")
      yield* ask("lost")
      yield* take("lost", { host: yield* deadHost })
      yield* ask("runs", ["sleep", "9"])
      yield* take("runs")
      yield* ran("c2")
    }))
    const before = { status: 0, stderr: "sluice: entries from 6 on stay: runs has not ended (sleep 9)\n" }
    expect(yield* said("prune", "--keep-entries", "1", "--dry-run")).toEqual({
      ...before,
      stdout: "would prune 5 entries up to position 5\n",
    })
    expect((yield* said("prune", "--keep-entries", "1")).stdout).toContain("pruned 5 entries up to position 5")
    expect(JSON.parse((yield* said("prune", "--keep-entries", "1", "--json")).stdout)).toMatchObject({
      removed: 0,
      oldestOpen: 6,
    })
    expect(yield* said("prune", "--command-id", "runs")).toEqual({
      status: 125,
      stdout: "",
      stderr: "sluice: --command-id: runs has not ended\n",
    })
  }))

it.effect("removes the contents of one command at any position, also while others run", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.gen(function* () {
      yield* ask("runs")
      yield* take("runs")
      yield* ask("secret-1", ["print"])
      yield* take("secret-1")
      yield* write("secret-1", { text: "hunter2\n" })
      yield* exit("secret-1")
    }))
    expect((yield* said("show", "secret")).stdout).toBe("hunter2\n")
    expect((yield* said("prune", "--command-id", "secret", "--dry-run")).stdout).toBe(
      "would prune the contents of 4 entries\n",
    )
    expect((yield* said("prune", "--command-id", "secret")).stdout).toBe(
      "pruned the contents of 4 entries; recorded at 7\n",
    )
    expect((yield* said("verify")).stdout).toContain("pruned contents: 4 entries, recorded in a checkpoint\n")
    expect((yield* said("export")).stdout).not.toContain("hunter2")
    const shown = yield* said("show", "secret")
    expect(shown.stdout).toBe("")
    expect(shown.stderr).toContain("$ [pruned]\n")
  }))

it.effect("prints statistics of a journal", () =>
  Effect.gen(function* () {
    const { file, said } = yield* journalWith(Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 22))
      yield* ran("c1", ["git", "log"])
      yield* ran("c2", ["git", "x"], 1)
      yield* ask("c3", ["a\x1b[2J"])
    }))
    const { status, stderr, stdout } = yield* said("stats")
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(stdout.split("\n")).toEqual([
      `journal    ${file} (sqlite)`,
      "entries    7 entries, positions 1 to 7",
      expect.stringMatching(/^size {7}\d+ KiB$/),
      expect.stringMatching(/^head {7}7:[0-9a-f]{64}$/),
      "commands   3 commands, from 2026-11-22T00:00:00.000Z to 2026-11-22T00:00:00.000Z",
      "output     0 B on stdout, 0 B on stderr",
      "",
      "COMMANDS  ENDED WITH",
      "       1  exit 0",
      "       1  exit 1",
      "       1  open",
      "",
      "COMMANDS  FAILED  TIME  PROGRAM",
      "       2       1  24ms  git",
      "       1       0   0ms  a\\u001b[2J",
      "",
    ])
    expect(JSON.parse((yield* said("stats", "--json")).stdout)).toMatchObject({
      store: "sqlite",
      location: file,
      entries: 7,
      first: 1,
      head: { position: 7 },
      commands: 3,
      outcomes: { "exit 0": 1, "exit 1": 1, open: 1 },
      programs: [{ program: "git", commands: 2, failed: 1, durationMillis: 24 }, { program: "a\x1b[2J" }],
      from: Date.UTC(2026, 10, 22),
    })
    const empty = yield* journalWith(Effect.void)
    expect((yield* empty.said("stats")).stdout).toContain("entries    0 entries\n")
  }))
