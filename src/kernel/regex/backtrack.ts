/**
 * Patterns with back references, which no automaton knows: every way is tried, within a number of steps.
 *
 * @module
 */
import { Op, type RegexCode } from "./compile.ts"
import { assertionHolds, Neighbor, neighborOf } from "./Dfa.ts"
import { RegexError } from "./RegexError.ts"
import { type Coroutine, stepsPerYield } from "../Coroutine.ts"

/** More steps than this for one search and it is given up: ways grow without a bound. */
const maxSteps = 2_000_000

/** How the machine reads. */
export interface BacktrackOptions {
  readonly multiline: boolean
  readonly utf8: boolean
  readonly ignoreCase: boolean
}

/** Slots of the leftmost match in a binary string that begins at `from` or later, or `undefined`. */
export function* backtrack(
  code: RegexCode,
  text: string,
  from: number,
  options: BacktrackOptions,
): Coroutine<Int32Array | undefined> {
  const { op, sets, slots, x, y } = code
  const side = (at: number): number =>
    at < 0 || at >= text.length ? Neighbor.edge : neighborOf(text.charCodeAt(at), options.utf8)
  let steps = 0
  for (let start = from; start <= text.length; start++) {
    const held = new Int32Array(slots).fill(-1)
    // Threes: where to go on, at which place in the text; or a slot (as -1 - slot) and what it was.
    const stack: Array<number> = [0, start]
    while (stack.length > 0) {
      let at = stack.pop() ?? 0
      let place = stack.pop() ?? 0
      if (place < 0) {
        held[-1 - place] = at
        continue
      }
      for (;;) {
        if (++steps > maxSteps) throw new RegexError("the pattern takes too many steps")
        if (steps % stepsPerYield === 0) yield
        const a = x[place] ?? 0
        const kind = op[place]
        if (kind === Op.match) {
          held[0] = start
          held[1] = at
          return held
        }
        if (kind === Op.set) {
          if (at >= text.length || sets[a]?.[text.charCodeAt(at)] !== 1) break
          at++
        } else if (kind === Op.split) stack.push(y[place] ?? 0, at)
        else if (kind === Op.save) {
          stack.push(-1 - a, held[a] ?? -1)
          held[a] = at
        } else if (kind === Op.at) {
          if (!assertionHolds(a, side(at - 1), side(at), options.multiline)) break
        } else if (kind === Op.moved) {
          if (held[a] === at) break
        } else if (kind === Op.back) {
          const low = held[a * 2] ?? -1
          const high = held[a * 2 + 1] ?? -1
          if (low < 0 || high < low) break
          const again = text.slice(at, at + high - low)
          const was = text.slice(low, high)
          if (again !== was && !(options.ignoreCase && again.toLowerCase() === was.toLowerCase())) break
          at += high - low
        }
        place = kind === Op.split || kind === Op.jump ? a : place + 1
      }
    }
  }
  return undefined
}
