/** Patches are applied by the real git and the real patch, in bubblewrap. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assumeValidOptions } from "../../../src/base/attemptOptions.ts"
import { random } from "../../support/random.ts"
import { cases } from "../../support/rounds.ts"
import { withSandbox } from "../sandbox/support.ts"
import { exportTree, has, hostTreeOf, randomFileChange, runInBox, type Tree, treeOf, withScratch } from "./support.ts"

/** Makes patches of random changes, applies each with a program, and compares the trees. */
const appliesTo = (rounds: number, binary: boolean, apply: string) =>
  withScratch((folder) =>
    Effect.gen(function* () {
      const expected: Array<Tree> = []
      for (let seed = 1; seed <= rounds; seed++) {
        yield* withSandbox((sandbox) =>
          Effect.scoped(Effect.gen(function* () {
            const numbers = random(seed)
            const change = () => randomFileChange(numbers, "/w", binary)
            sandbox.fileSystem.makeDirectory(sandbox.fileSystem.root, "/w", 0o755)
            for (let count = 0; count < 25; count++) change()(sandbox.fileSystem)
            const fork = yield* sandbox.fork
            for (let count = 0; count < 12; count++) change()(fork.fileSystem)
            const { omitted, patch } = yield* assumeValidOptions(fork.diff(sandbox, { path: "/w" }))
            expect(omitted).toEqual([])
            mkdirSync(join(folder, `tree${seed}`))
            exportTree(sandbox.fileSystem, "/w", join(folder, `tree${seed}`))
            writeFileSync(join(folder, `patch${seed}`), patch)
            expected.push(treeOf(fork.fileSystem, "/w"))
          })), { clock: { now: () => 0n, monotonic: () => 0n, resolution: 1n, after: () => () => {} } })
      }
      const { output } = runInBox(
        folder,
        `for i in $(seq ${rounds}); do ( cd tree$i; [ ! -s ../patch$i ] || ${apply} ) || echo "failed $i"; done`,
      )
      expect(output).toBe("")
      expected.forEach((tree, at) =>
        expect({ at, tree: hostTreeOf(join(folder, `tree${at + 1}`)) }).toEqual({ at, tree })
      )
    })
  )

it.live.skipIf(!has("git"))(
  "git apply turns the one into the other, with binary files, links and modes",
  () => appliesTo(cases(80), true, "git apply --whitespace=nowarn ../patch$i"),
)

it.live.skipIf(!has("patch"))(
  "patch -p1 turns the one into the other",
  () => appliesTo(cases(80), false, "patch -s -p1 -i ../patch$i"),
)
