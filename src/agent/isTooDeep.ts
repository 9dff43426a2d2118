/** Tells whether a value is nested deeper than what walks it should have to follow: a model may write any depth. */
/** Levels of arrays and objects that arguments may have. */
const maxDepth = 128

/** Whether a value has more than {@link maxDepth} levels. It does not recurse. */
export const isTooDeep = (value: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true
    level = level.flatMap((each) => typeof each === "object" && each !== null ? Object.values(each) : [])
  }
  return false
}
