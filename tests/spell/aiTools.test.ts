/** The tools of a book in the AI SDK itself, with its mock model. */
import { describe, expect, it } from "@effect/vitest"
import { generateText, stepCountIs, streamText } from "ai"
import { MockLanguageModelV3, simulateReadableStream } from "ai/test"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Files, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import * as KernelShell from "../../src/leaves/kernel/KernelShell.ts"
import {
  ApprovalPolicy,
  Approver,
  editFile,
  JournaledSpellcasting,
  readFile,
  runCommand,
  Spell,
  Spellbook,
  Spellcasting,
  writeFile,
} from "../../src/spell/mod.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"

const book = Spellbook.make(readFile, writeFile, editFile, runCommand)

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const called = (toolName: string, input: unknown) => ({
  content: [{ type: "tool-call" as const, toolCallId: `call of ${toolName}`, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: "tool-calls" as const, raw: undefined },
  usage,
  warnings: [],
})
const said = (text: string) => ({
  content: [{ type: "text" as const, text }],
  finishReason: { unified: "stop" as const, raw: undefined },
  usage,
  warnings: [],
})

describe("the tools of a book for the AI SDK", () => {
  it("are called by generateText, with their JSON Schema, results and faults", async () => {
    await using tools = Spellbook.aiTools(book, MemoryFileSystem.layer, KernelShell.layer)
    const model = new MockLanguageModelV3({
      doGenerate: [
        called("write_file", { path: "add.sh", content: "echo $(($1 - $2))\n" }),
        called("edit_file", { path: "add.sh", edits: [{ oldText: "$1 * $2", newText: "$1 + $2" }] }),
        called("edit_file", { path: "add.sh", edits: [{ oldText: "$1 - $2", newText: "$1 + $2" }] }),
        called("read_file", { file: "add.sh" }),
        said("Done."),
      ],
    })
    const { steps, text } = await generateText({ model, tools, stopWhen: stepCountIs(9), prompt: "Fix add.sh." })
    expect(text).toBe("Done.")
    const parts = steps.flatMap(({ content }) => content).filter(({ type }) => type !== "tool-call")
    expect(parts).toMatchObject([
      { type: "tool-result", output: { path: "add.sh", bytesWritten: 18 } },
      { type: "tool-error", error: { _tag: "SpellFault", faultKind: "Failed" } },
      { type: "tool-result", output: { replacements: 1 } },
      { type: "tool-error", error: { faultKind: "InvalidArguments" } },
      { type: "text" },
    ])
    const [{ tools: offered } = {}] = model.doGenerateCalls
    expect(offered?.map(({ name }) => name)).toEqual(["read_file", "write_file", "edit_file", "run_command"])
    expect(offered?.[0]).toMatchObject({
      description: readFile.description,
      inputSchema: { type: "object", required: ["path"], properties: { path: { type: "string" } } },
    })
    // What the model reads of a fault is its text.
    expect(JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)).toContain("Expected { path: string")
  })

  it("are called by streamText", async () => {
    await using tools = Spellbook.aiTools(book, MemoryFileSystem.layer, KernelShell.layer)
    const { content: [one], ...rest } = called("run_command", { command: "echo", arguments: ["hi"] })
    const chunks = [{ type: "stream-start" as const, warnings: [] }, ...one === undefined ? [] : [one], {
      type: "finish" as const,
      ...rest,
    }]
    const model = new MockLanguageModelV3({ doStream: { stream: simulateReadableStream({ chunks }) } })
    const { toolResults } = streamText({ model, tools, prompt: "Run echo." })
    expect(await toolResults).toMatchObject([{ toolName: "run_command", output: { exitCode: 0, stdout: "hi\n" } }])
  })

  /** A spell that tells when it begins and how it ends. */
  const waiting = () => {
    const events: Array<string> = []
    const begun = Promise.withResolvers<void>()
    const wait = Spell.make({
      name: "wait",
      description: "Waits.",
      parameters: Schema.Struct({}),
      success: Schema.Null,
      cast: () =>
        Effect.andThen(
          Effect.sync(() => begun.resolve()),
          Effect.as(Effect.onInterrupt(Effect.never, () => Effect.sync(() => void events.push("interrupted"))), null),
        ),
    })
    const layer = Layer.effectDiscard(Effect.acquireRelease(
      Effect.sync(() => void events.push("built")),
      () => Effect.sync(() => void events.push("released")),
    ))
    return { events, begun: begun.promise, tools: Spellbook.aiTools(Spellbook.make(wait), layer) }
  }

  it("are interrupted by the signal of their call", async () => {
    const { begun, events, tools } = waiting()
    const stop = new AbortController()
    const running = tools.wait.execute({}, { abortSignal: stop.signal })
    await begun
    stop.abort(new Error("enough"))
    await expect(running).rejects.toThrow("enough")
    expect(events).toEqual(["built", "interrupted"])
    await expect(tools.wait.execute({}, { abortSignal: stop.signal })).rejects.toThrow("enough")
    await tools[Symbol.asyncDispose]()
    expect(events).toEqual(["built", "interrupted", "released"])
  })

  it("are interrupted and released when they are disposed of, and refuse later calls", async () => {
    const { begun, events, tools } = waiting()
    const running = tools.wait.execute({}, {})
    const refused = expect(running).rejects.toThrow("the tools were closed")
    await begun
    await tools[Symbol.asyncDispose]()
    await refused
    expect(events).toEqual(["built", "interrupted", "released"])
    await expect(tools.wait.execute({}, {})).rejects.toThrow("the tools were closed")
  })

  it("need no layers where their spells need nothing", async () => {
    const double = Spell.make({
      name: "double",
      description: "Doubles a number.",
      parameters: Schema.Struct({ number: Schema.Finite }),
      success: Schema.Finite,
      cast: ({ number }) => Effect.succeed(2 * number),
    })
    await using tools = Spellbook.aiTools(Spellbook.make(double))
    expect(await tools.double.execute({ number: 21 }, {})).toBe(42)
    // @ts-expect-error read_file needs Files
    void Spellbook.aiTools(Spellbook.make(readFile))
  })

  it("build their layers once", async () => {
    let built = 0
    const layer = Layer.tap(MemoryFileSystem.layer, () => Effect.sync(() => void built++))
    await using tools = Spellbook.aiTools(Spellbook.make(readFile, writeFile), layer)
    await tools.write_file.execute({ path: "a", content: "x" }, {})
    expect(await tools.read_file.execute({ path: "a" }, {})).toMatchObject({ totalLines: 1 })
    expect(built).toBe(1)
  })

  it("are cast by a layer of Spellcasting: behind an approval policy, in a journal", () => {
    const guarded = Layer.effect(
      Spellcasting,
      Effect.flatMap(Spellbook.service(book), ApprovalPolicy.guardService(ApprovalPolicy.readOnly, book)),
    )
    const approver = Approver.layer(Approver.make(() => Effect.succeed({ decision: "allow" })))
    const world = Layer.mergeAll(MemoryFileSystem.layer, KernelShell.layer, approver)
    const program = Effect.gen(function* () {
      const journal = Layer.succeedContext(yield* Layer.build(MemoryJournal.layer))
      const layer = JournaledSpellcasting.layer.pipe(
        Layer.provide(guarded),
        Layer.provide(world),
        Layer.provide(journal),
      )
      yield* Effect.promise(async () => {
        await using tools = Spellbook.aiTools(book, layer)
        const written = tools.write_file.execute({ path: "a", content: "x" }, {})
        await expect(written).rejects.toMatchObject({ faultKind: "Denied" })
        await expect(tools.read_file.execute({ path: "a" }, {})).rejects.toMatchObject({ faultKind: "Failed" })
      })
      return yield* Effect.provide(Journal.read({ filter: { branch: "spellcasting" } }), journal)
    })
    return Effect.runPromise(Effect.scoped(program)).then((entries) =>
      expect(entries.map(({ tag }) => tag).filter((tag) => tag.startsWith("Spell"))).toEqual([
        "SpellInvocation",
        "SpellFault",
        "SpellInvocation",
        "SpellFault",
      ])
    )
  })

  it("reject a layer that lacks a service, when they are compiled", () => {
    // @ts-expect-error run_command needs a Shell
    const tools = Spellbook.aiTools(book, MemoryFileSystem.layer)
    expect(Object.keys(tools)).toEqual(["read_file", "write_file", "edit_file", "run_command"])
    return Promise.all([tools[Symbol.asyncDispose](), Effect.runPromise(Effect.provide(Files, MemoryFileSystem.layer))])
  })
})
