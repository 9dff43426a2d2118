import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { failOnFault } from "../../src/wire/mod.ts"
import * as Ndjson from "../../src/wire/ndjson.ts"
import { events } from "./golden/v1/values.ts"
import { cutAtOnce } from "./support.ts"

const outputs = events.flatMap((event) => event._tag === "ShellFault" ? [] : [event])
const fault = ShellFault.because("c1", { _tag: "Timeout", kind: "idle", afterMillis: 10 }, "exec: silent", {
  stdout: "so far",
  stdoutBytes: 6,
})

it.effect("fails with the fault of the other side, after the events before it", () =>
  Effect.gen(function* () {
    const run = Stream.concat(Stream.fromArray(outputs), Stream.fail(fault))
    const bytes = yield* Stream.mkUint8Array(Ndjson.encode(run))
    const seen: Array<unknown> = []
    const failed = yield* cutAtOnce(bytes, [bytes.length]).pipe(
      Ndjson.decode,
      failOnFault,
      Stream.runForEach((event) => Effect.sync(() => seen.push(event))),
      Effect.flip,
    )
    expect(seen).toEqual(outputs)
    expect(failed).toBeInstanceOf(ShellFault)
    expect({ ...failed }).toEqual({ ...fault })
  }))

it.effect("leaves a successful run unchanged", () =>
  Effect.gen(function* () {
    expect(yield* Stream.runCollect(failOnFault(Stream.fromIterable(outputs).pipe(Stream.rechunk(2))))).toEqual(outputs)
    expect(
      yield* Stream.runCollect(
        failOnFault(Stream.fromArray([fault])).pipe(Stream.catchTag("ShellFault", () => Stream.empty)),
      ),
    ).toEqual([])
  }))
