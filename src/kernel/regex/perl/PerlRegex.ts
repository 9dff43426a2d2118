/**
 * Matches Perl's regular expressions: leftmost, and then by the order of alternatives, as Perl does. An instruction
 * that failed at an index is not tried there again, so the time is bounded by the length of the pattern times that of
 * the text; back references and look-around count steps.
 */
import { type Coroutine, stepsPerYield } from "../../Coroutine.ts"
import { RegexError } from "../RegexError.ts"
import { Op } from "../instructions.ts"
import { At, type CharacterSet, Look, type PerlProgram } from "./PerlProgram.ts"
import { compilePerl } from "./compilePerl.ts"

/** Maximum number of steps of one search that cannot remember failures. */
const maxSteps = 10_000_000

const tooMany = { Oniguruma: "retry-limit-in-match over", PCRE: "exceeded PCRE's backtracking limit" } as const

/** Bytes of the memory of failures. */
const maxMemory = 64 * 1024 * 1024

const before = (text: string, at: number): number => {
  const unit = text.charCodeAt(at - 1)
  return at > 1 && (unit & 0xfc00) === 0xdc00 ? text.codePointAt(at - 2) ?? unit : unit
}

const isEdge = (text: string, at: number, isWord: CharacterSet): boolean => {
  const left = at > 0 && isWord(before(text, at))
  return left !== (at < text.length && isWord(text.codePointAt(at) ?? 0))
}

const holds = (what: number, text: string, at: number, isWord: CharacterSet): boolean => {
  switch (what) {
    case At.start:
      return at === 0
    case At.end:
      return at === text.length
    case At.endOrNewline:
      return at === text.length || at === text.length - 1 && text.charCodeAt(at) === 10
    case At.edge:
      return isEdge(text, at, isWord)
    case At.lineStart:
      return at === 0 || text.charCodeAt(at - 1) === 10
    case At.lineEnd:
      return at === text.length || text.charCodeAt(at) === 10
    default:
      return !isEdge(text, at, isWord)
  }
}

/** Searches of one text, which share their remembered failures. */
export class Search {
  readonly #program: PerlProgram
  readonly #text: string
  readonly #notEmpty: boolean
  readonly #failed: Uint8Array | undefined
  #steps = 0
  #nextYield = stepsPerYield

  constructor(program: PerlProgram, text: string, notEmpty: boolean) {
    this.#program = program
    this.#text = text
    this.#notEmpty = notEmpty
    if (!program.isRegular || notEmpty) return
    const bytes = Math.ceil(program.op.length * (text.length + 1) / 8)
    if (bytes > maxMemory) throw new RegexError("the text is too long for this pattern")
    this.#failed = new Uint8Array(bytes)
  }

  /** The slots of the first match from an index on. */
  *find(from: number): Coroutine<Int32Array | undefined> {
    const { first } = this.#program
    const slots = new Int32Array(this.#program.slots).fill(-1)
    for (let start = from; start <= this.#text.length; start++) {
      const unit = this.#text.charCodeAt(start)
      if ((unit & 0xfc00) === 0xdc00 && start > 0) continue
      if (first !== undefined) {
        if (++this.#steps > this.#nextYield) {
          this.#nextYield = this.#steps + stepsPerYield
          yield
        }
        if (start === this.#text.length || !first(this.#text.codePointAt(start) ?? 0)) continue
      }
      const end = yield* this.#match(0, start, slots, this.#failed)
      if (end < 0) continue
      // `\K` sets it.
      if ((slots[0] ?? -1) < 0) slots[0] = start
      slots[1] = end
      return slots
    }
    return undefined
  }

  *#match(entry: number, start: number, slots: Int32Array, failed: Uint8Array | undefined): Coroutine<number> {
    const { op, sets, x, y } = this.#program
    const text = this.#text
    const width = text.length + 1
    // Pairs: an instruction and an index to continue at; or a slot, as -1 - slot, and its value to restore.
    const stack: Array<number> = [entry, start]
    const marked: Array<number> = []
    while (stack.length > 0) {
      let at = stack.pop() ?? 0
      let place = stack.pop() ?? 0
      if (place < 0) {
        slots[-1 - place] = at
        continue
      }
      for (;;) {
        if (++this.#steps > this.#nextYield) {
          this.#nextYield = this.#steps + stepsPerYield
          if (failed === undefined && this.#steps > maxSteps) throw new RegexError(tooMany[this.#program.dialect])
          yield
        }
        const kind = op[place]
        const a = x[place] ?? 0
        if (kind === Op.set) {
          const code = at < text.length ? text.codePointAt(at) ?? 0 : -1
          if (code < 0 || sets[a]?.(code) !== true) break
          at += code > 0xffff ? 2 : 1
          place++
          continue
        }
        if (kind === Op.match) {
          if (this.#notEmpty && entry === 0 && at === start) break
          if (failed !== undefined) {
            for (const bit of marked) failed[bit >> 3] = (failed[bit >> 3] ?? 0) & ~(1 << (bit & 7))
          }
          return at
        }
        if (kind === Op.split) {
          if (failed !== undefined) {
            const bit = place * width + at
            if (((failed[bit >> 3] ?? 0) & 1 << (bit & 7)) !== 0) break
            failed[bit >> 3] = (failed[bit >> 3] ?? 0) | 1 << (bit & 7)
            marked.push(bit)
          }
          stack.push(y[place] ?? 0, at)
          place = a
        } else if (kind === Op.jump) place = a
        else if (kind === Op.save) {
          stack.push(-1 - a, slots[a] ?? -1)
          slots[a] = at
          place++
        } else if (kind === Op.moved) {
          if (slots[a] === at) break
          place++
        } else if (kind === Op.at) {
          if (!holds(a, text, at, this.#program.isWord)) break
          place++
        } else if (kind === Op.back) {
          const end = this.#readAgain(slots[a * 2] ?? -1, slots[a * 2 + 1] ?? -1, at)
          if (end < 0) break
          at = end
          place++
        } else {
          const end = yield* this.#look(y[place] ?? 0, place + 1, at, slots, stack)
          if (end < 0) break
          at = end
          place = a
        }
      }
    }
    return -1
  }

  /** The index after a repeated text, or -1. */
  #readAgain(low: number, high: number, at: number): number {
    if (low < 0 || high < low) return -1
    const was = this.#text.slice(low, high)
    const again = this.#text.slice(at, at + was.length)
    this.#steps += was.length / 16
    const isSame = again === was || this.#program.ignoreCase && again.toLowerCase() === was.toLowerCase()
    return isSame ? at + was.length : -1
  }

  /** Index after a look-around or an atomic group; -1 if it fails. */
  *#look(kind: number, entry: number, at: number, slots: Int32Array, stack: Array<number>): Coroutine<number> {
    const kept = slots.slice()
    let end = -1
    if (kind === Look.behind || kind === Look.notBehind) {
      for (let start = at; start >= 0 && end !== at; start--) end = yield* this.#match(entry, start, kept, undefined)
      if (end !== at) end = -1
    } else end = yield* this.#match(entry, at, kept, undefined)
    const isNegative = kind === Look.notAhead || kind === Look.notBehind
    if (end < 0 !== isNegative) return -1
    if (!isNegative) {
      for (let slot = 0; slot < slots.length; slot++) {
        if (slots[slot] === kept[slot]) continue
        stack.push(-1 - slot, slots[slot] ?? -1)
        slots[slot] = kept[slot] ?? -1
      }
    }
    return kind === Look.atomic ? end : at
  }
}

const known = new Map<string, PerlProgram>()
const maxKnown = 100

/** Compiles a pattern, or takes the program that was made before. */
export const compileCached = (pattern: string, flags: string): PerlProgram => {
  const key = `${flags}/${pattern}`
  const found = known.get(key)
  if (found !== undefined) return found
  if (pattern.length > 65_536) throw new RegexError("too big regular expression")
  const program = compilePerl(pattern, {
    ignoreCase: flags.includes("i"),
    extended: flags.includes("x"),
    dotAll: /[mp]/.test(flags),
    multiline: false,
    dialect: "Oniguruma",
  })
  if (known.size >= maxKnown) known.clear()
  known.set(key, program)
  return program
}
