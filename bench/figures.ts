/** The figures of a whole run, committed as `figures.json`: later runs compare with it, and `docs/speed.md` is made of it. */
import * as Schema from "effect/Schema"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Figures } from "./Figure.ts"
import { goals } from "./goals.ts"
import { plans } from "./plan.ts"
import type { Cells } from "./samples.ts"
import { casesOf } from "./values.ts"

/** Path of the committed figures. */
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

const listText = (items: ReadonlyArray<unknown>): string =>
  `[\n${items.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`

/** Writes them, a line for each figure, with the titles of rows and the verdicts on goals: the page needs no more. */
export const writeFigures = (
  { command, date, figures, load, machine, minutes }: Figures,
  cells: Cells,
): void => {
  const rows = plans.map((plan) => ({
    id: plan.id,
    title: plan.title,
    unit: plan.unit,
    digits: plan.digits,
    better: plan.better,
    tools: Object.fromEntries(
      casesOf(plan).map(({ id, title }) => [id, title]),
    ),
  }))
  const verdicts = goals.map(({ text, verdicts }) => ({
    text,
    ...Object.fromEntries(
      verdicts(cells).map((
        { measured, missing, runtime },
      ) => [runtime, { measured, met: (missing ?? 1) <= 0 }]),
    ),
  }))
  writeFileSync(
    figuresFile,
    `{
  "command": ${JSON.stringify(command)},
  "date": ${JSON.stringify(date)},
  "minutes": ${minutes.toFixed(1)},
  "load": ${load.toFixed(2)},
  "machine": ${listText(machine)},
  "figures": ${listText(figures)},
  "rows": ${listText(rows)},
  "goals": ${listText(verdicts)}
}
`,
  )
}

/** Whether two runs are of the same kind of processor and number of cores: else only ratios can be compared. */
export const isSameMachine = (
  a: Figures,
  machine: ReadonlyArray<string>,
): boolean => a.machine[0]?.split(";")[0] === machine[0]?.split(";")[0]
