/**
 * Deno with few permissions: what the spawner can then end, and that it says so.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"
import { layer } from "@sluice/shell/spawner"
import { eventually, pause } from "../../../support/eventually.ts"
import { workshop } from "../../../support/workshop.ts"
import { text } from "./contract/target.ts"

const Told = Schema.fromJsonString(Schema.Struct({
  child: Schema.Number,
  isRunning: Schema.Boolean,
  other: Schema.Tuple([Schema.String, Schema.String]),
}))

const fixture = fileURLToPath(new URL("./permissions.fixture.ts", import.meta.url))

const run = (permissions: string, shell = "sh") =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const args = ["run", "--no-prompt", permissions, fixture, path("heartbeat"), shell]
    const handle = yield* ChildProcess.make(process.execPath, args)
    const [stdout, stderr] = yield* Effect.all([text(handle.stdout), text(handle.stderr)], { concurrency: 2 })
    expect([yield* handle.exitCode, stderr.includes("error")]).toEqual([0, false])
    const told = yield* Schema.decodeUnknownEffect(Told)(stdout.split("\n").findLast((line) => line.startsWith("{")))
    return {
      ...told,
      warned: `${stdout}${stderr}`.includes("Descendants of processes cannot be ended"),
      beats: () => size("heartbeat"),
    }
  })

describe.runIf(process.platform === "linux")("Deno with few permissions", () => {
  for (const permissions of ["--allow-run", "--allow-run=sh,/bin/sh,kill"]) {
    it.live(`ends whole trees with ${permissions}`, () =>
      Effect.gen(function* () {
        const { beats, isRunning, warned } = yield* run(permissions)
        expect([isRunning, warned]).toEqual([false, false])
        const last = beats()
        yield* pause(200)
        expect(beats()).toBe(last)
      }).pipe(Effect.provide(layer)))
  }

  it.live("ends only the process itself, and warns of it, with --allow-run for the program alone", () =>
    Effect.gen(function* () {
      const { beats, child, isRunning, other, warned } = yield* run("--allow-run=bash", "bash")
      yield* Effect.addFinalizer(() => Effect.sync(() => process.kill(child, "SIGKILL")))
      expect([isRunning, warned]).toEqual([false, true])
      const last = beats()
      yield* eventually("its child lives on", () => beats() > last)
      expect(other[0]).toBe("PermissionDenied")
      expect(other[1]).toContain("--allow-run")
    }).pipe(Effect.provide(layer)))
})
