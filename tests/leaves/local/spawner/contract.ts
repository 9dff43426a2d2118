/** Tests the promises of every `ChildProcessSpawner` of Sluice; the suite also runs on Effect's Node spawner. */
import { describe } from "@effect/vitest"
import { descriptors } from "./contract/descriptors.ts"
import { ending } from "./contract/ending.ts"
import { errors } from "./contract/errors.ts"
import { input } from "./contract/input.ts"
import { output } from "./contract/output.ts"
import { pipelines } from "./contract/pipelines.ts"
import { places } from "./contract/places.ts"
import { type SpawnerTarget, testOf } from "./contract/target.ts"
import { trees } from "./contract/trees.ts"

export const spawnerContract = (name: string, target: SpawnerTarget): void => {
  describe.skipIf(process.platform === "win32")(name, { concurrent: true }, () => {
    const test = testOf(target)
    for (const part of [output, input, pipelines, descriptors, places, errors, ending, trees]) part(test, target)
  })
}
