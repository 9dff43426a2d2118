/**
 * Formats the answer of a tool as YAML.
 *
 * @module
 */
import type * as Schema from "effect/Schema"
import { Document, isScalar, Scalar, visit } from "yaml"

/** What an answer is made of. */
export type YamlFields = Readonly<
  Record<string, Schema.Json | undefined | ReadonlyArray<Readonly<Record<string, Schema.Json | undefined>>>>
>

/**
 * Fields as YAML, in their order; those that are `undefined` are left out. Text of several lines is a block scalar
 * (`|`), as it was written, unless it holds what such a block cannot: then it is quoted. Nothing is folded, so whoever
 * parses it has the very text.
 */
export const toYaml = (fields: YamlFields): string => {
  const document = new Document(fields, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, node) => {
      // The library writes blocks of nothing but white space that do not come back as they were.
      if (isScalar(node) && typeof node.value === "string" && /^\s+$/.test(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document.toString({ lineWidth: 0, blockQuote: "literal" })
}
