/** Reads the secrets that references name, as late as possible. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { defined } from "../base/defined.ts"
import { OptionError } from "../base/OptionError.ts"
import { GivenSecrets } from "../command/GivenSecrets.ts"
import { referenceOf } from "../command/plain/secret.ts"
import { type SecretFault, SecretGet } from "./SecretEntry.ts"
import { readSecret, Secrets, type SecretsService } from "./Secrets.ts"

/** Reads the secret of a reference: its name, or its name and a field, as `db#password`. */
export const readReference = (
  secrets: SecretsService,
  reference: string,
  about: Pick<SecretGet, "purpose" | "commandId">,
): Effect.Effect<Redacted.Redacted<string>, SecretFault> =>
  Effect.gen(function* () {
    const tell = yield* GivenSecrets
    const [name = "", field] = reference.split("#")
    const request = SecretGet.make({ ...about, name, ...defined({ field }) })
    const value = Redacted.value(yield* readSecret(secrets, request))
    const label = `secret:${reference}`
    tell({ value, label })
    return Redacted.make(value, { label })
  })

type TokenOption = string | Redacted.Redacted<string> | Effect.Effect<Redacted.Redacted<string>, unknown>

/**
 * Options whose token is read from the `Secrets` of the context at each use if it is a reference. Fails with an `OptionError`
 * for a reference without `Secrets`.
 */
export const resolveTokenOption = <Options extends { readonly token?: TokenOption | undefined; readonly url: string }>(
  where: string,
  options: Options,
): Effect.Effect<Options, OptionError> => {
  const reference = referenceOf(options.token)
  if (reference === undefined) return Effect.succeed(options)
  return Effect.flatMap(Effect.serviceOption(Secrets), (secrets) =>
    Option.isNone(secrets)
      ? Effect.fail(
        new OptionError(
          "token",
          `${where}: the token is the secret ${reference}, and no Secrets service is provided to read it`,
        ),
      )
      : Effect.succeed({ ...options, token: readReference(secrets.value, reference, { purpose: options.url }) }))
}
