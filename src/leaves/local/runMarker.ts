/**
 * The variable by which the processes of a run are found again, also those that left their parents.
 *
 * @module
 */

/** The variable that marks the processes of a run. */
export const markerName = "SLUICE_RUN"

let runs = 0

/** A new marker: unlikely to stand in anybody's environment by chance. */
export const newMarker = (): string => `sluice-${Math.random().toString(36).slice(2, 12)}${(runs++).toString(36)}`

/** A run within a run carries both markers, the outer one first: whoever ends the outer ends the inner too. */
export const nestedMarker = (outer: string | undefined, marker: string): string =>
  outer === undefined ? marker : `${outer.slice(-200)}:${marker}`
