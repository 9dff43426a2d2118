/** The figure of a cell, its ratio to the floor of its row, and all of a run. */
import type { Figure } from "./Figure.ts"
import { type Plan, plans } from "./plan.ts"
import type { Cell, Cells } from "./samples.ts"
import { entries } from "./tools/index.ts"

/** Noise of what was measured once. */
const unknownNoise = 25

/** The tool that ratios of a row are to. */
export const floorOf = (plan: Plan): string => plan.floor ?? "raw"

/** Ways of a row, in the order of its table. */
export const casesOf = (
  plan: Plan,
): ReadonlyArray<{ readonly id: string; readonly title: string }> => plan.by === "tools" ? entries : (plan.cases ?? [])

/** The figure of a cell: of an import or the command line, above the empty script. */
export const valueOf = (
  cells: Cells,
  plan: Plan,
  runtime: string,
  tool: string,
): number | undefined => {
  const cell = cells(plan.id, runtime, tool)
  if (cell === undefined) return undefined
  if ((plan.by !== "imports" && plan.by !== "cli") || tool === "empty") {
    return cell.of(plan.value)
  }
  const empty = cells(plan.id, runtime, "empty")
  return empty === undefined ? undefined : cell.of("ms") - empty.of("ms")
}

/** Ratio to the floor. */
export const ratioOf = (
  cells: Cells,
  plan: Plan,
  runtime: string,
  tool: string,
): number | undefined => {
  if (tool === floorOf(plan) || tool === "empty") return undefined
  const [value, floor] = [
    valueOf(cells, plan, runtime, tool),
    valueOf(cells, plan, runtime, floorOf(plan)),
  ]
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
        if (
          cell === undefined || value === undefined ||
          cell.worst("hung") === 1 || cell.worst("cut") === 1
        ) return []
        const ratio = ratioOf(cells, plan, runtime, id)
        const floor = ratio === undefined ? undefined : cells(plan.id, runtime, floorOf(plan))
        const noise = short(
          Math.hypot(noiseOf(cell, plan.value), noiseOf(floor, plan.value)),
        )
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
