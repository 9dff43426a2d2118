import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { Shell } from "@sluice/shell"
import { eventually, settled } from "../eventually.ts"
import { workshop } from "../workshop.ts"
import { faultOf, type Part, run, sh } from "./target.ts"

/** Beats for at most 20 s. */
const beating = (path: string): string =>
  `i=0; while [ $i -lt 1000 ]; do echo $i; printf . >> '${path}'; sleep 0.02; i=$((i + 1)); done`

export const ending: Part = (test, { can }) => {
  test("fails with Cancelled when its signal has been aborted before", () =>
    Effect.gen(function* () {
      const fault = yield* faultOf(sh("echo never"), { signal: AbortSignal.abort() })
      expect(fault.reason).toEqual({ _tag: "Cancelled", by: "signal" })
      expect(fault).toMatchObject({ stdout: "", stdoutBytes: 0 })
      expect(fault.message).toMatch(/^exec: .* \(CANCELLED\)$/)
    }))

  test("faults with Cancelled and the output so far when its signal is aborted", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const fault = yield* Shell.exec(sh("echo so far; sleep 20"), { signal: controller.signal }).pipe(
        Stream.tap(() => Effect.sync(() => controller.abort())),
        Stream.runDrain,
        Effect.flip,
      )
      expect(fault.reason).toEqual({ _tag: "Cancelled", by: "signal" })
      expect(fault.stdout).toBe("so far\n")
    }))

  test("ignores a signal that is aborted after the end", () =>
    Effect.gen(function* () {
      const controller = new AbortController()
      const { output } = yield* run(sh("echo done"), { signal: controller.signal })
      controller.abort()
      expect(output.exitCode).toBe(0)
    }))

  if (!can.files) return

  test("ends when its stream ends: after take, a downstream failure or an interruption", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const events = (name: string) => Shell.exec(sh(beating(path(name))))
      const taken = yield* events("take").pipe(Stream.take(2), Stream.runCollect)
      expect(taken.length).toBe(2)

      const failed = yield* events("fail").pipe(
        Stream.mapEffect(() => size("fail") > 2 ? Effect.fail("enough") : Effect.void),
        Stream.runDrain,
        Effect.exit,
      )
      expect(failed).toEqual(Exit.fail("enough"))

      const fiber = yield* Effect.forkChild(Stream.runDrain(events("interrupt")))
      yield* eventually("it runs", () => size("interrupt") > 2)
      yield* Fiber.interrupt(fiber)

      const sizes = ["take", "fail", "interrupt"].map(size)
      yield* Effect.sleep("300 millis")
      expect(["take", "fail", "interrupt"].map(size)).toEqual(sizes)
    }))

  test("is ended as well when its output is not taken", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const controller = new AbortController()
      // The consumer sits on the first chunk while the command runs on.
      const fault = yield* Shell.exec(sh(beating(path("heartbeat"))), { signal: controller.signal }).pipe(
        Stream.tap(() =>
          Effect.gen(function* () {
            if (controller.signal.aborted) return
            yield* eventually("it runs", () => size("heartbeat") > 4)
            controller.abort()
            // It would write a thousand times.
            expect(yield* settled(() => size("heartbeat"))).toBeLessThan(900)
          })
        ),
        Stream.runDrain,
        Effect.flip,
      )
      expect(fault).toMatchObject({ reason: { _tag: "Cancelled" } })
    }))
}
