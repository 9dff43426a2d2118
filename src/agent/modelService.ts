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
import { ModelFault, type ModelRequest, type ModelService } from "./ModelBranch.ts"

const encodePrompt = Schema.encodeEffect(Prompt.Prompt)
const decodeMessages = Schema.decodeUnknownEffect(Prompt.Prompt)
const toJson = Schema.decodeUnknownSync(Schema.Json)

/** The tool by which a model learns of a spell. */
const toolOf = ({ description, name, parameters }: Spell<string, unknown>) => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(parameters)
  return Tool.dynamic(name, {
    description,
    parameters: Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions },
  })
}

/** Makes the service. It only asks: the calls of tools are left to its caller. */
export const modelService = (
  book: Spellbook<unknown>,
): Effect.Effect<ModelService, never, LanguageModel.LanguageModel> =>
  Effect.map(LanguageModel.LanguageModel, (model) => {
    const { tools } = Toolkit.make(...[...book.spells.values()].map(toolOf))
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
