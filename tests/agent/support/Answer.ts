/** Declares the answer of a scripted model, independent of the format. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export interface Call {
  /** Left out, the format's own field is left out. */
  readonly id?: string
  readonly name: string
  /** JSON, or what a model wrote instead. */
  readonly arguments: string
}

export interface Answer {
  readonly reasoning?: { readonly text: string; readonly signature: string }
  readonly text?: string
  readonly refusal?: string
  readonly calls?: ReadonlyArray<Call>
  readonly finish?: "stop" | "length" | "content-filter" | "tool-calls"
  readonly usage?: {
    readonly input: number
    readonly cached: number
    readonly output: number
    readonly reasoning: number
  }
}

export interface Failure {
  readonly status: number
  /** The provider's own word: `insufficient_quota`, `overloaded_error`. */
  readonly code?: string
  readonly message?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The body, where it is not of the provider's form. */
  readonly body?: string
}

export type Reply =
  | { readonly failure: Failure }
  | {
    readonly answer: Answer
    /** Where a stream ends too early: in the middle of an event, or before the events that end it. */
    readonly cut?: "event" | "finish"
    /** An error in the middle of a stream, in the place of its last events. */
    readonly streamError?: Failure
    /** Milliseconds before the answer begins. */
    readonly delay?: number
    /** Milliseconds before each further piece of it. */
    readonly drip?: number
    /** The body of an answer that is not streamed. */
    readonly body?: string
  }

/** One provider's format. */
export interface WireFormat {
  readonly authorize: (headers: Headers, url: URL) => string | undefined
  /** What is wrong in a request; `undefined` for a good one. */
  readonly check: (body: unknown) => string | undefined
  readonly whole: (answer: Answer) => object
  /** The events of an answer; those from `last` on end it. */
  readonly events: (answer: Answer) => { readonly frames: ReadonlyArray<string>; readonly last: number }
  readonly failure: (failure: Failure) => object
  readonly streamError: (failure: Failure) => string
}

export const usageOf = ({ usage }: Answer) => usage ?? { input: 10, cached: 0, output: 2, reasoning: 0 }

export const finishOf = ({ calls = [], finish }: Answer) => finish ?? (calls.length > 0 ? "tool-calls" : "stop")

/** A text in pieces, as models send it: they split words. */
export const piecesOf = (text: string): ReadonlyArray<string> => {
  const size = Math.max(3, Math.ceil(text.length / 50))
  return Array.from(
    { length: Math.ceil(text.length / size) },
    (_, index) => text.slice(index * size, (index + 1) * size),
  )
}

/** Says what a Schema says is wrong in a value. */
export const checkWith = <A>(
  schema: Schema.Codec<A, unknown>,
  further: (value: A) => string | undefined = () => undefined,
) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (value: unknown): string | undefined => {
    const result = decode(value)
    return Result.isFailure(result) ? String(result.failure) : further(result.success)
  }
}

export const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

export const JsonObject = Schema.Record(Schema.String, Schema.Unknown)

export const bearer = (headers: Headers): string | undefined => headers.get("authorization")?.replace(/^Bearer /, "")

/** Says where a JSON Schema is not what OpenAI takes as strict: each object closed, with all of its properties required. */
export const strictFault = (schema: unknown, path = "schema"): string | undefined => {
  if (typeof schema !== "object" || schema === null) return undefined
  const { additionalProperties, properties, required } = Object.fromEntries(Object.entries(schema))
  if (typeof properties === "object" && properties !== null) {
    if (additionalProperties !== false) {
      return `${path}: 'additionalProperties' is required to be supplied and to be false`
    }
    const names = Object.keys(properties)
    if (!Array.isArray(required) || names.some((name) => !required.includes(name))) {
      return `${path}: 'required' is required to be an array including every key in properties`
    }
  }
  return Object.entries(schema).map(([name, value]) => strictFault(value, `${path}.${name}`))
    .find((fault) => fault !== undefined)
}
