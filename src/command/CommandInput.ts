/** Declares the Schema of the stdin of a command as a value: text, bytes, or a secret text. */
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { Secret } from "./Secret.ts"

/** Text (sent as UTF-8), bytes, or secret text. */
export type CommandInput = string | Uint8Array | Redacted.Redacted<string>

/**
 * Bytes as they are encoded: tagged, so that text that looks like base64 stays text.
 *
 * @stability experimental
 */
export interface EncodedBytes {
  readonly _tag: "Bytes"
  readonly base64: string
}

/** Schema of bytes, encoded as {@link EncodedBytes}. */
export const EncodedBytes: Schema.Codec<Uint8Array, EncodedBytes> = Schema.Struct({
  _tag: Schema.tag("Bytes"),
  base64: Schema.Uint8ArrayFromBase64,
}).pipe(
  Schema.decodeTo(Schema.Uint8Array, {
    decode: SchemaGetter.transform(
      (encoded: { readonly _tag: "Bytes"; readonly base64: Uint8Array<ArrayBufferLike> }): Uint8Array => encoded.base64,
    ),
    encode: SchemaGetter.transform((bytes: Uint8Array) => ({ _tag: "Bytes" as const, base64: bytes })),
  }),
)

/** Schema of {@link CommandInput}: a string, `{"_tag":"Bytes","base64":…}`, or the marker of a secret. */
export const CommandInput: Schema.Codec<
  CommandInput,
  | string
  | { readonly _tag: "Bytes"; readonly base64: string }
  | { readonly _tag: "Redacted"; readonly label?: string }
> = Schema.Union([
  Schema.String,
  EncodedBytes,
  Secret,
])
