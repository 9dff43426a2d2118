/** The command line of the bench. */
import process from "node:process"
import { parseArgs } from "node:util"
import { type Plan, plans } from "./plan.ts"
import { type Runtime, runtimes } from "./tools/index.ts"

/** What to measure, and where the results go. */
export interface Options {
  readonly quick: boolean
  readonly rows: ReadonlyArray<Plan>
  readonly runtimes: ReadonlyArray<Runtime>
  /** Ids of tools, or the part before the colon; empty: all. */
  readonly tools: ReadonlyArray<string>
  readonly rounds: number
  readonly memoryBytes: number
  readonly peerMemoryBytes: number
  readonly out: string | undefined
  readonly from: ReadonlyArray<string>
  /** As it was called, for the report. */
  readonly commandLine: string
}

const help = `node bench/run.mjs [options]

  --quick                  little work and few rounds: does it all run?
  --rows a,b               ${plans.map((plan) => plan.id).join(", ")}
  --runtimes a,b           ${runtimes.join(", ")}
  --tools a,b              raw, sluice, effect, execa, … ("sluice" is all of its ways, "raw:byob" one)
  --rounds N               interleaved rounds (5; memory always 1, endings 3)
  --memory-gib N           output of the memory rows for Sluice and the floor (10)
  --peer-memory-gib N      the same for the others, who are slow (1)
  --out FILE               where the report goes (bench/RESULTS.md after a full run, else bench/.cache/RESULTS.md)
  --from a.jsonl,b.jsonl   measure nothing: write the report from the samples of earlier runs; of a row that several
                           have, the last counts

A full run takes about an hour. Run it on a machine that does nothing else.`

const listOf = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

const pick = <A>(all: ReadonlyArray<A>, idOf: (a: A) => string, wanted: ReadonlyArray<string>): ReadonlyArray<A> => {
  for (const id of wanted) {
    if (!all.some((a) => idOf(a) === id)) throw new Error(`unknown: ${id}`)
  }
  return wanted.length === 0 ? all : all.filter((a) => wanted.includes(idOf(a)))
}

const positive = (text: string | undefined, otherwise: number): number => {
  const number = text === undefined ? otherwise : Number(text)
  if (!(number > 0)) throw new Error(`not a positive number: ${text}`)
  return number
}

/** Whole lines of 60 bytes. */
const gib = (n: number): number => Math.floor((n * 2 ** 30) / 60) * 60

/** Reads the command line. Prints the help and ends on `--help`. */
export const parse = (args: ReadonlyArray<string>): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean" },
      help: { type: "boolean", short: "h" },
      rows: { type: "string" },
      runtimes: { type: "string" },
      tools: { type: "string" },
      rounds: { type: "string" },
      "memory-gib": { type: "string" },
      "peer-memory-gib": { type: "string" },
      out: { type: "string" },
      from: { type: "string" },
    },
  })
  if (values.help === true) {
    console.log(help)
    process.exit(0)
  }
  const quick = values.quick === true
  return {
    quick,
    rows: pick(plans, (plan) => plan.id, listOf(values.rows)),
    runtimes: pick(runtimes, (runtime) => runtime, listOf(values.runtimes)),
    tools: listOf(values.tools),
    rounds: Math.ceil(positive(values.rounds, quick ? 3 : 5)),
    memoryBytes: gib(positive(values["memory-gib"], quick ? 0.25 : 10)),
    peerMemoryBytes: gib(positive(values["peer-memory-gib"], quick ? 0.1 : 1)),
    out: values.out,
    from: listOf(values.from),
    commandLine: ["node bench/run.mjs", ...args].join(" "),
  }
}
