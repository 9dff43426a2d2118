import { describe, expect, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Agent from "../../src/agent/Agent.ts"
import { ModelBranch } from "../../src/agent/ModelBranch.ts"
import { modelService } from "../../src/agent/modelService.ts"
import { answerOnce } from "../../src/branch/answerOnce.ts"
import { replayRequests } from "../../src/branch/replayRequests.ts"
import { layer as journaledShell } from "../../src/compute/JournaledShell.ts"
import { Files, JournaledFileSystem, KernelFileSystem } from "../../src/leaves/files/mod.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import * as KernelShell from "../../src/leaves/kernel/KernelShell.ts"
import { Sandbox } from "../../src/sandbox/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { editFile, readFile, runCommand, Spellbook, SpellcastingBranch } from "../../src/spell/mod.ts"

const book = Spellbook.make(readFile, editFile, runCommand)

const finish = (reason: "stop" | "tool-calls"): Response.PartEncoded => ({
  type: "finish",
  reason,
  usage: { inputTokens: { total: 10 }, outputTokens: { total: 2 } },
  response: undefined,
})

const call = (id: string, name: string, params: unknown): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params,
})

/** The answers of a model that fixes a test: it looks, misspells a tool, edits, and looks again. */
const script: ReadonlyArray<ReadonlyArray<Response.PartEncoded>> = [
  [
    { type: "text", text: "I look first." },
    call("c1", "read_file", { path: "add.sh" }),
    call("c2", "run_command", { command: "sh", arguments: ["test.sh"], cwd: "/work" }),
    finish("tool-calls"),
  ],
  [call("c3", "edit_fil", { path: "add.sh" }), finish("tool-calls")],
  [
    call("c4", "edit_file", { path: "add.sh", edits: [{ oldText: "$1 - $2", newText: "$1 + $2" }] }),
    finish("tool-calls"),
  ],
  [call("c5", "run_command", { command: "sh", arguments: ["test.sh"], cwd: "/work" }), finish("tool-calls")],
  [{ type: "text", text: "The test passes." }, finish("stop")],
]

/** A model that answers by the script, by how often it was answered before; it counts how often it is asked. */
const scripted = (asked: Array<string>) =>
  Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ prompt, tools }) =>
        Effect.sync(() => {
          const turn = prompt.content.filter(({ role }) => role === "assistant").length
          asked.push(`${turn}: ${tools.map(({ name }) => name).join()}`)
          return [...(script[turn] ?? [])]
        }),
      streamText: () => Stream.die("not streamed"),
    }),
  )

/** A folder with a wrong program and a test of it. */
const workplace = Layer.effectContext(Effect.gen(function* () {
  const sandbox = yield* Sandbox.make()
  yield* sandbox.run(
    "mkdir /work && cd /work && echo 'echo $(($1 - $2))' > add.sh && echo '[ \"$(sh add.sh 2 3)\" = 5 ]' > test.sh",
  )
  const files = yield* KernelFileSystem.make(sandbox, { rootPath: "/work" })
  return yield* Effect.context<Files | Shell>().pipe(
    Effect.provideService(Files, files),
    Effect.provideService(Shell, KernelShell.make(sandbox)),
  )
}))

const journaledWorkplace = Layer.merge(
  JournaledFileSystem.layer,
  journaledShell,
).pipe(Layer.provide(workplace))

const options: Agent.AgentOptions = { id: "run-1", task: "fix the failing test", tools: [...book.spells.keys()] }

const live = Effect.gen(function* () {
  const model = yield* answerOnce(ModelBranch, yield* modelService(book))
  const spells = yield* answerOnce(SpellcastingBranch, yield* Spellbook.service(book))
  return Agent.run({ model, spells }, options)
})

const brief = (event: Agent.AgentEvent): string =>
  event._tag === "AgentToolCallResult"
    ? `${event.call.name} ${event.isFailure ? "failed" : "done"}`
    : event._tag === "AgentEnd"
    ? `${event.because} after ${event.turns}: ${event.text}`
    : event._tag

describe("an agent", () => {
  it("fixes a failing test, with everything in one journal under one id", async () => {
    const asked: Array<string> = []
    const program = Effect.gen(function* () {
      const events = yield* Stream.runCollect(Stream.unwrap(live))
      expect(events.map(brief).filter((line) => !line.startsWith("Agent"))).toEqual([
        "ModelResponse",
        expect.stringMatching(/^(read_file|run_command) done$/),
        expect.stringMatching(/^(read_file|run_command) done$/),
        "ModelResponse",
        "edit_fil failed",
        "ModelResponse",
        "edit_file done",
        "ModelResponse",
        "run_command done",
        "ModelResponse",
        "done after 5: The test passes.",
      ])
      const runs = events.flatMap((event) => event._tag === "AgentToolCallResult" ? [event.result] : [])
      expect(runs).toContainEqual({ exitCode: 1, stdout: "", stderr: "" })
      expect(runs.at(-1)).toEqual({ exitCode: 0, stdout: "", stderr: "" })
      expect(events.at(-1)).toMatchObject({ inputTokens: 50, outputTokens: 10 })
      const entries = yield* Journal.read()
      expect(entries.every(({ correlationId }) => correlationId.startsWith("run-1/"))).toBe(true)
      const of = (id: string) => entries.filter(({ correlationId }) => correlationId === id).map(({ tag }) => tag)
      expect(of("run-1/3")).toEqual(["ModelRequest", "LeaseTaken", "ModelResponse"])
      expect(of("run-1/3/1")).toEqual(["SpellInvocation", "LeaseTaken", "SpellResult"])
      expect(of("run-1/3/1/3")).toEqual(["FileWrite", "LeaseTaken", "FileWritten"])
      expect(of("run-1/4/1/1")).toEqual(["ShellExec", "LeaseTaken", "ShellOutput"])
    })
    const world = Layer.merge(journaledWorkplace, scripted(asked)).pipe(Layer.provideMerge(MemoryJournal.layer))
    await Effect.runPromise(Effect.scoped(Effect.provide(program, world)))
    expect(asked).toEqual([0, 1, 2, 3, 4].map((turn) => `${turn}: read_file,edit_file,run_command`))
  })

  it("acts on nothing when it is replayed", async () => {
    const program = Effect.gen(function* () {
      const before = yield* Stream.runCollect(Stream.unwrap(live))
      const head = yield* Journal.head
      const model = yield* replayRequests(ModelBranch)
      const spells = yield* replayRequests(SpellcastingBranch)
      const again = yield* Stream.runCollect(Agent.run({ model, spells }, { ...options, id: "another" }))
      expect(again.map(brief).toSorted()).toEqual(before.map(brief).toSorted())
      expect(yield* Journal.head).toEqual(head)
    })
    const world = Layer.merge(journaledWorkplace, scripted([])).pipe(Layer.provideMerge(MemoryJournal.layer))
    await Effect.runPromise(Effect.scoped(Effect.provide(program, world)))
  })

  it("continues where it was, whenever it was ended, and repeats no call that was answered", async () => {
    for (let taken = 1; taken < 12; taken += 1) {
      const asked: Array<string> = []
      const program = Effect.gen(function* () {
        yield* Stream.runDrain(Stream.take(Stream.unwrap(live), taken))
        const events = yield* Stream.runCollect(Stream.unwrap(live))
        expect(events.at(-1)).toMatchObject({ _tag: "AgentEnd", because: "done", text: "The test passes." })
        const entries = yield* Journal.read()
        const casts = entries.filter(({ tag }) => tag === "SpellInvocation").map(({ correlationId }) => correlationId)
        expect(new Set(casts).size).toBe(casts.length)
        expect(yield* Files.readText("add.sh")).toContain("$1 + $2")
      })
      const world = Layer.merge(journaledWorkplace, scripted(asked)).pipe(Layer.provideMerge(MemoryJournal.layer))
      await Effect.runPromise(Effect.scoped(Effect.provide(program, world)))
      expect([taken, asked.length]).toEqual([taken, 5])
    }
  })

  it("ends after its last turn", async () => {
    const program = Effect.gen(function* () {
      const model = yield* modelService(book)
      const spells = yield* Spellbook.service(book)
      return yield* Stream.runLast(Agent.run({ model, spells }, { ...options, maxTurns: 2 }))
    })
    const world = Layer.merge(workplace, scripted([]))
    expect(await Effect.runPromise(Effect.scoped(Effect.provide(program, world)))).toMatchObject({
      value: { _tag: "AgentEnd", because: "turns", turns: 2 },
    })
  })
})
