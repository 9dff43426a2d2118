/** Replaces the matches of a pattern in the pattern space, as the `sed` command `s` does. */
import { FailureMemo, type Regex } from "../../regex/Regex.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { expandReplacement } from "./expandReplacement.ts"
import type { Substitution } from "./Script.ts"

/** Maximum size of the pattern space and the hold space, in bytes. */
export const maxSpaceLength: number = 256 * 1024 * 1024

const characterLength = (text: string, at: number, utf8: boolean): number => {
  let length = 1
  if (utf8 && text.charCodeAt(at) >= 0xc0) {
    while (length < 4 && (text.charCodeAt(at + length) & 0xc0) === 0x80) length++
  }
  return length
}

/** Replaces matches in a binary string; `undefined` if none was replaced. */
export const substitute = async (
  io: UtilityIo,
  pattern: Regex,
  text: string,
  { global, nth, parts }: Substitution,
  utf8: boolean,
): Promise<string | undefined> => {
  const needsGroups = parts.some((part) => part._tag === "Case" || (part._tag === "Group" && part.index > 0))
  const failures = new FailureMemo()
  let out = ""
  let copiedTo = 0
  let count = 0
  let lastEnd = -1
  for (let from = 0; from <= text.length;) {
    const found = pattern.exec(io.system, text, from, failures)
    if (!(typeof found === "boolean" ? found : await found)) break
    const { end, start } = pattern
    from = end > start ? end : start + characterLength(text, start, utf8)
    // An empty match directly after a match does not count.
    if (start === end && start === lastEnd) continue
    count++
    lastEnd = end
    if (count >= nth) {
      const slots = needsGroups ? await pattern.captures(io.system, text) : Int32Array.of(start, end)
      out += text.slice(copiedTo, start) + expandReplacement(parts, text, slots)
      copiedTo = end
      if (!global) break
    }
    if ((count & 63) === 0) {
      const turn = io.system.yield()
      if (turn !== undefined) await turn
      if (out.length > maxSpaceLength) io.fail("the pattern space is too large")
    }
  }
  return count < nth ? undefined : out + text.slice(copiedTo)
}
