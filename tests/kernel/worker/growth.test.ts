import { describe, expect, it } from "@effect/vitest"
import type { Isolation } from "../../../src/kernel/process/Programs.ts"
import { StaticFile } from "../../../src/kernel/process/StaticFile.ts"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { bytes, makeKernel, run } from "../process/support.ts"

describe.runIf(canCompileC)("with programs built from C", () => {
  for (const isolate of ["none", "worker"] satisfies ReadonlyArray<Isolation>) {
    const where = isolate === "none" ? "in place" : "in a worker"
    it(`moves bytes by several vectors into memory that has just grown, ${where}`, async () => {
      const kernel = makeKernel({ programs: { vectors: { source: await compileC("vectors"), isolate } } })
      const text = "0123456789".repeat(5_000)
      const ran = await run(kernel, { program: "vectors" }, new StaticFile(bytes(text)))
      expect([ran.exitCode, ran.stdout.length, ran.stdout === text + text]).toEqual([0, 100_000, true])
      kernel.close()
    })
  }
})
