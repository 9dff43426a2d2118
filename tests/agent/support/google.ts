/**
 * Gemini's generateContent and streamGenerateContent, as a server speaks them.
 *
 * Source: https://ai.google.dev/api/generate-content
 */
import * as Schema from "effect/Schema"
import {
  type Answer,
  checkWith,
  type Failure,
  finishOf,
  JsonObject,
  piecesOf,
  usageOf,
  type WireFormat,
} from "./Answer.ts"

const Part = Schema.Struct({
  text: Schema.optional(Schema.String),
  thought: Schema.optional(Schema.Boolean),
  thoughtSignature: Schema.optional(Schema.String),
  functionCall: Schema.optional(Schema.Struct({ name: Schema.String, args: JsonObject })),
  functionResponse: Schema.optional(Schema.Struct({ name: Schema.String, response: JsonObject })),
})

const Body = Schema.Struct({
  contents: Schema.Array(
    Schema.Struct({ role: Schema.optional(Schema.Literals(["user", "model"])), parts: Schema.Array(Part) }),
  ),
  systemInstruction: Schema.optional(Schema.Struct({ parts: Schema.Array(Part) })),
  tools: Schema.optional(Schema.Array(Schema.Struct({
    functionDeclarations: Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String })),
  }))),
})

const check = checkWith(Body, ({ contents }) => {
  let open = 0
  for (const { parts, role } of contents) {
    const responses = parts.filter(({ functionResponse }) => functionResponse !== undefined).length
    if (role !== "model" && responses !== open) {
      return "the number of function response parts is equal to the number of function call parts"
    }
    open = role === "model" ? parts.filter(({ functionCall }) => functionCall !== undefined).length : 0
  }
  return open === 0 ? undefined : "a function call turn comes before a function response turn"
})

const finishes = { "stop": "STOP", "length": "MAX_TOKENS", "content-filter": "SAFETY", "tool-calls": "STOP" }

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
}

const usageMetadata = (answer: Answer) => {
  const { cached, input, output, reasoning } = usageOf(answer)
  return {
    promptTokenCount: input,
    cachedContentTokenCount: cached,
    candidatesTokenCount: output - reasoning,
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + output,
  }
}

/** This format has arguments as an object: what is no JSON cannot be said in it. */
const argsOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return { malformed: text }
  }
}

const partsOf = (answer: Answer): ReadonlyArray<object> => [
  ...(answer.reasoning === undefined ? [] : [{ text: answer.reasoning.text, thought: true }]),
  ...(answer.refusal ?? answer.text) === undefined ? [] : [{ text: answer.refusal ?? answer.text }],
  ...(answer.calls ?? []).map(({ id, name, ...rest }, index) => ({
    functionCall: { ...(id === undefined ? undefined : { id }), name, args: argsOf(rest.arguments) },
    ...(index === 0 && answer.reasoning !== undefined ? { thoughtSignature: answer.reasoning.signature } : undefined),
  })),
]

const candidate = (parts: ReadonlyArray<object>, finishReason?: string) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...(finishReason && { finishReason }) }],
  modelVersion: "m",
  responseId: "r",
})

const frame = (value: object): string => `data: ${JSON.stringify(value)}\r\n\r\n`

const failure = ({ message = "failed", status, code }: Failure) => ({
  error: { code: status, message, status: code ?? statuses[status] ?? "UNKNOWN" },
})

export const google: WireFormat = {
  authorize: (headers, url) => headers.get("x-goog-api-key") ?? url.searchParams.get("key") ?? undefined,
  check,
  failure,
  whole: (answer) => ({
    ...candidate(partsOf(answer), finishes[finishOf(answer)]),
    usageMetadata: usageMetadata(answer),
  }),
  events: (answer) => {
    const frames = partsOf(answer).flatMap((part) =>
      "text" in part && typeof part.text === "string"
        ? piecesOf(part.text).map((text) => frame(candidate([{ ...part, text }])))
        : [frame(candidate([part]))]
    )
    const end = { ...candidate([{ text: "" }], finishes[finishOf(answer)]), usageMetadata: usageMetadata(answer) }
    return { frames: [...frames, frame(end)], last: frames.length }
  },
  streamError: (failed) => frame(failure(failed)),
}
