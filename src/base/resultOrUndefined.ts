/** Calls a function, and returns `undefined` where it throws. */
export const resultOrUndefined = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}
