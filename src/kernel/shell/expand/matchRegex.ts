/** Matches the regular expressions of `[[ =~ ]]` with the kernel's own engine. */
import { detach } from "../../detach.ts"
import { binaryToText, textToBinary } from "../../binaryString.ts"
import type { System } from "../../System.ts"
import { compileRegex, type Regex, RegexError } from "../../regex/Regex.ts"

/** Compiled expressions, or the message of an invalid one, by source, since loops use the same one repeatedly. */
const cache = new Map<string, Regex | string>()
const maxCached = 128
const maxCachedLength = 4_096

const regexOf = (source: string, ignoreCase: boolean): Regex | string => {
  const key = `${ignoreCase ? "i" : "c"}${source}`
  const known = cache.get(key)
  if (known !== undefined) return known
  if (cache.size >= maxCached) cache.clear()
  const made = compileRegex([source], { extended: true, ignoreCase, utf8: true })
  if (source.length <= maxCachedLength) cache.set(key, made)
  return made
}

/** The match and its groups, `""` for one without part; `null` without a match, `undefined` for an invalid or slow pattern. */
export const matchRegex = async (
  system: Pick<System, "yield">,
  subject: string,
  source: string,
  ignoreCase: boolean,
): Promise<ReadonlyArray<string> | null | undefined> => {
  const regex = regexOf(source, ignoreCase)
  if (typeof regex === "string") return undefined
  const text = textToBinary(subject)
  try {
    const found = regex.exec(system, text)
    if (!(typeof found === "boolean" ? found : await found)) return null
    const places = await regex.captures(system, text)
    return Array.from({ length: places.length / 2 }, (_, group) => {
      const start = places[group * 2] ?? -1
      return start < 0 ? "" : binaryToText(detach(text.slice(start, places[group * 2 + 1]), text.length))
    })
  } catch (cause) {
    if (cause instanceof RegexError) return undefined
    throw cause
  }
}
