/** Formats the answer of a tool as YAML. */
import type * as Schema from "effect/Schema"
import { Document, isScalar, Scalar, visit } from "yaml"

export type YamlFields = Readonly<
  Record<string, Schema.Json | undefined | ReadonlyArray<Readonly<Record<string, Schema.Json | undefined>>>>
>

/**
 * Formats fields in their order and leaves out `undefined` ones. Text of several lines is a block scalar (`|`), or
 * quoted if a block cannot hold it. Nothing is folded: parsing returns the exact text.
 */
export const toYaml = (fields: YamlFields): string => {
  const document = new Document(fields, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar: (_, node) => {
      // The library does not round-trip a block of only white space.
      if (isScalar(node) && typeof node.value === "string" && /^\s+$/.test(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document.toString({ lineWidth: 0, blockQuote: "literal" })
}
