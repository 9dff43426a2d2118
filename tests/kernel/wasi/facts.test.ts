/** A C program that asks for what preview 1 and POSIX promise, in every kind of volume. */
import { describe, expect, it } from "@effect/vitest"
import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { memory } from "../../../src/kernel/fs/memory.ts"
import type { Volume } from "../../../src/kernel/fs/Node.ts"
import { overlay } from "../../../src/kernel/fs/overlay.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { systemClock } from "../../../src/kernel/process/KernelClock.ts"
import { hostFolder } from "../../../src/sandbox/mod.ts"
import { canCompileC, compileC, runKernel } from "../../support/wasi.ts"

describe.runIf(canCompileC)("with programs built from C", () => {
  const facts = async (volume: Volume) => {
    const files = VirtualFileSystem.make({ mounts: { "/data": volume }, now: systemClock.now })
    const program = { source: await compileC("facts"), preopens: { other: "/", fixtures: "/data" } }
    const { stdout } = await runKernel(program, { args: ["fixtures"] }, files)
    return new TextDecoder().decode(stdout)
  }
  const none = "0 of 857 facts are otherwise\n"

  it("memory volumes do what WASI specifies", async () => expect(await facts(memory())).toBe(none))

  it("a folder of the host, and an overlay of it, do what WASI promises", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "sluice-facts-")))
    try {
      expect(await facts(overlay(hostFolder(folder)))).toBe(none)
      expect(await facts(hostFolder(folder))).toBe(none)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
