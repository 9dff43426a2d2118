/** Tests the promises of every leaf: one suite, run for each (Effect's child process spawner suite is its model). */
import { describe, expect, it } from "@effect/vitest"
import { Shell } from "@sluice/shell"
import { makeCapabilities } from "@sluice/shell/leaf"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
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
import { differencesFromPage, isPageRun } from "./contract/record.ts"
import { stdin } from "./contract/stdin.ts"
import { type ContractFlags, type ContractTarget, type Part, testOf } from "./contract/target.ts"
import { terminals } from "./contract/terminals.ts"
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
  terminals,
}

/** The parts that a leaf can be asked, or those of them that this run asks. */
const partsFor = (
  { can, parts: allowed, usualParts }: ContractTarget,
  asked: "all" | "now" = "now",
): Readonly<Record<string, Part>> => {
  const wanted = asked === "now" && !isPageRun ? usualParts ?? allowed : allowed
  const able: Readonly<Record<string, Part>> = {
    ...parts,
    ...(can.limits && can.files ? { limits } : undefined),
    ...(can.trees && can.files ? { trees } : undefined),
    ...(can.clock ? { clock: (_, target) => clock(target) } : undefined),
  }
  return Object.fromEntries(Object.entries(able).filter(([title]) => wanted?.includes(title) ?? true))
}

/** Promises that need a part and a flag: where the flag is off they are left out, or asked in another way. */
const flags: ReadonlyArray<keyof ContractFlags> = [
  "machine",
  "files",
  "trees",
  "escapees",
  "runaways",
  "background",
  "limits",
  "clock",
  "resolvesPath",
  "backPressure",
  "signals",
  "silentSignals",
  "scriptFiles",
  "links",
  "quickStart",
  "secrets",
  "secretWords",
  "stdinStreams",
  "inOrder",
]

/** What is left out of the contract, or asked less of, and why. Throws where a reason is missing, or is one of nothing. */
const leftOutOf = (name: string, target: ContractTarget, because: Readonly<Record<string, string>>) => {
  const off = flags.filter((flag) => target.can[flag] === false)
  const all = [...Object.keys(parts), ...flags.filter((flag) => ["limits", "trees", "clock"].includes(flag))]
  const missing = all.filter((part) => !(part in partsFor(target, "all")))
  const lacks = new Set<string>([...off, ...missing])
  const wrong = [
    ...[...lacks].filter((what) => !(what in because)).map((what) => `${what}: no reason`),
    ...Object.keys(because).filter((what) => !lacks.has(what)).map((what) => `${what}: a reason, though it has it`),
    // The page separates them by these.
    ...Object.values(because).filter((why) => /[;:] /.test(why)).map((why) => `"${why}": a reason with ; or :`),
  ]
  if (wrong.length > 0) throw new Error(`${name}: because of ${wrong.join(", ")}`)
  return because
}

const shown = (value: unknown): string =>
  value === true
    ? "yes"
    : value === false
    ? "no"
    : Array.isArray(value)
    ? value.length === 0 ? "none" : value.map((name) => String(name).replace(/(Bytes|Seconds)$/, "")).join(", ")
    : String(value)

/** Puts the leaf on `docs/leaves.md`: its capabilities as it declares them, and what is left out of the contract. */
const declares = (name: string, target: ContractTarget, because: Readonly<Record<string, string>>): void => {
  const leftOut = leftOutOf(name, target, because)
  it.live("declares what docs/leaves.md says", ({ task }) =>
    Effect.gen(function* () {
      const { capabilities } = yield* Shell
      const names = Record.keys(makeCapabilities(capabilities))
      const declared = Object.fromEntries(names.map((key) => [key, shown(capabilities[key])]))
      const record = { branch: "shells", leaf: name, declared, leftOut } as const
      task.meta.leaf = record
      const promises = Object.keys(partsFor(target)).map((part) => ({ branch: "shells", leaf: name, part }) as const)
      // Other users have limits that root has not.
      const isRoot = process.getuid?.() === 0
      expect(isRoot ? differencesFromPage([record, ...promises]) : differencesFromPage(promises)).toEqual([])
    }).pipe(Effect.provide(target.layer({}))))
}

/**
 * Runs the suite for a leaf; `here` is false where the leaf cannot run, and then its title says so. Most promises
 * wait more than they work, so they are kept several at a time.
 */
export const shellContract = (name: string, target: ContractTarget, here = true): void => {
  const title = here ? name : `${name}: left out, this runtime is another`
  describe.runIf(here)(title, { concurrent: target.concurrent ?? true }, () => {
    for (const [part, promise] of Object.entries(partsFor(target))) {
      const meta = target.because === undefined ? {} : { contract: { branch: "shells", leaf: name, part } as const }
      describe(part, { meta }, () => promise(testOf(target), target))
    }
    if (target.because !== undefined) declares(name, target, target.because)
  })
}
