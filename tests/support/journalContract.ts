/** Tests the promises of every journal: one suite, run for each store. */
import { describe } from "@effect/vitest"
import { append } from "./journal-contract/append.ts"
import { chain } from "./journal-contract/chain.ts"
import { commit } from "./journal-contract/commit.ts"
import { conditions } from "./journal-contract/conditions.ts"
import { ending } from "./journal-contract/ending.ts"
import { processes } from "./journal-contract/processes.ts"
import { property } from "./journal-contract/property.ts"
import { prune } from "./journal-contract/prune.ts"
import { read } from "./journal-contract/read.ts"
import { stats } from "./journal-contract/stats.ts"
import { tail } from "./journal-contract/tail.ts"
import { type JournalTarget, type Part, testOf } from "./journal-contract/target.ts"
import { verify } from "./journal-contract/verify.ts"

export type { JournalPlace, JournalTarget, Tamper } from "./journal-contract/target.ts"

const parts: Readonly<Record<string, Part>> = {
  append,
  chain,
  read,
  conditions,
  tail,
  commit,
  ending,
  verify,
  prune,
  stats,
  "any order of events": property,
}

/** What is about hashes. */
const chainParts: ReadonlySet<string> = new Set(["chain", "verify"])

/**
 * Runs the suite for a store; `here` is false where the store cannot run, and then its title says so.
 *
 * @example
 * ```ts
 * journalContract("memory", {
 *   place: Effect.sync(() => ({ open: () => MemoryJournal.make() })),
 *   can: { durable: false, processes: false, durabilities: ["memory"] },
 * })
 * ```
 */
export const journalContract = (name: string, target: JournalTarget, here = true): void => {
  describe.runIf(here)(here ? name : `${name}: left out, it cannot run here`, () => {
    const own = Object.entries(parts).filter(([title]) => target.can.chained !== false || !chainParts.has(title))
    for (const [title, part] of own) describe(title, () => part(testOf(target), target))
    if (target.can.processes) describe("processes", () => processes(testOf(target), target))
  })
}
