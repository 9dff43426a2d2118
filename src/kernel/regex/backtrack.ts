/** Matches back references, which no automaton can, by backtracking within a number of steps. */
import type { RegexCode } from "./compile.ts"
import { Op } from "./instructions.ts"
import { assertionHolds, neighborAt } from "./assertions.ts"
import { RegexError } from "./RegexError.ts"
import { type Coroutine, stepsPerYield } from "../Coroutine.ts"

/** Number of bytes of a back reference that are compared in the time of one step. */
const bytesPerStep = 16

/** Maximum number of steps of one search: the number of paths is exponential. */
const maxSteps = 2_000_000

/** The slots of the leftmost match in a binary string that starts at `from` or later; `undefined` if there is none. */
export function* backtrack(
  { multiline, op, sets, slots, utf8, x, y }: RegexCode,
  text: string,
  from: number,
  ignoreCase: boolean,
): Coroutine<Int32Array | undefined> {
  let steps = 0
  let nextYield = stepsPerYield
  for (let start = from; start <= text.length; start++) {
    const held = new Int32Array(slots).fill(-1)
    steps += slots / 16
    // Pairs: an instruction and an index of the text to continue at; or a slot, as -1 - slot, and its value to restore.
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
        if (steps > nextYield) {
          nextYield = steps + stepsPerYield
          yield
        }
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
          if (!assertionHolds(a, neighborAt(text, at - 1, utf8), neighborAt(text, at, utf8), multiline)) break
        } else if (kind === Op.moved) {
          if (held[a] === at) break
        } else if (kind === Op.back) {
          const low = held[a * 2] ?? -1
          const high = held[a * 2 + 1] ?? -1
          if (low < 0 || high < low) break
          steps += (high - low) / bytesPerStep
          const again = text.slice(at, at + high - low)
          const was = text.slice(low, high)
          if (again !== was && !(ignoreCase && again.toLowerCase() === was.toLowerCase())) break
          at += high - low
        }
        place = kind === Op.split || kind === Op.jump ? a : place + 1
      }
    }
  }
  return undefined
}
