import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { freezeWithTurns } from "../../../src/kernel/changes/freezeInSteps.ts"
import { Turns } from "../../../src/kernel/changes/Turns.ts"
import { forkOf, freeze, freezeSteps, latestFrozen } from "../../../src/kernel/fs/freeze.ts"
import { MemoryFolder } from "../../../src/kernel/fs/MemoryFolder.ts"
import type { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { Sandbox } from "../../../src/sandbox/mod.ts"

const rootOf = (files: VirtualFileSystem): MemoryFolder => {
  if (!(files.root instanceof MemoryFolder)) throw new Error("the root is not in memory")
  return files.root
}

const filled = async () => {
  const sandbox = await Sandbox.open({ timeout: "60 seconds" })
  await sandbox.run("mkdir many; (cd many; seq 1 5000 | xargs touch)")
  return sandbox
}

it("a volume is frozen in steps, and a freeze that follows finds it", async () => {
  await using sandbox = await filled()
  const root = rootOf(sandbox.service.fileSystem)
  const steps = freezeSteps(root)
  let count = 0
  let next = steps.next()
  for (; next.done !== true; next = steps.next()) count++
  expect(count).toBeGreaterThan(15)
  expect(latestFrozen(root)).toBe(next.value)
  expect(freeze(root)).toBe(next.value)
  const copy = next.value && forkOf(next.value)({ now: () => 0n, device: () => 0, descriptors: () => undefined })
  expect(copy).toBeInstanceOf(MemoryFolder)
})

it("a change between two steps ends the freeze without a result", async () => {
  await using sandbox = await filled()
  const root = rootOf(sandbox.service.fileSystem)
  const steps = freezeSteps(root)
  steps.next()
  expect(root.createFolder("new", 0o755)).toBe(0)
  expect(steps.next()).toEqual({ done: true, value: undefined })
  expect(latestFrozen(root)).toBeUndefined()
})

it("a freeze that a change has ended is tried again", async () => {
  await using sandbox = await filled()
  const { fileSystem } = sandbox.service
  const root = rootOf(fileSystem)
  let attempts = 0
  class ChangingTurns extends Turns {
    override run<A>(steps: Generator<void, A, void>): Promise<A> {
      if (attempts++ === 0) {
        steps.next()
        expect(root.createFolder("new", 0o755)).toBe(0)
      }
      return super.run(steps)
    }
  }
  const held = await freezeWithTurns(fileSystem, new ChangingTurns())
  expect([attempts, held.length]).toEqual([2, 1])
  expect(latestFrozen(root)).toBe(held[0])
})

it("forks, comparisons and snapshots of a large volume that scripts change meanwhile are of one moment", async () => {
  await using sandbox = await filled()
  const session = await Effect.runPromise(sandbox.service.session())
  // The shell makes pairs of files; the second is made when the first is there.
  const script = "for ((i = 0; i < 300; i++)); do echo > /tmp/a$i; echo > /tmp/b$i; done"
  const running = Effect.runPromise(session.run(script))
  const taken = await sandbox.snapshot()
  await using fork = await sandbox.fork()
  const { stdout } = await fork.run("ls many | wc -l; echo $(($(ls /tmp/a* | wc -l) - $(ls /tmp/b* | wc -l)))")
  expect(stdout).toMatch(/^5000\n[01]\n$/)
  await running
  const { changes } = await sandbox.diff(fork, { path: "/home/user/many" })
  expect(changes).toEqual([])
  await sandbox.restore(taken)
  expect((await sandbox.run("ls many | wc -l")).stdout).toBe("5000\n")
})
