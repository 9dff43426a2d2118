/** Turns the fault that ends decoded events into the stream's failure. */
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
  Stream.suspend(() => {
    let fault: ShellFault | undefined
    const isOutput = (event: A): event is Exclude<A, ShellFault> => {
      if (event._tag === "ShellFault") fault = event
      return event._tag !== "ShellFault"
    }
    return Stream.concat(
      Stream.takeWhile(events, isOutput),
      Stream.suspend(() => fault === undefined ? Stream.empty : Stream.fail(fault)),
    )
  })
