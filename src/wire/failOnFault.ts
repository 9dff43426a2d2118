/** Turns the fault that ends decoded events into the stream's failure. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { ShellEvent, ShellFault } from "../command/ShellFault.ts"

/**
 * Turns the fault that ends decoded events into the stream's failure, as a leaf emits it. Reverses what `encodeNdjson` and
 * `encodeSse` do.
 *
 * @example
 * ```ts
 * import { ShellFault } from "@sluice/shell"
 * import * as Wire from "@sluice/shell/wire"
 * import { Effect, Stream } from "effect"
 *
 * const fault = ShellFault.because("c1", { _tag: "Cancelled" }, "exec: cancelled")
 * const there = Wire.Ndjson.encode(Stream.fail(fault))
 * const back = there.pipe(Wire.Ndjson.decode, Wire.failOnFault, Stream.runDrain, Effect.flip)
 * console.log((await Effect.runPromise(back))._tag) // ShellFault
 * ```
 */
export const failOnFault = <A extends ShellEvent, E, R>(
  events: Stream.Stream<A, E, R>,
): Stream.Stream<Exclude<A, ShellFault>, E | ShellFault, R> =>
  Stream.transformPull(events, (upstream) =>
    Effect.sync(() => {
      let fault: ShellFault | undefined
      // Events before the fault in the same batch are emitted first.
      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Exclude<A, ShellFault>>, E | ShellFault> = Effect.suspend(() => {
        if (fault !== undefined) return Effect.fail(fault)
        return Effect.flatMap(upstream, (batch) => {
          const outputs = batch.filter(isNotFault)
          fault = batch.find(isFault)
          return Arr.isArrayNonEmpty(outputs) ? Effect.succeed(outputs) : next
        })
      })
      return next
    }))

const isFault = <A extends ShellEvent>(event: A): event is A & ShellFault => event._tag === "ShellFault"

const isNotFault = <A extends ShellEvent>(event: A): event is Exclude<A, ShellFault> => event._tag !== "ShellFault"
