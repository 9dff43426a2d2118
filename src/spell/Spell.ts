/**
 * Makes spells: typed tools for agents, whose parameters, results and failures are Schemas.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { JsonSchema } from "effect/JsonSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { quote } from "../base/quote.ts"
import { jsonSchemaOf } from "../base/jsonSchema.ts"
import { OptionError } from "../base/OptionError.ts"
import { describeMismatch } from "./describeMismatch.ts"
import type { RoutedService, SpellRoute } from "./SpellRoute.ts"
import type { SpellTarget } from "./SpellTarget.ts"
import { dropNulls } from "./schema/dropNulls.ts"

/** The invocation that a spell answers. */
export interface SpellCall {
  /** Its correlation id, with which the ids of all requests of the spell begin. */
  readonly correlationId: string
}

/** Options of {@link make}. */
export interface SpellOptions<Name extends string, Parameters, Success, Failure, R> {
  /** The name by which a model calls it: 1 to 64 letters, digits, `_` and `-`. */
  readonly name: Name
  /** Tells a model what the spell does and when to use it. */
  readonly description: string
  /** An object: one property for each parameter, annotated with a description. */
  readonly parameters: Schema.Codec<Parameters, unknown>
  /** Schema of the result. */
  readonly success: Schema.Codec<Success, unknown>
  /** Failures that a model may see. Default: none. */
  readonly failure?: Schema.Codec<Failure, unknown> | undefined
  /** Whether it changes nothing. Default: `false`. */
  readonly readOnly?: boolean | undefined
  /** Whether it may overwrite or delete, rather than only add. Default: `true`, unless it is `readOnly`. */
  readonly destructive?: boolean | undefined
  /** Whether a second call with the same arguments has no further effect. Default: as `readOnly`. */
  readonly idempotent?: boolean | undefined
  /** The paths, commands and scripts that a call would touch: approval policies decide by them. Default: none. */
  readonly targets?: ((parameters: Parameters) => ReadonlyArray<SpellTarget>) | undefined
  /** Casts the spell. */
  readonly cast: (parameters: Parameters, call: SpellCall) => Effect.Effect<Success, Failure, R>
}

/** The services of routes. */
type ServiceOf<Route> = Route extends SpellRoute<infer R> ? R : never

/**
 * The routes of a spell: each branch whose service it needs must be in one. If one is missing, the type error names the
 * service.
 */
export type RoutesOption<R, Routes extends ReadonlyArray<SpellRoute>> =
  [Exclude<RoutedService<R>, ServiceOf<Routes[number]>>] extends [never] ? {
      /** The requests that it sends to branches, and no others. Default: none. */
      readonly routes?: Routes | undefined
    }
    : { readonly routes: Routes & { readonly missing: Exclude<RoutedService<R>, ServiceOf<Routes[number]>> } }

/** The reason why an invocation has no result. */
export type CastFailure =
  | { readonly _tag: "InvalidArguments"; readonly message: string }
  | { readonly _tag: "Failed"; readonly message: string; readonly failure: Schema.Json }

/** The effects of a spell's call, as far as they are known in advance. */
export interface SpellInspection {
  /** The decoded arguments, encoded again: they contain nothing that the spell does not see. */
  readonly arguments: Schema.Json
  /** The targets of a call: paths, commands, scripts. */
  readonly targets: ReadonlyArray<SpellTarget>
}

/** A typed tool for agents. `R` are the services that it needs: `Files`, `Shell`. */
export interface Spell<out Name extends string = string, out R = never> {
  /** The name by which a model calls it. */
  readonly name: Name
  /** Tells a model what the spell does and when to use it. */
  readonly description: string
  /** Whether it changes nothing. */
  readonly readOnly: boolean
  /** Whether it may delete or overwrite. */
  readonly destructive: boolean
  /** Whether casting it twice has the same effect as casting it once. */
  readonly idempotent: boolean
  /** The requests that it sends to branches. */
  readonly routes: ReadonlyArray<SpellRoute>
  /** Schema of the parameters. */
  readonly parameters: Schema.Constraint
  /** Schema of the result. */
  readonly success: Schema.Constraint
  /** Schema of the failures that a model may see. */
  readonly failure: Schema.Constraint
  /** Decodes arguments, and lists the targets of a call with them. */
  readonly inspect: (input: Schema.Json) => Result.Result<SpellInspection, CastFailure>
  /** Decodes arguments without casting: the parameters, or a failure that explains the error. */
  readonly decode: (input: Schema.Json) => Result.Result<unknown, CastFailure>
  /** Decodes arguments, casts the spell and encodes its result. */
  readonly cast: (input: Schema.Json, call: SpellCall) => Effect.Effect<Schema.Json, CastFailure, R>
}

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

/** The text of a failure for a model: its message, or its tag. */
const messageOf = (failure: unknown): string =>
  typeof failure === "object" && failure !== null && "message" in failure && typeof failure.message === "string" &&
    failure.message !== ""
    ? failure.message
    : typeof failure === "object" && failure !== null && "_tag" in failure
    ? String(failure._tag)
    : String(failure)

/**
 * Makes a spell.
 *
 * @example
 * ```ts
 * import { Spell, Spellbook } from "@sluice/shell/spell"
 * import { Effect, Schema } from "effect"
 *
 * const double = Spell.make({
 *   name: "double",
 *   description: "Doubles a number.",
 *   parameters: Schema.Struct({ n: Schema.Number }),
 *   success: Schema.Number,
 *   cast: ({ n }) => Effect.succeed(n * 2),
 * })
 * const book = Spellbook.make(double)
 * const result = await Effect.runPromise(Spellbook.cast(book, "double", { n: 21 }))
 * console.log(result) // 42
 * ```
 */
export const make = <
  const Name extends string,
  Parameters,
  Success,
  Failure = never,
  R = never,
  const Routes extends ReadonlyArray<SpellRoute> = readonly [],
>(
  options: SpellOptions<Name, Parameters, Success, Failure, R> & RoutesOption<R, Routes>,
): Spell<Name, R> => {
  const { description, failure = Schema.Never, name, parameters, readOnly = false, success } = options
  const routes: ReadonlyArray<SpellRoute> = options.routes ?? []
  const { destructive = !readOnly, idempotent = readOnly } = options
  if (!namePattern.test(name)) {
    throw new OptionError("name", `Spell: name must be 1 to 64 letters, digits, "_" and "-", got ${quote(name)}`)
  }
  const decodeJson = Schema.decodeUnknownResult(Schema.toCodecJson(parameters), {
    onExcessProperty: "error",
    errors: "all",
  })
  // Made at the first call, because most spells of a program are never cast.
  let made: { readonly schema: JsonSchema; readonly withoutNulls: (input: Schema.Json) => Schema.Json } | undefined
  const decode = (input: Schema.Json): Result.Result<Parameters, CastFailure> => {
    if (made === undefined) {
      const schema = jsonSchemaOf(parameters, "error")
      made = { schema, withoutNulls: dropNulls(schema) }
    }
    const { schema, withoutNulls } = made
    const given = withoutNulls(input)
    return Result.mapError(decodeJson(given), (error): CastFailure => ({
      _tag: "InvalidArguments",
      message: describeMismatch(schema, given, error, (other) => Result.isSuccess(decodeJson(other))),
    }))
  }
  const encodeParameters = toJson(parameters)
  const encodeSuccess = toJson(success)
  const encodeFailure = toJson(failure)
  return {
    name,
    description,
    readOnly,
    destructive,
    idempotent,
    routes,
    parameters,
    success,
    failure,
    inspect: (input) =>
      Result.map(decode(input), (decoded) => ({
        arguments: encodeParameters(decoded),
        targets: options.targets?.(decoded) ?? [],
      })),
    decode,
    cast: (input, call) =>
      Effect.flatMap(
        Effect.suspend(() => Effect.fromResult(decode(input))),
        (decoded) =>
          options.cast(decoded, call).pipe(
            Effect.map(encodeSuccess),
            Effect.mapError((failed): CastFailure => ({
              _tag: "Failed",
              message: messageOf(failed),
              failure: encodeFailure(failed),
            })),
          ),
      ),
  }
}

const toJson = <A>(schema: Schema.Codec<A, unknown>): (value: A) => Schema.Json =>
  Schema.encodeSync(Schema.toCodecJson(schema))
