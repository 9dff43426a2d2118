/**
 * Compiles shell patterns, and tests, trims and replaces text by them in one pass that yields regularly and takes at most the
 * product of both lengths. Source: POSIX 2.13 "Pattern Matching Notation"; bash(1) "Pattern Matching".
 */
import { detach } from "../../detach.ts"
import { type Coroutine, stepsPerYield } from "../../Coroutine.ts"
import { ShellError } from "../ShellError.ts"
import { type AutomatonState, PatternAutomaton } from "./PatternAutomaton.ts"
import { parsePattern, type PatternElement, type PatternOptions } from "./parsePattern.ts"

/** Positions that are a multiple of this are recorded if nothing matches beyond them. */
const checkpoint = 64

export interface ReplaceOptions {
  /** Replaces the first match, all matches, or only one at the start or at the end. */
  readonly at: "first" | "all" | "start" | "end"
  readonly by: (match: string) => string
  /** Maximum length of the result; a longer one is a `ShellError`. */
  readonly maxLength: number
}

export class ShellPattern {
  readonly #elements: ReadonlyArray<PatternElement>
  /** The only text that the pattern matches, if it has no special characters. */
  readonly literal: string | undefined
  #forwards: PatternAutomaton | undefined
  #backwards: PatternAutomaton | undefined

  constructor(pattern: string, options: PatternOptions = {}) {
    this.#elements = parsePattern(pattern, options)
    const literals: Array<string> = []
    for (const element of this.#elements) {
      if (element.kind === "one" && element.literal !== undefined) literals.push(element.literal)
    }
    this.literal = literals.length === this.#elements.length ? literals.join("") : undefined
  }

  get #forward(): PatternAutomaton {
    return this.#forwards ??= new PatternAutomaton([this.#elements], false)
  }

  get #backward(): PatternAutomaton {
    return this.#backwards ??= new PatternAutomaton([this.#elements], true)
  }

  *matches(text: string): Coroutine<boolean> {
    if (this.literal !== undefined) return text === this.literal
    const automaton = this.#forward
    let state = automaton.start
    let credits = stepsPerYield
    for (let at = 0; at < text.length; at += automaton.width(text, at)) {
      state = automaton.read(state, text, at)
      if (state.places.length === 0) return at + automaton.width(text, at) === text.length && state.accepts
      if (automaton.work > 0) {
        credits -= automaton.work
        automaton.work = 0
      }
      if (--credits < 0) {
        credits = stepsPerYield
        yield
      }
    }
    return state.accepts
  }

  /** Length of the match at the start or end of a text; -1 if there is none. */
  *#edge(text: string, from: "start" | "end", longest: boolean): Coroutine<number> {
    const atEnd = from === "end"
    const automaton = atEnd ? this.#backward : this.#forward
    let state = automaton.start
    let found = state.accepts ? 0 : -1
    let credits = stepsPerYield
    for (let count = 0; count < text.length && state.places.length > 0 && (longest || found < 0);) {
      const at = atEnd ? text.length - 1 - count : count
      state = automaton.read(state, text, at)
      count += automaton.width(text, at)
      if (state.accepts) found = count
      credits -= 1 + automaton.work
      automaton.work = 0
      if (credits < 0) {
        credits = stepsPerYield
        yield
      }
    }
    return found
  }

  /** Removes the shortest or longest match at the start or end of a text. */
  *trim(text: string, from: "start" | "end", longest: boolean): Coroutine<string> {
    const cut = yield* this.#edge(text, from, longest)
    if (cut <= 0) return text
    return detach(from === "end" ? text.slice(0, text.length - cut) : text.slice(cut), text.length)
  }

  *replace(text: string, { at, by, maxLength }: ReplaceOptions): Coroutine<string> {
    // Parts are joined some at a time: millions of them would take long at once.
    const joined: Array<string> = []
    let made: Array<string> = []
    let length = 0
    const add = (part: string): void => {
      length += part.length
      if (length > maxLength) throw new ShellError("the value is too long", "line")
      if (part !== "") made.push(part)
      if (made.length < stepsPerYield) return
      joined.push(made.join(""))
      made = []
    }
    if (at === "start" || at === "end" || text === "") {
      const count = yield* this.#edge(text, at === "end" ? "end" : "start", true)
      if (count < 0 || (at !== "start" && at !== "end" && this.#elements.length === 0)) return text
      const start = at === "end" ? text.length - count : 0
      for (const part of [text.slice(0, start), by(text.slice(start, start + count)), text.slice(start + count)]) {
        add(part)
      }
      return made.join("")
    }
    const find = this.literal === undefined || this.literal === "" ? this.#longest() : undefined
    let copied = 0
    let credits = stepsPerYield
    for (let position = 0; position < text.length;) {
      let end: number
      if (find === undefined) {
        const { literal = "" } = this
        position = text.indexOf(literal, position)
        if (position < 0) break
        end = position + literal.length
        credits -= 8
      } else {
        end = yield* find(text, position)
        credits--
      }
      if (credits < 0) {
        credits = stepsPerYield
        yield
      }
      if (end < 0) {
        position += this.#forward.width(text, position)
        continue
      }
      add(text.slice(copied, position))
      add(by(text.slice(position, end)))
      copied = end
      // An empty match is replaced before each character.
      if (end === position && at === "all") position += this.#forward.width(text, position)
      else position = end
      if (at !== "all") break
    }
    add(text.slice(copied))
    return joined.join("") + made.join("")
  }

  /** Returns a search for the end of the longest match at a position, or -1. Searches share their failures: all are linear. */
  #longest(): (text: string, from: number) => Coroutine<number> {
    const automaton = this.#forward
    const failed = new Map<AutomatonState, Set<number>>()
    let passed: Array<readonly [AutomatonState, number]> = []
    let credits = stepsPerYield
    return function* (text, from) {
      let state = automaton.start
      let found = state.accepts ? from : -1
      passed = []
      let at = from
      while (at < text.length && state.places.length > 0) {
        const width = automaton.width(text, at)
        state = automaton.read(state, text, at)
        at += width
        if (state.accepts) {
          found = at
          if (passed.length > 0) passed = []
        } else if (at % checkpoint < width) {
          if (failed.get(state)?.has(at) === true) break
          passed.push([state, at])
        }
        credits -= 1 + automaton.work
        automaton.work = 0
        if (credits < 0) {
          credits = stepsPerYield
          yield
        }
      }
      for (const [reached, place] of passed) {
        const places = failed.get(reached) ?? new Set()
        failed.set(reached, places.add(place))
      }
      return found
    }
  }
}

const cache = new Map<string, ShellPattern>()

export const compilePattern = (pattern: string, options: PatternOptions = {}): ShellPattern => {
  const key = `${options.ignoreCase === true ? "i" : ""}${options.extended === false ? "p" : ""}:${pattern}`
  const known = cache.get(key)
  if (known !== undefined) return known
  if (cache.size >= 128) cache.clear()
  const made = new ShellPattern(pattern, options)
  cache.set(key, made)
  return made
}
