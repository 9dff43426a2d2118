/** Finds the figures that changed by more than the noise since the committed ones. */
import type { Figure } from "./Figure.ts"
import type { Plan } from "./RowPlan.ts"

/** One figure of Sluice that changed. */
export interface Change {
  readonly row: string
  readonly runtime: string
  readonly tool: string
  /** Whether `before` and `after` are ratios to the floor; else they are in the row's unit. */
  readonly isRatio: boolean
  readonly before: number
  readonly after: number
  /** By how much, in per cent of the figure before; above 0: it is worse. */
  readonly worseBy: number
  readonly noise: number
  readonly isWorse: boolean
}

/** Less than this, in per cent, is never a change. */
const minNoise = 15

const keyOf = ({ row, runtime, tool }: Figure): string => `${row} ${runtime} ${tool}`

/** Compares ratios where both runs have them, else the figures themselves; `ratiosOnly` leaves the latter out. */
export const changesOf = (
  plans: ReadonlyArray<Pick<Plan, "id" | "better" | "by" | "tolerance">>,
  before: ReadonlyArray<Figure>,
  after: ReadonlyArray<Figure>,
  ratiosOnly: boolean,
): ReadonlyArray<Change> => {
  const old = new Map(before.map((figure) => [keyOf(figure), figure]))
  return after
    .filter(({ tool }) => tool.startsWith("sluice"))
    .flatMap((figure): ReadonlyArray<Change> => {
      const last = old.get(keyOf(figure))
      const plan = plans.find(({ id }) => id === figure.row)
      if (last === undefined || plan === undefined) return []
      const isRatio = last.ratio !== undefined && figure.ratio !== undefined
      // The size of a bundle is the same on every machine.
      if (!isRatio && ratiosOnly && plan.by !== "bundles") return []
      const [was, is] = isRatio ? [last.ratio, figure.ratio] : [last.value, figure.value]
      if (Math.abs(is - was) <= (isRatio ? 0 : (plan.tolerance ?? 0))) {
        return []
      }
      const change = (is / was - 1) * 100
      const worseBy = plan.better === "lower" ? change : -change
      const noise = plan.by === "bundles" ? 1 : Math.max(minNoise, Math.hypot(last.noise, figure.noise))
      if (Math.abs(worseBy) <= noise) return []
      const { row, runtime, tool } = figure
      return [
        {
          row,
          runtime,
          tool,
          isRatio,
          before: was,
          after: is,
          worseBy,
          noise,
          isWorse: worseBy > 0,
        },
      ]
    })
}
