/**
 * Where the groups of a match are, in time (text × pattern), by running all threads of the machine side by side.
 *
 * Source: Russ Cox, "Regular Expression Matching: the Virtual Machine Approach".
 *
 * @module
 */
import { type Code, Op } from "./compile.ts"
import { holds, Side, sideOf } from "./Dfa.ts"
import { type Steps, stepsPerPause } from "../steps.ts"

/** Where to look, and what counts. */
export interface PikeOptions {
  readonly multiline: boolean
  readonly wide: boolean
  /** The match begins here. */
  readonly from: number
  /** It ends here. */
  readonly to: number
}

/** Slots of the match between two places of a binary string, or `undefined`. */
export function* pike(code: Code, text: string, options: PikeOptions): Steps<Int32Array | undefined> {
  const { from, multiline, to, wide } = options
  const { op, sets, slots, x, y } = code
  const seen = new Uint32Array(op.length)
  const side = (at: number): number => at < 0 || at >= text.length ? Side.edge : sideOf(text.charCodeAt(at), wide)
  let places: Array<number> = []
  let threads: Array<Int32Array> = []
  let best: Int32Array | undefined
  let round = 0
  let work = 0

  for (let at = from; at <= to; at++) {
    if (work > stepsPerPause) {
      work = 0
      yield
    }
    const nextPlaces: Array<number> = []
    const nextThreads: Array<Int32Array> = []
    const before = side(at - 1)
    const after = side(at)
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
            if (holds(a, before, after, multiline)) stack.push([place + 1, held])
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
