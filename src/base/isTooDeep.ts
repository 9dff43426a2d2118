/** Checks whether a value is nested too deeply for code that recurses over it. */

/** Maximum number of nested levels of arrays and objects. */
export const maxDepth = 128

/** Whether a value has more than {@link maxDepth} levels. The check does not recurse, and skips byte arrays. */
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
