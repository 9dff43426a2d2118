/** Returns the ranges of the characters of a class such as `[:alpha:]`, and of `\w`, for bytes and for UTF-8. */
import { mergeRanges } from "./RegexNode.ts"

const ascii: Readonly<Record<string, ReadonlyArray<number>>> = {
  alpha: [65, 90, 97, 122],
  digit: [48, 57],
  alnum: [48, 57, 65, 90, 97, 122],
  upper: [65, 90],
  lower: [97, 122],
  space: [9, 13, 32, 32],
  blank: [9, 9, 32, 32],
  punct: [33, 47, 58, 64, 91, 96, 123, 126],
  print: [32, 126],
  graph: [33, 126],
  cntrl: [0, 31, 127, 127],
  xdigit: [48, 57, 65, 70, 97, 102],
}

// Letters outside ASCII by blocks: small, and close to glibc; without punctuation, symbols and emoji.
const letters = [
  [0xaa, 0xaa, 0xb5, 0xb5, 0xba, 0xba, 0xc0, 0xd6, 0xd8, 0xf6, 0xf8, 0x1fff, 0x2c00, 0x2dff, 0x3040, 0xd7ff],
  [0xf900, 0xfdff, 0xfe70, 0xfefe, 0xff21, 0xff3a, 0xff41, 0xff5a, 0xff66, 0xffdc, 0x10000, 0x1efff, 0x20000, 0x3ffff],
].flat()

const cases = new Map<string, ReadonlyArray<number>>()

const lettersOfCase = (name: "upper" | "lower"): ReadonlyArray<number> => {
  const known = cases.get(name)
  if (known !== undefined) return known
  const matcher = name === "upper" ? /\p{Lu}/u : /\p{Ll}/u
  const found: Array<number> = []
  for (let code = 0x80; code < 0x3000; code++) if (matcher.test(String.fromCodePoint(code))) found.push(code, code)
  const ranges = mergeRanges(found)
  cases.set(name, ranges)
  return ranges
}

/** The ranges of a class such as `alpha`; `undefined` if the name is unknown. */
export const classRanges = (name: string, utf8: boolean): ReadonlyArray<number> | undefined => {
  const base = Object.hasOwn(ascii, name) ? ascii[name] : undefined
  if (base === undefined || !utf8) return base
  switch (name) {
    case "alpha":
    case "alnum":
      return [...base, ...letters]
    case "upper":
    case "lower":
      return [...base, ...lettersOfCase(name)]
    case "print":
    case "graph":
      return [...base, 0xa1, 0x10ffff]
    case "punct":
      return [...base, 0xa1, 0xa9, 0xab, 0xb4, 0xb6, 0xb9, 0xbb, 0xbf, 0xd7, 0xd7, 0xf7, 0xf7, 0x2010, 0x2bff]
    case "space":
      return [...base, 0x2000, 0x2006, 0x2008, 0x200a, 0x2028, 0x2029, 0x205f, 0x205f, 0x3000, 0x3000]
    default:
      return base
  }
}

export const wordRanges = (utf8: boolean): Array<number> => mergeRanges([...(classRanges("alnum", utf8) ?? []), 95, 95])
