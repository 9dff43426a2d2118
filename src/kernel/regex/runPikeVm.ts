/**
 * Finds the groups of a known match, in time proportional to text length times pattern length.
 * Source: Russ Cox, "Regular Expression Matching: the Virtual Machine Approach".
 */
import type { RegexCode } from "./compile.ts"
import { Op } from "./instructions.ts"
import { assertionHolds, neighborAt } from "./assertions.ts"
import { type Coroutine, stepsPerYield } from "../Coroutine.ts"

/** The slots of the match between two indexes of a binary string; `undefined` if there is none. */
export function* runPikeVm(
  { multiline, op, sets, slots, utf8, x, y }: RegexCode,
  text: string,
  from: number,
  to: number,
): Coroutine<Int32Array | undefined> {
  const seen = new Uint32Array(op.length)
  let places: Array<number> = []
  let threads: Array<Int32Array> = []
  let best: Int32Array | undefined
  let round = 0
  let work = 0

  for (let at = from; at <= to; at++) {
    if (work > stepsPerYield) {
      work = 0
      yield
    }
    const nextPlaces: Array<number> = []
    const nextThreads: Array<Int32Array> = []
    const before = neighborAt(text, at - 1, utf8)
    const after = neighborAt(text, at, utf8)
    const byte = at < text.length ? text.charCodeAt(at) : -1
    round++
    const run = (begin: number, slotsThen: Int32Array): void => {
      const stack: Array<readonly [number, Int32Array]> = [[begin, slotsThen]]
      for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
        const [place, held] = top
        if (seen[place] === round) continue
        seen[place] = round
        work++
        const a = x[place] ?? 0
        switch (op[place]) {
          case Op.set:
            if (byte >= 0 && sets[a]?.[byte] === 1) {
              nextPlaces.push(place + 1)
              nextThreads.push(held)
            }
            break
          case Op.split:
            stack.push([y[place] ?? 0, held], [a, held])
            break
          case Op.jump:
            stack.push([a, held])
            break
          case Op.save: {
            const noted = held.slice()
            noted[a] = at
            stack.push([place + 1, noted])
            break
          }
          case Op.at:
            if (assertionHolds(a, before, after, multiline)) stack.push([place + 1, held])
            break
          case Op.match: {
            if (at !== to || best !== undefined) break
            best = held.slice()
            best[1] = at
          }
        }
      }
    }
    for (let index = 0; index < places.length; index++) {
      const held = threads[index]
      if (held !== undefined) run(places[index] ?? 0, held)
    }
    if (at === from) {
      const fresh = new Int32Array(slots).fill(-1)
      fresh[0] = at
      run(0, fresh)
    }
    places = nextPlaces
    threads = nextThreads
    if (places.length === 0) break
  }
  return best
}
