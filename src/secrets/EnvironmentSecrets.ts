/**
 * Makes the leaf of the Secrets branch that reads environment variables of this process, and removes none.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { attemptOptions } from "../base/attemptOptions.ts"
import { OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { fieldIn, makeSecrets, notFound, type StoreProblem } from "./makeSecrets.ts"
import { Secrets, type SecretsService } from "./Secrets.ts"

/** Options of a leaf: `prefix`, `names`, or both. */
export interface EnvironmentSecretsOptions {
  /** The prefix of the variables of secrets: with `"SECRET_"`, `github` is in `SECRET_github`. */
  readonly prefix?: string | undefined
  /**
   * The variables of secrets by name: `{ github: "GITHUB_TOKEN" }`. They take precedence over those with the prefix.
   */
  readonly names?: Readonly<Record<string, string>> | undefined
  /** The variables. Default: those of this process at the time when a secret is read. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

const known: Readonly<Record<keyof EnvironmentSecretsOptions, true>> = { prefix: true, names: true, env: true }

const ownVariables = (): object => {
  const process: unknown = Reflect.get(globalThis, "process")
  const env: unknown = typeof process === "object" && process !== null ? Reflect.get(process, "env") : undefined
  return typeof env === "object" && env !== null ? env : {}
}

/** Reads variables; Deno throws for those that it does not permit. */
const permitted = <A>(read: () => A): Effect.Effect<A, StoreProblem> =>
  Effect.try({ try: read, catch: (): StoreProblem => ["Denied", "this process may not read its environment"] })

/** Makes the service. */
export const make = (options: EnvironmentSecretsOptions): Effect.Effect<SecretsService, OptionError> =>
  attemptOptions(() => {
    refuseUnknownOptions("EnvironmentSecrets", options, known)
    const { env, names = {}, prefix } = options
    // Without both, every variable would be a secret.
    if (prefix === "" || (prefix === undefined && Object.keys(names).length === 0)) {
      throw new OptionError("prefix", "EnvironmentSecrets: name the secrets: prefix, or names")
    }
    const variables = () => env ?? ownVariables()
    const variableOf = (name: string): string | undefined =>
      Object.hasOwn(names, name) ? names[name] : prefix === undefined ? undefined : prefix + name
    return makeSecrets({
      get: ({ field, name }) =>
        Effect.gen(function* () {
          const variable = variableOf(name)
          const value: unknown = variable === undefined ? undefined : yield* permitted(() => {
            const all = variables()
            return Object.hasOwn(all, variable) ? Reflect.get(all, variable) : undefined
          })
          return typeof value === "string" ? yield* fieldIn(value, field) : yield* Effect.fail(notFound)
        }),
      list: Effect.map(permitted(() => Object.keys(variables())), (all) => [
        ...Object.keys(names).filter((name) => all.includes(names[name] ?? "")),
        ...all.flatMap((name) => prefix !== undefined && name.startsWith(prefix) ? [name.slice(prefix.length)] : []),
      ]),
    })
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { EnvironmentSecrets, Secrets } from "@sluice/shell/secrets"
 * import { Effect } from "effect"
 *
 * const secrets = EnvironmentSecrets.layer({ prefix: "SECRET_" })
 * const fault = await Effect.runPromise(Effect.provide(Effect.flip(Secrets.get("none")), secrets))
 * console.log(fault.message) // secret "none": the store has none
 * ```
 */
export const layer = (options: EnvironmentSecretsOptions): Layer.Layer<Secrets, OptionError> =>
  Layer.effect(Secrets, make(options))
