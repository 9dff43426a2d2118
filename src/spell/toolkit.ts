/** Makes a `Toolkit` of `effect/ai` from a book of spells. */
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import { castOne } from "./castOne.ts"
import type { Spell } from "./Spell.ts"
import { service } from "./castSpell.ts"
import type { Spellbook } from "./makeSpellbook.ts"
import type { SpellcastingService } from "./SpellcastingBranch.ts"
import { SpellFault } from "./SpellEntry.ts"
import { toolSchema } from "./toolSchema.ts"

/**
 * The tool of a spell. Its result is the encoded one of the spell; a {@link SpellFault} is a result as well
 * (`isFailure`), which the model reads and fixes.
 */
export type SpellTool<Name extends string = string> = Tool.Dynamic<Name, {
  readonly parameters: JsonSchema.JsonSchema
  readonly success: typeof Schema.Json
  readonly failure: typeof SpellFault
  readonly failureMode: "return"
}>

/** The tools of a book by their names. */
export type SpellTools<Names extends string> = { readonly [Name in Names]: SpellTool<Name> }

const toolOf = (spell: Spell<string, unknown>): SpellTool =>
  Tool.dynamic(spell.name, {
    description: spell.description,
    // The spell decodes the arguments, and its fault explains how to fix them.
    parameters: toolSchema(spell, "mcp"),
    success: Schema.Json,
    failure: SpellFault,
    failureMode: "return" as const,
  })

/**
 * Makes the toolkit of a book, with handlers that cast its spells: by the services of the context, or by `spellcasting`,
 * which may journal them, ask for approval or cast them elsewhere.
 *
 * @throws {OptionError} for a spell whose parameters are not an object
 *
 * @example
 * ```ts
 * import { MemoryFileSystem } from "@sluice/shell/files"
 * import { readFile, Spellbook, writeFile } from "@sluice/shell/spell"
 * import { Effect, Stream } from "effect"
 * import { LanguageModel } from "effect/ai"
 *
 * // A model that writes a file. A real one comes from `AiSdk.layer` of `@sluice/shell/agent`.
 * const model = LanguageModel.make({
 *   generateText: () =>
 *     Effect.succeed([{ type: "tool-call", id: "1", name: "write_file", params: { path: "a.txt", content: "hello" } }]),
 *   streamText: () => Stream.empty,
 * })
 * const toolkit = Spellbook.toolkit(Spellbook.make(readFile, writeFile))
 * const response = await Effect.runPromise(
 *   LanguageModel.generateText({ prompt: "Write hello to a.txt.", toolkit }).pipe(
 *     Effect.provideServiceEffect(LanguageModel.LanguageModel, model),
 *     Effect.provide(MemoryFileSystem.layer),
 *   ),
 * )
 * const [written] = response.toolResults
 * console.log(written?.name === "write_file" && !written.isFailure) // true
 * ```
 */
export function toolkit<R, Name extends string>(
  book: Spellbook<R, Name>,
): Effect.Effect<Toolkit.WithHandler<SpellTools<Name>>, never, R>
/** Makes the toolkit of a book whose spells are cast by the service of the context. */
export function toolkit<Name extends string>(
  book: Spellbook<unknown, Name>,
  spellcasting: SpellcastingService,
): Effect.Effect<Toolkit.WithHandler<SpellTools<Name>>>
export function toolkit<R>(
  book: Spellbook<R>,
  spellcasting?: SpellcastingService,
): Effect.Effect<Toolkit.WithHandler<Record<string, SpellTool>>, never, R> {
  const made = Toolkit.make(...[...book.spells.values()].map(toolOf))
  return Effect.gen(function* () {
    const casting = spellcasting ?? (yield* service(book))
    const handlers = yield* made.toHandlers(
      Object.fromEntries(
        [...book.spells.keys()].map((name) => [name, (input: unknown) => castOne(casting, name, input)]),
      ),
    )
    return yield* Effect.provide(made, handlers)
  })
}
