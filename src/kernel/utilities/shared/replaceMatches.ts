/** Replaces matches of a regular expression in a binary string, as sed's `s` and awk's `sub`, `gsub` and `gensub` do. */
import { runWaiting } from "../../Coroutine.ts"
import { FailureMemo, type Regex } from "../../regex/Regex.ts"
import type { Later, System } from "../../System.ts"

export interface Replacement {
  /** The text that replaces a match; `groups` has the starts and ends of its groups, if `needsGroups` is set. */
  readonly expand: (start: number, end: number, groups: Int32Array | undefined) => string
  readonly needsGroups: boolean
  /** The first match to replace, counted from 1. */
  readonly nth: number
  /** Whether later matches are replaced, too. */
  readonly all: boolean
  /** Whether an empty match is followed by a whole character of UTF-8. */
  readonly utf8: boolean
  /** Called with the length of the result so far; fails if it is too large. */
  readonly checkLength: (length: number) => void
}

export interface Replaced {
  readonly text: string
  /** Number of matches that were replaced. */
  readonly count: number
}

const characterLength = (text: string, at: number, utf8: boolean): number => {
  let length = 1
  if (utf8 && text.charCodeAt(at) >= 0xc0) {
    while (length < 4 && (text.charCodeAt(at + length) & 0xc0) === 0x80) length++
  }
  return length
}

type Waited = boolean | Int32Array | void

function* replaceAll(
  system: Pick<System, "yield">,
  regex: Regex,
  text: string,
  { all, checkLength, expand, needsGroups, nth, utf8 }: Replacement,
): Generator<Promise<Waited>, Replaced, Waited> {
  const failures = new FailureMemo()
  let out = ""
  let copiedTo = 0
  let seen = 0
  let lastEnd = -1
  for (let from = 0; from <= text.length;) {
    const found = regex.exec(system, text, from, failures)
    if ((typeof found === "boolean" ? found : yield found) !== true) break
    const { end, start } = regex
    from = end > start ? end : start + characterLength(text, start, utf8)
    // An empty match directly after a match does not count.
    if (start === end && start === lastEnd) continue
    lastEnd = end
    if ((++seen & 63) === 0) {
      const turn = system.yield()
      if (turn !== undefined) yield turn
    }
    if (seen < nth) continue
    const captures = needsGroups ? regex.captures(system, text) : undefined
    const groups = captures instanceof Promise ? yield captures : captures
    out += text.slice(copiedTo, start) + expand(start, end, groups instanceof Int32Array ? groups : undefined)
    copiedTo = end
    checkLength(out.length)
    if (!all) break
  }
  return seen < nth ? { text, count: 0 } : { text: out + text.slice(copiedTo), count: seen - nth + 1 }
}

/** Replaces the matches in a text. Most are short, and are done in the same turn. */
export const replaceMatches = (
  system: Pick<System, "yield">,
  regex: Regex,
  text: string,
  replacement: Replacement,
): Later<Replaced> => runWaiting(replaceAll(system, regex, text, replacement))
