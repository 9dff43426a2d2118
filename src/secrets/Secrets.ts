/** Declares the `Secrets` service, and operators that read secrets and refer to them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { attemptRequest } from "../branch/attemptRequest.ts"
import { requestOne } from "../branch/requestOne.ts"
import type { RequestService } from "../branch/ServiceBranch.ts"
import { CommandId } from "../command/CommandId.ts"
import { makeReference, reveal } from "../command/plain/secret.ts"
import { type SecretEvent, type SecretFault, SecretGet, SecretList, type SecretRequest } from "./SecretEntry.ts"
import { secretFault } from "./SecretsBranch.ts"

/** A service that reads secrets. */
export interface SecretsService extends RequestService<SecretRequest, SecretEvent, SecretFault> {}

const Base: Context.ServiceClass<Secrets, "@sluice/shell/Secrets", SecretsService> = Context.Service<
  Secrets,
  SecretsService
>()("@sluice/shell/Secrets")

/** The value of an answer; the value is missing if the answer came through a journal. */
export const readSecret = (
  secrets: SecretsService,
  request: SecretGet,
): Effect.Effect<Redacted.Redacted<string>, SecretFault> =>
  Effect.flatMap(requestOne(secrets, request), (event) => {
    if (event._tag !== "SecretGiven") return secretFault(request, "Failed", `the answer was ${event._tag}`)
    return reveal(event.value) === undefined
      ? secretFault(request, "NotRecorded", "a journal has no values: read secrets in the process that uses them")
      : Effect.succeed(event.value)
  })

/**
 * Reads secrets by their names. The layer decides where they are: `EnvironmentSecrets`, `FileSecrets`, `CommandSecrets`,
 * `VaultSecrets`, `AwsSecrets`, `MockSecrets`.
 *
 * @example
 * ```ts
 * import { EnvironmentSecrets, Secrets } from "@sluice/shell/secrets"
 * import { Effect, Redacted } from "effect"
 *
 * const secrets = EnvironmentSecrets.layer({ names: { github: "GH_TOKEN" }, env: { GH_TOKEN: "hunter2" } })
 * const token = await Effect.runPromise(Effect.provide(Secrets.get("github"), secrets))
 * console.log(Redacted.value(token), String(token)) // hunter2 <redacted:github>
 * ```
 */
export class Secrets extends Base {
  /** The value of a secret. */
  static get(
    name: string,
    fields: Partial<Pick<SecretGet, "field" | "version" | "purpose" | "commandId">> = {},
  ): Effect.Effect<Redacted.Redacted<string>, SecretFault, Secrets> {
    return Effect.gen(function* () {
      const request = yield* attemptRequest(
        () => SecretGet.make({ ...fields, name }),
        (message) =>
          secretFault({ _tag: "SecretGet", correlationId: CommandId.make(), name }, "InvalidRequest", message),
      )
      return yield* readSecret(yield* Secrets, request)
    })
  }

  /** The names of secrets, sorted: at most 1,000. */
  static list(): Effect.Effect<ReadonlyArray<string>, SecretFault, Secrets> {
    return Effect.flatMap(Secrets, (secrets) => {
      const request = SecretList.make({})
      return Effect.flatMap(
        requestOne(secrets, request),
        (event) =>
          event._tag === "SecretNames"
            ? Effect.succeed(event.names)
            : secretFault(request, "Failed", `the answer was ${event._tag}`),
      )
    })
  }

  /**
   * A reference to a secret, or to a field of one, for an argument, a variable or the input of a command: `SecretShell`
   * replaces it by the value when the command starts.
   */
  static reference(name: string, field?: string): Redacted.Redacted<string> {
    return makeReference(field === undefined ? name : `${name}#${field}`)
  }
}
