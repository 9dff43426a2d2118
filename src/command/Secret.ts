/** Declares the Schemas of secret and plain words; a secret encodes to a marker without its value. */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { isSecret, makeReference, referenceScheme } from "./plain/secret.ts"

export { display, isSecret, reveal } from "./plain/secret.ts"

/** An argument, environment value or input: plain text, or a secret that must not appear anywhere. */
export type Word = string | Redacted.Redacted<string>

/** The marker that replaces a secret in encoded events. */
export interface RedactedMarker {
  /** Its tag. */
  readonly _tag: "Redacted"
  /** The name of the secret. */
  readonly label?: string
}

const Marker: Schema.Struct<
  { readonly _tag: Schema.tag<"Redacted">; readonly label: Schema.optionalKey<Schema.String> }
> = Schema.Struct({ _tag: Schema.tag("Redacted"), label: Schema.optionalKey(Schema.String) })

/**
 * Schema of a secret. It encodes to a {@link RedactedMarker} and never to the value, so no journal, response or trace can
 * hold it. A secret that was decoded from a marker has no value, and a leaf refuses to run it. A reference to a secret
 * encodes to the same reference.
 */
export const Secret: Schema.Codec<Redacted.Redacted<string>, RedactedMarker> = Marker.pipe(
  Schema.decodeTo(
    Schema.declare(isSecret, { identifier: "Redacted<string>" }),
    {
      decode: SchemaGetter.transform((marker: RedactedMarker): Redacted.Redacted<string> => {
        if (marker.label?.startsWith(referenceScheme)) return makeReference(marker.label.slice(referenceScheme.length))
        const secret = Redacted.make("", marker.label === undefined ? undefined : { label: marker.label })
        Redacted.wipeUnsafe(secret)
        return secret
      }),
      encode: SchemaGetter.transform((secret: Redacted.Redacted<string>): RedactedMarker =>
        secret.label === undefined ? { _tag: "Redacted" } : { _tag: "Redacted", label: secret.label }
      ),
    },
  ),
)

/** Schema of a {@link Word}. */
export const Word: Schema.Codec<Word, string | RedactedMarker> = Schema.Union([Schema.String, Secret])
