/** Implements the `numfmt` utility. */
import type { Program } from "../../System.ts"
import { parseRanges } from "../shared/ranges.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

const suffixes = "KMGTPEZY"
const scales: Readonly<Record<string, number>> = { si: 1000, iec: 1024, "iec-i": 1024, auto: 1024 }

/**
 * `numfmt [--from=UNIT] [--to=UNIT] [--format=FORMAT] [--field=N] [--padding=N] [--round=HOW] [--suffix=S] [NUMBER]...`:
 * converts sizes. Source: numfmt(1).
 */
export const numfmt: Program = defineUtility(
  "numfmt",
  "d|delimiter: field: format: from: from-unit: to: to-unit: padding: round: suffix: header:: invalid: grouping " +
    "z|zero-terminated",
  async (io) => {
    // The locale C has no digit groups.
    if (io.has("grouping") && io.has("to")) return io.fail("grouping cannot be combined with --to")
    const convert = makeConverter(io)
    const fields = parseRanges(io.value("field") === "-" ? "1-" : io.value("field") ?? "1")
    if (typeof fields === "string") return io.fail(fields)
    const delimiter = io.value("d")
    const convertLine = (line: string): string => {
      if (delimiter !== undefined) {
        return line.split(delimiter).map((cell, at) => isWanted(at + 1) ? convert(cell) : cell).join(delimiter)
      }
      let field = 0
      return line.replace(/([ \t]*)([^ \t]+)/g, (all, blanks: string, word: string) => {
        if (!isWanted(++field)) return all
        const made = convert(word)
        // A wider number takes the room of the blanks before it.
        return field === 1 && blanks.length === 0
          ? made
          : (blanks.length > 1 ? made.padStart(all.length) : blanks + made)
      })
    }
    const isWanted = (field: number): boolean => fields.some(([low, high]) => field >= low && field <= high)
    if (io.operands.length > 0) {
      for (const operand of io.operands) io.printLine(convertLine(operand))
      return io.exitCode
    }
    let skipped = io.has("header") ? Number(io.value("header") || "1") : 0
    const input = io.openInput("-", io.terminator())
    if (input === undefined) return 2
    await io.forEachLine([input], (line) => io.printLine(skipped-- > 0 ? line : convertLine(line)))
    return io.exitCode
  },
  { errorExitCode: 2 },
)

const rounders: Readonly<Record<string, (value: number) => number>> = {
  up: Math.ceil,
  down: Math.floor,
  "from-zero": (value) => value < 0 ? Math.floor(value) : Math.ceil(value),
  "towards-zero": Math.trunc,
  nearest: (value) => Math.sign(value) * Math.round(Math.abs(value)),
}

const makeConverter = (io: UtilityIo): (text: string) => string => {
  const unit = (option: string, known: ReadonlyArray<string>): string => {
    const value = io.value(option) ?? "none"
    if (!["none", ...known].includes(value)) io.fail(`invalid argument ‘${value}’ for ‘--${option}’`)
    return value
  }
  const [from, to] = [unit("from", ["auto", "si", "iec", "iec-i"]), unit("to", ["si", "iec", "iec-i"])]
  const unitSize = (option: string): number => {
    const size = parse(io.value(option) ?? "1", "auto")
    return typeof size === "number" && size > 0 ? size : io.fail(`invalid unit size: ‘${io.value(option)}’`)
  }
  const [fromUnit, toUnit] = [unitSize("from-unit"), unitSize("to-unit")]
  const round = rounders[io.value("round") ?? "from-zero"] ??
    io.fail(`invalid argument ‘${io.value("round")}’ for ‘--round’`)
  const suffix = io.value("suffix") ?? ""
  const invalid = io.value("invalid") ?? "abort"
  if (!["abort", "fail", "warn", "ignore"].includes(invalid)) io.fail(`invalid argument ‘${invalid}’ for ‘--invalid’`)
  const format = /^((?:[^%]|%%)*)%(')?(0)?(-?[0-9]+)?(?:\.([0-9]+))?f((?:[^%]|%%)*)$/s.exec(io.value("format") ?? "%f")
  if (format === null || format[2] !== undefined) {
    throw io.fail(`invalid format '${io.value("format")}', directive must be %[0]['][-][N][.][N]f`)
  }
  const [, before = "", , zero, width, precision, after = ""] = format
  const padding = width ?? io.value("padding") ?? "0"
  if (!/^-?[0-9]{1,4}$/.test(padding)) io.fail(`invalid padding value ‘${padding}’`)
  const digits = precision === undefined ? undefined : Math.min(100, Number(precision))

  return (text) => {
    const bare = suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text
    const value = parse(bare.trim(), from)
    if (typeof value === "string") {
      if (invalid === "abort") io.fail(value)
      if (invalid !== "ignore") io.printError(value)
      if (invalid === "fail") io.exitCode = 2
      return text
    }
    const fraction = /\.([0-9]+)$/.exec(bare)?.[1]?.length ?? 0
    const made = formatNumber(value * fromUnit / toUnit, to, round, digits, fraction) + suffix
    const size = Math.abs(Number(padding))
    const padded = padding.startsWith("-")
      ? made.padEnd(size)
      : zero === undefined
      ? made.padStart(size)
      : made.padStart(size, "0")
    return before.replaceAll("%%", "%") + padded + after.replaceAll("%%", "%")
  }
}

/** The number that a text represents, or the reason why it represents none. */
const parse = (text: string, unit: string): number | string => {
  const match = /^(-?[0-9]*\.?[0-9]+|-?[0-9]+\.)([A-Za-z]*)$/.exec(text)
  if (match === null) {
    return /^-?[0-9.]+/.test(text) ? `invalid suffix in input: ‘${text}’` : `invalid number: ‘${text}’`
  }
  const [, digits = "", suffix = ""] = match
  if (suffix === "") return Number(digits)
  const power = suffixes.indexOf(suffix[0] === "k" ? "K" : suffix[0] ?? "?") + 1
  if (power === 0 || !/^.i?$/.test(suffix)) return `invalid suffix in input: ‘${text}’`
  if (unit === "none") return `rejecting suffix in input: ‘${text}’ (consider using --from)`
  if (unit === "iec-i" && !suffix.endsWith("i")) return `missing 'i' suffix in input: ‘${text}’ (e.g Ki/Mi/Gi)`
  if (suffix.endsWith("i") && unit !== "auto" && unit !== "iec-i") return `invalid suffix in input: ‘${text}’`
  const base = unit === "auto" ? (suffix.endsWith("i") ? 1024 : 1000) : scales[unit] ?? 1000
  return Number(digits) * base ** power
}

const formatNumber = (
  value: number,
  unit: string,
  round: (value: number) => number,
  digits: number | undefined,
  fraction: number,
): string => {
  const roundTo = (number: number, places: number): number =>
    round(Number((number * 10 ** places).toPrecision(15))) / 10 ** places
  if (unit === "none") {
    return digits === undefined ? roundTo(value, fraction).toFixed(fraction) : roundTo(value, digits).toFixed(digits)
  }
  const base = scales[unit] ?? 1000
  let power = 0
  let scaled = value
  while (Math.abs(scaled) >= base && power < suffixes.length) {
    scaled /= base
    power++
  }
  const places = digits ?? (power > 0 && Math.abs(scaled) < 10 ? 1 : 0)
  let rounded = roundTo(scaled, places)
  if (Math.abs(rounded) >= base && power < suffixes.length) {
    rounded /= base
    power++
  }
  const shown = digits === undefined ? (power > 0 && Math.abs(rounded) < 10 ? 1 : 0) : digits
  const text = rounded.toFixed(shown)
  return power === 0 ? text : `${text}${suffixes[power - 1]}${unit === "iec-i" ? "i" : ""}`
}
