/**
 * Converts what a model of the AI SDK answers to the parts of `effect/ai`.
 *
 * @module
 */
import type * as Response from "effect/ai/Response"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** What a provider adds to a part, such as the signature of a thought: it comes back with the next prompt. */
type Metadata = Readonly<Record<string, unknown>>

interface Part<Type extends string> {
  readonly type: Type
  readonly providerMetadata?: Metadata | undefined
}

/**
 * Tokens that an answer took.
 *
 * @stability experimental
 */
export interface Usage {
  readonly inputTokens: {
    readonly total: number | undefined
    readonly noCache: number | undefined
    readonly cacheRead: number | undefined
    readonly cacheWrite: number | undefined
  }
  readonly outputTokens: {
    readonly total: number | undefined
    readonly text: number | undefined
    readonly reasoning: number | undefined
  }
}

interface ToolCall extends Part<"tool-call"> {
  readonly toolCallId: string
  readonly toolName: string
  /** JSON, as the model wrote it. */
  readonly input: string
  readonly providerExecuted?: boolean | undefined
}

/**
 * A part of an answer.
 *
 * @stability experimental
 */
export type Content =
  | (Part<"text"> & { readonly text: string })
  | (Part<"reasoning"> & { readonly text: string })
  | ToolCall
  | (Part<"file"> & { readonly mediaType: string; readonly data: string | Uint8Array })
  | Part<"source" | "tool-result" | "tool-approval-request">

/**
 * A part of an answer that comes as a stream.
 *
 * @stability experimental
 */
export type StreamPart =
  | (Part<"text-start" | "text-end" | "reasoning-start" | "reasoning-end" | "tool-input-end"> & { readonly id: string })
  | (Part<"text-delta" | "reasoning-delta" | "tool-input-delta"> & { readonly id: string; readonly delta: string })
  | (Part<"tool-input-start"> & { readonly id: string; readonly toolName: string })
  | ToolCall
  | (Part<"response-metadata"> & { readonly id?: string; readonly modelId?: string; readonly timestamp?: Date })
  | (Part<"finish"> & { readonly finishReason: { readonly unified: Response.FinishReason }; readonly usage: Usage })
  | { readonly type: "error"; readonly error: unknown }
  | Part<"stream-start" | "raw" | "file" | "source" | "tool-result" | "tool-approval-request">

const decodeMetadata = Schema.decodeUnknownOption(
  Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json)),
)

/** What is no JSON is left out: it could not be journaled. */
const metadataOf = ({ providerMetadata }: { readonly providerMetadata?: Metadata | undefined }) => {
  const metadata = decodeMetadata(providerMetadata)
  return Option.isSome(metadata) ? { metadata: metadata.value } : undefined
}

/** Parameters that are no JSON stay a text: who decodes them tells the model what is expected. */
const parametersOf = (input: string): unknown => {
  if (input.trim() === "") return {}
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

const toolCallOf = (call: ToolCall): Response.ToolCallPartEncoded => ({
  type: "tool-call",
  id: call.toolCallId,
  name: call.toolName,
  params: parametersOf(call.input),
  ...(call.providerExecuted === undefined ? undefined : { providerExecuted: call.providerExecuted }),
  ...metadataOf(call),
})

/** The part of `effect/ai`; `undefined` for one that it has not. */
export const partOf = (content: Content): Response.PartEncoded | undefined => {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text, ...metadataOf(content) }
    case "reasoning":
      return { type: "reasoning", text: content.text, ...metadataOf(content) }
    case "tool-call":
      return toolCallOf(content)
    default:
      return undefined
  }
}

/** The usage of `effect/ai`. */
export const usageOf = ({ inputTokens, outputTokens }: Usage): typeof Response.Usage.Encoded => ({
  inputTokens: {
    uncached: inputTokens.noCache,
    total: inputTokens.total,
    cacheRead: inputTokens.cacheRead,
    cacheWrite: inputTokens.cacheWrite,
  },
  outputTokens: { ...outputTokens },
})

/** The parts of `effect/ai` for a part of a stream. */
export const streamPartsOf = (
  part: Exclude<StreamPart, { type: "error" }>,
): ReadonlyArray<Response.StreamPartEncoded> => {
  switch (part.type) {
    case "text-start":
      return [{ type: "text-start", id: part.id, ...metadataOf(part) }]
    case "text-end":
      return [{ type: "text-end", id: part.id, ...metadataOf(part) }]
    case "reasoning-start":
      return [{ type: "reasoning-start", id: part.id, ...metadataOf(part) }]
    case "reasoning-end":
      return [{ type: "reasoning-end", id: part.id, ...metadataOf(part) }]
    case "text-delta":
      return [{ type: "text-delta", id: part.id, delta: part.delta, ...metadataOf(part) }]
    case "reasoning-delta":
      return [{ type: "reasoning-delta", id: part.id, delta: part.delta, ...metadataOf(part) }]
    case "tool-input-start":
      return [{ type: "tool-params-start", id: part.id, name: part.toolName }]
    case "tool-input-delta":
      return [{ type: "tool-params-delta", id: part.id, delta: part.delta }]
    case "tool-input-end":
      return [{ type: "tool-params-end", id: part.id }]
    case "tool-call":
      return [toolCallOf(part)]
    case "response-metadata":
      return [{
        type: "response-metadata",
        id: part.id,
        modelId: part.modelId,
        timestamp: part.timestamp?.toISOString(),
      }]
    case "finish":
      return [{ type: "finish", reason: part.finishReason.unified, usage: usageOf(part.usage) }]
    default:
      return []
  }
}
