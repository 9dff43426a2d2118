/** Finds a text within another one in steps: engines compare up to all characters of the part at each place. */
import { type Coroutine, stepsPerYield } from "../../Coroutine.ts"

/** Number of comparisons of one step, which engines do far faster than a loop. */
const comparisonsPerStep = 4_194_304

/** Longer parts are found by a table, in linear time. */
const maxPlainLength = 256

/** The index of the first occurrence from a place on, or -1. */
export function* findText(text: string, part: string, from = 0): Coroutine<number> {
  if (part.length > maxPlainLength && text.length - from > comparisonsPerStep / part.length) {
    return yield* findByTable(text, part, from)
  }
  const step = Math.max(maxPlainLength, Math.floor(comparisonsPerStep / Math.max(1, part.length)))
  if (text.length - from <= step) return text.indexOf(part, from)
  for (let at = from; at + part.length <= text.length; at += step) {
    const found = text.slice(at, at + step + part.length - 1).indexOf(part)
    if (found >= 0) return at + found
    yield
  }
  return -1
}

/** Knuth, Morris and Pratt: `borders` has the length of the longest proper prefix of each prefix that is also its end. */
function* findByTable(text: string, part: string, from: number): Coroutine<number> {
  const borders = new Int32Array(part.length)
  let length = 0
  for (let at = 1; at < part.length; at++) {
    const code = part.charCodeAt(at)
    while (length > 0 && part.charCodeAt(length) !== code) length = borders[length - 1] ?? 0
    if (part.charCodeAt(length) === code) length++
    borders[at] = length
    if (at % stepsPerYield === 0) yield
  }
  length = 0
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    while (length > 0 && part.charCodeAt(length) !== code) length = borders[length - 1] ?? 0
    if (part.charCodeAt(length) === code) length++
    if (length === part.length) return at - length + 1
    if (at % stepsPerYield === 0) yield
  }
  return -1
}
