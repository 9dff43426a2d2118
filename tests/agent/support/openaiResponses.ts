/**
 * OpenAI's responses, as a server speaks them.
 *
 * Source: https://platform.openai.com/docs/api-reference/responses
 */
import * as Schema from "effect/Schema"
import {
  type Answer,
  bearer,
  checkWith,
  finishOf,
  isJsonObject,
  JsonObject,
  piecesOf,
  strictFault,
  usageOf,
  type WireFormat,
} from "./Answer.ts"
import { openaiChat } from "./openaiChat.ts"

const Item = Schema.Union([
  Schema.Struct({ role: Schema.Literals(["system", "developer", "user", "assistant"]), content: Schema.Unknown }),
  Schema.Struct({
    type: Schema.Literal("function_call"),
    call_id: Schema.String,
    name: Schema.String,
    arguments: Schema.String,
  }),
  Schema.Struct({ type: Schema.Literal("function_call_output"), call_id: Schema.String, output: Schema.String }),
  Schema.Struct({
    type: Schema.Literal("reasoning"),
    id: Schema.optional(Schema.String),
    encrypted_content: Schema.String,
    summary: Schema.Array(Schema.Unknown),
  }),
  Schema.Struct({ type: Schema.Literal("item_reference"), id: Schema.String }),
])

const Body = Schema.Struct({
  model: Schema.String,
  input: Schema.Union([Schema.String, Schema.Array(Item)]),
  tools: Schema.optional(Schema.Array(Schema.Struct({
    type: Schema.Literal("function"),
    name: Schema.String,
    parameters: JsonObject,
    strict: Schema.optional(Schema.NullOr(Schema.Boolean)),
  }))),
  text: Schema.optional(Schema.Struct({
    format: Schema.optional(
      Schema.Struct({
        type: Schema.Literal("json_schema"),
        schema: JsonObject,
        strict: Schema.optional(Schema.Boolean),
      }),
    ),
  })),
})

const check = checkWith(Body, ({ input, text, tools = [] }) => {
  const strict = [
    ...tools.map((tool) => tool.strict === true ? tool.parameters : undefined),
    text?.format?.strict === true ? text.format.schema : undefined,
  ]
  const fault = strict.map((schema) => strictFault(schema)).find((each) => each !== undefined)
  if (fault !== undefined) return fault
  if (typeof input === "string") return undefined
  const called = new Set<string>()
  for (const item of input) {
    if (!("type" in item)) continue
    if (item.type === "function_call") {
      if (!isJsonObject(item.arguments)) return "function arguments are a JSON object"
      called.add(item.call_id)
    }
    // A reference stands for a call that the server keeps.
    if (item.type === "item_reference") called.add(item.id.replace(/^fc_/, ""))
    if (item.type === "function_call_output" && !called.delete(item.call_id)) {
      return `No tool call found for function call output with call_id ${item.call_id}.`
    }
  }
  return undefined
})

const outputOf = (answer: Answer): ReadonlyArray<Record<string, unknown>> => [
  ...(answer.reasoning === undefined ? [] : [{
    id: "rs_1",
    type: "reasoning",
    summary: [{ type: "summary_text", text: answer.reasoning.text }],
    encrypted_content: answer.reasoning.signature,
  }]),
  ...(answer.text === undefined && answer.refusal === undefined ? [] : [{
    id: "msg_1",
    type: "message",
    status: "completed",
    role: "assistant",
    content: [
      answer.refusal === undefined
        ? { type: "output_text", text: answer.text, annotations: [] }
        : { type: "refusal", refusal: answer.refusal },
    ],
  }]),
  ...(answer.calls ?? []).map(({ id, name, ...rest }) => ({
    id: `fc_${id}`,
    type: "function_call",
    status: "completed",
    name,
    arguments: rest.arguments,
    ...(id === undefined ? undefined : { call_id: id }),
  })),
]

const responseOf = (answer: Answer, output: ReadonlyArray<unknown>) => {
  const { cached, input, output: written, reasoning } = usageOf(answer)
  const finish = finishOf(answer)
  const incomplete = finish === "length"
    ? "max_output_tokens"
    : finish === "content-filter"
    ? "content_filter"
    : undefined
  return {
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    status: incomplete === undefined ? "completed" : "incomplete",
    error: null,
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    model: "m",
    output,
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: written,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + written,
    },
  }
}

export const openaiResponses: WireFormat = {
  authorize: bearer,
  check,
  failure: openaiChat.failure,
  whole: (answer) => responseOf(answer, outputOf(answer)),
  events: (answer) => {
    let sequence = 0
    const frame = (type: string, value: object): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...value })}\n\n`
    const output = outputOf(answer)
    const frames = [frame("response.created", { response: { ...responseOf(answer, []), status: "in_progress" } })]
    output.forEach((item, index) => {
      const place = { item_id: item["id"], output_index: index }
      const started = item["type"] === "function_call"
        ? { ...item, arguments: "", status: "in_progress" }
        : item["type"] === "reasoning"
        ? { ...item, summary: [] }
        : { ...item, content: [], status: "in_progress" }
      frames.push(frame("response.output_item.added", { output_index: index, item: started }))
      if (item["type"] === "reasoning") {
        const part = { ...place, summary_index: 0 }
        frames.push(
          frame("response.reasoning_summary_part.added", { ...part, part: { type: "summary_text", text: "" } }),
        )
        for (const delta of piecesOf(answer.reasoning?.text ?? "")) {
          frames.push(frame("response.reasoning_summary_text.delta", { ...part, delta }))
        }
        frames.push(frame("response.reasoning_summary_part.done", { ...part, part: { type: "summary_text" } }))
      } else if (item["type"] === "message") {
        const refusal = answer.refusal !== undefined
        const type = refusal ? "response.refusal.delta" : "response.output_text.delta"
        const part = refusal ? { type: "refusal", refusal: "" } : { type: "output_text", text: "", annotations: [] }
        frames.push(frame("response.content_part.added", { ...place, content_index: 0, part }))
        for (const delta of piecesOf(answer.refusal ?? answer.text ?? "")) {
          frames.push(frame(type, { ...place, content_index: 0, delta, logprobs: [] }))
        }
      } else {
        for (const delta of piecesOf(String(item["arguments"]))) {
          frames.push(frame("response.function_call_arguments.delta", { ...place, delta }))
        }
      }
      frames.push(frame("response.output_item.done", { output_index: index, item }))
    })
    const response = responseOf(answer, output)
    return { frames: [...frames, frame(`response.${response.status}`, { response })], last: frames.length }
  },
  streamError: ({ code = "server_error", message = "failed" }) => {
    const error = { type: "error", sequence_number: 99, code, message, param: null }
    return `event: error\ndata: ${JSON.stringify(error)}\n\n`
  },
}
