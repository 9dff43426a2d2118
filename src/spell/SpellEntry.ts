/** Schemas of the messages of the Spellcasting branch: the invocation of a tool, its result, its fault. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CommandId } from "../command/CommandId.ts"

/**
 * Schema of the invocation of a spell. `arguments` are as a model wrote them; the spell decodes them. `redacted`: the
 * arguments come from a journal whose redactor has changed them, so they differ from the model's text.
 */
export const SpellInvocation: Schema.TaggedStruct<"SpellInvocation", {
  readonly correlationId: Schema.withConstructorDefault<typeof CommandId>
  readonly name: typeof Schema.String
  readonly arguments: typeof Schema.Json
  readonly redacted: Schema.optionalKey<typeof Schema.Boolean>
}> = Schema.TaggedStruct("SpellInvocation", {
  correlationId: CommandId.pipe(Schema.withConstructorDefault(Effect.sync(() => CommandId.make()))),
  name: Schema.String,
  arguments: Schema.Json,
  redacted: Schema.optionalKey(Schema.Boolean),
})

export interface SpellInvocation extends Schema.Schema.Type<typeof SpellInvocation> {}

/** Schema of the result of a spell, encoded by its success Schema. */
export const SpellResult: Schema.TaggedStruct<"SpellResult", {
  readonly correlationId: typeof CommandId
  readonly result: typeof Schema.Json
}> = Schema.TaggedStruct("SpellResult", { correlationId: CommandId, result: Schema.Json })

export interface SpellResult extends Schema.Schema.Type<typeof SpellResult> {}

/**
 * Kinds of failed casts. A model can fix `UnknownSpell` and `InvalidArguments` by another call; `Failed` is a failure that
 * the spell declares, in `failure`.
 */
export const SpellFaultKind: Schema.Literals<
  readonly ["UnknownSpell", "InvalidArguments", "Failed", "Denied", "Cancelled", "HostLost", "Timeout", "Broken"]
> = Schema.Literals([
  "UnknownSpell",
  "InvalidArguments",
  "Failed",
  "Denied",
  "Cancelled",
  "HostLost",
  "Timeout",
  "Broken",
])

export type SpellFaultKind = typeof SpellFaultKind.Type

const FaultBase: Schema.Class<
  SpellFault,
  Schema.TaggedStruct<"SpellFault", {
    readonly correlationId: typeof CommandId
    readonly spell: typeof Schema.String
    readonly faultKind: typeof SpellFaultKind
    readonly message: typeof Schema.String
    readonly failure: Schema.optionalKey<typeof Schema.Json>
  }>,
  Cause.YieldableError
> = Schema.TaggedError<SpellFault>()("SpellFault", {
  correlationId: CommandId,
  spell: Schema.String,
  faultKind: SpellFaultKind,
  message: Schema.String,
  failure: Schema.optionalKey(Schema.Json),
})

/** A cast without a result. `message` tells a model what went wrong and what to do. */
export class SpellFault extends FaultBase {}
