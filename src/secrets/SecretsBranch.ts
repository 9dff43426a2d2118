/** Declares the Secrets branch. Its entries name the caller and the secret, and contain no value. */
import { quote } from "../base/quote.ts"
import { messagesOf } from "../branch/messageSchemas.ts"
import { makeServiceBranch, type ServiceBranch } from "../branch/ServiceBranch.ts"
import {
  SecretEvent,
  SecretFault,
  type SecretFaultKind,
  type SecretGet,
  type SecretList,
  SecretRequest,
} from "./SecretEntry.ts"

export const secretFault = (
  request: Pick<SecretGet, "_tag" | "correlationId" | "name"> | Pick<typeof SecretList.Type, "_tag" | "correlationId">,
  faultKind: SecretFaultKind,
  what: string,
): SecretFault => {
  const about = request._tag === "SecretGet" ? `secret ${quote(request.name)}` : "secrets"
  return new SecretFault({ correlationId: request.correlationId, faultKind, message: `${about}: ${what}` })
}

/**
 * The Secrets branch. A value does not leave the process that reads it: a daemon's client and a replay get none.
 *
 * @example
 * ```ts
 * import { serviceLayers } from "@sluice/shell/branch"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { MockSecrets, Secrets, SecretsBranch } from "@sluice/shell/secrets"
 * import { Effect, Layer } from "effect"
 *
 * const { journaled } = serviceLayers(SecretsBranch, Secrets)
 * const mock = MockSecrets.layer([{ name: "github", value: "hunter2" }])
 * const layer = journaled.pipe(Layer.provide(mock), Layer.provideMerge(MemoryJournal.layer))
 * const program = Effect.andThen(Secrets.get("github", { purpose: "gh" }), Journal.read())
 * const entries = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(entries.map(({ tag }) => tag).join()) // SecretGet,LeaseTaken,SecretGiven
 * console.log(JSON.stringify(entries).includes("hunter2")) // false
 * ```
 */
export const SecretsBranch: ServiceBranch<SecretRequest, SecretEvent, SecretFault> = makeServiceBranch({
  name: "secrets",
  request: messagesOf(SecretRequest),
  event: messagesOf(SecretEvent),
  fault: { tags: ["SecretFault"], schema: SecretFault },
  makeFault: (request, { kind, what }) => secretFault(request, kind === "NotTaken" ? "Timeout" : "Failed", what),
  canRerun: () => true,
})
