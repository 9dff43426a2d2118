/** Defines `ProviderError`, the error of a model name such as `openai/gpt-5` whose model cannot be used. */
import type * as Cause from "effect/Cause"
import * as Schema from "effect/Schema"

/**
 * Schema of why a model cannot be used.
 *
 * - `UnknownProvider`: the name is not `provider/model` with one of the known providers.
 * - `MissingPackage`: the package of the provider cannot be imported. `install` is the command that installs it.
 * - `IncompatiblePackage`: the package has no models with the interface `LanguageModelV3` or `LanguageModelV4`.
 * - `MissingKey`: `variable` holds no API key.
 * - `InvalidOption`: the key or the base URL cannot be used.
 */
export const ProviderErrorReason: Schema.Union<
  readonly [
    Schema.TaggedStruct<"UnknownProvider", {}>,
    Schema.TaggedStruct<"MissingPackage", { readonly install: typeof Schema.String }>,
    Schema.TaggedStruct<"IncompatiblePackage", { readonly install: typeof Schema.String }>,
    Schema.TaggedStruct<"MissingKey", { readonly variable: typeof Schema.String }>,
    Schema.TaggedStruct<"InvalidOption", { readonly option: typeof Schema.String }>,
  ]
> = Schema.Union([
  Schema.TaggedStruct("UnknownProvider", {}),
  Schema.TaggedStruct("MissingPackage", { install: Schema.String }),
  Schema.TaggedStruct("IncompatiblePackage", { install: Schema.String }),
  Schema.TaggedStruct("MissingKey", { variable: Schema.String }),
  Schema.TaggedStruct("InvalidOption", { option: Schema.String }),
])

export type ProviderErrorReason = typeof ProviderErrorReason.Type

const Base: Schema.Class<
  ProviderError,
  Schema.TaggedStruct<"ProviderError", {
    readonly reason: typeof ProviderErrorReason
    readonly message: typeof Schema.String
  }>,
  Cause.YieldableError
> = Schema.TaggedError<ProviderError>()("ProviderError", { reason: ProviderErrorReason, message: Schema.String })

/**
 * A model that cannot be used. `message` says what was tried and what to do; it never quotes a key.
 *
 * @example
 * ```ts
 * import { resolveModel } from "@sluice/shell/agent"
 * import { Effect } from "effect"
 *
 * const error = await Effect.runPromise(Effect.flip(resolveModel("opnai/gpt-5")))
 * console.log(error._tag === "ProviderError" && error.reason._tag) // UnknownProvider
 * ```
 */
export class ProviderError extends Base {}
