/** Makes a codec between messages and entry bodies from their Schema. */
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Body, isBody } from "../journal/Entry.ts"
import type { MessageCodec } from "./BranchDefinition.ts"

/** Options of a codec: tags, Schema, and upgrade of older bodies. */
export interface SchemaCodecOptions<Message> {
  /** The tags of its messages: each encodes to an object with one of them as its `_tag`. */
  readonly tags: ReadonlyArray<string>
  readonly schema: Schema.Codec<Message, unknown>
  /** Converts a body of an older version to one of this version. Default: unchanged. */
  readonly upgrade?: ((body: Body, version: number) => Body) | undefined
}

/**
 * The codec of messages that a Schema describes. The Schema must encode to JSON: secrets to a marker, bytes to text.
 *
 * @example
 * ```ts
 * import { Branch } from "@sluice/shell/branch"
 * import { Schema } from "effect"
 *
 * const Ping = Schema.TaggedStruct("Ping", { id: Schema.String })
 * const codec = Branch.makeSchemaCodec({ tags: ["Ping"], schema: Ping })
 * const body = codec.encode(Ping.make({ id: "p1" }))
 * console.log(body._tag === "Ping" && body["id"]) // p1
 * ```
 */
export const makeSchemaCodec = <Message>(options: SchemaCodecOptions<Message>): MessageCodec<Message> => {
  const { schema, tags, upgrade = (body: Body) => body } = options
  const encode = Schema.encodeSync(schema)
  const decode = Schema.decodeUnknownResult(schema)
  return {
    tags,
    encode: (message) => {
      const body = encode(message)
      if (!isBody(body) || !tags.includes(body._tag)) {
        throw new Error(`a message must encode to one of ${tags.join(", ")}`)
      }
      return body
    },
    decode: (body, version): Result.Result<Message, Schema.SchemaError> => decode(upgrade(body, version)),
  }
}
