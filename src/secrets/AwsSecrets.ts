/**
 * Makes the leaf of the Secrets branch that reads AWS Secrets Manager; requests are signed by npm `aws4fetch`.
 *
 * Source: https://docs.aws.amazon.com/secretsmanager/latest/apireference/
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { attemptOptions } from "../base/attemptOptions.ts"
import { encodeUtf8 } from "../base/bytes.ts"
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import { OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { sha256 } from "../base/sha256.ts"
import { type AwsCredentials, loadSigner } from "../net/loadSigner.ts"
import { askStore, type Current, currentOf, headerText, requireService } from "./askStore.ts"
import { fieldIn, makeSecrets, maxNames, parseFields, type StoreProblem } from "./makeSecrets.ts"
import type { SecretFaultKind } from "./SecretEntry.ts"
import { Secrets, type SecretsService } from "./Secrets.ts"

/** Options of a leaf. */
export interface AwsSecretsOptions {
  /** The region: `"eu-central-1"`. */
  readonly region: string
  /** The access key, or an Effect that gives it for each request: temporary credentials, renewed and cached by you. */
  readonly credentials: Current<{
    /** The id of the key; it is no secret. */
    readonly accessKeyId: string
    readonly secretAccessKey: Redacted.Redacted<string>
    /** The token of temporary credentials. */
    readonly sessionToken?: Redacted.Redacted<string> | undefined
  }>
  /** The address of the service: `https:`, or `http:` on this machine. Default: the AWS endpoint of the region. */
  readonly endpoint?: string | undefined
  /** Time of a request. Default: 30 s. */
  readonly timeout?: DurationInput | undefined
}

const known: Readonly<Record<keyof AwsSecretsOptions, true>> = {
  region: true,
  credentials: true,
  endpoint: true,
  timeout: true,
}

const kinds: ReadonlyArray<readonly [code: RegExp, kind: SecretFaultKind]> = [
  // The latter is of a secret that is marked for deletion.
  [/^(ResourceNotFound|InvalidRequest)Exception$/, "NotFound"],
  [/^(InvalidParameter|Validation)Exception$/, "InvalidRequest"],
  [/^(ThrottlingException|InternalServiceError)$/, "Unreachable"],
  [/^(AccessDenied|UnrecognizedClient|InvalidSignature|MissingAuthenticationToken|ExpiredToken)Exception$/, "Denied"],
  [/^(DecryptionFailure|IncompleteSignature)$/, "Denied"],
]

/** The problem of a refusal, which contains a known code but no other text of the answer. */
const refusal = (host: string, status: number, fields: Readonly<Record<string, unknown>>): StoreProblem => {
  const code = String(fields["__type"] ?? "").replace(/^.*#/, "")
  const kind = kinds.find(([pattern]) => pattern.test(code))?.[1]
  return [kind ?? (status === 403 ? "Denied" : "Failed"), `${host} answered ${status}${kind ? ` ${code}` : ""}`]
}

const pageOf = ({ NextToken: next, SecretList: list }: Readonly<Record<string, unknown>>) => ({
  names: (Array.isArray(list) ? list : []).flatMap((one: unknown) =>
    typeof one === "object" && one !== null && "Name" in one && typeof one.Name === "string" ? [one.Name] : []
  ),
  next: typeof next === "string" && next !== "" ? next : undefined,
})

/**
 * Makes the service. `version` is the id of a version, `field` one of a value in JSON. Fails with an `OptionError` if
 * `aws4fetch` is not installed.
 */
export const make = (options: AwsSecretsOptions): Effect.Effect<SecretsService, OptionError> =>
  Effect.gen(function* () {
    const { credentials, region, timeout = "30 seconds" } = options
    const [process, url, millis] = yield* attemptOptions(() => {
      refuseUnknownOptions("AwsSecrets", options, known)
      if (!/^[a-z0-9-]{1,40}$/.test(region)) throw new OptionError("region", 'AwsSecrets: a region is "eu-central-1"')
      if (!Effect.isEffect(credentials) && !Redacted.isRedacted(credentials.secretAccessKey)) {
        throw new OptionError("credentials", "AwsSecrets: secretAccessKey is Redacted")
      }
      const domain = region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
      const { endpoint = `https://secretsmanager.${region}.${domain}` } = options
      return [...requireService("AwsSecrets", "endpoint", endpoint), positiveMillisOf("timeout", timeout)] as const
    })
    const sign = yield* loadSigner("AwsSecrets", "secretsmanager", region)
    const ask = (action: string, parameters: object): Effect.Effect<Readonly<Record<string, unknown>>, StoreProblem> =>
      Effect.gen(function* () {
        const keys: AwsCredentials = yield* currentOf(credentials)
        if (keys.sessionToken !== undefined) yield* headerText(keys.sessionToken)
        const body = encodeUtf8(JSON.stringify(parameters))
        const headers = { "content-type": "application/x-amz-json-1.1", "x-amz-target": `secretsmanager.${action}` }
        const signed = yield* sign({ method: "POST", url: url.href, headers, bodyHash: sha256(body) }, keys)
        const answer = yield* askStore(process, { url, method: "POST", headers: Object.fromEntries(signed), body })
        const fields = yield* parseFields(answer.text)
        return answer.status === 200 ? fields : yield* Effect.fail(refusal(url.host, answer.status, fields))
      })
    return makeSecrets({
      hasVersions: true,
      get: ({ field, name, version }) =>
        Effect.gen(function* () {
          const versioned = version === undefined ? undefined : { VersionId: version }
          const { SecretString: value } = yield* ask("GetSecretValue", { SecretId: name, ...versioned })
          return typeof value === "string"
            ? yield* fieldIn(value, field)
            : yield* Effect.fail<StoreProblem>(["Invalid", "its value is not text"])
        }),
      list: Effect.gen(function* () {
        const names: Array<string> = []
        let next: string | undefined
        do {
          const page = pageOf(yield* ask("ListSecrets", { MaxResults: 100, ...(next && { NextToken: next }) }))
          names.push(...page.names)
          // Even a page without names may have a next one, so pages are not followed for ever.
          next = page.names.length === 0 ? undefined : page.next
        } while (next !== undefined && names.length <= maxNames)
        return names
      }),
    }, millis)
  })

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { AwsSecrets, Secrets } from "@sluice/shell/secrets"
 * import { Effect } from "effect"
 *
 * // Credentials are asked for at each request.
 * const secrets = AwsSecrets.layer({ region: "eu-central-1", credentials: Effect.fail("expired") })
 * const fault = await Effect.runPromise(Effect.flip(Effect.provide(Secrets.get("prod/db"), secrets)))
 * console.log(fault.message) // secret "prod/db": there are no credentials: their Effect failed
 * ```
 */
export const layer = (options: AwsSecretsOptions): Layer.Layer<Secrets, OptionError> =>
  Layer.effect(Secrets, make(options))
