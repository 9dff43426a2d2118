/**
 * Makes the leaf of the Secrets branch that reads the key-value store of Vault or OpenBao, version 2.
 *
 * Source: https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import { OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { askStore, type Current, currentOf, headerText, requireService } from "./askStore.ts"
import { fieldOf, makeSecrets, notFound, parseFields, type StoreProblem } from "./makeSecrets.ts"
import { Secrets, type SecretsService } from "./Secrets.ts"

/** Options of a leaf. */
export interface VaultSecretsOptions {
  /** The address of the server: `https:`, or `http:` on this machine. */
  readonly url: string
  /** The token, or an Effect that gives it for each request. */
  readonly token: Current<Redacted.Redacted<string>>
  /** Mount path of the store. Default: `"secret"`. */
  readonly mount?: string | undefined
  /** The namespace. Default: none. */
  readonly namespace?: string | undefined
  /** Time of a request. Default: 30 s. */
  readonly timeout?: DurationInput | undefined
}

const known: Readonly<Record<keyof VaultSecretsOptions, true>> = {
  url: true,
  token: true,
  mount: true,
  namespace: true,
  timeout: true,
}

const Read = Schema.Struct({
  data: Schema.Struct({ data: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)) }),
})
const Listed = Schema.Struct({ data: Schema.Struct({ keys: Schema.Array(Schema.String) }) })

/** Decodes an answer, which holds the value, so no Schema error is shown. */
const decode = <A>(schema: Schema.Codec<A, unknown>, text: string): Effect.Effect<A, StoreProblem> =>
  Effect.flatMap(parseFields(text), (json) =>
    Effect.mapError(
      Schema.decodeUnknownEffect(schema)(json),
      (): StoreProblem => ["Invalid", "the answer is not one of a key-value store, version 2"],
    ))

/**
 * Makes the service. A secret has fields: without `field` it is `value`, or the only one. No redirect is followed, so name the
 * active server or its balancer.
 */
export const make = (options: VaultSecretsOptions): Effect.Effect<SecretsService, OptionError> =>
  attemptOptions(() => {
    refuseUnknownOptions("VaultSecrets", options, known)
    const { mount = "secret", namespace, timeout = "30 seconds", token, url } = options
    const [process, base] = requireService("VaultSecrets", "url", url)
    if (!Effect.isEffect(token) && !Redacted.isRedacted(token)) {
      throw new OptionError("token", "VaultSecrets: token is Redacted, or an Effect that gives it")
    }
    if (namespace !== undefined && !/^[\x21-\x7e]+$/.test(namespace)) {
      throw new OptionError("namespace", "VaultSecrets: a namespace has only visible ASCII")
    }
    const ask = (path: string, query: string): Effect.Effect<string, StoreProblem> =>
      Effect.gen(function* () {
        const text = yield* headerText(yield* currentOf(token))
        const name = path.split("/").map(encodeURIComponent).join("/")
        const target = new URL(`${base.href.replace(/\/$/, "")}/v1/${name}${query}`)
        const headers = {
          "x-vault-token": text,
          "x-vault-request": "true",
          ...(namespace === undefined ? undefined : { "x-vault-namespace": namespace }),
        }
        const answer = yield* askStore(process, { url: target, method: "GET", headers })
        if (answer.status === 200) return answer.text
        return yield* Effect.fail<StoreProblem>(
          answer.status === 404
            ? notFound
            : [answer.status === 403 ? "Denied" : "Failed", `${base.host} answered ${answer.status}`],
        )
      })
    return makeSecrets({
      hasVersions: true,
      get: ({ field, name, version }) =>
        Effect.gen(function* () {
          const query = version === undefined ? "" : `?version=${encodeURIComponent(version)}`
          const { data: fields } = (yield* decode(Read, yield* ask(`${mount}/data/${name}`, query))).data
          if (fields === null) return yield* Effect.fail(notFound)
          const names = Object.keys(fields)
          const [only = "value"] = names.length === 1 ? names : []
          const chosen = field ?? (names.includes("value") ? "value" : only)
          return chosen in fields || field !== undefined
            ? yield* fieldOf(fields, chosen)
            : yield* Effect.fail<StoreProblem>(["InvalidRequest", "it has several fields: select one"])
        }),
      list: Effect.map(
        Effect.flatMap(ask(`${mount}/metadata`, "?list=true"), (text) => decode(Listed, text)),
        // A folder has names of its own.
        ({ data: { keys } }) => keys.filter((key) => !key.endsWith("/")),
      ),
    }, positiveMillisOf("timeout", timeout))
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { Secrets, VaultSecrets } from "@sluice/shell/secrets"
 * import { Effect, Redacted } from "effect"
 *
 * const secrets = VaultSecrets.layer({ url: "http://vault.example.org", token: Redacted.make("hvs.token") })
 * const error = await Effect.runPromise(Effect.flip(Effect.provide(Secrets.list(), secrets)))
 * console.log(error.message) // VaultSecrets: http: to vault.example.org is not encrypted: use https:
 * ```
 */
export const layer = (options: VaultSecretsOptions): Layer.Layer<Secrets, OptionError> =>
  Layer.effect(Secrets, make(options))
