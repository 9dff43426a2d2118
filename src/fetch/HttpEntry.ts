/** Schemas of the messages of the Http branch: a URL request, its response, its fault. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type EventSchema, eventSchema, type RequestSchema, requestSchema } from "../branch/messageSchemas.ts"
import { CommandId } from "../command/CommandId.ts"
import { Secret } from "../command/Secret.ts"

const headers: Schema.$Record<typeof Schema.String, typeof Schema.String> = Schema.Record(Schema.String, Schema.String)

/**
 * Schema of a request. It holds no credentials, because it is journaled: the leaf adds them, including those that
 * `secretHeaders` names by `Secrets.reference`. An encoded request has the name of such a secret, never its value.
 */
export const HttpFetch: RequestSchema<"HttpFetch", {
  readonly url: typeof Schema.String
  readonly method: Schema.withConstructorDefault<typeof Schema.String>
  readonly headers: Schema.withConstructorDefault<Schema.$Record<typeof Schema.String, typeof Schema.String>>
  readonly secretHeaders: Schema.optionalKey<
    Schema.$Record<
      typeof Schema.String,
      Schema.Codec<Redacted.Redacted<string>, { readonly _tag: "Redacted"; readonly label?: string }>
    >
  >
  readonly body: Schema.optionalKey<typeof Schema.Uint8ArrayFromBase64>
  readonly maxBytes: Schema.optionalKey<typeof Schema.Int>
}> = requestSchema("HttpFetch", {
  url: Schema.String,
  method: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed("GET"))),
  headers: headers.pipe(Schema.withConstructorDefault(Effect.succeed({}))),
  secretHeaders: Schema.optionalKey(Schema.Record(Schema.String, Secret)),
  body: Schema.optionalKey(Schema.Uint8ArrayFromBase64),
  maxBytes: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
})

/** A request of a URL. */
export interface HttpFetch extends Schema.Schema.Type<typeof HttpFetch> {}

/** Schema of a response. `url` is the last one, after redirects; `fromCache` says that no body was fetched. */
export const HttpResponse: EventSchema<"HttpResponse", {
  readonly url: typeof Schema.String
  readonly status: typeof Schema.Int
  readonly headers: Schema.$Record<typeof Schema.String, typeof Schema.String>
  readonly body: typeof Schema.Uint8ArrayFromBase64
  readonly fromCache: Schema.optionalKey<typeof Schema.Boolean>
}> = eventSchema("HttpResponse", {
  url: Schema.String,
  status: Schema.Int,
  headers,
  body: Schema.Uint8ArrayFromBase64,
  fromCache: Schema.optionalKey(Schema.Boolean),
})

/** A response. */
export interface HttpResponse extends Schema.Schema.Type<typeof HttpResponse> {}

const httpFaultKinds = [
  "NotAllowed",
  "InvalidRequest",
  "Unreachable",
  "TooLarge",
  "TooManyRedirects",
  "Timeout",
  "Broken",
] as const

/** Schema of why a request failed. */
export const HttpFaultKind: Schema.Literals<typeof httpFaultKinds> = Schema.Literals(httpFaultKinds)

/** The kind of a failure. */
export type HttpFaultKind = typeof HttpFaultKind.Type

const Base: Schema.Class<
  HttpFault,
  EventSchema<"HttpFault", {
    readonly faultKind: typeof HttpFaultKind
    readonly url: typeof Schema.String
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<HttpFault>()("HttpFault", {
  correlationId: CommandId,
  faultKind: HttpFaultKind,
  url: Schema.String,
  message: Schema.String,
})

/** A request without a response. A response of any status is not a fault. */
export class HttpFault extends Base {}
