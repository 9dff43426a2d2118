/** Converts the prompt and the tools of `effect/ai` to the call options of the AI SDK. */
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import { defined } from "../base/defined.ts"
import { isJsonObject } from "../base/jsonSchema.ts"

interface Message {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content: unknown
  readonly providerOptions?: unknown
}

/** Settings of each call of a model. */
export interface CallSettings {
  /** Maximum tokens of an answer. Default: the provider's. */
  readonly maxOutputTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly stopSequences?: Array<string> | undefined
  readonly seed?: number | undefined
  /** Settings of one provider by its name: `{ openai: { reasoningEffort: "low" } }`. */
  readonly providerOptions?: Record<string, Record<string, JsonValue | undefined>> | undefined
}

/** JSON, as the AI SDK represents it. */
type JsonValue =
  | null
  | string
  | number
  | boolean
  | ReadonlyArray<JsonValue>
  | { readonly [name: string]: JsonValue | undefined }

/**
 * The call options of an AI SDK model. The type is wider than the SDK's own, which is not imported; the values are of that
 * type.
 */
export interface CallOptions extends CallSettings {
  readonly prompt: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<object>
  readonly toolChoice?: object
  readonly responseFormat?: object
  readonly abortSignal?: AbortSignal
}

const optionsOf = ({ options }: { readonly options: Readonly<Record<string, unknown>> }) =>
  Object.keys(options).length === 0 ? undefined : { providerOptions: options }

type Part =
  | Prompt.UserMessagePart
  | Prompt.AssistantMessagePart
  | Prompt.ToolMessagePart

/** Providers accept only objects as arguments: any other value is wrapped in an object, as the AI SDK does. */
const inputOf = ({ params }: Prompt.ToolCallPart): unknown =>
  isJsonObject(params) ? params : { rawInvalidInput: params ?? null }

/** A text is sent unchanged: as JSON it would show the model quotes and escapes. */
const outputOf = ({ isFailure, result }: Prompt.ToolResultPart) =>
  typeof result === "string"
    ? { type: isFailure ? "error-text" : "text", value: result }
    : { type: isFailure ? "error-json" : "json", value: result ?? null }

type Version = "v3" | "v4"

/** The content of a file, tagged with its form for a V4 model. */
const dataOf = (data: Prompt.FilePart["data"], version: Version) =>
  version === "v3" ? data : data instanceof URL ? { type: "url", url: data } : { type: "data", data }

const partOf = (part: Part, version: Version): ReadonlyArray<object> => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [{ type: part.type, text: part.text, ...optionsOf(part) }]
    case "file":
      return [{
        type: "file",
        mediaType: part.mediaType,
        data: dataOf(part.data, version),
        ...(part.fileName === undefined ? undefined : { filename: part.fileName }),
        ...optionsOf(part),
      }]
    case "tool-call":
      return [{ type: "tool-call", toolCallId: part.id, toolName: part.name, input: inputOf(part), ...optionsOf(part) }]
    case "tool-result":
      return [{
        type: "tool-result",
        toolCallId: part.id,
        toolName: part.name,
        output: outputOf(part),
        ...optionsOf(part),
      }]
    default:
      return []
  }
}

const messageOf = (message: Prompt.Message, version: Version): Message => {
  const { role } = message
  if (message.role === "system") return { role, content: message.content, ...optionsOf(message) }
  const parts: ReadonlyArray<Part> = message.content
  return { role, content: parts.flatMap((part) => partOf(part, version)), ...optionsOf(message) }
}

const choiceOf = (choice: LanguageModel.ToolChoice<string>): Pick<CallOptions, "toolChoice"> => {
  if (typeof choice === "string") return { toolChoice: { type: choice } }
  if ("tool" in choice) return { toolChoice: { type: "tool", toolName: choice.tool } }
  return { toolChoice: { type: choice.mode ?? "auto" } }
}

export const callOptions = (
  { prompt, responseFormat, toolChoice, tools }: LanguageModel.ProviderOptions,
  codec: LanguageModel.CodecTransformer,
  version: Version,
): CallOptions => {
  const wanted = typeof toolChoice === "object" && "oneOf" in toolChoice
    ? tools.filter(({ name }) => toolChoice.oneOf.includes(name))
    : tools
  return {
    prompt: prompt.content.map((message) => messageOf(message, version)),
    ...(wanted.length === 0 ? undefined : {
      tools: wanted.map((tool) => {
        const description = Tool.getDescription(tool)
        const inputSchema = Tool.getJsonSchema(tool)
        const strict = Tool.getStrictMode(tool)
        return {
          type: "function" as const,
          name: tool.name,
          inputSchema,
          ...defined({ description, strict }),
        }
      }),
      ...choiceOf(toolChoice),
    }),
    ...(responseFormat.type === "text" ? undefined : {
      responseFormat: {
        type: "json" as const,
        name: responseFormat.objectName,
        schema: codec(responseFormat.schema).jsonSchema,
      },
    }),
  }
}
