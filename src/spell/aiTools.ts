/**
 * Makes tools of the AI SDK (npm `ai`) from a book of spells, for programs that use no Effect.
 *
 * The types that are used are declared here, so that the package `ai` is not needed.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as JsonSchema from "effect/JsonSchema"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { withLogLayer } from "../base/stderrLogs.ts"
import { castOne } from "./castOne.ts"
import type { Spell } from "./Spell.ts"
import { service } from "./castSpell.ts"
import type { Spellbook } from "./makeSpellbook.ts"
import { Spellcasting } from "./Spellcasting.ts"
import type { SpellcastingService } from "./SpellcastingBranch.ts"
import { toolSchema } from "./toolSchema.ts"

/**
 * The schema of a tool's input: a Standard Schema with a JSON Schema, which the AI SDK takes as it is.
 *
 * Source: https://standardschema.dev
 */
export interface AiToolSchema {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: "sluice"
    /** Accepts every value: the spell checks its arguments itself, and its fault tells the model how to fix them. */
    readonly validate: (value: unknown) => { readonly value: unknown }
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>
      readonly output: (options: { readonly target: string }) => Record<string, unknown>
    }
  }
}

/** A tool of the AI SDK that casts a spell. */
export interface AiTool {
  readonly description: string
  readonly inputSchema: AiToolSchema
  /**
   * Casts the spell. Rejects with a `SpellFault`, whose message the AI SDK gives to the model. When `abortSignal` aborts, the
   * spell and all that it runs are interrupted, and the reason of the signal is thrown.
   */
  readonly execute: (input: unknown, options: AiToolCallOptions) => Promise<Schema.Json>
}

/** The options of a call, as far as they are used. */
export interface AiToolCallOptions {
  /** Interrupts the call. */
  readonly abortSignal?: AbortSignal | undefined
}

/** The tools of a book by the names of its spells. */
export type AiTools<Names extends string = string> = { readonly [Name in Names]: AiTool } & {
  /** Interrupts the calls in flight, waits for their ends, and releases the services. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const inputSchemaOf = (spell: Spell<string, unknown>): AiToolSchema => {
  const document = JsonSchema.fromSchemaDraft2020_12(toolSchema(spell, "mcp"))
  const convert = ({ target }: { readonly target: string }): Record<string, unknown> => {
    if (target !== "draft-07") return structuredClone(toolSchema(spell, "mcp"))
    const { definitions, schema } = JsonSchema.toDocumentDraft07(document)
    return Object.keys(definitions).length === 0 ? schema : { ...schema, definitions }
  }
  return {
    "~standard": {
      version: 1,
      vendor: "sluice",
      validate: (value) => ({ value }),
      jsonSchema: { input: convert, output: convert },
    },
  }
}

/** The `Spellcasting` service of the context, if there is one, or else that of a book. */
const serviceOf = <R>(book: Spellbook<R>): Effect.Effect<SpellcastingService, never, R> =>
  Effect.flatMap(
    Effect.serviceOption(Spellcasting),
    Option.match({ onNone: () => service(book), onSome: Effect.succeed }),
  )

/**
 * Makes the tools of a book, for `generateText` and `streamText` of the AI SDK: the spells are cast with the services of the
 * layers (none, if its spells need none), which are built at the first call and released by `await using` or
 * `Symbol.asyncDispose`. With a layer of `Spellcasting` that casts them: behind an approval policy, with a journal, or at a
 * daemon.
 *
 * @throws {OptionError} for a spell whose parameters are not an object
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { readFile, runCommand, Spellbook, writeFile } from "@sluice/shell/spell"
 * import { generateText, stepCountIs } from "ai"
 * import { MockLanguageModelV3 } from "ai/test"
 *
 * const usage = {
 *   inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
 *   outputTokens: { total: 1, text: 1, reasoning: 0 },
 * }
 * const model = new MockLanguageModelV3({ // or openai("gpt-5"), anthropic("claude-sonnet-4-5"), …
 *   doGenerate: [
 *     {
 *       content: [{ type: "tool-call", toolCallId: "1", toolName: "run_command", input: '{"command":"echo"}' }],
 *       finishReason: { unified: "tool-calls", raw: undefined },
 *       usage,
 *       warnings: [],
 *     },
 *     {
 *       content: [{ type: "text", text: "Done." }],
 *       finishReason: { unified: "stop", raw: undefined },
 *       usage,
 *       warnings: [],
 *     },
 *   ],
 * })
 *
 * const book = Spellbook.make(readFile, writeFile, runCommand)
 * await using tools = Spellbook.aiTools(book, MemoryFileSystem.layer, LocalShell.layer)
 * const { steps, text } = await generateText({ model, tools, stopWhen: stepCountIs(5), prompt: "Run echo." })
 * console.log(text === "Done." && JSON.stringify(steps[0]?.toolResults[0]?.output).includes('"exitCode":0')) // true
 * ```
 */
export function aiTools<Name extends string>(
  book: Spellbook<unknown, Name>,
  spellcasting: Layer.Layer<Spellcasting, unknown>,
): AiTools<Name>
/** Makes the tools of a book, with layers of the services that its spells need. */
export function aiTools<
  Name extends string,
  const Layers extends ReadonlyArray<Layer.Layer<never, unknown>>,
>(
  book: Spellbook<Layer.Success<Layers[number]>, Name>,
  ...layers: Layers
): AiTools<Name>
export function aiTools<R>(book: Spellbook<R>, ...layers: ReadonlyArray<Layer.Layer<R, unknown>>): AiTools {
  const runtime = ManagedRuntime.make(withLogLayer(Layer.mergeAll(Layer.empty, ...layers)))
  const closed = new AbortController()
  const calls = new Set<Promise<unknown>>()
  const cast = async (name: string, input: unknown, abortSignal: AbortSignal | undefined): Promise<Schema.Json> => {
    const signal = abortSignal === undefined ? closed.signal : AbortSignal.any([abortSignal, closed.signal])
    signal.throwIfAborted()
    const casting = Effect.flatMap(serviceOf(book), (spellcasting) => castOne(spellcasting, name, input))
    const running = runtime.runPromiseExit(casting, { signal })
    calls.add(running)
    const exit = await running.finally(() => calls.delete(running))
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.hasInterrupts(exit.cause)) signal.throwIfAborted()
    throw Cause.squash(exit.cause)
  }
  const tools = [...book.spells].map(([name, spell]): [string, AiTool] => [name, {
    description: spell.description,
    inputSchema: inputSchemaOf(spell),
    execute: (input, { abortSignal } = {}) => cast(name, input, abortSignal),
  }])
  const dispose = async (): Promise<void> => {
    closed.abort(new Error("the tools were closed"))
    await Promise.allSettled(calls)
    await runtime.dispose()
  }
  return { ...Object.fromEntries(tools), [Symbol.asyncDispose]: dispose }
}
