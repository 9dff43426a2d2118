import { cases } from "./rounds.ts"

/** Numbers that look random and are the same each time (mulberry32). */
export interface Random {
  /** From 0 up to, and without, 1. */
  readonly next: () => number
  /** A whole number from `from` to `to`, both included. */
  readonly int: (from: number, to: number) => number
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** Cuts bytes into pieces at random places; some may be empty. */
  readonly cut: (bytes: Uint8Array, most: number) => ReadonlyArray<Uint8Array>
}

export const random = (seed: number): Random => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const int = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    int,
    pick: (items) => {
      const item = items[int(0, items.length - 1)]
      if (item === undefined) throw new Error("nothing to pick from")
      return item
    },
    cut: (bytes, most) => {
      const pieces: Array<Uint8Array> = []
      for (let at = 0; at < bytes.length;) {
        const length = int(0, most)
        pieces.push(bytes.subarray(at, at + length))
        at += length
      }
      return pieces
    },
  }
}

/** Runs a property for many seeds, fewer in `npm test`; the message of a failure names the seed. */
export const forSeeds = (count: number, property: (random: Random) => void): void => {
  for (let seed = 1; seed <= cases(count); seed++) {
    try {
      property(random(seed))
    } catch (error) {
      throw new Error(`with seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }
}

const alphabet = ["a", "b", " ", "\n", "\r\n", "é", "€", "😀", "\t", "0", "日本", "e\u0301", "\uFEFF"]

/** Text of all kinds of characters and line ends. */
export const randomText = ({ int, pick }: Random, most: number): string =>
  Array.from({ length: int(0, most) }, () => pick(alphabet)).join("")
