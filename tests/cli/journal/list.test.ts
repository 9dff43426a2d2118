import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { ask, deadHost, exit, fault, ran, take } from "../../history/support.ts"
import { journalWith } from "./support.ts"

const noon = Date.UTC(2025, 10, 22, 12)

/** Two well, one badly, one ended by a fault, one lost, one that waits. */
const day = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  yield* ran("019aaaaa-0001", ["git", "log"])
  yield* TestClock.adjust("1 hour")
  yield* ask("019aaaaa-0002", ["npm", "run", "a\nb"])
  yield* take("019aaaaa-0002")
  yield* exit("019aaaaa-0002", 3, { stdoutBytes: 2_000, stderrBytes: 48, duration: 61_000 })
  yield* ask("019aaaab-0003", ["make", "all"])
  yield* take("019aaaab-0003")
  yield* fault("019aaaab-0003", { _tag: "Timeout", kind: "total", afterMillis: 1 })
  yield* ask("019aaaac-0004", ["sleep", "1000"])
  yield* take("019aaaac-0004", { host: yield* deadHost })
  yield* ask("019aaaad-0005", ["true"])
})

it.effect("lists commands as a table for people, newest first", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(day)
    const { status, stderr, stdout } = yield* said("list")
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
    expect(stdout.split("\n")).toEqual([
      "ID             STARTED                   DURATION  EXIT       BYTES  COMMAND",
      "019aaaad-0005  2025-11-22T13:00:00.000Z         -  waiting        -  true",
      "019aaaac-0004  2025-11-22T13:00:00.000Z         -  lost           -  sleep 1000",
      "019aaaab-0003  2025-11-22T13:00:00.000Z       0ms  timeout      0 B  make all",
      "019aaaaa-0002  2025-11-22T13:00:00.000Z     1m01s  3        2.0 KiB  npm run 'a\\nb'",
      "019aaaaa-0001  2025-11-22T12:00:00.000Z      12ms  0            0 B  git log",
      "",
    ])
  }))

it.effect("fits the terminal, colours failures, and shows ages", () =>
  Effect.gen(function* () {
    const { saidIn } = yield* journalWith(day)
    const { stdout } = yield* saidIn({ terminal: true, columns: 66 }, "list")
    expect(stdout).toContain("\x1b[31mtimeout\x1b[39m")
    expect(stdout).toContain("\x1b[31m3\x1b[39m")
    expect(stdout).toContain("\x1b[33mwaiting\x1b[39m")
    // deno-lint-ignore no-control-regex
    const lines = stdout.replace(/\x1b\[\d+m/g, "").split("\n").slice(0, -1)
    expect(lines.map((line) => line.length > 66)).toEqual(lines.map(() => false))
    expect(lines[4]).toMatch(/^019aaaaa-0002 .* {2}npm run 'a…$/)
    expect(lines[1]).not.toContain("2025-11-22T")
    const iso = yield* saidIn({ terminal: true, columns: 200, env: { NO_COLOR: "1" } }, "list", "--iso")
    expect(iso.stdout).toContain("2025-11-22T13:00:00.000Z")
    expect(iso.stdout).not.toContain("\x1b")
  }))

it.effect("lists the commands that match the flags", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(day)
    const commands = (...args: ReadonlyArray<string>) =>
      Effect.map(said("list", ...args), ({ stdout }) =>
        stdout.trimEnd().split("\n").slice(1).map((line) => line.trim().split(/ {2,}/).at(-1)))
    expect(yield* commands("--failed")).toEqual(["sleep 1000", "make all", "npm run 'a\\nb'"])
    expect(yield* commands("--since", "2025-11-22T12:30:00Z", "--failed", "--max-count", "1")).toEqual(["sleep 1000"])
    expect(yield* commands("--until", "2025-11-22T12:30:00Z")).toEqual(["git log"])
    expect(yield* commands("--command", "*a*", "--oldest")).toEqual(["npm run 'a\\nb'", "make all"])
    expect(yield* commands("--oldest", "--max-count", "2")).toEqual(["git log", "npm run 'a\\nb'"])
  }))

it.effect("shortens ids as far as they differ, also from commands that the filter leaves out", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(day)
    const ids = (...args: ReadonlyArray<string>) =>
      Effect.map(
        said("list", ...args),
        ({ stdout }) => stdout.trimEnd().split("\n").slice(1).map((line) => line.split(" ")[0]),
      )
    expect(yield* ids("--command", "make")).toEqual(["019aaaab"])
    // Beside it stands one that differs at the very end, though it is not listed.
    expect(yield* ids("--command", "npm")).toEqual(["019aaaaa-0002"])
    const { stdout } = yield* said("show", "019aaaab", "--json")
    expect(stdout).toContain("019aaaab-0003")
  }))

it.effect("writes one object a line with --json, all of them, with names that stay", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.gen(function* () {
      yield* day
      for (let n = 0; n < 60; n++) yield* ran(`many-${n}`)
    }))
    const { stderr, stdout } = yield* said("list", "--json", "--oldest")
    const rows = stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    expect({ stderr, rows: rows.length }).toEqual({ stderr: "", rows: 65 })
    expect(rows[1]).toEqual({
      commandId: "019aaaaa-0002",
      position: 4,
      state: "exited",
      exitCode: 3,
      requested: noon + 3_600_000,
      ended: noon + 3_600_000,
      durationMillis: 61_000,
      stdoutBytes: 2_000,
      stderrBytes: 48,
      attempts: 1,
      line: "npm run 'a\\nb'",
      command: "npm",
      arguments: ["run", "a\nb"],
      useShell: false,
      executable: "/bin/true",
      host: expect.any(String),
      pid: process.pid,
    })
    expect(rows[2]).toMatchObject({ state: "faulted", reason: "Timeout", message: "exec: it went wrong" })
    expect((yield* said("list", "--json", "--max-count", "2")).stdout.match(/\n/g)).toHaveLength(2)
  }))

it.effect("shows the newest fifty, and a note that there are more", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.forEach(Array.from({ length: 51 }), (_, n) => ran(`c${n}`)))
    const short = yield* said("list")
    expect(short.stdout.match(/\n/g)).toHaveLength(51)
    expect(short.stderr).toBe("sluice: there are more; use --max-count all\n")
    const all = yield* said("list", "--max-count", "all")
    expect(all.stdout.match(/\n/g)).toHaveLength(52)
    expect(all.stderr).toBe("")
    expect((yield* said("list", "--max-count", "50")).stderr).toBe("")
  }))

it.effect("lists thousands in blocks", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.forEach(Array.from({ length: 450 }), (_, n) => ran(`c${n}`)))
    const { stdout } = yield* said("list", "--max-count", "all")
    const lines = stdout.trimEnd().split("\n")
    expect(lines).toHaveLength(451)
    expect(lines.filter((line) => line.startsWith("ID"))).toHaveLength(1)
    expect(lines.slice(1).map((line) => line.split(" ")[0])).toEqual(
      Array.from({ length: 450 }, (_, n) => `c${449 - n}`),
    )
  }))

it.effect("reports an empty list on stderr, and exits with 0", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.void)
    expect(yield* said("list")).toEqual({ status: 0, stdout: "", stderr: "sluice: no commands\n" })
    expect(yield* said("list", "--runs")).toEqual({ status: 0, stdout: "", stderr: "sluice: no runs of agents\n" })
    expect(yield* said("list", "--json")).toEqual({ status: 0, stdout: "", stderr: "" })
  }))
