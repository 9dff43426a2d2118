/** Chooses the row of the next round, so that a run ends in time. */

/** The rounds of a row so far. */
export interface RowRounds {
  readonly rounds: number
  readonly maxRounds: number
  /** Duration of its last round. */
  readonly lastMs: number
  /** Comes before rows without it: what seems to have got slower is measured again first. */
  readonly urgent?: boolean
}

/**
 * Picks among the rows whose next round fits into the time that is left: urgent ones first, then those with the fewest
 * rounds. `undefined`: there is no time for any.
 */
export const nextRow = <Row extends RowRounds>(
  rows: ReadonlyArray<Row>,
  leftMs: number,
): Row | undefined => {
  const possible = rows.filter((row) => row.rounds < row.maxRounds && row.lastMs <= leftMs)
  const urgent = possible.filter((row) => row.urgent === true)
  const among = urgent.length === 0 ? possible : urgent
  return among.reduce<Row | undefined>(
    (
      best,
      row,
    ) => (best === undefined || row.rounds < best.rounds ? row : best),
    undefined,
  )
}
