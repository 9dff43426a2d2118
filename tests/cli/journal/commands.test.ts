import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { readFileSync, writeFileSync } from "node:fs"
import { Journal } from "../../../src/journal/Journal.ts"
import { draftRequest } from "../../../src/branch/BranchDefinition.ts"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { ComputeBranch } from "../../../src/compute/ComputeBranch.ts"
import { ask, deadHost, exit, fault, ran, take, write } from "../../history/support.ts"
import { fill, journalWith } from "./support.ts"

const noon = Date.UTC(2025, 10, 22, 12)

/** One command with output on both, over half a second. */
const one = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  yield* ask("c1", ["git", "log"], { cwd: "/srv/a b" })
  yield* take("c1")
  yield* write("c1", { bytes: [0x61, 0xff, 0x0a], at: noon + 100 }, {
    text: "oops\n",
    stream: "stderr",
    at: noon + 200,
  })
  yield* TestClock.setTime(noon + 500)
  yield* write("c1", { text: "end", at: noon + 500 })
  yield* exit("c1", 3, { stdoutBytes: 6, stderrBytes: 5, duration: 480, executable: "/usr/bin/git" })
})

it.effect("shows one command: its metadata on stderr, its output unchanged", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(one)
    const { status, stderr, stdout } = yield* said("show", "c1")
    expect({ status, stdout }).toEqual({ status: 0, stdout: "a\ufffd\nend" })
    expect(stderr.split("\n")).toEqual([
      "$ git log",
      "id           c1",
      "directory    /srv/a b",
      "requested    2025-11-22T12:00:00.000Z",
      expect.stringMatching(/^run by {7}in-process \(process \d+ on .*\)$/),
      "ended        2025-11-22T12:00:00.500Z, after 480ms",
      "executable   /usr/bin/git",
      "end          exit 3",
      "output       6 B on stdout, 5 B on stderr",
      "",
      "oops",
      "",
    ])
  }))

it.effect("shows the request of a command with secrets as markers and control characters escaped", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.gen(function* () {
      const exec = ShellExec.make("curl", ["-H", Redacted.make("s3cret")], {
        commandId: "c1",
        env: { TOKEN: Redacted.make("s3cret", { label: "token" }), PATH: null, A: "\x1b[2J" },
        extendEnv: false,
        input: "line\n",
        cwd: "/tmp/\x1b]0;x\x07",
      })
      yield* Journal.append([draftRequest(ComputeBranch, exec)])
    }))
    const { stderr } = yield* said("show", "c1")
    expect(stderr.split("\n")).toEqual(expect.arrayContaining([
      "$ curl -H <redacted>",
      "directory    /tmp/\\u001b]0;x\\u0007",
      "environment  A=\\u001b[2J -PATH TOKEN=<redacted:token>",
      "inherited    nothing of the environment",
      "input        line\\n",
      "end          waiting: no daemon has taken it",
    ]))
    expect(stderr).not.toContain("s3cret")
  }))

it.effect("shows each attempt of a command, and the output of the selected one", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.gen(function* () {
      yield* ask("c1", ["make"], { onHostLoss: "rerun" })
      yield* take("c1", { daemon: "first", host: yield* deadHost })
      yield* write("c1", { text: "half" })
      yield* take("c1", { daemon: "second", attempt: 2 })
      yield* write("c1", { text: "whole" })
      yield* exit("c1")
    }))
    const { stderr, stdout } = yield* said("show", "c1")
    expect(stdout).toBe("whole")
    expect(stderr).toMatch(/\nrun by {7}first \(.*\), run 1\nrun by {7}second \(.*\), run 2\n/)
    expect((yield* said("show", "c1", "--attempt", "1")).stdout).toBe("half")
    expect(yield* said("show", "c1", "--attempt", "3")).toEqual({
      status: 125,
      stdout: "",
      stderr: "sluice: --attempt: c1 was run 2 times\n",
    })
  }))

it.effect("takes last for the newest command, unless that is an id", () =>
  Effect.gen(function* () {
    const { file, said } = yield* journalWith(Effect.andThen(ran("c1", ["one"]), ran("c2", ["two"])))
    expect((yield* said("show", "last")).stderr).toContain("$ two\n")
    yield* fill(file, Effect.andThen(ran("last", ["three"]), ran("c3", ["four"])))
    expect((yield* said("show", "last")).stderr).toContain("$ three\n")
  }))

it.effect("lists the candidates of an ambiguous id, and reports an unknown one", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.andThen(ran("c1"), ran("c2")))
    const refused = (message: string) => ({ status: 125, stdout: "", stderr: `sluice: ${message}\n` })
    expect(yield* said("show", "c")).toEqual(refused(`several commands have an id that begins with "c": c2, c1`))
    expect(yield* said("replay", "d")).toEqual(refused(`no command in this journal has an id that begins with "d"`))
    const empty = yield* journalWith(Effect.void)
    expect(yield* empty.said("show", "last")).toEqual(
      refused("this journal has no commands; sluice journal list --runs lists runs of agents"),
    )
  }))

it.effect("replays the output, and ends as the command ended", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.gen(function* () {
      yield* one
      yield* ask("c2")
      yield* fault("c2", { _tag: "NotFound", what: "command", path: "x" }, "exec: x not found in PATH (ENOENT)")
      yield* ask("c3")
      yield* take("c3", { host: yield* deadHost })
      yield* write("c3", { text: "half" })
    }))
    expect(yield* said("replay", "c1", "--speed", "max")).toEqual({
      status: 3,
      stdout: "a\ufffd\nend",
      stderr: "oops\n",
    })
    expect(yield* said("replay", "c2", "--speed", "max")).toEqual({
      status: 127,
      stdout: "",
      stderr: "exec: x not found in PATH (ENOENT)\n",
    })
    expect(yield* said("replay", "c3", "--speed", "max")).toMatchObject({ status: 125, stdout: "half" })
    const json = yield* said("replay", "c1", "--speed", "max", "--json")
    expect(json.status).toBe(3)
    expect(json.stdout.trimEnd().split("\n").map((line) => JSON.parse(line).tag)).toEqual([
      "ShellOutputChunks",
      "ShellOutputChunks",
      "ShellOutput",
    ])
  }))

it.effect("does not replay a running command, and names the command that follows it", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(Effect.andThen(ask("c1"), take("c1")))
    expect((yield* said("replay", "c1")).stderr).toBe(
      "sluice: c1 has not ended; sluice journal tail c1 follows it\n",
    )
  }))

it.effect("verifies a journal, and prints a head to verify against later", () =>
  Effect.gen(function* () {
    const { file, said } = yield* journalWith(one)
    const { status, stdout } = yield* said("verify")
    expect(status).toBe(0)
    const [, head = ""] = /^holds: 5 entries\nhead: (5:[0-9a-f]{64})\n$/.exec(stdout) ?? []
    expect(JSON.parse((yield* said("verify", "--json")).stdout)).toEqual({
      holds: true,
      entries: 5,
      stripped: 0,
      removedThrough: 0,
      expected: "none",
      head: { position: 5, hash: head.slice(2) },
    })
    yield* fill(file, ran("c2"))
    const held = yield* said("verify", "--expect", head)
    expect(held).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^holds: 8 entries\nexpected: holds\nhead: 8:/),
    })
    const other = `5:${"0".repeat(64)}`
    expect(yield* said("verify", "--expect", other)).toEqual({
      status: 1,
      stdout: "does not hold: entry 5: its hash differs from the expected head\n",
      stderr: "",
    })
    const cut = `99:${"0".repeat(64)}`
    expect(JSON.parse((yield* said("verify", "--expect", cut, "--json")).stdout)).toMatchObject({
      holds: false,
      position: 9,
    })
  }))

it.effect("names the first changed entry, and exits with 1", () =>
  Effect.gen(function* () {
    const { file, said } = yield* journalWith(one, "j.ndjson")
    writeFileSync(file, readFileSync(file, "utf8").replace('"oops\\n"', '"fine\\n"'))
    expect(yield* said("verify")).toEqual({
      status: 1,
      stdout: "does not hold: entry 3: its hash does not match its content and the previous hash\n",
      stderr: "",
    })
    expect(JSON.parse((yield* said("verify", "--json")).stdout)).toMatchObject({ holds: false, position: 3 })
  }))

it.effect("reports that a corrupt file does not hold", () =>
  Effect.gen(function* () {
    const { file, said } = yield* journalWith(one)
    const bytes = readFileSync(file)
    bytes.fill(0x78, 100)
    writeFileSync(file, bytes)
    const { status, stdout } = yield* said("verify")
    expect(status).toBe(1)
    expect(stdout).toMatch(/^does not hold: .*j\.db/)
    // Every other subcommand cannot do what it should.
    expect((yield* said("list")).status).toBe(125)
  }))
