/**
 * Anthropic's messages, as a server speaks them.
 *
 * Source: https://docs.anthropic.com/en/api/messages
 */
import * as Schema from "effect/Schema"
import {
  type Answer,
  bearer,
  checkWith,
  type Failure,
  finishOf,
  JsonObject,
  piecesOf,
  usageOf,
  type WireFormat,
} from "./Answer.ts"

const Block = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String.check(Schema.isMinLength(1)) }),
  Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String, signature: Schema.String }),
  Schema.Struct({ type: Schema.Literal("tool_use"), id: Schema.String, name: Schema.String, input: JsonObject }),
  Schema.Struct({ type: Schema.Literal("tool_result"), tool_use_id: Schema.String, content: Schema.Unknown }),
])

const Body = Schema.Struct({
  model: Schema.String,
  max_tokens: Schema.Int,
  messages: Schema.Array(Schema.Struct({
    role: Schema.Literals(["user", "assistant"]),
    content: Schema.Union([Schema.String, Schema.Array(Block)]),
  })),
  tools: Schema.optional(Schema.Array(Schema.Struct({ name: Schema.String, input_schema: JsonObject }))),
})

const check = checkWith(Body, ({ messages }) => {
  let open: ReadonlyArray<string> = []
  if (messages[0]?.role !== "user") return "messages: first message must use the user role"
  for (const { content, role } of messages) {
    const blocks = typeof content === "string" ? [] : content
    const answers = blocks.flatMap((block) => block.type === "tool_result" ? [block.tool_use_id] : [])
    if (role === "user") {
      if (open.join() !== answers.join()) return "tool_use ids were found without tool_result blocks immediately after"
      open = []
    } else {
      open = blocks.flatMap((block) => block.type === "tool_use" ? [block.id] : [])
    }
  }
  return open.length === 0 ? undefined : "tool_use without tool_result"
})

const finishes = { "stop": "end_turn", "length": "max_tokens", "content-filter": "refusal", "tool-calls": "tool_use" }

const types: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  500: "api_error",
  503: "overloaded_error",
  529: "overloaded_error",
}

const usage = (answer: Answer) => {
  const { cached, input, output } = usageOf(answer)
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  }
}

const argsOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const contentOf = (answer: Answer): ReadonlyArray<Record<string, unknown>> => [
  ...(answer.reasoning === undefined
    ? []
    : [{ type: "thinking", thinking: answer.reasoning.text, signature: answer.reasoning.signature }]),
  ...(answer.refusal ?? answer.text) === undefined ? [] : [{ type: "text", text: answer.refusal ?? answer.text }],
  ...(answer.calls ?? []).map(({ id, name, ...rest }) => ({
    type: "tool_use",
    ...(id === undefined ? undefined : { id }),
    name,
    input: argsOf(rest.arguments),
  })),
]

const messageOf = (answer: Answer, content: ReadonlyArray<object>, stop: string | null) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: usage(answer),
})

const frame = (type: string, value: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`

const failure = ({ code, message = "failed", status }: Failure) => ({
  type: "error",
  error: { type: code ?? types[status] ?? "api_error", message },
})

export const anthropic: WireFormat = {
  authorize: (headers) => headers.has("anthropic-version") ? headers.get("x-api-key") ?? bearer(headers) : undefined,
  check,
  failure,
  whole: (answer) => messageOf(answer, contentOf(answer), finishes[finishOf(answer)]),
  events: (answer) => {
    const frames = [frame("message_start", { message: messageOf(answer, [], null) }), frame("ping")]
    let calls = 0
    contentOf(answer).forEach((block, index) => {
      const delta = (value: object) => frames.push(frame("content_block_delta", { index, delta: value }))
      const empty = block["type"] === "text"
        ? { text: "" }
        : block["type"] === "thinking"
        ? { thinking: "", signature: "" }
        : { input: {} }
      frames.push(frame("content_block_start", { index, content_block: { ...block, ...empty } }))
      if (block["type"] === "text") {
        for (const text of piecesOf(String(block["text"]))) delta({ type: "text_delta", text })
      } else if (block["type"] === "thinking") {
        for (const thinking of piecesOf(String(block["thinking"]))) delta({ type: "thinking_delta", thinking })
        delta({ type: "signature_delta", signature: block["signature"] })
      } else {
        const call = answer.calls?.[calls++]
        for (const piece of piecesOf(call?.arguments ?? "")) delta({ type: "input_json_delta", partial_json: piece })
      }
      frames.push(frame("content_block_stop", { index }))
    })
    const end = { delta: { stop_reason: finishes[finishOf(answer)], stop_sequence: null }, usage: usage(answer) }
    return { frames: [...frames, frame("message_delta", end), frame("message_stop")], last: frames.length }
  },
  streamError: (failed) => frame("error", failure(failed)),
}
