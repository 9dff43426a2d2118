/** Combines several window policies: a window ends where the first of them ends it. */
import { OptionError } from "../base/OptionError.ts"
import type { Policy, Scan, WindowStart } from "./Policy.ts"
import { splitsPair } from "../base/text.ts"

const firstStride = 256
const maxStride = 65_536

/**
 * Runs all scans over the same text and takes the nearest end. The scans advance in strides of doubling length:
 * otherwise a scan whose end is far away would read a long chunk to its end for every window of another scan.
 */
const nearestEnd = (scans: ReadonlyArray<Scan>): Scan => {
  let stride = firstStride
  return (text, from) => {
    let at = from
    while (at < text.length) {
      let stop = Math.min(text.length, at + stride)
      if (splitsPair(text, stop)) stop++
      stride = Math.min(stride * 2, maxStride)
      const whole = stop === text.length
      const piece = whole ? text : text.slice(at, stop)
      const base = whole ? 0 : at
      let end = -1
      for (const scan of scans) {
        const found = scan(piece, at - base)
        if (found >= 0 && (end < 0 || found + base < end)) end = found + base
      }
      if (end >= 0) return end
      at = stop
    }
    return -1
  }
}

/**
 * Combines policies: a window ends where the first of them ends it; then all start again.
 *
 * @throws {OptionError} without a policy.
 *
 * @example
 * ```ts
 * import { Window } from "@sluice/shell"
 *
 * const policy = Window.any(Window.lineCount(50), Window.silence("100 millis"))
 * console.log(policy.name, policy.silenceMillis) // lines:50,silence:100 100
 * ```
 */
export const any = (first: Policy, ...rest: ReadonlyArray<Policy>): Policy => {
  const policies = [first, ...rest]
  // Plain JavaScript can leave them out.
  if (policies.some((policy: unknown) => typeof policy !== "object" || policy === null)) {
    throw new OptionError("policies", "Window.any: write at least one policy, as in Window.any(Window.lineCount(50))")
  }
  const opens = policies.flatMap((policy) => policy.open === undefined ? [] : [policy.open])
  return {
    name: policies.map((policy) => policy.name).join(","),
    silenceMillis: Math.min(...policies.map((policy) => policy.silenceMillis)),
    open: opens.length < 2 ? opens[0] : (start: WindowStart) => nearestEnd(opens.map((open) => open(start))),
  }
}
