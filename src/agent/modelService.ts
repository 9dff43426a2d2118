/**
 * Makes the service of the model branch from the `LanguageModel` of the context and the spells of a book.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Spell } from "../spell/Spell.ts"
import type { Spellbook } from "../spell/Spellbook.ts"
import { toolSchema } from "../spell/toolSchema.ts"
import { ModelFault, type ModelRequest, type ModelService } from "./ModelBranch.ts"

const encodePrompt = Schema.encodeEffect(Prompt.Prompt)
const decodeMessages = Schema.decodeUnknownEffect(Prompt.Prompt)
const toJson = Schema.decodeUnknownSync(Schema.Json)

/**
 * Options of {@link modelService}.
 *
 * @stability experimental
 */
export interface ModelServiceOptions {
  /**
   * The JSON Schema that the model is given: `"openai"` makes the tools strict. The AI SDK converts `"mcp"` for Google and
   * Anthropic itself. Default: `"mcp"`.
   */
  readonly dialect?: "openai" | "mcp" | undefined
}

/** The tool by which a model learns of a spell. */
const toolOf = (spell: Spell<string, unknown>, dialect: "openai" | "mcp") => {
  const { description, name } = spell
  const tool = Tool.dynamic(name, { description, parameters: toolSchema(spell, dialect) })
  return dialect === "openai" ? tool.annotate(Tool.Strict, true) : tool
}

/**
 * Makes the service. It only asks: the calls of tools are left to its caller. It dies with an `OptionError` where the dialect
 * cannot express the parameters of a spell: check the book by `Spellbook.check`.
 */
export const modelService = (
  book: Spellbook<unknown>,
  { dialect = "mcp" }: ModelServiceOptions = {},
): Effect.Effect<ModelService, never, LanguageModel.LanguageModel> =>
  Effect.map(LanguageModel.LanguageModel, (model) => {
    const { tools } = Toolkit.make(...[...book.spells.values()].map((spell) => toolOf(spell, dialect)))
    const toolkit = { tools, handle: () => Effect.die("an agent casts spells itself") }
    const ask = (request: ModelRequest) =>
      Effect.gen(function* () {
        const prompt = yield* decodeMessages({ content: request.prompt })
        const { content, finishReason, text, toolCalls, usage } = yield* model.generateText({
          prompt,
          toolkit,
          disableToolCallResolution: true,
          toolCallValidation: "deferred",
        })
        const messages = yield* encodePrompt(Prompt.fromResponseParts(content))
        return {
          _tag: "ModelResponse" as const,
          correlationId: request.correlationId,
          text,
          toolCalls: toolCalls.map(({ id, name, params }) => ({ id, name, arguments: toJson(params) })),
          messages: messages.content.map((message) => toJson(message)),
          finishReason,
          inputTokens: usage.inputTokens.total ?? 0,
          outputTokens: usage.outputTokens.total ?? 0,
        }
      })
    return {
      request: (request) =>
        ask(request).pipe(
          Effect.mapError((error) =>
            new ModelFault({
              correlationId: request.correlationId,
              code: "reason" in error ? error.reason._tag : error._tag,
              message: `model: ${error.message}`,
            })
          ),
          Stream.fromEffect,
        ),
    }
  })
