/**
 * OpenAI's chat completions, as a server speaks them.
 *
 * Source: https://platform.openai.com/docs/api-reference/chat
 */
import * as Schema from "effect/Schema"
import {
  type Answer,
  bearer,
  checkWith,
  type Failure,
  finishOf,
  isJsonObject,
  JsonObject,
  piecesOf,
  strictFault,
  usageOf,
  type WireFormat,
} from "./Answer.ts"

const Text = Schema.Union([
  Schema.String,
  Schema.Array(Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })),
])

const Message = Schema.Union([
  Schema.Struct({ role: Schema.Literals(["system", "developer", "user"]), content: Text }),
  Schema.Struct({
    role: Schema.Literal("assistant"),
    content: Schema.optional(Schema.NullOr(Text)),
    tool_calls: Schema.optional(Schema.Array(Schema.Struct({
      id: Schema.String,
      type: Schema.Literal("function"),
      function: Schema.Struct({ name: Schema.String, arguments: Schema.String }),
    }))),
  }),
  Schema.Struct({ role: Schema.Literal("tool"), tool_call_id: Schema.String, content: Text }),
])

const Body = Schema.Struct({
  model: Schema.String,
  messages: Schema.Array(Message),
  stream: Schema.optional(Schema.Boolean),
  tools: Schema.optional(Schema.Array(Schema.Struct({
    type: Schema.Literal("function"),
    function: Schema.Struct({ name: Schema.String, parameters: JsonObject, strict: Schema.optional(Schema.Boolean) }),
  }))),
  response_format: Schema.optional(Schema.Struct({
    type: Schema.Literal("json_schema"),
    json_schema: Schema.Struct({ name: Schema.String, schema: JsonObject, strict: Schema.optional(Schema.Boolean) }),
  })),
})

const check = checkWith(Body, ({ messages, response_format: format, tools = [] }) => {
  const strict = [
    ...tools.map((tool) => tool.function.strict === true ? tool.function.parameters : undefined),
    format?.json_schema.strict === true ? format.json_schema.schema : undefined,
  ]
  const fault = strict.map((schema) => strictFault(schema)).find((each) => each !== undefined)
  if (fault !== undefined) return fault
  let open: ReadonlyArray<string> = []
  for (const message of messages) {
    if (message.role === "tool") {
      const id = message.tool_call_id
      if (!open.includes(id)) return `tool_call_id ${id} answers no call`
      open = open.filter((each) => each !== id)
    } else {
      if (open.length > 0) return `tool_call_ids did not have response messages: ${open.join()}`
      if (message.role === "assistant") {
        const calls = message.tool_calls ?? []
        if (!calls.every((call) => isJsonObject(call.function.arguments))) return "function arguments are a JSON object"
        open = calls.map(({ id }) => id)
      }
    }
  }
  return open.length > 0 ? "calls without answers" : undefined
})

const finishes = { "stop": "stop", "length": "length", "content-filter": "content_filter", "tool-calls": "tool_calls" }

const usage = (answer: Answer) => {
  const { cached, input, output, reasoning } = usageOf(answer)
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`

const chunk = (delta: object, finish: string | null = null): string =>
  frame({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

const call = ({ id, name, ...rest }: NonNullable<Answer["calls"]>[number]) => ({
  ...(id === undefined ? undefined : { id }),
  type: "function",
  function: { name, arguments: rest.arguments },
})

const failure = ({ code, message = "failed" }: Failure) => ({
  error: { message, type: code ?? "invalid_request_error", param: null, code: code ?? null },
})

export const openaiChat: WireFormat = {
  authorize: bearer,
  check,
  failure,
  whole: (answer) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "m",
    choices: [{
      index: 0,
      message: {
        role: "assistant",
        content: answer.text ?? null,
        refusal: answer.refusal ?? null,
        ...(answer.calls === undefined ? undefined : { tool_calls: answer.calls.map(call) }),
      },
      finish_reason: finishes[finishOf(answer)],
    }],
    usage: usage(answer),
  }),
  events: (answer) => {
    const frames = [
      chunk({ role: "assistant", content: "" }),
      ...piecesOf(answer.text ?? "").map((content) => chunk({ content })),
      ...piecesOf(answer.refusal ?? "").map((refusal) => chunk({ refusal })),
      ...(answer.calls ?? []).flatMap((each, index) => [
        chunk({ tool_calls: [{ index, ...call({ ...each, arguments: "" }) }] }),
        ...piecesOf(each.arguments).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
    ]
    const end = { id: "chatcmpl-1", created: 1_700_000_000, model: "m", choices: [], usage: usage(answer) }
    return {
      frames: [...frames, chunk({}, finishes[finishOf(answer)]), frame(end), "data: [DONE]\n\n"],
      last: frames.length,
    }
  },
  streamError: (failed) => frame(failure(failed)),
}
