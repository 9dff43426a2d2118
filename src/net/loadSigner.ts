/** Signs requests with AWS Signature Version 4, by npm `aws4fetch`. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { OptionError } from "../base/OptionError.ts"

/** An access key, with the token of a session if it has one. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
  readonly sessionToken?: Redacted.Redacted<string> | undefined
}

export interface UnsignedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The SHA-256 of the body in hex. */
  readonly bodyHash: string
}

export type SignRequest = (request: UnsignedRequest, credentials: AwsCredentials) => Effect.Effect<Headers>

export const loadSigner = (who: string, service: string, region: string): Effect.Effect<SignRequest, OptionError> =>
  Effect.map(
    Effect.tryPromise({
      try: () => import("aws4fetch"),
      catch: (error) =>
        new OptionError(
          "credentials",
          `${who}: requests are signed by the package aws4fetch, which cannot be loaded: npm install aws4fetch (${
            String(error).slice(0, 300)
          })`,
        ),
    }),
    ({ AwsV4Signer }) => {
      // Keys of a day, by secret and day.
      const cache = new Map<string, ArrayBuffer>()
      return ({ bodyHash, headers, method, url }, { accessKeyId, secretAccessKey, sessionToken }) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.promise(async () => {
            if (cache.size > 4) cache.clear()
            const signer = new AwsV4Signer({
              method,
              url,
              headers: { ...headers, "x-amz-content-sha256": bodyHash },
              accessKeyId,
              secretAccessKey: Redacted.value(secretAccessKey),
              ...(sessionToken === undefined ? undefined : { sessionToken: Redacted.value(sessionToken) }),
              service,
              region,
              cache,
              datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ""),
              allHeaders: true,
            })
            return (await signer.sign()).headers
          }))
    },
  )
