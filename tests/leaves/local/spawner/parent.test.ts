/**
 * Tests effects that are visible only from outside the program: the descriptors that it passes on, and the processes
 * that it waits for.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"
import { layer } from "@sluice/shell/spawner"
import { workshop } from "../../../support/workshop.ts"
import { runtime } from "../rawSpawn.ts"
import { bytes, text } from "./contract/target.ts"

const fixture = (name: string, ...args: ReadonlyArray<string>): ChildProcess.StandardCommand => {
  const file = fileURLToPath(new URL(`./${name}.fixture.ts`, import.meta.url))
  return ChildProcess.make(process.execPath, [...(runtime === "deno" ? ["run", "-A"] : []), file, ...args])
}

describe.skipIf(process.platform === "win32")("a program", () => {
  it.live("hands its own descriptors down", () =>
    Effect.gen(function* () {
      const handle = yield* ChildProcess.make(fixture("inherit").command, fixture("inherit").args, {
        stdin: bytes("through"),
      })
      expect([yield* text(handle.stdout), yield* text(handle.stderr), yield* handle.exitCode]).toEqual([
        "through",
        "err\n",
        3,
      ])
    }).pipe(Effect.provide(layer)))

  it.live("does not wait for a process that was unrefed", () =>
    Effect.gen(function* () {
      const { exists, path } = yield* workshop
      const handle = yield* fixture("unref", path("done"), "never")
      const pid = Number(yield* text(handle.stdout))
      yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(-pid, "SIGKILL")))
      expect(yield* handle.exitCode).toBe(0)
      expect(exists("done")).toBe(false)
      // It lives on: it can be signalled.
      expect(process.kill(pid, 0)).toBe(true)
    }).pipe(Effect.provide(layer)))

  it.live("waits for a process that was referenced again", () =>
    Effect.gen(function* () {
      const { exists, path } = yield* workshop
      const handle = yield* fixture("unref", path("done"), "again")
      expect(yield* handle.exitCode).toBe(0)
      expect(exists("done")).toBe(true)
    }).pipe(Effect.provide(layer)))
})
