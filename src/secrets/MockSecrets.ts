/**
 * Makes the mock leaf of the Secrets branch, which answers requests by rules, for tests.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { globMatcher } from "../base/globMatcher.ts"
import { type ScriptedService, type ScriptOptions, scriptRequests } from "../branch/scriptRequests.ts"
import type { SecretEvent, SecretFault, SecretFaultKind, SecretRequest } from "./SecretEntry.ts"
import { Secrets } from "./Secrets.ts"
import { secretFault, SecretsBranch } from "./SecretsBranch.ts"

/** A rule: answers requests for some secrets with a value, or with a fault. */
export interface MockSecretsRule extends ScriptOptions {
  /** A glob for the name. */
  readonly name: string
  /** The field. Default: any. */
  readonly field?: string | undefined
  /** The value. */
  readonly value?: string | undefined
  /** The fault. Default: `NotFound` where there is no value. */
  readonly fault?: SecretFaultKind | undefined
}

/**
 * Makes a mock: the service, the requests it has seen, and the check of its expectations. It lists the names of rules
 * that have a value and are not a glob.
 *
 * @example
 * ```ts
 * import { MockSecrets, Secrets } from "@sluice/shell/secrets"
 * import { Effect } from "effect"
 *
 * const mock = MockSecrets.make([{ name: "prod/**", fault: "Denied", times: 1, expected: true }])
 * const get = Effect.flip(Secrets.get("prod/db")).pipe(Effect.tap(mock.verify), Effect.provideService(Secrets, mock))
 * console.log((await Effect.runPromise(get)).faultKind) // Denied
 * ```
 */
export const make = (
  rules: ReadonlyArray<MockSecretsRule>,
): ScriptedService<SecretRequest, SecretEvent, SecretFault> =>
  scriptRequests<SecretRequest, SecretEvent, SecretFault>(SecretsBranch, [
    ...rules.map(({ fault = "NotFound", field, name, value, ...options }) => {
      const isName = globMatcher(name)
      return {
        ...options,
        name,
        matches: (request: SecretRequest) =>
          request._tag === "SecretGet" && isName(request.name) && (field === undefined || field === request.field),
        answer: (request: SecretRequest) =>
          value === undefined || request._tag !== "SecretGet"
            ? Effect.fail(secretFault(request, fault, "a rule of the mock fails this request"))
            : Effect.succeed<SecretEvent>({
              _tag: "SecretGiven",
              correlationId: request.correlationId,
              name: request.name,
              value: Redacted.make(value, { label: request.name }),
            }),
      }
    }),
    {
      name: "a list of names",
      matches: ({ _tag }) => _tag === "SecretList",
      answer: ({ correlationId }) => {
        const names = rules.flatMap(({ name, value }) => value === undefined || /[*?[{]/.test(name) ? [] : [name])
        return Effect.succeed({ _tag: "SecretNames", correlationId, names: [...new Set(names)].toSorted() })
      },
    },
  ])

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { MockSecrets, Secrets } from "@sluice/shell/secrets"
 * import { Effect, Redacted } from "effect"
 *
 * const secrets = MockSecrets.layer([{ name: "github", value: "hunter2" }])
 * const token = await Effect.runPromise(Effect.provide(Secrets.get("github"), secrets))
 * console.log(Redacted.value(token)) // hunter2
 * ```
 */
export const layer = (rules: ReadonlyArray<MockSecretsRule>): Layer.Layer<Secrets> =>
  Layer.succeed(Secrets, make(rules))
