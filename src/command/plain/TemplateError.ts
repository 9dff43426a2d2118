/** Declares the error of an invalid command template without its Schema. */
import type * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import { constructorFields, type ConstructorOptions, type FieldParser } from "./attachSchema.ts"

export type TemplateErrorTag = "UnsupportedSyntax" | "UnterminatedQuote" | "InvalidEscape" | "InvalidValue" | "Empty"

interface ErrorFields {
  readonly reason: { readonly _tag: TemplateErrorTag }
  readonly message: string
}

/** Takes the fields as they are. Replaced by the Schema's constructor where a Schema is attached. */
export const templateErrorParser: FieldParser<ErrorFields> = { parse: (fields) => fields }

const Base: new (fields: ErrorFields) => Cause.YieldableError & ErrorFields & { readonly _tag: "TemplateError" } = Data
  .TaggedError("TemplateError")<ErrorFields>

/** The error; its documentation is that of the Schema class, which is this class with a Schema. */
export class TemplateError extends Base {
  constructor(fields: ErrorFields, options?: ConstructorOptions) {
    super(constructorFields(templateErrorParser, fields, options))
  }

  /** Makes the error from the tag of its reason and a message. */
  static because(tag: TemplateErrorTag, message: string): TemplateError {
    return new TemplateError({ reason: { _tag: tag }, message })
  }
}
