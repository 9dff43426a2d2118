/** The command line of the bench. */
import process from "node:process"
import { parseArgs } from "node:util"
import { type Plan, plans } from "./plan.ts"
import { type Runtime, runtimes } from "./tools/index.ts"

/** What to measure, and where the results go. */
export interface Options {
  readonly quick: boolean
  /** Compares ratios with the committed figures, and writes nothing. */
  readonly check: boolean
  readonly minutes: number
  readonly rows: ReadonlyArray<Plan>
  readonly runtimes: ReadonlyArray<Runtime>
  /** Ids of tools, or the part before the colon; empty: all. */
  readonly tools: ReadonlyArray<string>
  /** Maximum of rounds. */
  readonly rounds: number
  readonly memoryBytes: number
  readonly out: string | undefined
  readonly from: string | undefined
  /** As it was called, for the report. */
  readonly commandLine: string
}

const help = `npm run bench -- [options]

  --minutes N         ends by then (15, with --check 3); each row gets at least one round on each runtime
  --check             few rows without peers: fails when a ratio fell below that of bench/figures.json
  --quick             little work, one round: does it all run?
  --rows a,b          ${plans.map((plan) => plan.id).join(", ")}
  --runtimes a,b      ${runtimes.join(", ")}
  --tools a,b         raw, sluice, effect, execa, … ("sluice" is all of its ways, "raw:byob" one)
  --rounds N          maximum of interleaved rounds (9; memory always 1, endings at most 3)
  --memory-gib N      output of the memory row for Sluice and the floor (2); the peers get a twentieth
  --out FILE          where the report goes (bench/RESULTS.md after a whole run, else bench/.cache/RESULTS.md)
  --from FILE.jsonl   measures nothing: writes the report from the samples of an earlier run

Benches of their own: npm run bench -- files | journal | kernel | leaves | spells.
Run it on a machine that does nothing else.`

const listOf = (value: string | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** Ends with a message for a mistake in the command line. */
const refuse = (problem: string): never => {
  console.error(`bench: ${problem}\nSee npm run bench -- --help`)
  return process.exit(2)
}

const pick = <A>(
  all: ReadonlyArray<A>,
  idOf: (a: A) => string,
  wanted: ReadonlyArray<string>,
): ReadonlyArray<A> => {
  for (const id of wanted) {
    if (!all.some((a) => idOf(a) === id)) {
      refuse(`no ${id}; there are ${all.map(idOf).join(", ")}`)
    }
  }
  return wanted.length === 0 ? all : all.filter((a) => wanted.includes(idOf(a)))
}

const positive = (text: string | undefined, otherwise: number): number => {
  const number = text === undefined ? otherwise : Number(text)
  return number > 0 && number < Infinity ? number : refuse(`${text} is not a number above zero`)
}

/** Whole lines of 60 bytes. */
const gib = (n: number): number => Math.floor((n * 2 ** 30) / 60) * 60

const readValues = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: "boolean", default: false },
        check: { type: "boolean", default: false },
        help: { type: "boolean", short: "h" },
        minutes: { type: "string" },
        rows: { type: "string" },
        runtimes: { type: "string" },
        tools: { type: "string" },
        rounds: { type: "string" },
        "memory-gib": { type: "string" },
        out: { type: "string" },
        from: { type: "string" },
      },
    })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
}

/** Reads the command line. Prints the help and ends on `--help`. */
export const parse = (args: ReadonlyArray<string>): Options => {
  const { values } = readValues(args)
  if (values.help === true) {
    console.log(help)
    process.exit(0)
  }
  const { check, quick } = values
  const all = check ? plans.filter((plan) => plan.check === true) : plans
  const rows = pick(all, (plan) => plan.id, listOf(values.rows))
  return {
    quick,
    check,
    minutes: positive(values.minutes, check ? 3 : 15),
    rows,
    runtimes: pick(runtimes, (runtime) => runtime, listOf(values.runtimes)),
    tools: listOf(values.tools),
    rounds: Math.ceil(positive(values.rounds, quick ? 1 : 9)),
    memoryBytes: gib(positive(values["memory-gib"], quick ? 0.1 : 2)),
    out: values.out,
    from: values.from,
    commandLine: [
      "npm run bench",
      ...(args.length === 0 ? [] : ["--", ...args]),
    ].join(" "),
  }
}
