import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs"
import { workshop } from "../../support/workshop.ts"
import { fakeProcess, runFakeProcess } from "../support.ts"
import { readerOf } from "./support.ts"

const posix = it.effect.skipIf(process.platform === "win32")

/** What `sluice run` does where the environment names a journal. */
const run = (journal: string, ...args: ReadonlyArray<string>) =>
  runFakeProcess({
    ...fakeProcess(["run", ...args]),
    variable: (name) => name === "SLUICE_JOURNAL" ? journal : undefined,
  })

const linesOf = (file: string) =>
  Effect.map(
    readerOf(file).said("list", "--json"),
    ({ stdout }) => stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line)),
  )

posix(
  "journals the chunks of windows, events and whole outputs, in every file store",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      for (const name of ["j.db", "j.sqlite3", "j.ndjson", "j.JSONL"]) {
        const file = path(name)
        for (const flags of [[], ["--window", "lines:2"], ["--json"], ["--no-stream"], ["--merge"]]) {
          const what = [name, ...flags].join(" ")
          expect(yield* run("", "--journal", file, ...flags, "--", "seq", "5"), what).toMatchObject({
            status: 0,
            stderr: "",
          })
          const replayed = yield* readerOf(file).said("replay", "last", "--speed", "max")
          expect(replayed, what).toEqual({ status: 0, stdout: "1\n2\n3\n4\n5\n", stderr: "" })
        }
        expect((yield* readerOf(file).said("verify")).stdout).toMatch(/^holds: \d+ entries\n/)
        expect(yield* linesOf(file)).toHaveLength(5)
      }
    }),
)

posix("journals the directory and the executable of the command", () =>
  Effect.gen(function* () {
    const { directory, makeDirectory, path } = yield* workshop
    makeDirectory("deep")
    yield* run(path("j.db"), "--", "sh", "-c", "echo 12; echo 3 >&2; exit 3")
    yield* run(path("j.db"), "--cwd", path("deep"), "--", "true")
    const [deep, here] = yield* linesOf(path("j.db"))
    expect(here).toMatchObject({
      state: "exited",
      exitCode: 3,
      line: "sh -c 'echo 12; echo 3 >&2; exit 3'",
      workingDirectory: process.cwd(),
      stdoutBytes: 3,
      stderrBytes: 2,
      attempts: 1,
      pid: process.pid,
    })
    expect(here.executable).toMatch(/^\/.*sh$/)
    expect(deep).toMatchObject({ line: "true", workingDirectory: path("deep") })
    expect(directory).not.toBe(process.cwd())
  }))

posix(
  "prefers the named journal to the variable, and uses none without either",
  () =>
    Effect.gen(function* () {
      const { exists, path } = yield* workshop
      yield* run(path("env.db"), "--", "echo", "env")
      yield* run(path("env.db"), "--journal", path("flag.db"), "--", "echo", "flag")
      yield* run("", "--", "echo", "unseen")
      expect((yield* linesOf(path("env.db"))).map(({ line }) => line)).toEqual(["echo env"])
      expect((yield* linesOf(path("flag.db"))).map(({ line }) => line)).toEqual(["echo flag"])
      const own = { ...fakeProcess(["journal", "list", "--json"]), variable: () => path("env.db") }
      expect((yield* runFakeProcess(own)).stdout).toContain('"line":"echo env"')
      const wrong = { ...fakeProcess(["journal", "list"]), variable: () => "notes.txt" }
      expect((yield* runFakeProcess(wrong)).stderr).toMatch(
        /^sluice: SLUICE_JOURNAL: cannot tell the store of "notes.txt"/,
      )
      expect(exists(".sluice")).toBe(false)
    }),
)

posix("does not run a command that it cannot journal, and reports why", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    write("other.db", "this is no database, and long enough to be one: ".repeat(40))
    write("other.ndjson", "this is no journal\n")
    mkdirSync(path("folder.db"))
    for (const name of ["other.db", "other.ndjson", "folder.db"]) {
      const { status, stderr, stdout } = yield* run(path(name), "--", "touch", path("ran"))
      expect({ name, status, stdout }).toEqual({ name, status: 125, stdout: "" })
      expect(stderr).toMatch(/^exec: touch was not run, because it could not be journaled: .*\n$/)
      expect(existsSync(path("ran"))).toBe(false)
    }
    const { stdout } = yield* run(path("other.db"), "--json", "--", "touch", path("ran"))
    expect(JSON.parse(stdout)).toMatchObject({ _tag: "ShellFault", reason: { _tag: "JournalFailed" } })
    expect(existsSync(path("ran"))).toBe(false)
  }))

posix("makes one folder for a journal, and no more for a mistyped path", () =>
  Effect.gen(function* () {
    const { exists, path } = yield* workshop
    for (const name of ["no/such/run.db", "no/such/run.ndjson"]) {
      const { status, stderr } = yield* run(path(name), "--", "touch", path("ran"))
      expect([status === 0, exists("ran"), exists("no")]).toEqual([false, false, false])
      expect(stderr).toContain(`the folder ${path("no")} does not exist`)
    }
    expect((yield* run(path("one/run.db"), "--", "true")).status).toBe(0)
  }))

// Root may write where no other user may.
const restricted = process.platform !== "win32" && process.getuid?.() !== 0

if (restricted) {
  it.effect(
    "does not run a command whose journal is read-only, and still reads the journal",
    () =>
      Effect.gen(function* () {
        const { path } = yield* workshop
        yield* run(path("j.db"), "--", "true")
        chmodSync(path("j.db"), 0o400)
        expect(yield* run(path("j.db"), "--", "touch", path("ran"))).toMatchObject({ status: 125, stdout: "" })
        expect(existsSync(path("ran"))).toBe(false)
        expect(yield* linesOf(path("j.db"))).toMatchObject([{ line: "true" }])
      }),
  )
}

posix(
  "creates journals that only their owner can read, and recognizes a store by the first bytes of the file",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      for (const [name, other] of [["j.db", "one"], ["j.ndjson", "two"]] as const) {
        yield* run(path(name), "--", "echo", "x")
        expect(statSync(path(name)).mode & 0o077).toBe(0)
        renameSync(path(name), path(other))
        expect(yield* linesOf(path(other))).toMatchObject([{ line: "echo x" }])
        yield* run(path(other), "--", "echo", "y")
        expect(yield* linesOf(path(other))).toMatchObject([{ line: "echo y" }, { line: "echo x" }])
      }
    }),
)
