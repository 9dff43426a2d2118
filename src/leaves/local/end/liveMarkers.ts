/** Registers the markers of the running commands of all leaves of this process. */
const markers = new Set<string>()

/** Adds the marker of a run, before its process starts. */
export const addLiveMarker = (marker: string): void => void markers.add(marker)

export const removeLiveMarker = (marker: string): void => void markers.delete(marker)

export const liveMarkers = (mark: string): ReadonlyArray<string> => [...markers].filter((each) => each.startsWith(mark))
