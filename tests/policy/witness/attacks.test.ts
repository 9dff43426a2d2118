/** Every known way around a list, run behind one as far as it lets them: nothing starts that the list does not have. */
import { expect, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { allowed, attacks, programAttacks, rewritten } from "../attacks.ts"
import { cases } from "../launchers/cases.ts"
import { runBatch } from "./batch.ts"
import { evaluatedWords, evaluations } from "./evaluations.ts"
import type { Item, Settings } from "./job.ts"
import { starterVariables } from "../starterVariables.ts"
import { escapes, summary } from "./report.ts"
import { makeWorld } from "./world.ts"

/** Quotes a word for a script. */
const quoted = (word: string): string => /^[\w./=:+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

const calls = Object.values(cases).flat().map(([call]) => call.split(" "))

/** Programs of the table of launchers that bound nothing: where they are in a list, the list says so. */
const interpreters = "bash zsh python3 node perl ruby php lua osascript Rscript".split(" ")

const names = [...new Set([...allowed, ...calls.map(([name = ""]) => name)])].filter((name) =>
  !interpreters.includes(name)
)

const scripts = [
  ...attacks.map(([, , script]) => script),
  ...rewritten,
  ...evaluations,
  ...calls.map((words) => words.map(quoted).join(" ")),
]

const items: ReadonlyArray<Item> = [
  ...scripts.map((script, i) => ({ id: `script-${i}`, script, environment: starterVariables })),
  // Some attacks need that nothing has a value.
  ...evaluations.map((script, i) => ({ id: `bare-${i}`, script })),
  ...[...programAttacks.map(([, , words]) => words), ...evaluatedWords, ...calls].map((words, i) => ({
    id: `words-${i}`,
    words,
  })),
]

const policies: ReadonlyArray<readonly [name: string, settings: (place: string) => Partial<Settings>]> = [
  ["without redirections", () => ({ redirects: "none" })],
  ["with redirections below a root", (place) => ({ redirects: "roots", allowedCwdRoots: [place] })],
]

// What a policy says of redirections is the same on every runtime: Bun and Node run all attacks once, with redirections.
it.each("Deno" in globalThis ? policies : policies.slice(1))(
  "nothing starts that the list does not have, whatever the attack (%s)",
  async (_, settings) => {
    using world = makeWorld(names)
    const { bin, folders, place } = world
    const batch = await runBatch(
      { settings: { allowedCommands: names, searchPath: bin, ...settings(place) }, place, items },
      { folders },
    )
    console.info(summary(batch))
    expect(batch.trouble).toBe(undefined)
    expect(items.filter(({ id }) => !batch.answers.has(id))).toEqual([])
    expect([...batch.answers.values()].filter(({ fault }) => fault === "Defect")).toEqual([])
    expect(escapes(batch, items)).toEqual([])
    expect(readdirSync(world.marks)).toEqual([])
  },
)
