import { describe, expect, it } from "@effect/vitest"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Files, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import * as KernelShell from "../../src/leaves/kernel/KernelShell.ts"
import type { Shell } from "../../src/shell/Shell.ts"
import { readFile, runCommand, Spellbook, SpellFault, writeFile } from "../../src/spell/mod.ts"

const book = Spellbook.make(readFile, writeFile, runCommand)
const world = Layer.merge(MemoryFileSystem.layer, KernelShell.layer)

const finish = {
  type: "finish",
  reason: "tool-calls",
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  response: undefined,
} as const

const call = (id: string, name: string, params: unknown) => ({ type: "tool-call", id, name, params } as const)

/** A model that calls tools, and remembers what it was offered. */
const caller = (parts: ReadonlyArray<ReturnType<typeof call>>, offered: Array<unknown> = []) =>
  Effect.provideServiceEffect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: ({ tools }) =>
        Effect.sync((): Array<Response.PartEncoded> => {
          offered.push(...tools)
          return [...parts, finish]
        }),
      streamText: () => Stream.fromIterable<Response.StreamPartEncoded>([...parts, finish]),
    }),
  )

const run = <A, E>(program: Effect.Effect<A, E, Files | Shell>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, world))

describe("the toolkit of a book", () => {
  it("casts the calls of a model of effect/ai, and returns the results", () =>
    run(Effect.gen(function* () {
      const offered: Array<unknown> = []
      const response = yield* LanguageModel.generateText({
        prompt: "Write and read.",
        toolkit: Spellbook.toolkit(book),
        concurrency: 1,
      }).pipe(caller([
        call("1", "write_file", { path: "a.txt", content: "hello\n" }),
        call("2", "run_command", { command: "echo", arguments: ["$HOME"] }),
      ], offered))
      // The names are those of the book, which the compiler knows.
      const names: ReadonlyArray<"read_file" | "write_file" | "run_command"> = response.toolCalls.map(({ name }) =>
        name
      )
      expect(names).toEqual(["write_file", "run_command"])
      expect(response.toolResults).toMatchObject([
        { id: "1", isFailure: false, result: { path: "a.txt", bytesWritten: 6 } },
        { id: "2", isFailure: false, result: { exitCode: 0, stdout: "$HOME\n" } },
      ])
      expect(yield* Files.readText("a.txt")).toBe("hello\n")
      expect(offered).toMatchObject([
        { name: "read_file", jsonSchema: { type: "object", required: ["path"], additionalProperties: false } },
        { name: "write_file" },
        { name: "run_command", description: runCommand.description },
      ])
    })))

  it("casts the calls of a model while it streams", () =>
    run(Effect.gen(function* () {
      yield* Files.write("a.txt", "one\n")
      const parts = yield* LanguageModel.streamText({ prompt: "Read.", toolkit: Spellbook.toolkit(book) }).pipe(
        Stream.runCollect,
        caller([call("1", "read_file", { path: "a.txt" })]),
      )
      expect(parts.filter(({ type }) => type === "tool-result")).toMatchObject([
        { name: "read_file", isFailure: false, result: { text: "     1\tone", totalLines: 1 } },
      ])
    })))

  it("gives a model faults as results: failures, and arguments that it can fix", () =>
    run(Effect.gen(function* () {
      const { toolResults } = yield* LanguageModel.generateText({
        prompt: "Read.",
        toolkit: Spellbook.toolkit(book),
      }).pipe(caller([
        call("1", "read_file", { path: "none" }),
        call("2", "read_file", { paht: "a.txt" }),
      ]))
      const [missing, misspelt] = toolResults
      expect(missing?.result).toBeInstanceOf(SpellFault)
      expect(missing).toMatchObject({
        isFailure: true,
        encodedResult: { _tag: "SpellFault", faultKind: "Failed", failure: { faultKind: "NotFound" } },
      })
      expect(misspelt).toMatchObject({ isFailure: true, result: { faultKind: "InvalidArguments" } })
      expect(JSON.stringify(misspelt?.encodedResult)).toContain('perhaps meant by \\"paht\\"')
    })))

  it("casts by a given service instead of the context's", async () => {
    const asked: Array<string> = []
    const toolkit = Spellbook.toolkit(book, {
      request: ({ correlationId, name }) => {
        asked.push(name)
        return name === "read_file"
          ? Stream.fail(new SpellFault({ correlationId, spell: name, faultKind: "Denied", message: "not today" }))
          : Stream.succeed({ _tag: "SpellResult", correlationId, result: null })
      },
    })
    const { toolResults } = await Effect.runPromise(
      LanguageModel.generateText({ prompt: "Read.", toolkit }).pipe(
        caller([call("1", "read_file", {}), call("2", "write_file", {})]),
      ),
    )
    expect(asked).toEqual(["read_file", "write_file"])
    expect(toolResults).toMatchObject([{ isFailure: true, result: { faultKind: "Denied" } }, { result: null }])
  })
})
