/**
 * Makes the replay leaf of the Secrets branch, which answers requests from a journal, with values from the caller.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { replayRequests } from "../branch/replayRequests.ts"
import { reveal } from "../command/plain/secret.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { Journal } from "../journal/JournalService.ts"
import { Secrets, type SecretsService } from "./Secrets.ts"
import { SecretsBranch } from "./SecretsBranch.ts"

/**
 * Makes the service. A journal has faults and names, and no values: where `values` has none for a name, `Secrets.get` fails
 * with `NotRecorded`.
 */
export const make = (
  values: Readonly<Record<string, Redacted.Redacted<string>>> = {},
): Effect.Effect<SecretsService, JournalError, Journal> =>
  Effect.map(replayRequests(SecretsBranch), (recorded) => ({
    request: (request) =>
      Stream.map(recorded.request(request), (event) => {
        const value = event._tag === "SecretGiven" && Object.hasOwn(values, event.name) ? values[event.name] : undefined
        return event._tag === "SecretGiven" && value !== undefined && reveal(value) !== undefined
          ? { ...event, value }
          : event
      }),
  }))

/**
 * {@link make} as a layer, without values.
 *
 * @example
 * ```ts
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { ReplaySecrets, Secrets } from "@sluice/shell/secrets"
 * import { Effect, Layer } from "effect"
 *
 * const replay = ReplaySecrets.layer.pipe(Layer.provide(MemoryJournal.layer))
 * const fault = await Effect.runPromise(Effect.flip(Effect.provide(Secrets.list(), replay)))
 * console.log(fault.message) // secrets: this request was not recorded
 * ```
 */
export const layer: Layer.Layer<Secrets, JournalError, Journal> = Layer.effect(Secrets, make())

/** {@link layer} with values, which the journal does not have. */
export const layerWith = (
  values: Readonly<Record<string, Redacted.Redacted<string>>>,
): Layer.Layer<Secrets, JournalError, Journal> => Layer.effect(Secrets, make(values))
