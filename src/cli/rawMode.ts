/** Switches a terminal to raw mode and back, by the calls of a runtime. */

/** `apply` may fail: the terminal is gone, or there is no stty. */
export const makeRawMode = (apply: (on: boolean) => void): (on: boolean) => void => {
  let isRaw = false
  return (on) => {
    if (on === isRaw) return
    isRaw = on
    try {
      apply(on)
    } catch {
      // Nothing is left to set.
    }
  }
}
