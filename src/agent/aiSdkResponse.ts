/** Converts the response of an AI SDK model to the parts of `effect/ai`. */
import type * as Response from "effect/ai/Response"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isTooDeep } from "../base/isTooDeep.ts"

/** Data that a provider adds to a part, such as the signature of a thought; it is sent back with the next prompt. */
type Metadata = Readonly<Record<string, unknown>>

interface Part<Type extends string> {
  readonly type: Type
  readonly providerMetadata?: Metadata | undefined
}

/** Tokens that an answer used. */
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

/** A part of an answer. */
export type Content =
  | (Part<"text"> & { readonly text: string })
  | (Part<"reasoning"> & { readonly text: string })
  | ToolCall
  | FileContent
  | SourceContent
  | Part<OtherType>

/** Parts that `effect/ai` does not have. */
type OtherType = "tool-result" | "tool-approval-request" | "custom" | "reasoning-file"

/** A file that a model made; text is base64. Models of V4 say which of the forms it has. */
interface FileContent extends Part<"file"> {
  readonly mediaType: string
  readonly data:
    | string
    | Uint8Array
    | { readonly type: "data"; readonly data: string | Uint8Array }
    | { readonly type: "url"; readonly url: URL }
}

/** The source that a model cites. */
interface SourceContent extends Part<"source"> {
  readonly sourceType: "url" | "document"
  readonly id: string
  readonly url?: string
  readonly mediaType?: string
  readonly title?: string | undefined
  readonly filename?: string | undefined
}

/** The request settings that a provider ignored or changed. */
export interface Warning {
  readonly type: string
  readonly feature?: string
  readonly setting?: string
  readonly details?: string | undefined
  readonly message?: string
}

/**
 * The reason for the end of an answer; `raw` is the provider's own word. An interrupted answer has no end: its
 * connection broke off.
 */
export interface FinishReason {
  readonly unified: Response.FinishReason | "interrupted"
  readonly raw: string | undefined
}

/** A part of an answer that comes as a stream. */
export type StreamPart =
  | (Part<"text-start" | "text-end" | "reasoning-start" | "reasoning-end" | "tool-input-end"> & { readonly id: string })
  | (Part<"text-delta" | "reasoning-delta" | "tool-input-delta"> & { readonly id: string; readonly delta: string })
  | (Part<"tool-input-start"> & { readonly id: string; readonly toolName: string })
  | ToolCall
  | (Part<"response-metadata"> & { readonly id?: string; readonly modelId?: string; readonly timestamp?: Date })
  | (Part<"finish"> & { readonly finishReason: FinishReason; readonly usage: Usage })
  | { readonly type: "error"; readonly error: unknown }
  | (Part<"stream-start"> & { readonly warnings: ReadonlyArray<Warning> })
  | FileContent
  | SourceContent
  | Part<"raw" | "ping" | OtherType>

const decodeMetadata = Schema.decodeUnknownOption(
  Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Json)),
)

/** Values that are not JSON are left out: they could not be journaled. */
const metadataOf = ({ providerMetadata }: { readonly providerMetadata?: Metadata | undefined }) => {
  const metadata = decodeMetadata(providerMetadata)
  return Option.isSome(metadata) ? { metadata: metadata.value } : undefined
}

/** Parameters that are not JSON, or too deep, stay text; decoding them later tells the model the expected form. */
const parametersOf = (input: string): unknown => {
  if (input.trim() === "") return {}
  try {
    const parsed: unknown = JSON.parse(input)
    return isTooDeep(parsed) ? input : parsed
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

/** A file or its location; a part of `effect/ai` has the bytes. */
const fileOf = (file: FileContent): Response.FilePartEncoded | Response.UrlSourcePartEncoded => {
  const { data: given, mediaType } = file
  const isPlain = typeof given === "string" || given instanceof Uint8Array
  if (!isPlain && given.type === "url") {
    const { href } = given.url
    return { type: "source", sourceType: "url", id: href, url: href, title: mediaType, ...metadataOf(file) }
  }
  const data = isPlain ? given : given.data
  return { type: "file", mediaType, data: typeof data === "string" ? data : Base64.encode(data), ...metadataOf(file) }
}

const sourceOf = (source: SourceContent): Response.UrlSourcePartEncoded | Response.DocumentSourcePartEncoded => {
  const { filename, id, mediaType = "application/octet-stream", title, url } = source
  const common = { type: "source" as const, id, ...metadataOf(source) }
  // The model wrote the URL: if it cannot be parsed, it becomes a title.
  if (url !== undefined && URL.canParse(url)) return { ...common, sourceType: "url", url, title: title ?? url }
  const name = filename === undefined ? {} : { fileName: filename }
  return { ...common, sourceType: "document", mediaType, title: title ?? url ?? id, ...name }
}

/**
 * Converts to a part of `effect/ai`. Only tools that a provider runs itself have results here, and none are requested.
 */
export const partOf = (content: Content): Response.PartEncoded | undefined => {
  switch (content.type) {
    case "file":
      return fileOf(content)
    case "source":
      return sourceOf(content)
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

/** Number of tokens above which a count is ignored. */
const maxTokens = 1_000_000_000_000

/** A count of tokens; some servers send fractions or no number. */
const count = (tokens: number | undefined): number | undefined =>
  typeof tokens === "number" && tokens <= maxTokens ? Math.max(0, Math.round(tokens)) : undefined

/** Token usage. Third-party adapters may leave out any field, or all. */
const usageOf = (usage: Partial<Usage> | undefined): typeof Response.Usage.Encoded => {
  const { inputTokens: input, outputTokens: output } = usage ?? {}
  return {
    inputTokens: {
      uncached: count(input?.noCache),
      total: count(input?.total),
      cacheRead: count(input?.cacheRead),
      cacheWrite: count(input?.cacheWrite),
    },
    outputTokens: { total: count(output?.total), text: count(output?.text), reasoning: count(output?.reasoning) },
  }
}

export const warningText = ({ details, feature, message, setting, type }: Warning): string =>
  [type, feature, setting, details, message].filter((text) => text !== undefined && text !== "").join(": ")

/** The end of an answer, with the warnings about its request. */
export const finishOf = (
  finish: {
    readonly finishReason: FinishReason
    readonly usage: Usage
    readonly providerMetadata?: Metadata | undefined
  },
  warnings: ReadonlyArray<Warning>,
): Response.FinishPartEncoded => {
  const { unified } = finish.finishReason
  const metadata = {
    ...metadataOf(finish)?.metadata,
    ...(warnings.length === 0 ? undefined : { aiSdk: { warnings: warnings.map(warningText) } }),
  }
  return {
    type: "finish",
    reason: unified === "interrupted" ? "error" : unified,
    usage: usageOf(finish.usage),
    ...(Object.keys(metadata).length === 0 ? undefined : { metadata }),
  }
}

export const streamPartsOf = (
  part: Exclude<StreamPart, { type: "error" | "finish" }>,
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
    case "file":
      return [fileOf(part)]
    case "source":
      return [sourceOf(part)]
    default:
      return []
  }
}
