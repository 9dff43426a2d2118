import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { AgentToolCall, ToolCallBranch, toolService } from "../../../src/agent/mod.ts"
import { journalRequests } from "../../../src/branch/journalRequests.ts"
import { PostgresJournal } from "../../../src/journal/postgres.ts"
import { JournaledFileSystem, MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import { Spellbook, SpellcastingBranch, writeFile } from "../../../src/spell/mod.ts"
import { postgresIsHere, useServer } from "../../support/postgres.ts"
import { fakeProcess, runFakeProcess } from "../support.ts"
import { readerOf } from "./support.ts"

const server = useServer()

/** The URL of a journal of its own; it has the password in it. */
const urlOf = (schema: string): string => {
  const { password, port } = server()
  return `postgres://sluice:${Redacted.value(password)}@127.0.0.1:${port}/postgres?schema=${schema}`
}

it.live.runIf(postgresIsHere)(
  "journals into PostgreSQL, with the same subcommands as elsewhere",
  () =>
    Effect.gen(function* () {
      const url = urlOf("cli_one")
      const { said } = readerOf(url)
      const missing = yield* said("list")
      expect(missing).toMatchObject({ status: 125, stdout: "" })
      const own = {
        ...fakeProcess(["run", "--", "sh", "-c", "echo one; echo two >&2; exit 3"]),
        variable: (name: string) => name === "SLUICE_JOURNAL" ? url : undefined,
      }
      expect(yield* runFakeProcess(own)).toMatchObject({ status: 3, stdout: "one\n", stderr: "two\n" })
      yield* runFakeProcess(fakeProcess(["run", "--journal", url, "--", "true"]))

      const { stdout } = yield* said("list", "--json", "--failed")
      expect(JSON.parse(stdout)).toMatchObject({ state: "exited", exitCode: 3, stdoutBytes: 4, stderrBytes: 4 })
      const { commandId: id } = JSON.parse(stdout)
      expect(yield* said("replay", id, "--speed", "max")).toEqual({ status: 3, stdout: "one\n", stderr: "two\n" })
      expect((yield* said("verify")).stdout).toMatch(/^holds: \d+ entries\nhead: /)
      expect((yield* said("prune", "--command-id", id)).stdout).toMatch(/^pruned the contents of \d+ entries/)
      const stats = yield* said("stats")
      expect(stats.stdout).toMatch(/^journal {4}postgres:.*127\.0\.0\.1.* \(postgres\)\n/)
      expect(stats.stdout).not.toContain(Redacted.value(server().password))
      expect(missing.stderr).not.toContain(Redacted.value(server().password))
      expect((yield* said("export")).stdout.split("\n")[0]).toContain(`{"sluice":"journal"`)

      // Another schema is another journal.
      yield* runFakeProcess(fakeProcess(["run", "--journal", urlOf("cli_two"), "--", "true"]))
      expect((yield* readerOf(urlOf("cli_two")).said("list", "--json")).stdout.match(/\n/g)).toHaveLength(1)
    }),
)

it.live.runIf(postgresIsHere)(
  "draws the tree of a tool call in PostgreSQL, and answers it again",
  () =>
    Effect.gen(function* () {
      const url = urlOf("cli_tree")
      const call = AgentToolCall.make({
        correlationId: "run-1/1/1",
        callId: "c",
        name: "write_file",
        arguments: { path: "a.txt", content: "one" },
      })
      yield* Effect.gen(function* () {
        const spells = yield* journalRequests(SpellcastingBranch, yield* Spellbook.service(Spellbook.make(writeFile)))
        const tools = yield* journalRequests(ToolCallBranch, yield* toolService(spells))
        yield* Stream.runDrain(tools.request(call))
      }).pipe(
        Effect.provide(JournaledFileSystem.layer.pipe(Layer.provide(MemoryFileSystem.layer))),
        Effect.provide(PostgresJournal.layer(server().options("cli_tree"))),
      )
      const { said } = readerOf(url)
      const { stdout } = yield* said("show", "run-1")
      expect(stdout.trimEnd().split("\n").slice(1).map((line) => line.replace(/ {2}\+.*?ms \S+ms/, ""))).toEqual([
        'AgentToolCall write_file {"content":"one","path":"a.txt"}  ok',
        "└─ SpellInvocation write_file  ok",
        "   └─ FileWrite a.txt  ok, 3 B",
      ])
      expect(JSON.parse((yield* said("replay", "run-1/1/1")).stdout)).toEqual({ path: "a.txt", bytesWritten: 3 })
      expect((yield* said("show", "run-1/1/1", "--json")).stdout.trim().split("\n").length).toBe(9)
    }),
)
