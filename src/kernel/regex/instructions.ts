/** Instructions of compiled regular expressions, for both engines. */

/** Kinds of instructions; `x` and `y` are their operands. */
export const Op = {
  /** Reads one byte, or one character, of the set `x`. */
  set: 0,
  /** Continues at `x`, and at `y` if that leads to no match. */
  split: 1,
  jump: 2,
  /** Saves the index in slot `x`. */
  save: 3,
  /** Checks the position. */
  at: 4,
  match: 5,
  /** Reads the text of group `x` again. */
  back: 6,
  /** Continues only if the index differs from slot `x`, so that no iteration of a loop is empty. */
  moved: 7,
  /** Matches up to `x` at this position; of Perl alone. */
  look: 8,
} as const

export interface Instructions {
  readonly op: ReadonlyArray<number>
  readonly x: ReadonlyArray<number>
  readonly y: ReadonlyArray<number>
}

/** Maximum number of instructions; it bounds memory, and the time that one byte takes. */
export const maxInstructions = 50_000

/** Maximum number of nodes that are compiled, counted each time: `a{0}{9}{9}` repeats nodes without instructions. */
export const maxNodes = 500_000

/** The sets with which a match can start; `undefined` if it may be empty, or start with a group or a look-around. */
export const firstSets = ({ op, x, y }: Instructions): ReadonlyArray<number> | undefined => {
  const found: Array<number> = []
  const seen = new Set<number>()
  const stack = [0]
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    if (seen.has(place)) continue
    seen.add(place)
    const kind = op[place]
    const a = x[place] ?? 0
    if (kind === Op.match || kind === Op.back || kind === Op.look) return undefined
    if (kind === Op.set) found.push(a)
    else if (kind === Op.split) stack.push(a, y[place] ?? 0)
    else stack.push(kind === Op.jump ? a : place + 1)
  }
  return found
}
