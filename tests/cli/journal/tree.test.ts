import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { AgentToolCall, ToolCallBranch, toolService } from "../../../src/agent/mod.ts"
import { journalRequests } from "../../../src/branch/journalRequests.ts"
import { layer as journaledShell } from "../../../src/compute/JournaledShell.ts"
import { JournaledFileSystem, MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import * as KernelShell from "../../../src/leaves/kernel/KernelShell.ts"
import {
  ApprovalPolicy,
  Approver,
  editFile,
  readFile,
  runCommand,
  Spellbook,
  SpellcastingBranch,
  writeFile,
} from "../../../src/spell/mod.ts"
import type { Body } from "../../../src/journal/Entry.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import { journalWith } from "./support.ts"

const book = Spellbook.make(readFile, writeFile, editFile, runCommand)
const world = Layer.merge(
  JournaledFileSystem.layer.pipe(Layer.provide(MemoryFileSystem.layer)),
  journaledShell.pipe(Layer.provide(KernelShell.layer)),
)
const approver = Approver.make(({ spell }) => Effect.succeed({ decision: spell === "run_command" ? "allow" : "deny" }))

const session = Effect.gen(function* () {
  const guarded = yield* ApprovalPolicy.guardService(ApprovalPolicy.workspaceWrite, book)(
    yield* Spellbook.service(book),
  )
  const spells = yield* journalRequests(SpellcastingBranch, guarded)
  const tools = yield* journalRequests(ToolCallBranch, yield* toolService(spells))
  const call = (correlationId: string, name: string, input: AgentToolCall["arguments"]) =>
    Stream.runDrain(tools.request(AgentToolCall.make({ correlationId, callId: "c", name, arguments: input })))
  yield* call("run-1/1/1", "write_file", { path: "a.txt", content: "one\ntwo\n" })
  yield* call("run-1/1/2", "run_command", { command: "sh", arguments: ["-c", "exit 3"] })
  yield* call("run-1/2/1", "edit_file", { path: "a.txt", edits: [{ oldText: "two", newText: "2" }] })
  yield* call("run-1/2/2", "read_file", { path: "none\u001b[2J" })
}).pipe(Effect.provide(Approver.layerJournaled), Effect.provide(Approver.layer(approver)), Effect.provide(world))

/** What the guard of a spell looks at: whether paths lead through links. */
const isLook = (text: string): boolean => /FileStat|FileFault|FileList/.test(text)

/** Without times, which differ. */
const plain = (text: string): string =>
  text.replaceAll(/ {2}\+\S+(?: \S+(?= {2}))?/g, " ").replaceAll(/ {2}\d{4}-\S+.*/g, "")

it.effect("draws the tree of a tool call, with the questions and effects of its spell", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(session)
    const { status, stdout } = yield* said("show", "run-1/2/1")
    expect(status).toBe(0)
    expect(plain(stdout).split("\n").filter((line) => !isLook(line)).join("\n")).toBe(
      `run-1/2/1
AgentToolCall edit_file {"edits":[{"newText":"2","oldText":"two"}],"path":"a.txt"}   ok
└─ SpellInvocation edit_file   ok
   ├─ FileRead a.txt   ok, 8 B
   ├─ FileRead a.txt   ok, 8 B
   └─ FileWrite a.txt   ok, 6 B
`,
    )
    expect(stdout).toMatch(/FileRead a\.txt {2}\+\d+ms \d+ms {2}ok/)
  }))

it.effect("draws a whole run, with questions, exit codes and failures, and control characters escaped", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(session, "j.ndjson")
    const drawn = plain((yield* said("show", "run-1")).stdout)
    expect(drawn).toContain("├─ ApprovalRequest run_command sh -c 'exit 3'   allow\n")
    expect(drawn).toContain("└─ ShellExec sh -c 'exit 3'   exit 3\n")
    expect(drawn).toContain("   failed\n")
    expect(drawn).toContain("none\\u001b[2J")
    expect(drawn).not.toContain("\u001b")
    expect(drawn.split("\n").filter((line) => line.startsWith("AgentToolCall")).length).toBe(4)
  }))

it.effect("prints the entries of a tree as JSON, and commands as before", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(session)
    const { stdout } = yield* said("show", "run-1/1/1", "--json")
    const tags = stdout.trim().split("\n").map((line) => String(JSON.parse(line).tag))
    expect(tags.filter((tag) => tag !== "LeaseTaken" && !isLook(tag))).toEqual([
      "AgentToolCall",
      "SpellInvocation",
      "FileWrite",
      "FileWritten",
      "SpellResult",
      "AgentToolCallResult",
    ])
    expect((yield* said("show", "run-1/1/2/1/1")).stderr).toContain("$ sh -c 'exit 3'")
    const unknown = yield* said("show", "run-9")
    expect(unknown.status).toBe(125)
    expect(unknown.stderr).toContain('no command in this journal has an id that begins with "run-9"')
  }))

it.effect("answers a call again from the journal, without acting", () =>
  Effect.gen(function* () {
    const { said } = yield* journalWith(session)
    const { status, stdout } = yield* said("replay", "run-1/1/1")
    expect([status, JSON.parse(stdout)]).toEqual([0, { path: "a.txt", bytesWritten: 8 }])
    // A command that exits with 3 is a result.
    expect(JSON.parse((yield* said("replay", "run-1/1/2/1")).stdout)).toMatchObject({ exitCode: 3 })
    const failed = yield* said("replay", "run-1/2/2")
    expect([failed.status, JSON.parse(failed.stdout).error]).toEqual([1, "Failed"])
    const spell = yield* said("replay", "run-1/2/2/1")
    expect([spell.status, spell.stdout]).toEqual([1, ""])
    expect(spell.stderr).toContain(`sluice: read_file: read "none\\u001b[2J"`)
    expect((yield* said("replay", "run-9")).status).toBe(125)
  }))

const entry = (branch: string, correlationId: string, body: Body) => ({ branch, correlationId, body })
const odd = { _tag: "Asked", about: "\u001b[31mred" }

it.effect("draws a run that was continued after its end, with all that it did then", () =>
  Effect.gen(function* () {
    const filler = Array.from({ length: 1_200 }, (_, n) => entry("other", `o${n}`, { _tag: "Noise" }))
    const { said } = yield* journalWith(
      Effect.gen(function* () {
        yield* Journal.append([
          entry("agent-run", "run-1", { _tag: "AgentRun", task: "mend" }),
          entry("model", "run-1/1", { _tag: "ModelRequest" }),
          entry("model", "run-1/1", { _tag: "ModelResponse" }),
          entry("agent-run", "run-1", { _tag: "AgentEnd" }),
          ...filler,
          entry("agent-run", "run-1", { _tag: "AgentRun", task: "mend" }),
          ...filler,
          entry("model", "run-1/2", { _tag: "ModelRequest" }),
        ])
      }),
    )
    const drawn = plain((yield* said("show", "run-1")).stdout)
    expect(drawn).toBe(`run-1
AgentRun mend   not ended
├─ ModelRequest    ok
└─ ModelRequest    not ended
`)
    expect((yield* said("show", "run-1", "--json")).stdout.trim().split("\n").length).toBe(6)
  }))

it.effect(
  "draws ten thousand requests, ids of any characters, and requests without a parent, also if they have one id",
  () =>
    Effect.gen(function* () {
      const ids = ["r/a b/1", 'r/"quoted"/x', "r/../../etc", "r//", "r/$(touch x)"]
      const deep = Array.from({ length: 5_000 }, (_, n) => entry(`branch-${n}`, "r/deep", { _tag: "Asked" }))
      const wide = Array.from({ length: 6_000 }, (_, n) => entry("wide", `r/w/${n}`, { _tag: "Asked" }))
      const { said } = yield* journalWith(
        Journal.append([
          entry("a", "r", odd),
          ...ids.map((id) => entry("a", id, { _tag: "Asked", about: id })),
          ...deep,
          ...wide,
        ]),
      )
      const { status, stdout } = yield* said("show", "r")
      expect(status).toBe(0)
      const lines = stdout.trimEnd().split("\n")
      expect([lines.length, lines.at(-1)]).toEqual([10_002, "… and more"])
      for (const id of ids) expect(stdout).toContain(` ${id}  +`)
      expect(stdout).not.toContain("\u001b")
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(1_000)
      expect((yield* said("show", "r", "--json")).stdout.trim().split("\n").length).toBe(11_006)
    }),
  120_000,
)

it.effect("fits the lines of a tree to a narrow terminal", () =>
  Effect.gen(function* () {
    const message = "a message that is far too long for the line ".repeat(20)
    const { said, saidIn } = yield* journalWith(Journal.append([
      entry("a", "r", { _tag: "AgentToolCall", about: "a subject that is long as well ".repeat(5) }),
      entry("b", "r/1", { _tag: "SpellInvocation", name: "read" }),
      entry("b", "r/1", { _tag: "SpellFault", faultKind: "Failed", message }),
    ]))
    for (const columns of [60, 80, 120]) {
      const { stdout } = yield* saidIn({ terminal: true, columns }, "show", "r")
      // deno-lint-ignore no-control-regex
      const lines = stdout.replaceAll(/\u001b\[\d+m/g, "").trimEnd().split("\n")
      expect([lines.length, Math.max(...lines.map(({ length }) => length)) <= columns]).toEqual([3, true])
      expect(lines[2]).toContain("Failed: a")
    }
    expect((yield* said("show", "r")).stdout.length).toBeLessThan(1_000)
  }))
