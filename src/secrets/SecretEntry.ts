/** Schemas of the messages of the Secrets branch: requests for values and names, their answers, their fault. */
import type * as Cause from "effect/Cause"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type EventSchema, eventSchema, type RequestSchema, requestSchema } from "../branch/messageSchemas.ts"
import { CommandId } from "../command/CommandId.ts"
import { type RedactedMarker, Secret } from "../command/Secret.ts"

const maybe = Schema.optionalKey(Schema.String)

/**
 * Schema of a request for the value of a secret: its name, a field of it, its version as the store counts, and its
 * purpose.
 */
export const SecretGet: RequestSchema<"SecretGet", {
  readonly name: typeof Schema.String
  readonly field: Schema.optionalKey<typeof Schema.String>
  readonly version: Schema.optionalKey<typeof Schema.String>
  readonly purpose: Schema.optionalKey<typeof Schema.String>
  readonly commandId: Schema.optionalKey<typeof CommandId>
}> = requestSchema("SecretGet", {
  name: Schema.String,
  field: maybe,
  version: maybe,
  purpose: maybe,
  commandId: Schema.optionalKey(CommandId),
})

/** A request for the value of a secret. */
export interface SecretGet extends Schema.Schema.Type<typeof SecretGet> {}

/** Schema of a request for the names of secrets. */
export const SecretList: RequestSchema<"SecretList", {}> = requestSchema("SecretList", {})

/** Schema of all requests. */
export const SecretRequest: Schema.Union<readonly [typeof SecretGet, typeof SecretList]> = Schema.Union([
  SecretGet,
  SecretList,
])

/** A request of the Secrets branch. */
export type SecretRequest = typeof SecretRequest.Type

/**
 * Schema of an answer: `SecretGiven` or `SecretNames`. A value encodes to a marker, so that no journal has it; one that was
 * decoded has no value.
 */
export const SecretEvent: Schema.Union<
  readonly [
    EventSchema<"SecretGiven", {
      readonly name: typeof Schema.String
      readonly value: Schema.Codec<Redacted.Redacted<string>, RedactedMarker>
    }>,
    EventSchema<"SecretNames", { readonly names: Schema.$Array<typeof Schema.String> }>,
  ]
> = Schema.Union([
  eventSchema("SecretGiven", { name: Schema.String, value: Secret }),
  eventSchema("SecretNames", { names: Schema.Array(Schema.String) }),
])

/** An event of the Secrets branch. */
export type SecretEvent = typeof SecretEvent.Type

const secretFaultKinds = [
  "NotFound",
  "Denied",
  "NotAllowed",
  "Unreachable",
  "InvalidRequest",
  "Invalid",
  "TooLarge",
  "Timeout",
  "NotRecorded",
  "Failed",
] as const

/**
 * Schema of the reasons of a failed request. `Denied`: the store refuses the caller. `NotAllowed`: the secret must not be
 * used in its state, such as a file that others can read. `Invalid`: the stored value is not text, or malformed.
 * `NotRecorded`: a journal has the answer, but no value.
 */
export const SecretFaultKind: Schema.Literals<typeof secretFaultKinds> = Schema.Literals(secretFaultKinds)

/** The kind of a failure. */
export type SecretFaultKind = typeof SecretFaultKind.Type

const Base: Schema.Class<
  SecretFault,
  EventSchema<"SecretFault", { readonly faultKind: typeof SecretFaultKind; readonly message: typeof Schema.String }>,
  Cause.YieldableError
> = Schema.TaggedError<SecretFault>()("SecretFault", {
  correlationId: CommandId,
  faultKind: SecretFaultKind,
  message: Schema.String,
})

/** A request that failed. Its message has no value, no token, and no text of a store or a program. */
export class SecretFault extends Base {}
