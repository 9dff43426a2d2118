/**
 * Registers the markers of the running commands of all leaves of this process, and lists those of one command.
 *
 * @module
 */

const markers = new Set<string>()

/** Adds the marker of a run, before its process starts. */
export const addLiveMarker = (marker: string): void => void markers.add(marker)

/** Removes the marker of a run that has ended. */
export const removeLiveMarker = (marker: string): void => void markers.delete(marker)

/** The registered markers with a prefix. */
export const liveMarkers = (mark: string): ReadonlyArray<string> => [...markers].filter((each) => each.startsWith(mark))
