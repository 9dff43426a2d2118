/** Prints files merged by formats of lines and groups. Source: GNU diffutils' manual, "Merging Files with If-then-else". */
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { DiffInput } from "./DiffPrinter.ts"

const namedFormats = [
  ...["line-format", "old-line-format", "new-line-format", "unchanged-line-format"],
  ...["old-group-format", "new-group-format", "unchanged-group-format", "changed-group-format"],
]

/** Options, any of which selects this output. */
export const formatOptions: ReadonlyArray<string> = ["D", ...namedFormats]

export const formatSpec: string = `D|ifdef: ${namedFormats.map((option) => `${option}:`).join(" ")}`

/** The formats of `-D NAME`. */
const formatsOf = (name: string): Readonly<Record<string, string>> => ({
  "old-group-format": `#ifndef ${name}\n%<#endif /* ! ${name} */\n`,
  "new-group-format": `#ifdef ${name}\n%>#endif /* ${name} */\n`,
  "changed-group-format": `#ifndef ${name}\n%<#else /* ${name} */\n%>#endif /* ${name} */\n`,
})

type LineType = "old" | "new" | "unchanged"

interface Group {
  readonly type: LineType | "changed"
  readonly a: number
  readonly aEnd: number
  readonly b: number
  readonly bEnd: number
}

/** Numbers of a group: of its first and last line, of those around it, and how many it has. */
const numbers: Readonly<Record<string, (from: number, to: number) => number>> = {
  e: (from) => from,
  f: (from) => from + 1,
  l: (_, to) => to,
  m: (_, to) => to + 1,
  n: (from, to) => to - from,
}

const pieces = /%(?:%|c'(\\[0-7]{1,3}|\\?[^'])'|([<>=lL])|(-?[0-9]*)(?:\.[0-9]+)?([doxX])([efnlmEFNLM]))|[^%]+|%/gs

const formatNumber = (value: number, width: string, kind: string): string => {
  const text = value.toString(kind === "o" ? 8 : kind === "d" ? 10 : 16)
  const cased = kind === "X" ? text.toUpperCase() : text
  const size = Math.min(1_000, Math.abs(Number(width || "0")))
  return width.startsWith("-")
    ? cased.padEnd(size)
    : width.startsWith("0")
    ? cased.padStart(size, "0")
    : cased.padStart(size)
}

const character = (text: string): string =>
  /^\\[0-7]/.test(text) ? String.fromCharCode(parseInt(text.slice(1), 8) & 255) : text.replace(/^\\(?=.)/s, "")

export const printFormatted = async (io: UtilityIo, { changes, one, two }: DiffInput): Promise<void> => {
  const name = io.value("D")
  const defaults = name === undefined ? {} : formatsOf(name)
  const given = (option: string): string | undefined => io.value(option) ?? defaults[option]
  for (const [option, format] of Object.entries(defaults)) {
    const other = io.value(option)
    if (other !== undefined && other !== format) io.failUsage(`conflicting --${option} option value '${other}'`)
  }
  const lineFormat = (type: LineType): string => io.value(`${type}-line-format`) ?? io.value("line-format") ?? "%l\n"
  const old = given("old-group-format") ?? given("changed-group-format") ?? "%<"
  const added = given("new-group-format") ?? given("changed-group-format") ?? "%>"
  const formats = {
    old,
    new: added,
    unchanged: io.value("unchanged-group-format") ?? "%=",
    changed: given("changed-group-format") ?? old + added,
  }
  const putLines = async (
    type: LineType,
    lines: ReadonlyArray<string>,
    from: number,
    to: number,
  ): Promise<void> => {
    const format = lineFormat(type)
    const parts = Array.from(format.matchAll(pieces))
    for (let at = from; at < to; at++) {
      const line = lines[at] ?? ""
      for (const [all, literal, letter, width = "", kind] of parts) {
        if (all === "%%") io.out.putBinary("%")
        else if (literal !== undefined) io.out.putBinary(character(literal))
        else if (letter === "L") io.out.putBinary(line)
        else if (letter === "l") io.out.putBinary(line.replace(/\n$/, ""))
        else if (kind !== undefined) io.print(formatNumber(at + 1, width, kind))
        else if (all.startsWith("%")) io.fail(`invalid line format '${format}'`)
        else io.print(all)
        if (io.out.isFull) await io.flushAndYield()
      }
      if (at % 256 === 255) await io.flushAndYield()
    }
  }
  const putGroup = async (group: Group): Promise<void> => {
    const { a, aEnd, b, bEnd, type } = group
    for (const [all, literal, letter, width = "", kind, name = ""] of formats[type].matchAll(pieces)) {
      if (all === "%%") io.out.putBinary("%")
      else if (literal !== undefined) io.out.putBinary(character(literal))
      else if (letter === "<") await putLines(type === "unchanged" ? "unchanged" : "old", one.lines, a, aEnd)
      else if (letter === ">") await putLines(type === "unchanged" ? "unchanged" : "new", two.lines, b, bEnd)
      else if (letter === "=") await putLines("unchanged", one.lines, a, aEnd)
      else if (kind !== undefined) {
        const [from, to] = name === name.toLowerCase() ? [a, aEnd] : [b, bEnd]
        io.print(formatNumber(numbers[name.toLowerCase()]?.(from, to) ?? 0, width, kind))
      } else if (all.startsWith("%")) io.fail(`invalid group format '${formats[type]}'`)
      else io.print(all)
    }
  }
  let [done, otherDone] = [0, 0]
  const unchanged = async (to: number, otherTo: number): Promise<void> => {
    if (to > done) await putGroup({ type: "unchanged", a: done, aEnd: to, b: otherDone, bEnd: otherTo })
  }
  for (const change of changes) {
    const { a, aEnd, b, bEnd } = change
    await unchanged(a, b)
    await putGroup({ ...change, type: a === aEnd ? "new" : b === bEnd ? "old" : "changed" })
    ;[done, otherDone] = [aEnd, bEnd]
    await io.flushAndYield()
  }
  await unchanged(one.lines.length, two.lines.length)
}
