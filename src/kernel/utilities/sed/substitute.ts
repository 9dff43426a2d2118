/** Replaces the matches of a pattern in the pattern space, as the `sed` command `s` does. */
import type { Regex } from "../../regex/Regex.ts"
import type { Later } from "../../System.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { type Replaced, replaceMatches } from "../shared/replaceMatches.ts"
import { expandReplacement } from "./expandReplacement.ts"
import type { Substitution } from "./Script.ts"

/** Maximum size of the pattern space and the hold space, in bytes. */
export const maxSpaceLength: number = 256 * 1024 * 1024

/** Replaces matches in a binary string. */
export const substitute = (
  io: UtilityIo,
  pattern: Regex,
  text: string,
  { global, nth, parts }: Substitution,
  utf8: boolean,
): Later<Replaced> => {
  const [only] = parts
  const needsGroups = parts.some((part) => part._tag === "Case" || (part._tag === "Group" && part.index > 0))
  return replaceMatches(io.system, pattern, text, {
    ...{ all: global, needsGroups, nth, utf8 },
    expand: parts.length === 1 && only?._tag === "Text"
      ? () => only.text
      : (start, end, groups) => expandReplacement(parts, text, groups ?? Int32Array.of(start, end)),
    checkLength: (length) => length > maxSpaceLength && io.fail("the pattern space is too large"),
  })
}
