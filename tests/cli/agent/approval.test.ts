/** Tests the answers that `sluice agent` remembers, on a real terminal, and the files that it keeps from the agent. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { key, serveModels } from "../../agent/support/modelServer.ts"
import { eventually } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { sluice, sluiceWords } from "../support.ts"

type Call = readonly [name: string, input: object]

/** A model that makes these calls, one after the other. */
const serving = (calls: ReadonlyArray<Call>) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      serveModels(({ body }) => {
        const turn = (JSON.stringify(body).match(/"role":"assistant"/g) ?? []).length
        const call = calls[turn]
        if (call === undefined) return { answer: { text: "I end here." } }
        return { answer: { calls: [{ id: `call_${turn}`, name: call[0], arguments: JSON.stringify(call[1]) }] } }
      })
    ),
    ({ stop }) => Effect.promise(() => stop()),
  )

const echo = (word: string, cwd?: string): Call => [
  "run_command",
  { command: "echo", arguments: [word], ...(cwd === undefined ? undefined : { cwd }) },
]

/** Runs the command line on a terminal, and types an answer to each question. */
const onTerminal = (words: ReadonlyArray<string>, env: Record<string, string>, answers: ReadonlyArray<string>) =>
  Effect.scoped(Effect.gen(function* () {
    const line = [...sluiceWords, ...words].map((word) => `'${word}'`).join(" ")
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn("/usr/bin/script", ["-qefc", `${line} < /dev/null`, "/dev/null"], { env: { ...process.env, ...env } })
      ),
      (child) => Effect.sync(() => child.exitCode === null && child.kill("SIGKILL")),
    )
    let screen = ""
    child.stdout.on("data", (part) => screen += part)
    for (const [at, answer] of answers.entries()) {
      yield* eventually("it asks", () => screen.split("n [REASON]: no] ").length > at + 1 || child.exitCode !== null)
      child.stdin.write(`${answer}\n`)
    }
    yield* eventually("it ends", () => child.exitCode !== null)
    return screen
  }))

const denied = /this call was denied/g
const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

describe("the rules that sluice agent remembers", () => {
  it.live.skipIf(process.platform !== "linux" || !existsSync("/usr/bin/script"))(
    "of an answer for the run holds when the run is resumed, and in no other run",
    () =>
      Effect.gen(function* () {
        const shop = yield* workshop
        const cwd = shop.makeDirectory("repo")
        shop.makeDirectory("repo/sub")
        const state = shop.makeDirectory("state")
        const { url } = yield* serving([echo("one"), echo("one"), echo("one", "sub"), echo("two")])
        const env = { OPENAI_API_KEY: key, XDG_STATE_HOME: state, NO_COLOR: "1" }
        const record = shop.path("run.ndjson")
        const words = ["--model", "openai-chat/x", "--base-url", `${url}/openai`, "--cwd", cwd, "--record", record]
        const screen = yield* onTerminal(["agent", "task", ...words, "--max-turns", "2"], env, ["a"])
        expect(screen).toContain("allow run_command echo one ?")
        expect(screen).toContain("always means run_command echo one; answers for the folder are kept in")
        expect(screen).toContain("a: always in this run, also when resumed")
        const id = /--resume (\S+)/.exec(screen)?.[1] ?? ""
        // Without a terminal every question is a denial: in the other folder, and of the other word.
        const resumed = yield* sluice(["agent", "--resume", id, ...words, "--max-turns", "20"], { env })
        expect([resumed.status, countOf(resumed.stderr, denied)]).toEqual([0, 2])
        const other = yield* sluice(["agent", "another", ...words], { env })
        expect([other.status, countOf(other.stderr, denied)]).toEqual([0, 4])
      }),
  )

  it.live.skipIf(process.platform !== "linux" || !existsSync("/usr/bin/script"))(
    "of an answer for the folder holds in later runs there, and in no other folder",
    () =>
      Effect.gen(function* () {
        const shop = yield* workshop
        const [cwd, elsewhere] = [shop.makeDirectory("repo"), shop.makeDirectory("elsewhere")]
        const state = shop.makeDirectory("state")
        const { url } = yield* serving([echo("one")])
        const env = { OPENAI_API_KEY: key, XDG_STATE_HOME: state, NO_COLOR: "1" }
        const run = (
          folder: string,
        ) => ["agent", "task", "--model", "openai-chat/x", "--base-url", `${url}/openai`, "--cwd", folder]
        const screen = yield* onTerminal(run(cwd), env, ["f"])
        const path = /are kept in (\S+)/.exec(screen)?.[1] ?? ""
        expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
          rules: [{ decision: "allow", spell: "run_command", command: "echo one" }],
        })
        const outcomes = []
        for (const folder of [cwd, `${cwd}/`, elsewhere]) {
          outcomes.push(countOf((yield* sluice(run(folder), { env })).stderr, denied))
        }
        expect(outcomes).toEqual([0, 0, 1])
        shop.write(path.slice(shop.directory.length + 1), "{")
        const broken = yield* sluice(run(cwd), { env })
        expect([broken.status, broken.stderr]).toEqual([125, expect.stringContaining("it has no approval rules")])
      }),
  )
})

describe("the files that sluice agent keeps from the agent", () => {
  it.live.skipIf(process.platform !== "linux" || !existsSync("/usr/bin/script"))(
    "uses the terminal, where a command can neither write nor read",
    () =>
      Effect.gen(function* () {
        const shop = yield* workshop
        // The words of the command are in the question, so what it writes must be others.
        const typing =
          "(echo x > /dev/tty) 2> /dev/null && echo OP''ENED; ps -o tty= -p $$ | grep -q '?' && echo AL''ONE"
        const { url } = yield* serving([["run_script", { script: typing }]])
        const env = { OPENAI_API_KEY: key, XDG_STATE_HOME: shop.directory, NO_COLOR: "1" }
        const words = [
          "agent",
          "task",
          "--model",
          "openai-chat/x",
          "--base-url",
          `${url}/openai`,
          "--cwd",
          shop.directory,
        ]
        const record = shop.path("run.ndjson")
        yield* onTerminal([...words, "--approve", "full", "--record", record], env, [])
        const journal = readFileSync(record, "utf8")
        expect(journal).toContain("ALONE")
        expect(journal).not.toContain("OPENED")
      }),
  )

  it.live.skipIf(process.platform !== "linux" || !existsSync("/usr/bin/script"))(
    "does not answer a question on Ctrl-C: it reports that it was told to stop",
    () =>
      Effect.gen(function* () {
        const shop = yield* workshop
        const { url } = yield* serving([echo("one")])
        const env = { OPENAI_API_KEY: key, XDG_STATE_HOME: shop.directory, NO_COLOR: "1" }
        const cwd = shop.makeDirectory("repo")
        const words = ["agent", "task", "--model", "openai-chat/x", "--base-url", `${url}/openai`, "--cwd", cwd]
        const screen = yield* onTerminal(words, env, ["\u0003"])
        expect(screen).toContain("this question was withdrawn: the program was told to stop (Ctrl-C")
        expect(screen).not.toContain("not answered in time")
      }),
  )

  it.effect("is its journal and its memory, also where all is allowed and by other names", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const cwd = shop.makeDirectory("re{p}o")
      shop.makeDirectory("re{p}o/.state/sluice/approvals")
      const record = shop.path("re{p}o/run.ndjson")
      const write = (path: string): Call => ["write_file", { path, content: "x" }]
      const calls = [
        ...["run.ndjson", "./run.ndjson", "RUN.ndjson", "run.ndjson.lock", ".state/sluice/approvals/a.json"].map(write),
        ["delete_file", { path: ".state", recursive: true }] as const,
        ["apply_patch", { patch: "*** Begin Patch\n*** Delete File: run.ndjson\n*** End Patch" }] as const,
        write("free.txt"),
      ]
      const { url } = yield* serving(calls)
      const env = { OPENAI_API_KEY: key, XDG_STATE_HOME: shop.path("re{p}o/.state") }
      const words = ["agent", "task", "--model", "openai-chat/x", "--base-url", `${url}/openai`, "--cwd", cwd]
      const { status, stderr } = yield* sluice([...words, "--approve", "full", "--record", record], { env })
      expect([status, countOf(stderr, denied), stderr]).toEqual([
        0,
        calls.length - 1,
        expect.stringContaining("sluice keeps the agent's journal and permissions there"),
      ])
      expect(shop.exists("re{p}o/free.txt")).toBe(true)
      expect(shop.exists("re{p}o/.state/sluice")).toBe(true)
    }))
})
