/**
 * Compiles the syntax tree of a regular expression to instructions that read bytes.
 * Source: Russ Cox, "Regular Expression Matching: the Virtual Machine Approach".
 */
import { type Instructions, maxInstructions, maxNodes, Op } from "./instructions.ts"
import type { CharacterRanges, RegexNode } from "./RegexNode.ts"
import { RegexError } from "./RegexError.ts"

export interface RegexCode extends Instructions {
  /** Sets of bytes: 256 flags each. */
  readonly sets: ReadonlyArray<Uint8Array>
  /** Whether `^` and `$` match at every newline. */
  readonly multiline: boolean
  readonly utf8: boolean
  /** Number of slots: two for the match, two for each group, and one for each loop. */
  readonly slots: number
}

/** Adds the sequences of byte ranges that encode the characters from `low` to `high` in UTF-8. */
const addSequences = (low: number, high: number, into: Array<ReadonlyArray<readonly [number, number]>>): void => {
  for (const end of [0x7f, 0x7ff, 0xffff]) {
    if (low <= end && high > end) {
      addSequences(low, end, into)
      return addSequences(end + 1, high, into)
    }
  }
  for (const bits of [6, 12, 18]) {
    const mask = (1 << bits) - 1
    if (high <= 0x7f || (low & ~mask) === (high & ~mask)) continue
    if ((low & mask) !== 0) {
      addSequences(low, low | mask, into)
      return addSequences((low | mask) + 1, high, into)
    }
    if ((high & mask) !== mask) {
      addSequences(low, (high & ~mask) - 1, into)
      return addSequences(high & ~mask, high, into)
    }
  }
  const from = encodeUtf8(low)
  const to = encodeUtf8(high)
  into.push(from.map((byte, index) => [byte, to[index] ?? byte] as const))
}

const encodeUtf8 = (code: number): Array<number> =>
  code < 0x80
    ? [code]
    : code < 0x800
    ? [0xc0 | code >> 6, 0x80 | code & 63]
    : code < 0x10000
    ? [0xe0 | code >> 12, 0x80 | code >> 6 & 63, 0x80 | code & 63]
    : [0xf0 | code >> 18, 0x80 | code >> 12 & 63, 0x80 | code >> 6 & 63, 0x80 | code & 63]

/** Compiles a tree; `loops` adds the checks for empty iterations that backtracking needs. Slots 0 and 1 are the whole match. */
export const compileNode = (
  root: RegexNode,
  groups: number,
  loops: boolean,
  flags: Pick<RegexCode, "multiline" | "utf8">,
): RegexCode => {
  const op: Array<number> = []
  const x: Array<number> = []
  const y: Array<number> = []
  const sets: Array<Uint8Array> = []
  const known = new Map<string, number>()
  let slots = (groups + 1) * 2
  let nodes = 0

  const emit = (code: number, a = 0, b = 0): number => {
    if (op.length >= maxInstructions) throw new RegexError("Regular expression too big")
    op.push(code)
    x.push(a)
    y.push(b)
    return op.length - 1
  }

  const setOf = (ranges: ReadonlyArray<readonly [number, number]>): number => {
    const key = ranges.join(";")
    const found = known.get(key)
    if (found !== undefined) return found
    const set = new Uint8Array(256)
    for (const [low, high] of ranges) set.fill(1, low, high + 1)
    known.set(key, sets.push(set) - 1)
    return sets.length - 1
  }

  const emitAny = (ways: ReadonlyArray<() => void>): void => {
    const jumps: Array<number> = []
    ways.forEach((way, index) => {
      if (index === ways.length - 1) return way()
      const split = emit(Op.split, op.length + 1)
      way()
      jumps.push(emit(Op.jump))
      y[split] = op.length
    })
    for (const jump of jumps) x[jump] = op.length
  }

  const emitSet = (ranges: CharacterRanges): void => {
    const single: Array<readonly [number, number]> = []
    const longer: Array<ReadonlyArray<readonly [number, number]>> = []
    for (let at = 0; at < ranges.length; at += 2) {
      const low = ranges[at] ?? 0
      const high = ranges[at + 1] ?? 0
      if (flags.utf8) addSequences(low, high, longer)
      else single.push([low, high])
    }
    const rest = longer.filter((sequence) => {
      if (sequence.length === 1) single.push(...sequence)
      return sequence.length > 1
    })
    const ways = rest.map((sequence) => () => sequence.forEach((range) => void emit(Op.set, setOf([range]))))
    if (single.length > 0 || rest.length === 0) ways.unshift(() => void emit(Op.set, setOf(single)))
    emitAny(ways)
  }

  const emitRepeat = (of: RegexNode, min: number, max: number): void => {
    for (let count = 0; count < min; count++) emitNode(of)
    if (max === Infinity) {
      const split = emit(Op.split, op.length + 1)
      const slot = loops ? slots++ : 0
      if (loops) emit(Op.save, slot)
      emitNode(of)
      if (loops) emit(Op.moved, slot)
      emit(Op.jump, split)
      y[split] = op.length
      return
    }
    const splits: Array<number> = []
    for (let count = min; count < max; count++) {
      splits.push(emit(Op.split, op.length + 1))
      emitNode(of)
    }
    for (const split of splits) y[split] = op.length
  }

  const emitNode = (tree: RegexNode): void => {
    if (++nodes > maxNodes) throw new RegexError("Regular expression too big")
    switch (tree._tag) {
      case "Set":
        return emitSet(tree.ranges)
      case "All":
        return tree.of.forEach(emitNode)
      case "Any":
        return emitAny(tree.of.map((way) => () => emitNode(way)))
      case "Repeat":
        return emitRepeat(tree.of, tree.min, tree.max)
      case "Group":
        emit(Op.save, tree.index * 2)
        emitNode(tree.of)
        emit(Op.save, tree.index * 2 + 1)
        return
      case "At":
        emit(Op.at, tree.what)
        return
      case "Back":
        emit(Op.back, tree.index)
    }
  }

  emitNode(root)
  emit(Op.match)
  return { op, x, y, sets, slots, ...flags }
}
