/** The part of a run that is committed. */

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
