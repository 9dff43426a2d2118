import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hostFolder, memory, overlay } from "@sluice/shell/sandbox"
import { LayeredFolder } from "../../../src/kernel/fs/LayeredFolder.ts"
import { random } from "../../support/random.ts"
import { cases } from "../../support/rounds.ts"
import { withSandbox } from "../sandbox/support.ts"
import { hostTreeOf, randomFileChange, treeOf, withScratch } from "./support.ts"

const paused = { now: () => 0n, monotonic: () => 0n, resolution: 1n, after: () => () => {} }

it.live("whatever is approved, the overlay shows the same afterwards; when all is, so does the folder", () =>
  Effect.forEach(Array.from({ length: cases(60) }, (_, at) => at + 1), (seed) =>
    withScratch((folder) => {
      const numbers = random(seed)
      mkdirSync(join(folder, "a/d"), { recursive: true })
      for (const path of ["a/f.txt", "a/d/d", "f.txt", "d"]) writeFileSync(join(folder, path), `below ${path}\n`)
      return withSandbox((sandbox) =>
        Effect.gen(function* () {
          const { fileSystem } = sandbox
          const change = () => randomFileChange(numbers, "/w", true)(fileSystem)
          for (let round = 0; round < 4; round++) {
            for (let count = numbers.int(1, 12); count > 0; count--) change()
            const before = treeOf(fileSystem, "/w", true)
            const share = numbers.pick([0, 0.3, 0.7, 0.95])
            const some = yield* sandbox.commit({ approve: () => numbers.next() < share })
            const label = { seed, round, some: some.map(({ change, path, status }) => `${change} ${path} ${status}`) }
            expect({ ...label, tree: treeOf(fileSystem, "/w", true) }).toEqual({ ...label, tree: before })
            if (numbers.int(0, 1) === 0) continue
            const all = yield* sandbox.commit({ approve: () => true })
            const labelled = { ...label, all: all.map(({ change, path, status }) => `${change} ${path} ${status}`) }
            expect(labelled.all.filter((line) => !line.endsWith(" committed"))).toEqual([])
            expect({ ...labelled, tree: treeOf(fileSystem, "/w", true) }).toEqual({ ...labelled, tree: before })
            expect({ ...labelled, tree: hostTreeOf(folder, true) }).toEqual({ ...labelled, tree: before })
            expect({ ...labelled, again: yield* sandbox.commit({ approve: () => true }) }).toEqual({
              ...labelled,
              again: [],
            })
            const root = fileSystem.volumes().find((volume) => volume instanceof LayeredFolder)
            expect({ seed, names: root?.volume.names, bytes: root?.volume.bytes }).toEqual({ seed, names: 0, bytes: 0 })
          }
        }), { mounts: { "/w": overlay(hostFolder(folder)) }, clock: paused })
    })))

it.live("commits to a volume in memory as well", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run("mkdir -p /w/a/b; echo x > /w/a/b/c; ln -s c /w/a/b/l")
      const outcomes = yield* sandbox.commit({ approve: () => true })
      expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "committed"))
      yield* sandbox.run("rm -r /w/a; echo y > /w/y")
      expect(yield* sandbox.commit({ approve: () => true })).toHaveLength(5)
      expect(treeOf(sandbox.fileSystem, "/w")).toEqual({ y: "- y\n" })
    }), { mounts: { "/w": overlay(memory()) } }))
