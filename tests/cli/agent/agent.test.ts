import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { cpSync, readFileSync, realpathSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { countOfCalls, serveSession, task, turns } from "../../agent/session.ts"
import { key, serveModels } from "../../agent/support/modelServer.ts"
import { eventually, pause } from "../../support/eventually.ts"
import { heartbeat } from "../../support/heartbeat.ts"
import { workshop } from "../../support/workshop.ts"
import { sluice, startSluice } from "../support.ts"

const posix = it.effect.skipIf(process.platform === "win32")

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/agent/${name}`, import.meta.url))

/** The recorded session of more than twenty calls. `SLUICE_RECORD_AGENT=1` records it anew. */
const recording = fixture("session.ndjson")

/** A copy of the repository with failing tests. */
const repository = Effect.gen(function* () {
  const shop = yield* workshop
  cpSync(fixture("repo"), shop.path("repo"), { recursive: true })
  return { ...shop, repo: shop.path("repo") }
})

const serving = (delayOf?: (turn: number) => number) =>
  Effect.acquireRelease(Effect.promise(() => serveSession(delayOf)), ({ stop }) => Effect.promise(() => stop()))

const provider = (url: string): ReadonlyArray<string> => [
  "--model",
  "openai-chat/scripted",
  "--base-url",
  `${url}/openai`,
]
const env = { OPENAI_API_KEY: key }

/** A command line that reaches no network: any request fails. */
const offline = { OPENAI_API_KEY: "", http_proxy: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9" }

/** What the model says, as it is printed. */
const said = turns.flatMap(({ text }) => text === undefined ? [] : [`${text}\n`]).join("")

interface JournalLine {
  readonly position?: number
  readonly branch?: string
  readonly correlationId?: string
  readonly tag?: string
  readonly body?: { readonly path?: string; readonly command?: string; readonly approval?: string }
}

const entriesOf = (path: string): ReadonlyArray<JournalLine> =>
  readFileSync(path, "utf8").trim().split("\n").slice(1).map((line): JournalLine => JSON.parse(line))

const passes = (shop: { readonly repo: string }) =>
  Effect.map(sluice(["run", "--cwd", shop.repo, "--", "sh", "test.sh"]), ({ status }) => status === 0)

describe("sluice agent", () => {
  posix("fixes a failing test, with every file and command in one journal under one id", () =>
    Effect.gen(function* () {
      const shop = yield* repository
      expect(yield* passes(shop)).toBe(false)
      const { url } = yield* serving()
      const record = process.env["SLUICE_RECORD_AGENT"] === "1" ? recording : shop.path("run.ndjson")
      const words = ["agent", task, ...provider(url), "--cwd", shop.repo, "--approve", "full", "--record", record]
      const { status, stderr, stdout } = yield* sluice([...words, "--prices", "input=1,cached=0.1,output=10"], { env })
      expect([status, stdout]).toEqual([0, said])
      expect(stderr).toContain(
        `done: ${turns.length} turns, ${countOfCalls} calls, 32,200 tokens in (10,400 cached), 560 out, cost 0.0284`,
      )
      expect(stderr).toMatch(
        /\[4\.1\] edit_file lib\/slug\.sh\n\[4\.1\] failed: .*oldText is not in the file.* \(.*\)\n/,
      )
      const [, id = ""] = /^sluice: run (\S+)$/m.exec(stderr) ?? []
      const shown = yield* sluice(["journal", "list", "--runs", "--journal", record])
      expect([shown.stdout.split("\n")[0], shown.stdout.split("\n")[1]]).toEqual([
        expect.stringMatching(/^ID +STARTED +END +TASK$/),
        expect.stringMatching(new RegExp(`^${id}  \\S+  done +${task}$`)),
      ])
      const [run] = (yield* sluice(["journal", "list", "--runs", "--json", "--journal", record])).stdout.split("\n")
      expect(JSON.parse(run ?? "")).toMatchObject({ runId: id, end: "done", turns: turns.length, task })
      expect((yield* sluice(["journal", "show", id, "--journal", record])).stdout).toContain("ShellExec sh test.sh")
      expect(stderr).toMatch(/\[9\.1\] run_command sh test\.sh\n\[9\.1\] exit 0 \(.*\)\n/)
      expect(yield* passes(shop)).toBe(true)
      const entries = entriesOf(record)
      expect(new Set(entries.map(({ correlationId = "" }) => correlationId.split("/")[0])).size).toBe(1)
      expect(new Set(entries.map(({ branch }) => branch))).toEqual(
        new Set(["agent-run", "model", "agent", "spellcasting", "filesystem", "compute"]),
      )
      const commands = entries.filter(({ tag }) => tag === "ShellExec").length
      expect(commands).toBe(7)
      const touched = new Set(
        entries.filter(({ tag }) => tag === "FileWrite" || tag === "FileDelete").map(({ body }) => body?.path),
      )
      expect(touched).toEqual(new Set(["lib/slug.sh", "lib/words.sh", "extra.sh", "README.md"]))
      expect(readFileSync(record, "utf8")).not.toContain(key)
    }))

  it.effect("replays a recorded session of more than twenty calls without a network, and executes nothing", () =>
    Effect.gen(function* () {
      const shop = yield* repository
      const before = readFileSync(recording)
      const began = performance.now()
      const { status, stderr, stdout } = yield* sluice(["agent", "--replay", recording], {
        env: offline,
        cwd: shop.repo,
      })
      process.stderr.write(`replayed ${countOfCalls} calls in ${Math.round(performance.now() - began)} ms\n`)
      expect(countOfCalls).toBeGreaterThanOrEqual(20)
      expect([status, stdout]).toEqual([0, said])
      expect(stderr).toContain(`done: ${turns.length} turns, ${countOfCalls} calls`)
      expect(shop.read("repo/lib/slug.sh")).toBe(readFileSync(fixture("repo/lib/slug.sh"), "utf8"))
      expect(readFileSync(recording).equals(before)).toBe(true)
    }))

  posix("repeats the calls of a recorded session in a fresh copy of its folder", () =>
    Effect.gen(function* () {
      const shop = yield* repository
      const record = shop.path("again.ndjson")
      const words = ["agent", task, "--cwd", shop.repo, "--replay", recording, "--approve", "full", "--record", record]
      const { status, stderr, stdout } = yield* sluice(words, { env: offline })
      expect([status, stdout]).toEqual([0, said])
      expect(stderr).not.toContain("otherwise than in the recording")
      expect(yield* passes(shop)).toBe(true)
      const twice = yield* sluice(words, { env: offline })
      expect([twice.status, twice.stderr]).toEqual([
        125,
        expect.stringMatching(/--record: this journal has the run .* already/),
      ])
      const entries = entriesOf(record)
      expect(new Set(entries.map(({ correlationId = "" }) => correlationId.split("/")[0])).size).toBe(1)
      expect(entries.filter(({ tag }) => tag === "ShellExec").length).toBe(7)
    }))

  it.effect("repeats them in a sandbox, whose folder is a copy in memory", () =>
    Effect.gen(function* () {
      const shop = yield* repository
      const record = shop.path("sandbox.ndjson")
      const words = ["agent", "--sandbox", "--cwd", shop.repo, "--replay", recording, "--record", record]
      const { status, stderr, stdout } = yield* sluice(words, { env: offline })
      expect([status, stdout]).toEqual([0, said])
      expect(stderr).toMatch(/\[9\.1\] exit 0/)
      expect(shop.read("repo/lib/slug.sh")).toBe(readFileSync(fixture("repo/lib/slug.sh"), "utf8"))
      expect(shop.exists("repo/extra.sh")).toBe(false)
    }))

  posix("repeats them on an execution server", () =>
    Effect.gen(function* () {
      const shop = yield* repository
      const token = { SLUICE_TOKEN: "t0ken" }
      const server = yield* startSluice(["serve", "--port", "0", "--files", "."], { env: token, cwd: shop.repo })
      yield* eventually("it says where it listens", () => server.stdout().endsWith("\n"))
      const url = new URL("/", server.stdout().split("\n")[0]).href
      const record = shop.path("remote.ndjson")
      const words = ["agent", "--url", url, "--replay", recording, "--approve", "full", "--record"]
      const { status, stderr, stdout } = yield* sluice([...words, record], { env: token })
      expect([status, stdout, stderr]).toEqual([0, said, expect.stringMatching(/\[9\.1\] exit 0/)])
      expect(yield* passes(shop)).toBe(true)
      const tags = entriesOf(record).map(({ tag }) => tag)
      expect(tags.filter((tag) => tag === "ShellExec").length).toBe(7)
      const denied = yield* sluice([...words, shop.path("denied.ndjson")], { env: { SLUICE_TOKEN: "other" } })
      // Before a model is asked, which costs.
      expect(denied).toMatchObject({ status: 125, stdout: "" })
      expect(denied.stderr).toMatch(/^sluice: --url: 127\.0\.0\.1:\d+: the token is not valid; [^\n]*\n$/)
      const bare = yield* startSluice(["serve", "--port", "0"], { env: token })
      yield* eventually("it says where it listens", () => bare.stdout().endsWith("\n"))
      const there = new URL("/", bare.stdout().trim()).href
      const without = yield* sluice(["agent", "--url", there, "--replay", recording], { env: token })
      expect(without).toMatchObject({ status: 125, stdout: "" })
      expect(without.stderr).toMatch(/^sluice: --url: [^\n]*--files[^\n]*\n$/)
    }))

  it.effect("denies unapproved calls, and tells the model so", () =>
    Effect.gen(function* () {
      const shop = yield* repository
      const words = ["agent", "--cwd", shop.repo, "--replay", recording, "--approve", "read-only", "--json"]
      const { status, stderr, stdout } = yield* sluice(words, { env: offline })
      expect(status).toBe(0)
      const events = stdout.trim().split("\n").map((line) => JSON.parse(line))
      const denied = events.filter(({ _tag, result }) => _tag === "AgentToolCallResult" && result.error === "Denied")
      expect(stderr).toMatch(/sluice: \d+ calls ended differently than in the recording: 1\.2, .*13\.1\n/)
      expect(new Set(denied.map(({ name }) => name))).toEqual(
        new Set(["run_command", "run_script", "edit_file", "write_file", "delete_file"]),
      )
      expect(events.at(-1)).toMatchObject({ _tag: "AgentEnd", because: "done", toolCalls: countOfCalls })
      expect(shop.read("repo/lib/slug.sh")).toBe(readFileSync(fixture("repo/lib/slug.sh"), "utf8"))
    }))

  posix("stops the turn at Ctrl-C, says how to continue, and continues", () =>
    Effect.gen(function* () {
      const shop = yield* repository
      const { url } = yield* serving((turn) => turn === 5 ? 60_000 : 0)
      const record = shop.path("run.ndjson")
      const words = ["agent", task, ...provider(url), "--cwd", shop.repo, "--approve", "full", "--record", record]
      const first = yield* startSluice(words, { env })
      yield* eventually("the fifth turn ends", () => /\[5\.1\] done/.test(first.stderr()))
      first.signal("SIGINT")
      expect(yield* first.status).toBe(130)
      expect(first.stderr()).toContain("interrupted: 5 turns")
      const id = /--resume (\S+)/.exec(first.stderr())?.[1] ?? ""
      expect(first.stderr()).toMatch(new RegExp(`^sluice: run ${id}\\n`))
      const quick = yield* serving()
      const second = yield* sluice(["agent", "--resume", id, ...provider(quick.url), ...words.slice(6)], { env })
      expect(second).toMatchObject({ status: 0, stdout: said })
      expect(yield* passes(shop)).toBe(true)
      // The first five turns come from the journal.
      expect(quick.requests.length).toBe(turns.length - 5)
      const calls = entriesOf(record).filter(({ tag }) => tag === "SpellInvocation").map(({ correlationId }) =>
        correlationId
      )
      expect([calls.length, new Set(calls).size]).toEqual([countOfCalls, countOfCalls])
    }))

  posix("continues a run only in the kind of place that its model was told about", () =>
    Effect.gen(function* () {
      const shop = yield* repository
      const { url } = yield* serving((turn) => turn === 2 ? 60_000 : 0)
      const words = [...provider(url), "--record", shop.path("run.ndjson"), "--sandbox", "--cwd", shop.repo]
      const late = yield* sluice(["agent", task, ...words, "--timeout", "2s"], { env })
      const id = /--resume (\S+)/.exec(late.stderr)?.[1] ?? ""
      const there = yield* sluice(["agent", "--resume", id, ...words.slice(0, 6), "--cwd", shop.repo], { env })
      expect([there.status, there.stderr]).toEqual([
        125,
        "sluice: --resume: this run was started elsewhere: continue it with --sandbox\n",
      ])
    }))

  posix(
    "says in one line that a run goes on in another folder or under another --approve",
    () =>
      Effect.gen(function* () {
        const shop = yield* repository
        cpSync(shop.repo, shop.path("other"), { recursive: true })
        const [here, there] = [shop.repo, shop.path("other")].map((path) => realpathSync(path))
        const record = shop.path("run.ndjson")
        const { url } = yield* serving()
        const words = [...provider(url), "--record", record]
        const first = yield* sluice([
          "agent",
          task,
          ...words,
          "--cwd",
          shop.repo,
          "--approve",
          "full",
          "--max-turns",
          "1",
        ], {
          env,
        })
        const id = /--resume (\S+)/.exec(first.stderr)?.[1] ?? ""
        const resume = (turns: string, ...flags: ReadonlyArray<string>) =>
          Effect.map(
            sluice(["agent", "--resume", id, ...words, ...flags, "--max-turns", turns], { env }),
            ({ stderr }) => stderr.split("\n").filter((line) => line.startsWith("sluice: --resume: ")),
          )
        expect(yield* resume("2", "--cwd", shop.repo, "--approve", "full")).toEqual([])
        expect(yield* resume("3", "--cwd", shop.path("other"), "--approve", "ask")).toEqual([
          `sluice: --resume: the run worked in ${here}, and now works in ${there}; ` +
          "the run had --approve full, and now has --approve ask",
        ])
        // That is what it had last.
        expect(yield* resume("4", "--cwd", shop.path("other"), "--approve", "ask")).toEqual([])
        expect(yield* resume("5", "--cwd", shop.path("other"))).toEqual([
          "sluice: --resume: the run had --approve ask, and now has --approve workspace-write",
        ])
        const begun = entriesOf(record).filter(({ tag }) => tag === "AgentRun").map(({ body }) => body)
        expect(begun.length).toBe(5)
        expect(begun[0]).toMatchObject({ place: here, approval: "full" })
        expect(begun.at(-1)).toMatchObject({ place: there, approval: "workspace-write" })
      }),
  )

  posix("ends the commands of the turn at Ctrl-C, and kills them at the second", () =>
    Effect.gen(function* () {
      const shop = yield* workshop
      const alive = shop.path("alive")
      const script = `trap '' TERM INT; (${heartbeat(alive)}) & wait; wait; wait`
      const call = {
        id: "c",
        name: "run_command",
        arguments: JSON.stringify({ command: "sh", arguments: ["-c", script] }),
      }
      const { url } = yield* Effect.acquireRelease(
        Effect.promise(() => serveModels(() => ({ answer: { calls: [call] } }))),
        ({ stop }) => Effect.promise(() => stop()),
      )
      const words = ["agent", "x", ...provider(url), "--cwd", shop.directory, "--approve", "full"]
      const running = yield* startSluice(words, { env })
      yield* eventually("the command runs", () => shop.size("alive") > 2)
      running.signal("SIGINT")
      yield* pause(300)
      running.signal("SIGINT")
      expect(yield* running.status).toBe(130)
      const size = shop.size("alive")
      yield* pause(300)
      expect(shop.size("alive")).toBe(size)
    }))

  it.effect("stops at its limits with a status of its own", () =>
    Effect.gen(function* () {
      const shop = yield* repository
      const words = ["agent", "--replay", recording, "--cwd", shop.repo, "--approve", "read-only"]
      const few = yield* sluice([...words, "--max-turns", "3"], { env: offline })
      expect([few.status, few.stderr]).toEqual([1, expect.stringContaining("stopped at --max-turns: 3 turns")])
      const cheap = yield* sluice([...words, "--prices", "input=1000,output=1000", "--max-cost", "2"], { env: offline })
      expect([cheap.status, cheap.stderr]).toEqual([1, expect.stringContaining("stopped at --max-cost: 2 turns")])
      const { url } = yield* serving(() => 60_000)
      const late = yield* sluice(["agent", task, ...provider(url), "--sandbox", "--timeout", "1s"], { env })
      expect([late.status, late.stderr]).toEqual([124, expect.stringContaining("stopped at --timeout: 0 turns")])
    }))
})

const wrong: ReadonlyArray<readonly [words: ReadonlyArray<string>, problem: string]> = [
  [[], "missing task: quote it"],
  [["x"], "missing model: name one with --model"],
  [["x", "--model", "openia/gpt"], 'did you mean "openai/gpt"?'],
  [["x", "--model", "openai/gpt"], "no API key: set OPENAI_API_KEY"],
  [["--resume", "last", "--record", recording], "sluice journal list --runs has the ids of runs"],
  [["x", "--replay", recording], `--replay: the recorded task is "${task}"; give that one, or none`],
  [["--replay", "/no/such.db"], "/no/such.db"],
  [["--replay", recording, "--cwd", "/no/such/folder"], '--cwd: "/no/such/folder" cannot be opened'],
  [["--replay", recording, "--record", "x.db"], "--record: a replay executes nothing, so there is nothing to record"],
  [["--replay", recording, "--resume", "x"], "--replay and --resume are mutually exclusive"],
  [["x", "--cwd", ".", "--url", "http://localhost:1"], "--url: the files and commands are those of the server"],
  [["x", "--max-cost", "1"], "--max-cost requires --prices"],
  [["x", "--prices", "input=1"], "--prices: input=N and output=N are both needed"],
  [["x", "--approve", "yes"], '--approve: "yes" is not a mode; write one of '],
  [["x", "--token", "t", "--model", "openai/m"], "--token requires --url"],
]

it.effect.each(wrong)(
  "reports the problem with %j in one line, and exits with 125",
  ([words, problem]) =>
    Effect.gen(function* () {
      const { status, stderr } = yield* sluice(["agent", ...words], { env: { OPENAI_API_KEY: "", SLUICE_MODEL: "" } })
      expect([status, stderr]).toEqual([125, expect.stringContaining(problem)])
      expect(stderr.trim().split("\n").length).toBe(1)
    }),
)
