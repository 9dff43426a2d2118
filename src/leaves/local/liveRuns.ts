/**
 * The markers of the runs that this process has, of all its leaves.
 *
 * @module
 */

const live = new Set<string>()

/** A run begins, before its process is started. */
export const runBegins = (marker: string): void => void live.add(marker)

/** A run is over. */
export const runIsOver = (marker: string): void => void live.delete(marker)

/** The markers of live runs that begin so. */
export const liveMarkers = (mark: string): ReadonlyArray<string> => [...live].filter((each) => each.startsWith(mark))
