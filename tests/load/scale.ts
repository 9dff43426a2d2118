/** Sets the amount of the load, and the time that it may take. */
import * as Effect from "effect/Effect"
import { pause } from "../support/eventually.ts"

/** What clients of the server send. */
export const token = "l0ad-token"

/** Whether this is the run that takes minutes: `npm test -- load-deno load-bun`. */
export const isLong = process.env["SLUICE_SUITE"] === "load"

/** What is looked at is Linux's /proc. */
export const onLinux = process.platform === "linux"

/** Time that a test has: none is as long, but where the machine has much else to do. */
export const testMillis = isLong ? 1_800_000 : 300_000

/** Waits until something is so, on a machine that has other things to do as well. */
export const until = (what: string, holds: () => boolean, seen: () => unknown = () => ""): Effect.Effect<void> =>
  Effect.gen(function* () {
    const end = performance.now() + testMillis / 2
    while (!holds()) {
      if (performance.now() > end) {
        return yield* Effect.die(new Error(`never came true: ${what} ${JSON.stringify(seen())}`))
      }
      yield* pause(20)
    }
  })
