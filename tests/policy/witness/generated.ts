/** Runs generated scripts under the witness until a time is over: what started that no list has. */
import { readdirSync } from "node:fs"
import { random } from "../../support/random.ts"
import { bounded } from "../everydayScripts.ts"
import { starterVariables } from "../starterVariables.ts"
import { runBatch } from "./batch.ts"
import { generate } from "./generate.ts"
import type { Settings } from "./job.ts"
import { escapes } from "./report.ts"
import { forbidden, makeWorld } from "./world.ts"

/** Programs that can start others, and what scripts of every day call. Not `kill`: it could end the witness. */
const listed = [
  ..."awk busybox cat env find flock git head nice nohup sed setsid sort split stdbuf tar timeout xargs rg".split(" "),
  ...bounded.filter((name) => name !== "kill" && !forbidden.includes(name)),
]

export interface Generated {
  readonly tried: number
  readonly ran: number
  readonly programs: number
  /** Scripts that started what they must not, with what. */
  readonly escapes: ReadonlyArray<string>
  /** What else went wrong: defects, scripts without an answer. */
  readonly troubles: ReadonlyArray<string>
}

export interface GeneratedOptions {
  readonly settings?: Partial<Settings>
  /** Programs that may start beside the list's. */
  readonly others?: ReadonlyArray<string>
  /** Names that the list has, beside its own. */
  readonly more?: ReadonlyArray<string>
}

const redirects = ["none", "roots", "read", "all"] as const

/** As many scripts as the time that is left allows, by what the last ones took; a batch takes a second to begin. */
const sizeOf = (millis: number, millisPerScript: number): number =>
  Math.max(100, Math.min(2_000, Math.floor(millis / millisPerScript)))

/** Makes scripts by a seed and runs them, in batches, each with another rule of redirections. */
export const runGenerated = async (
  seed: number,
  seconds: number,
  { more = [], others = [], settings = {} }: GeneratedOptions = {},
): Promise<Generated> => {
  const until = performance.now() + seconds * 1_000
  const r = random(seed)
  const found: { -readonly [Key in keyof Generated]: Generated[Key] } = {
    ...{ tried: 0, ran: 0, programs: 0, escapes: [], troubles: [] },
  }
  let millisPerScript = 50
  for (let round = 0; round === 0 || performance.now() < until; round++) {
    const begin = performance.now()
    using world = makeWorld([...listed, ...more])
    const items = Array.from({ length: sizeOf(until - begin, millisPerScript) }, (_, i) => ({
      id: String(i),
      script: generate(r),
      environment: r.int(0, 1) === 0 ? starterVariables : {},
    }))
    const { bin, folders, place } = world
    const rule = redirects[round % redirects.length] ?? "none"
    const batch = await runBatch({
      settings: {
        ...{ allowedCommands: [...listed, ...more], searchPath: bin, allowedCwdRoots: [place] },
        redirects: rule,
        ...settings,
      },
      ...{ place, items, timeoutMillis: 1_000 },
    }, { folders, others })
    const answers = [...batch.answers.values()]
    millisPerScript = (performance.now() - begin) / items.length
    found.tried += items.length
    found.ran += answers.filter(({ outcome }) => outcome === "ran").length
    found.programs += batch.executions.length
    found.escapes = [
      ...found.escapes,
      ...escapes(batch, items),
      // A script that may write everywhere also reads `x` by `. x`, whose redirection makes the mark: nothing has started.
      ...(rule === "all" ? [] : readdirSync(world.marks).map((name) => `a mark of ${name}`)),
    ]
    found.troubles = [
      ...found.troubles,
      ...(batch.trouble === undefined ? [] : [batch.trouble]),
      ...answers.filter(({ fault }) => fault === "Defect").map(({ id, message }) =>
        `${JSON.stringify(items[Number(id)]?.script)}: ${message}`
      ),
      ...items.filter(({ id }) => !batch.answers.has(id)).map(({ script }) => `no answer: ${JSON.stringify(script)}`),
    ]
  }
  return found
}
