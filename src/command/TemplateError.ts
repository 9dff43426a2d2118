/** Declares the error of an invalid command template, with its tagged reasons. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"
import { attachSchema } from "./plain/attachSchema.ts"
import { TemplateError as PlainTemplateError, templateErrorParser } from "./plain/TemplateError.ts"

/**
 * Schema of the reason of a {@link TemplateError}.
 *
 * - `UnsupportedSyntax`: syntax that only a shell understands, or a list that touches other text.
 * - `UnterminatedQuote`, `InvalidEscape`: a quote that is not closed, a backslash at the end.
 * - `InvalidValue`: a value that is not text (`undefined`, an object), or a secret that lost its value.
 * - `Empty`: no command, or one that is a secret.
 */
export const TemplateReason: Schema.Union<
  readonly [
    Schema.TaggedStruct<"UnsupportedSyntax", {}>,
    Schema.TaggedStruct<"UnterminatedQuote", {}>,
    Schema.TaggedStruct<"InvalidEscape", {}>,
    Schema.TaggedStruct<"InvalidValue", {}>,
    Schema.TaggedStruct<"Empty", {}>,
  ]
> = Schema.Union([
  Schema.TaggedStruct("UnsupportedSyntax", {}),
  Schema.TaggedStruct("UnterminatedQuote", {}),
  Schema.TaggedStruct("InvalidEscape", {}),
  Schema.TaggedStruct("InvalidValue", {}),
  Schema.TaggedStruct("Empty", {}),
])

export type TemplateReason = typeof TemplateReason.Type

type TemplateErrorBase = Schema.TaggedStruct<"TemplateError", {
  readonly reason: typeof TemplateReason
  readonly message: typeof Schema.String
}>

const struct: TemplateErrorBase = Schema.TaggedStruct("TemplateError", {
  reason: TemplateReason,
  message: Schema.String,
})

export interface TemplateError extends Schema.Schema.Type<TemplateErrorBase>, Cause.YieldableError {
  /** Describes the error, for people and models. */
  readonly message: string
}

/** The Schema class of {@link TemplateError}, with its constructors. */
export interface TemplateErrorClass extends Schema.Class<TemplateError, TemplateErrorBase, Cause.YieldableError> {
  /** The type of an instance, to which `instanceof` narrows. */
  readonly prototype: TemplateError
  /** Makes the error from the tag of its reason and a message. */
  readonly because: (tag: TemplateReason["_tag"], message: string) => TemplateError
}

const withSchema = (
  plain: { readonly prototype: TemplateError } & Pick<TemplateErrorClass, "because">,
): TemplateErrorClass => {
  const schema: Schema.Class<TemplateError, TemplateErrorBase, Cause.YieldableError> = Schema.Error<TemplateError>(
    "TemplateError",
  )(struct)
  templateErrorParser.parse = (fields, options) => struct.make(fields, options)
  attachSchema<typeof schema>(plain, schema)
  return plain
}

/**
 * A template that is not a command. `reason` is tagged, for `catchReason`; `message` names the part of the text (counted
 * from 0, the part before the first `${…}`), the text found there and what to write instead. It never shows a value.
 *
 * @example
 * ```ts
 * import { cmd, TemplateError } from "@sluice/shell"
 *
 * try {
 *   cmd`echo a | wc`
 * } catch (error) {
 *   console.log(error instanceof TemplateError && error.reason._tag) // UnsupportedSyntax
 * }
 * ```
 */
export const TemplateError: TemplateErrorClass = withSchema(PlainTemplateError)
