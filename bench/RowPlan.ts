/** Declares the plan of a row of the bench. */

/** One way of doing what a row measures, where the row has its own ways instead of the tools. */
export interface Case {
  readonly id: string
  readonly title: string
  readonly kind: "floor" | "peer" | "sluice"
}

/** One row. */
export interface Plan {
  readonly id: string
  readonly title: string
  /** Text under the table's title. */
  readonly about: string
  /** The measured value that is the figure, and its unit. */
  readonly value: string
  readonly unit: string
  readonly digits: number
  readonly better: "lower" | "higher"
  /** `many`: as often as there is time. `few`: at most three, as it measures seconds. `once`: does not vary much. */
  readonly rounds: "many" | "few" | "once"
  /**
   * `tools`: a process for each (runtime, tool). `cases`: a process for each (runtime, case). Else the driver measures it
   * itself.
   */
  readonly by: "tools" | "cases" | "imports" | "bundles" | "cli"
  /** The ways of a row by `cases`, `cli`, and of the imports and bundles. */
  readonly cases?: ReadonlyArray<Case>
  /** The tool that ratios are to. Default: `"raw"`, where the row has it. */
  readonly floor?: string
  /** Processes at once: a row that measures memory, or waits, leaves the processor free. Default: 1. */
  readonly lanes?: number
  /** Differences up to this, in the row's unit, are noise. */
  readonly tolerance?: number
  /** Whether the ratios of this row are compared by `--check`. */
  readonly check?: boolean
}
