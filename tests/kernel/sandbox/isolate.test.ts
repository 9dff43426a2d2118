/** Sandboxes whose programs run in workers. */
import { describe, expect, it } from "@effect/vitest"
import { Sandbox } from "@sluice/shell/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { vi } from "vitest"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { failureOf, stdoutOf, withSandbox } from "./support.ts"

const isolated = (...names: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const sources = await Promise.all(names.map(async (name) => [name, { source: await compileC(name) }] as const))
    return { programs: Object.fromEntries(sources), isolate: "worker" } satisfies Sandbox.SandboxOptions
  })

describe.runIf(canCompileC)("with programs built from C", () => {
  it.live("kills a computing run at its timeout; the next run finds the sandbox as it was", () =>
    Effect.gen(function* () {
      const options = yield* isolated("compute", "tally")
      yield* withSandbox((sandbox) =>
        Effect.gen(function* () {
          yield* sandbox.run("X=kept")
          const error = yield* failureOf(
            sandbox.run("echo begun; compute loop > /dev/null", { timeout: "300 millis" }),
          )
          expect(error.reason).toEqual({ _tag: "Timeout", afterMillis: 300 })
          expect(error.stdout).toBe("begun\n")
          expect(yield* stdoutOf(sandbox, "printf 123 | tally")).toMatch(/^3 /)
          expect(yield* stdoutOf(sandbox, "echo $X")).toBe("kept\n")
        }), options)
    }))

  it.live("ends a computing program by the shell's own timeout and kill", () =>
    Effect.gen(function* () {
      const options = yield* isolated("compute")
      yield* withSandbox((sandbox) =>
        Effect.gen(function* () {
          const { stdout } = yield* sandbox.run(
            "timeout 0.1 compute loop > /dev/null; echo $?; compute call > /dev/null & sleep 0.1; kill %1; wait; echo over",
          )
          expect(stdout).toBe("124\nover\n")
        }), options)
    }))

  it.live("streams through programs in workers and utilities, and ends them with the stream", () =>
    Effect.gen(function* () {
      const options = yield* isolated("produce", "relay")
      yield* withSandbox((sandbox) =>
        Effect.gen(function* () {
          expect(yield* stdoutOf(sandbox, "produce 100000 | relay 999 | cat | wc -c")).toMatch(/^\s*100000\n$/)
          const pieces = yield* Stream.runCollect(Stream.take(sandbox.bytes("produce | relay"), 2))
          expect(pieces).toHaveLength(2)
        }), options)
    }))

  it.live("is not made where there are no workers", () =>
    Effect.gen(function* () {
      const relay = yield* Effect.promise(() => compileC("relay"))
      const failed = (options: Sandbox.SandboxOptions) =>
        Effect.flip(Effect.scoped(Effect.catchTag(Sandbox.make(options), "OptionError", Effect.die)))
      yield* Effect.acquireUseRelease(
        Effect.sync(() => vi.stubGlobal("SharedArrayBuffer", undefined)),
        () =>
          Effect.gen(function* () {
            for (
              const options of [
                { isolate: "worker" },
                { programs: { relay: { source: relay, isolate: "worker" } } },
              ] satisfies ReadonlyArray<Sandbox.SandboxOptions>
            ) {
              const { message, reason } = yield* failed(options)
              expect(reason._tag).toBe("NotIsolable")
              expect(message).toMatch(/^sandbox: isolate: "worker": this runtime has no Worker, .* \(ENOTSUP\)$/)
            }
            // Without isolated programs, workers are not needed.
            yield* Effect.scoped(Sandbox.make({ programs: { relay: { source: relay } } }))
          }),
        () => Effect.sync(() => vi.unstubAllGlobals()),
      )
    }))
})
