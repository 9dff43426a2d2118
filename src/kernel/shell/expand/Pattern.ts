/**
 * Patterns: `*`, `?`, `[…]` and the extended `?(…) *(…) +(…) @(…) !(…)`.
 *
 * A pattern moves a whole set of positions forward at once, element by element, so it takes about the product of both
 * lengths: a backtracking matcher can be made to run for years by its input. What takes much longer all the same, as
 * negations within each other do, is given up: nothing else runs meanwhile.
 *
 * Source: POSIX 2.13 "Pattern Matching Notation"; bash(1) "Pattern Matching".
 *
 * @module
 */
import { ShellError } from "../ShellError.ts"
import { characters } from "../text.ts"
import { type Element, parse, type PatternOptions } from "./patternSyntax.ts"

type Text = ArrayLike<string>
type Positions = ReadonlyArray<number>

const union = (sets: ReadonlyArray<Positions>): Positions =>
  sets.length === 1 ? sets[0] ?? [] : [...new Set(sets.flat())].sort((a, b) => a - b)

/** Positions that one question may come to, besides a few for each character: a second or so. */
const mostSteps = 50_000_000
const perCharacter = 8

/** Elements at work on a text. */
class Matcher {
  readonly #text: Text
  #steps = 0

  constructor(text: Text) {
    this.#text = text
  }

  #spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > mostSteps + perCharacter * this.#text.length) {
      throw new ShellError("a pattern that takes too many steps", "line")
    }
  }

  /** Where one may stand after elements, having stood at one of `start`. */
  run(elements: ReadonlyArray<Element>, start: Positions): Positions {
    let positions = start
    for (const element of elements) {
      if (positions.length === 0) return positions
      positions = this.#step(element, positions)
    }
    return positions
  }

  #step(element: Element, from: Positions): Positions {
    const text = this.#text
    this.#spend(from.length)
    if (element.kind === "one") {
      const next: Array<number> = []
      for (const at of from) {
        const character = text[at]
        if (at < text.length && character !== undefined && element.is(character)) next.push(at + 1)
      }
      return next
    }
    if (element.kind === "star") {
      const next: Array<number> = []
      this.#spend(text.length - (from[0] ?? text.length))
      for (let at = from[0] ?? text.length + 1; at <= text.length; at++) next.push(at)
      return next
    }
    const once = (positions: Positions) => union(element.choices.map((choice) => this.run(choice, positions)))
    if (element.sign === "@") return once(from)
    if (element.sign === "?") return union([from, once(from)])
    if (element.sign === "!") return this.#others(once, from)
    const reached = new Set(element.sign === "*" ? from : [])
    for (let edge: Positions = from; edge.length > 0;) {
      edge = once(edge).filter((at) => !reached.has(at))
      for (const at of edge) reached.add(at)
    }
    return [...reached].sort((a, b) => a - b)
  }

  /** `!(…)`: from each position to wherever the choices do not lead from it. */
  #others(once: (positions: Positions) => Positions, from: Positions): Positions {
    const reached: Array<number> = []
    let left: Array<number> = []
    for (const [index, start] of from.entries()) {
      const next = from[index + 1] ?? this.#text.length + 1
      if (index === 0) { for (let at = start; at <= this.#text.length; at++) left.push(at) }
      this.#spend(left.length)
      const matched = new Set(once([start]))
      const still: Array<number> = []
      for (const at of left) {
        if (at < start) continue
        if (matched.has(at)) still.push(at)
        else reached.push(at)
      }
      left = still
      if (left.length === 0) break
      // Positions before the next start cannot be reached any more.
      if (left.at(-1) !== undefined && (left.at(-1) ?? 0) < next) break
    }
    return reached.sort((a, b) => a - b)
  }
}

const reversed = (elements: ReadonlyArray<Element>): ReadonlyArray<Element> =>
  elements.map((element): Element =>
    element.kind === "group" ? { ...element, choices: element.choices.map(reversed) } : element
  ).reverse()

const slice = (text: Text, start: number, end: number): string =>
  typeof text === "string" ? text.slice(start, end) : Array.from(text).slice(start, end).join("")

/** Whether a text has anything that a pattern would not take literally. */
export const isMagic = (pattern: string): boolean =>
  /[*?]|[+@!]\(/.test(pattern) || (pattern.includes("[") && pattern.indexOf("[") < pattern.lastIndexOf("]"))

/** Takes a text literally when it stands in a pattern. */
export const escapePattern = (text: string): string => text.replace(/[\\*?[\]()|+@!^-]/g, "\\$&")

/** A compiled pattern. */
export class Pattern {
  readonly #elements: ReadonlyArray<Element>
  /** What alone it matches, when there is nothing magic in it. */
  readonly literal: string | undefined

  constructor(pattern: string, options: PatternOptions = {}) {
    this.#elements = parse(pattern, options)
    let literal: string | undefined = ""
    for (const element of this.#elements) {
      literal = literal === undefined || element.kind !== "one" || element.literal === undefined
        ? undefined
        : literal + element.literal
    }
    this.literal = literal
  }

  /** Whether it matches all of a text. */
  matches(text: string): boolean {
    if (this.literal !== undefined) return text === this.literal
    const units = characters(text)
    return new Matcher(units).run(this.#elements, [0]).at(-1) === units.length
  }

  /** A text without the part at its start (or end) that matches: the shortest or the longest. */
  trim(text: string, from: "start" | "end", longest: boolean): string {
    const units = characters(text)
    const atEnd = from === "end"
    const line: Text = atEnd ? Array.from(units).reverse() : units
    const ends = new Matcher(line).run(atEnd ? reversed(this.#elements) : this.#elements, [0])
    const cut = longest ? ends.at(-1) : ends[0]
    if (cut === undefined) return text
    return atEnd ? slice(units, 0, units.length - cut) : slice(units, cut, units.length)
  }

  /** A text with matches replaced. `at`: the first, all, one at the start only, one at the end only. */
  replace(text: string, at: "first" | "all" | "start" | "end", by: (match: string) => string): string {
    if (at === "end") {
      const line = Array.from(characters(text)).reverse()
      const cut = new Matcher(line).run(reversed(this.#elements), [0]).at(-1)
      return cut === undefined ? text : line.slice(cut).reverse().join("") + by(line.slice(0, cut).reverse().join(""))
    }
    if (this.literal !== undefined && this.literal !== "" && at !== "start") {
      const found = text.indexOf(this.literal)
      if (found < 0) return text
      if (at === "all") return text.split(this.literal).join(by(this.literal))
      return text.slice(0, found) + by(this.literal) + text.slice(found + this.literal.length)
    }
    const units = characters(text)
    const matcher = new Matcher(units)
    if (at === "start" || units.length === 0) {
      const end = matcher.run(this.#elements, [0]).at(-1)
      const matched = end !== undefined && (at === "start" || this.#elements.length > 0)
      return matched ? by(slice(units, 0, end)) + slice(units, end, units.length) : text
    }
    const leadingStar = this.#elements[0]?.kind === "star"
    let done = ""
    let position = 0
    while (position < units.length) {
      const end = matcher.run(this.#elements, [position]).at(-1)
      if (end === position) {
        // Nothing matched, and that counts: a replacement goes before each character.
        done += by("") + units[position++]
        if (at !== "all") break
        continue
      }
      if (end === undefined) {
        // What a leading star could not reach from here, it reaches from nowhere later.
        if (leadingStar) break
        done += units[position++]
        continue
      }
      done += by(slice(units, position, end))
      position = end
      if (at !== "all") break
    }
    return done + slice(units, position, units.length)
  }
}

const cache = new Map<string, Pattern>()

/** A pattern, compiled once as long as it is used again soon. */
export const patternOf = (pattern: string, options: PatternOptions = {}): Pattern => {
  const key = `${options.ignoreCase === true ? "i" : ""}${options.extended === false ? "p" : ""}:${pattern}`
  const known = cache.get(key)
  if (known !== undefined) return known
  if (cache.size >= 256) cache.clear()
  const made = new Pattern(pattern, options)
  cache.set(key, made)
  return made
}
