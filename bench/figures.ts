/** The figures of a whole run, committed as `figures.json`: later runs compare with it, and `docs/speed.md` is made of it. */
import * as Schema from "effect/Schema"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Plan, plans } from "./plan.ts"
import type { Cell, Cells } from "./samples.ts"
import { entries } from "./tools/index.ts"

/** One figure: the median of the rounds of a tool on a runtime in a row. */
export interface Figure {
  readonly row: string
  readonly runtime: string
  readonly tool: string
  readonly value: number
  /** To the row's floor of the same run. */
  readonly ratio?: number
  readonly rounds: number
  /** Half the range of its rounds, with that of the floor where there is a ratio, in per cent. */
  readonly noise: number
}

/** The figures of a run, and where they were measured. */
export interface Figures {
  readonly command: string
  readonly date: string
  readonly minutes: number
  readonly load: number
  readonly machine: ReadonlyArray<string>
  readonly figures: ReadonlyArray<Figure>
}

/** Noise of what was measured once. */
const unknownNoise = 25

/** The tool that ratios of a row are to. */
export const floorOf = (plan: Plan): string => plan.floor ?? "raw"

/** Ways of a row, in the order of its table. */
export const casesOf = (plan: Plan): ReadonlyArray<{ readonly id: string; readonly title: string }> =>
  plan.by === "tools" ? entries : (plan.cases ?? [])

/** The figure of a cell: of an import or the command line, above the empty script. */
export const valueOf = (cells: Cells, plan: Plan, runtime: string, tool: string): number | undefined => {
  const cell = cells(plan.id, runtime, tool)
  if (cell === undefined) return undefined
  if ((plan.by !== "imports" && plan.by !== "cli") || tool === "empty") {
    return cell.of(plan.value)
  }
  const empty = cells(plan.id, runtime, "empty")
  return empty === undefined ? undefined : cell.of("ms") - empty.of("ms")
}

/** How often it is its floor. */
export const ratioOf = (cells: Cells, plan: Plan, runtime: string, tool: string): number | undefined => {
  if (tool === floorOf(plan) || tool === "empty") return undefined
  const [value, floor] = [valueOf(cells, plan, runtime, tool), valueOf(cells, plan, runtime, floorOf(plan))]
  return value === undefined || floor === undefined || plan.rounds !== "many" ? undefined : value / floor
}

const noiseOf = (cell: Cell | undefined, value: string): number =>
  cell === undefined ? 0 : cell.rounds < 2 ? unknownNoise : cell.spread(value)

/** Rounds a number to four digits: more would be noise in the file's changes. */
const short = (value: number): number => Number(value.toPrecision(4))

/** All figures of the samples. Those of tools that hung or were cut are left out. */
export const figuresOf = (cells: Cells): ReadonlyArray<Figure> =>
  plans.flatMap((plan) =>
    ["deno", "bun", "node", "all"].flatMap((runtime) =>
      casesOf(plan).flatMap(({ id }): ReadonlyArray<Figure> => {
        const cell = cells(plan.id, runtime, id)
        const value = valueOf(cells, plan, runtime, id)
        if (cell === undefined || value === undefined || cell.worst("hung") === 1 || cell.worst("cut") === 1) return []
        const ratio = ratioOf(cells, plan, runtime, id)
        const floor = ratio === undefined ? undefined : cells(plan.id, runtime, floorOf(plan))
        const noise = short(Math.hypot(noiseOf(cell, plan.value), noiseOf(floor, plan.value)))
        const figure = { row: plan.id, runtime, tool: id, value: short(value) }
        return [
          {
            ...figure,
            ...(ratio === undefined ? undefined : { ratio: short(ratio) }),
            rounds: cell.rounds,
            noise,
          },
        ]
      })
    )
  )

/** Where the committed figures are. */
export const figuresFile: string = join(import.meta.dirname, "figures.json")

const decode: (json: string) => Figures = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      command: Schema.String,
      date: Schema.String,
      minutes: Schema.Number,
      load: Schema.Number,
      machine: Schema.Array(Schema.String),
      figures: Schema.Array(
        Schema.Struct({
          row: Schema.String,
          runtime: Schema.String,
          tool: Schema.String,
          value: Schema.Number,
          ratio: Schema.optionalKey(Schema.Number),
          rounds: Schema.Number,
          noise: Schema.Number,
        }),
      ),
    }),
  ),
)

/** Reads the committed figures, if there are some. */
export const readFigures = (): Figures | undefined =>
  existsSync(figuresFile) ? decode(readFileSync(figuresFile, "utf8")) : undefined

/** Writes them, a line for each figure. */
export const writeFigures = ({ command, date, figures, load, machine, minutes }: Figures): void =>
  writeFileSync(
    figuresFile,
    `{
  "command": ${JSON.stringify(command)},
  "date": ${JSON.stringify(date)},
  "minutes": ${minutes.toFixed(1)},
  "load": ${load},
  "machine": [
${machine.map((line) => `    ${JSON.stringify(line)}`).join(",\n")}
  ],
  "figures": [
${figures.map((figure) => `    ${JSON.stringify(figure)}`).join(",\n")}
  ]
}
`,
  )

/** Whether two runs are of the same kind of processor and number of cores: else only ratios can be compared. */
export const isSameMachine = (a: Figures, machine: ReadonlyArray<string>): boolean =>
  a.machine[0]?.split(";")[0] === machine[0]?.split(";")[0]
