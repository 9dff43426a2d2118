/** Tells whether a value is nested deeper than code that recurses over it should have to follow. */

/** Levels of arrays and objects that a value may have within another. */
export const maxDepth = 128

/** Whether a value has more than {@link maxDepth} levels. It does not recurse, and passes over bytes. */
export const isTooDeep = (value: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true
    level = level.flatMap((each) =>
      typeof each === "object" && each !== null && !ArrayBuffer.isView(each) ? Object.values(each) : []
    )
  }
  return false
}
