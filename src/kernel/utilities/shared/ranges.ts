/** Parses and inverts lists of number ranges such as `1,3-5,7-`, for `cut`. */

/** Pairs of first and last number, counted from 1, ascending and disjoint. */
export type NumberRanges = ReadonlyArray<readonly [number, number]>

export const parseRanges = (text: string): NumberRanges | string => {
  const out: Array<[number, number]> = []
  const parts = text.split(/[,\s]/).map((part) => /^([0-9]*)(-?)([0-9]*)$/.exec(part))
  for (const match of parts) {
    if (match === null || match[0] === "-" || match[0] === "") {
      return match?.[0] === "-" ? "invalid range with no endpoint: -" : "invalid list"
    }
    const low = match[1] === "" ? 1 : Number(match[1])
    const high = match[2] === "" ? low : match[3] === "" ? Infinity : Number(match[3])
    if (low === 0 || high === 0) return "values are numbered from 1"
    if (high < low) return "invalid decreasing range"
    out.push([low, high])
  }
  out.sort((a, b) => a[0] - b[0])
  const joined: Array<[number, number]> = []
  for (const range of out) {
    const before = joined[joined.length - 1]
    if (before !== undefined && range[0] <= before[1]) before[1] = Math.max(before[1], range[1])
    else joined.push(range)
  }
  return joined
}

/** The numbers from 1 to infinity outside the ranges. */
export const invertRanges = (ranges: NumberRanges): NumberRanges => {
  const out: Array<[number, number]> = []
  let next = 1
  for (const [low, high] of ranges) {
    if (low > next) out.push([next, low - 1])
    next = high + 1
  }
  if (next !== Infinity) out.push([next, Infinity])
  return out
}
