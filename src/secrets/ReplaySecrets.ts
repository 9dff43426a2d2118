/**
 * The leaf of the Secrets branch that answers as a journal has requests answered, with values that are given to it.
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
 *
 * @example
 * ```ts
 * import { serviceLayers } from "@sluice/shell/branch"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { MockSecrets, ReplaySecrets, Secrets, SecretsBranch } from "@sluice/shell/secrets"
 * import { Effect, Layer, Redacted } from "effect"
 *
 * const get = Secrets.get("github")
 * const mock = MockSecrets.layer([{ name: "github", value: "hunter2" }])
 * const recorded = serviceLayers(SecretsBranch, Secrets).journaled.pipe(Layer.provide(mock))
 * const program = Effect.gen(function* () {
 *   yield* Effect.provide(get, recorded)
 *   const values = { github: Redacted.make("another") }
 *   const given = yield* Effect.provideServiceEffect(get, Secrets, ReplaySecrets.make(values))
 *   const fault = yield* Effect.flip(Effect.provideServiceEffect(get, Secrets, ReplaySecrets.make()))
 *   return `${Redacted.value(given)}, ${fault._tag === "SecretFault" && fault.faultKind}`
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))) // another, NotRecorded
 * ```
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

/**
 * {@link layer} with values, which the journal does not have.
 *
 * @example
 * ```ts
 * import { ReplaySecrets } from "@sluice/shell/secrets"
 * import { Layer, Redacted } from "effect"
 *
 * console.log(Layer.isLayer(ReplaySecrets.layerWith({ github: Redacted.make("ghp_example") }))) // true
 * ```
 */
export const layerWith = (
  values: Readonly<Record<string, Redacted.Redacted<string>>>,
): Layer.Layer<Secrets, JournalError, Journal> => Layer.effect(Secrets, make(values))
