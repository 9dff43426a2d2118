import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Shell, ShellExec } from "@sluice/shell"
import { workshop } from "../workshop.ts"
import { type Part, sh, whole } from "./target.ts"

export const limits: Part = (test) => {
  test("declares the limits that it enforces", () =>
    Effect.gen(function* () {
      const { capabilities } = yield* Shell
      expect(capabilities.limits).toEqual(expect.arrayContaining(["memoryBytes", "cpuSeconds", "fileSizeBytes"]))
    }))

  test("lets an allocation fail beyond the memory", () =>
    Effect.gen(function* () {
      const dd = (limits?: { readonly memoryBytes: number }) =>
        whole(ShellExec.make("dd", ["if=/dev/zero", "of=/dev/null", "bs=300M", "count=1"], limits && { limits }))
      expect((yield* dd()).exitCode).toBe(0)
      const limited = yield* dd({ memoryBytes: 100_000_000 })
      expect(limited.exitCode).not.toBe(0)
      expect(limited.stderr).toMatch(/memory/)
      expect(limited.executable).toMatch(/\/dd$/)
    }))

  test("sends SIGXCPU beyond the processor time", () =>
    Effect.gen(function* () {
      const { exitCode, signal } = yield* whole(sh("while :; do :; done", { limits: { cpuSeconds: 1 } }))
      expect([exitCode, signal]).toEqual([152, "SIGXCPU"])
    }))

  test("sends SIGXFSZ beyond the size of a file", () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const args = ["if=/dev/zero", `of=${path("big")}`, "bs=1000", "count=100"]
      const { exitCode, signal } = yield* whole(ShellExec.make("dd", args, { limits: { fileSizeBytes: 10_000 } }))
      expect([exitCode, signal, size("big")]).toEqual([153, "SIGXFSZ", 10_000])
    }))

  test("limits all that the command starts, and nothing else; several at once, with merged streams", () =>
    Effect.gen(function* () {
      const limits = { memoryBytes: 500_000_000, cpuSeconds: 7, fileSizeBytes: 1_024_000 }
      const exec = sh("sh -c 'ulimit -v; ulimit -t; ulimit -f' >&2", { limits, mergeStreams: true })
      expect((yield* whole(exec)).stdout).toBe("488281\n7\n2000\n")
      expect((yield* whole(sh("ulimit -t"))).stdout).toBe("unlimited\n")
    }))
}
