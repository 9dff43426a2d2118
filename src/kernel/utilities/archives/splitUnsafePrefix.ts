/** Makes paths of archives safe: relative, and without `..`. */

/** Removes a leading `/`, and all up to the last `..`; returns that prefix and the rest. */
export const splitUnsafePrefix = (path: string): readonly [prefix: string, rest: string] => {
  const up = [...path.matchAll(/(^|\/)\.\.(?=\/|$)/g)].at(-1)
  let end = up === undefined ? 0 : up.index + up[0].length
  while (path[end] === "/") end++
  return [path.slice(0, end), path.slice(end)]
}
