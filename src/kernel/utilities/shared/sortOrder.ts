/** Builds the comparison functions of `sort` from its options, and compares version numbers for `ls`. */
import { compareStrings, textToBinary } from "../../binaryString.ts"
import { stripEnd } from "./strip.ts"
import type { UtilityIo } from "./defineUtility.ts"

/** Returns a number below, equal to or above 0. Lines are binary strings. */
export type Comparator = (a: string, b: string) => number

interface SortKey {
  readonly startField: number
  readonly startChar: number
  readonly endField: number
  readonly endChar: number
  readonly startBlanks: boolean
  readonly endBlanks: boolean
  readonly flags: string
}

/** Compares decimal numbers of any length. */
const compareNumbers: Comparator = (a, b) => {
  const [shortA, shortB] = [parseShortInteger(a), parseShortInteger(b)]
  if (shortA !== undefined && shortB !== undefined) return shortA - shortB
  const [signA, wholeA, fractionA] = splitNumber(a)
  const [signB, wholeB, fractionB] = splitNumber(b)
  return signA - signB ||
    signA *
      (wholeA.length - wholeB.length || compareStrings(wholeA, wholeB) || compareStrings(fractionA, fractionB))
}

/** Parses an integer of at most 15 digits, which is exact and the usual case; else `undefined`. */
const parseShortInteger = (text: string): number | undefined => {
  if (text.length > 15) return undefined
  const from = text.charCodeAt(0) === 45 ? 1 : 0
  let value = 0
  for (let at = from; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return undefined
    value = value * 10 + digit
  }
  return from === 1 ? -value : value
}

/** Splits a number into its sign, its digits without leading zeros and its fraction without trailing zeros. */
const splitNumber = (text: string): readonly [sign: number, whole: string, fraction: string] => {
  const match = /^[ \t\n]*(-?)0*([0-9]*)(?:\.([0-9]*))?/.exec(text)
  const whole = match?.[2] ?? ""
  const fraction = stripEnd(match?.[3] ?? "", "0")
  const zero = whole === "" && fraction === ""
  return [zero ? 0 : match?.[1] === "-" ? -1 : 1, whole, fraction]
}

/** Compares floating-point numbers; text that is not a number sorts first, then NaN. */
const compareFloats: Comparator = (a, b) => {
  const [one, two] = [a, b].map((text) => {
    const match = /^[ \t\n]*[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|inf(?:inity)?|nan)/i.exec(text)
    if (match === null) return [0, 0] as const
    const value = match[0].trim()
    if (/nan/i.test(value)) return [1, 0] as const
    return [2, /inf/i.test(value) ? (value[0] === "-" ? -Infinity : Infinity) : Number(value)] as const
  })
  return (one?.[0] ?? 0) - (two?.[0] ?? 0) ||
    compareStrings(`${one?.[1] ?? 0}`, `${two?.[1] ?? 0}`) && ((one?.[1] ?? 0) < (two?.[1] ?? 0) ? -1 : 1)
}

/** Compares sizes such as `2K` and `1G`: by sign and suffix, then by number. */
const compareSizes: Comparator = (a, b) => {
  const rank = (text: string): number => {
    const match = /^[ \t]*(-?)([0-9]*\.?[0-9]*)([kKMGTPEZYRQ]?)/.exec(text)
    const value = Number(match?.[2] || "0") === 0 ? 0 : 1
    const power = value * (1 + "KMGTPEZYRQ".indexOf((match?.[3] ?? "").toUpperCase() || "?"))
    return match?.[1] === "-" ? -power : power
  }
  return rank(a) - rank(b) || compareNumbers(a, b)
}

const months = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ")
const compareMonths: Comparator = (a, b) => {
  const rank = (text: string): number => months.indexOf(text.replace(/^[ \t]+/, "").slice(0, 3).toUpperCase())
  return rank(a) - rank(b)
}

/** Compares version numbers within names. Source: coreutils manual, "Version sort ordering". */
export const compareVersions: Comparator = (a, b) => {
  if (a === b) return 0
  if (a === "" || b === "") return a === "" ? -1 : 1
  for (const dots of [".", ".."]) if (a === dots || b === dots) return a === dots ? -1 : 1
  if ((a[0] === ".") !== (b[0] === ".")) return a[0] === "." ? -1 : 1
  const [one, two] = [withoutSuffixes(a), withoutSuffixes(b)]
  return compareVersionParts(one, two) || (one === a && two === b ? 0 : compareVersionParts(a, b))
}

/** Removes file suffixes such as `.tar.gz`: each a dot, a letter and letters or digits. */
const withoutSuffixes = (text: string): string => {
  let end = text.length
  for (;;) {
    let at = end
    while (at > 0 && /[A-Za-z0-9~]/.test(text[at - 1] ?? "")) at--
    if (text[at - 1] !== "." || at === end || !/[A-Za-z~]/.test(text[at] ?? "")) return text.slice(0, end)
    end = at - 1
  }
}

const rankVersionCharacter = (letter: string | undefined): number =>
  letter === undefined || /[0-9]/.test(letter)
    ? 0
    : letter === "~"
    ? -1
    : /[A-Za-z]/.test(letter)
    ? letter.charCodeAt(0)
    : letter.charCodeAt(0) + 256

const compareVersionParts: Comparator = (a, b) => {
  let i = 0
  let j = 0
  const isDigit = (letter: string | undefined): boolean => letter !== undefined && letter >= "0" && letter <= "9"
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a[i])) || (j < b.length && !isDigit(b[j]))) {
      const order = rankVersionCharacter(a[i]) - rankVersionCharacter(b[j])
      if (order !== 0) return order
      i++
      j++
    }
    const [one = "", two = ""] = [a.slice(i), b.slice(j)].map((text) => /^[0-9]*/.exec(text)?.[0] ?? "")
    const order = compareNumbers(one, two)
    if (order !== 0) return order
    i += one.length
    j += two.length
  }
  return 0
}

const isBlank = (text: string, at: number): boolean => text[at] === " " || text[at] === "\t" || text[at] === "\n"

/** The start and the end of a field. */
const findField = (line: string, index: number, separator: string | undefined): readonly [number, number] => {
  let at = 0
  for (let count = 1;; count++) {
    let end: number
    if (separator !== undefined) {
      end = line.indexOf(separator, at)
      if (end < 0) end = line.length
    } else {
      end = at
      while (end < line.length && isBlank(line, end)) end++
      while (end < line.length && !isBlank(line, end)) end++
    }
    if (count === index) return [at, end]
    if (end >= line.length) return [line.length, line.length]
    at = separator === undefined ? end : end + 1
  }
}

const skipBlanks = (line: string, at: number): number => {
  while (at < line.length && isBlank(line, at)) at++
  return at
}

const extractKey = (line: string, key: SortKey, separator: string | undefined): string => {
  let from = findField(line, key.startField, separator)[0]
  if (key.startBlanks) from = skipBlanks(line, from)
  from = Math.min(line.length, from + key.startChar - 1)
  if (key.endField === Infinity) return line.slice(from)
  const [begin, end] = findField(line, key.endField, separator)
  if (key.endChar === 0) return line.slice(from, Math.max(from, end))
  const to = (key.endBlanks ? skipBlanks(line, begin) : begin) + key.endChar
  return line.slice(from, Math.max(from, Math.min(line.length, to)))
}

/** Fails if options that exclude each other were given. */
const checkFlags = (io: UtilityIo, flags: string): void => {
  const kinds = [..."dghiMnRV"].filter((flag) => flags.includes(flag))
  const numbers = kinds.filter((flag) => "ghMn".includes(flag))
  const others = kinds.filter((flag) => "VRdi".includes(flag))
  if (numbers.length > 1 || (numbers.length === 1 && others.length > 0)) {
    io.fail(`options '-${kinds.join("")}' are incompatible`)
  }
}

const comparisons: Readonly<Record<string, Comparator>> = {
  n: compareNumbers,
  g: compareFloats,
  h: compareSizes,
  M: compareMonths,
  V: compareVersions,
}

/** The comparison that the options of a key select; `r` is left to the caller. */
const compareBy = (flags: string): Comparator => {
  const kind = [..."nghMV"].find((flag) => flags.includes(flag)) ?? ""
  const base = comparisons[kind] ?? compareStrings
  const ignored = flags.includes("d") ? /[^A-Za-z0-9 \t]/g : flags.includes("i") ? /[^ -~]/g : undefined
  if (ignored === undefined && !flags.includes("f")) return base
  const normalize = (text: string): string => {
    const kept = ignored === undefined ? text : text.replace(ignored, "")
    return flags.includes("f") ? kept.replace(/[a-z]+/g, (letters) => letters.toUpperCase()) : kept
  }
  return (a, b) => base(normalize(a), normalize(b))
}

/** Compares by a seeded hash (FNV-1a), so that equal lines stay together. */
const compareHashes = (seed: number): Comparator => {
  const hash = (text: string): number => {
    let value = seed
    for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16_777_619)
    return value
  }
  return (a, b) => hash(a) - hash(b)
}

const parseKey = (io: UtilityIo, text: string, general: string): SortKey => {
  const match = /^([0-9]+)(?:\.([0-9]+))?([bdfghiMnRrV]*)(?:,([0-9]+)(?:\.([0-9]+))?([bdfghiMnRrV]*))?$/.exec(text)
  if (match === null) return io.fail(`invalid number at field start: invalid count at start of '${text}'`)
  const [, startField = "0", startChar, startFlags = "", endField, endChar, endFlags = ""] = match
  if (Number(startField) === 0 || startChar === "0" || endField === "0") {
    io.fail(`field number is zero: invalid field specification '${text}'`)
  }
  const own = startFlags + endFlags
  const flags = own === "" ? general : own
  return {
    endBlanks: own === "" ? general.includes("b") : endFlags.includes("b"),
    endChar: Number(endChar ?? "0"),
    endField: endField === undefined ? Infinity : Number(endField),
    flags,
    startBlanks: own === "" ? general.includes("b") : startFlags.includes("b"),
    startChar: Number(startChar ?? "1"),
    startField: Number(startField),
  }
}

/** The comparisons of one `sort`: by keys only, and with the whole line as the last resort. */
export interface SortOrder {
  readonly keys: Comparator
  readonly full: Comparator
  /** Whether lines are compared as bytes or as numbers. */
  readonly isFast: boolean
  readonly unique: boolean
}

/** The words of `--sort`, as letters of options. */
const sortWords: Readonly<Record<string, string>> = {
  ...{ "general-numeric": "g", "human-numeric": "h", month: "M", numeric: "n", random: "R", version: "V" },
}

const failSort = (io: UtilityIo, word: string): never => {
  io.printError(`invalid argument ‘${word}’ for ‘--sort’`)
  return io.exit(1)
}

/** Builds the order that the options select; fails if they are wrong. */
export const makeSortOrder = (io: UtilityIo): SortOrder => {
  const word = io.value("sort")
  const named = word === undefined ? "" : sortWords[word] ?? failSort(io, word)
  const general = [..."bdfghiMnrV"].filter((flag) => io.has(flag) || flag === named).join("")
  const isRandom = io.has("R") || named === "R"
  const given = io.value("t")
  const separator = given === undefined ? undefined : given === "\\0" ? "\0" : textToBinary(given)
  if (separator !== undefined && separator.length !== 1) {
    io.fail(separator === "" ? "empty tab" : `multi-character tab '${given ?? ""}'`)
  }
  const sortKeys = io.values("k").map((text) => parseKey(io, text, general))
  for (const { flags } of sortKeys) checkFlags(io, flags)
  if (sortKeys.length === 0) checkFlags(io, general + (isRandom ? "R" : ""))
  const reverse = general.includes("r")
  const steps = sortKeys.map((key): Comparator => {
    const by = compareBy(key.flags)
    const signed: Comparator = key.flags.includes("r") ? (a, b) => by(b, a) : by
    return (a, b) => signed(extractKey(a, key, separator), extractKey(b, key, separator))
  })
  if (steps.length === 0) {
    const seed = new Uint8Array(4)
    if (isRandom) io.system.random(seed)
    const by = isRandom ? compareHashes(new DataView(seed.buffer).getInt32(0)) : compareBy(general)
    const trim = general.includes("b") ? (line: string) => line.slice(skipBlanks(line, 0)) : undefined
    const trimmed: Comparator = trim === undefined ? by : (a, b) => by(trim(a), trim(b))
    steps.push(reverse ? (a, b) => trimmed(b, a) : trimmed)
  }
  const [only] = steps
  const keys: Comparator = steps.length === 1 && only !== undefined ? only : (a, b) => {
    for (const step of steps) {
      const order = step(a, b)
      if (order !== 0) return order
    }
    return 0
  }
  const unique = io.has("u")
  const plain = sortKeys.length === 0 && general.replace("r", "") === "" && !isRandom
  const isFast = sortKeys.length === 0 && /^[nr]*$/.test(general) && !isRandom
  const full: Comparator = unique || io.has("s") || plain
    ? keys
    : (a, b) => keys(a, b) || (reverse ? compareStrings(b, a) : compareStrings(a, b))
  return { full, keys, isFast, unique }
}
