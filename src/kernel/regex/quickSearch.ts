/**
 * Searches a short text with the existing states of an automaton, without allocating or waiting. Most lines are
 * searched this way; a search that takes more steps, or new states, is left to `DfaSearch`.
 */
import type { Dfa } from "./Dfa.ts"

/** Maximum bytes that a quick search reads, in some tens of microseconds. */
const maxSteps = 4_096

/** The range of a match. */
export interface FoundMatch {
  start: number
  end: number
}

/**
 * Finds the leftmost longest match from an index on, and writes it into `found`. The automaton is anchored;
 * `firstBytes` are flags of the bytes that a match can start with. Returns `undefined` if the search is not decided.
 */
export const quickSearch = (
  dfa: Dfa,
  text: string,
  from: number,
  firstBytes: Uint8Array | undefined,
  found: FoundMatch,
): boolean | undefined => {
  const { classes, table, width } = dfa
  const { length } = text
  let left = maxSteps
  for (let start = from; start <= length; start++) {
    if (firstBytes !== undefined) {
      const stop = Math.min(length, start + left)
      const first = start
      while (start < stop && firstBytes[text.charCodeAt(start)] === 0) start++
      left -= start - first
      if (start === length) return false
    }
    let state = dfa.begin(start > 0 ? text.charCodeAt(start - 1) : -1)
    let end = -1
    for (let at = start; state !== 0 && at <= length; at++) {
      if (--left < 0) return undefined
      const group = at < length ? classes[text.charCodeAt(at)] ?? 0 : width - 1
      const value = table[state * width + group] ?? -1
      if (value < 0) return undefined
      if ((value & 1) === 1) end = at
      state = value >> 1
    }
    if (end >= 0) {
      found.start = start
      found.end = end
      return true
    }
    if (--left < 0) return undefined
  }
  return false
}

/** Whether an automaton that is not anchored finds a match anywhere; `undefined` if it is not decided. */
export const quickTest = (dfa: Dfa, text: string): boolean | undefined => {
  const { classes, table, width } = dfa
  const { length } = text
  if (length > maxSteps) return undefined
  let state = dfa.begin(-1)
  for (let at = 0; at <= length; at++) {
    const group = at < length ? classes[text.charCodeAt(at)] ?? 0 : width - 1
    const value = table[state * width + group] ?? -1
    if (value < 0) return undefined
    if ((value & 1) === 1) return true
    state = value >> 1
  }
  return false
}
