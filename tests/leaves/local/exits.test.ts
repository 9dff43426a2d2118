import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { LocalShell } from "@sluice/shell"
import { sh, whole } from "../../support/contract/target.ts"
import { runtime } from "./rawSpawn.ts"

// On Node a real-time signal looks like an exit with 0, and nothing tells it from one.
it.live.runIf(runtime !== "node" && process.platform === "linux")(
  runtime === "node" ? "names a real-time signal (left out: Node cannot)" : "names a real-time signal",
  () =>
    Effect.gen(function* () {
      const { exitCode, signal } = yield* whole(sh("kill -35 $$; sleep 5"))
      expect([exitCode, signal]).toEqual([163, "SIGRTMIN+1"])
    }).pipe(Effect.provide(LocalShell.layer)),
)

it.live("distinguishes an exit code of 128 or more from a signal", () =>
  Effect.gen(function* () {
    for (const code of [128, 130, 137, 143, 255]) {
      const output = yield* whole(sh(`exit ${code}`))
      expect(output.exitCode).toBe(code)
      expect("signal" in output).toBe(false)
    }
  }).pipe(Effect.provide(LocalShell.layer)))
