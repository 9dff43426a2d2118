/**
 * What every leaf promises: one suite, run for each (Effect's child process spawner suite is its model).
 */
import { describe } from "@effect/vitest"
import { budget } from "./contract/budget.ts"
import { chunks } from "./contract/chunks.ts"
import { clock } from "./contract/clock.ts"
import { completion } from "./contract/completion.ts"
import { ending } from "./contract/ending.ts"
import { environment } from "./contract/environment.ts"
import { events } from "./contract/events.ts"
import { faults } from "./contract/faults.ts"
import { limits } from "./contract/limits.ts"
import { merged } from "./contract/merged.ts"
import { places } from "./contract/places.ts"
import { queue } from "./contract/queue.ts"
import { stdin } from "./contract/stdin.ts"
import { type ContractTarget, type Part, testOf } from "./contract/target.ts"
import { text } from "./contract/text.ts"
import { times } from "./contract/times.ts"
import { trees } from "./contract/trees.ts"

const parts: Readonly<Record<string, Part>> = {
  events,
  chunks,
  text,
  budget,
  merged,
  stdin,
  environment,
  places,
  times,
  ending,
  queue,
  completion,
  faults,
}

const partsFor = ({ can }: ContractTarget): Readonly<Record<string, Part>> => ({
  ...parts,
  ...(can.limits && can.files ? { limits } : undefined),
  ...(can.trees && can.files ? { trees } : undefined),
})

/**
 * Runs the suite for a leaf; `here` is false where the leaf cannot run, and then its title says so. Most promises
 * wait more than they work, so they are kept several at a time.
 */
export const shellContract = (name: string, target: ContractTarget, here = true): void => {
  const title = here ? name : `${name}: left out, this runtime is another`
  describe.runIf(here)(title, { concurrent: target.concurrent ?? true }, () => {
    for (const [title, part] of Object.entries(partsFor(target))) {
      if (target.parts?.includes(title) ?? true) describe(title, () => part(testOf(target), target))
    }
    if (target.can.clock && (target.parts?.includes("clock") ?? true)) describe("clock", () => clock(target))
  })
}
