/** Implements the `diff` utility, in the normal and the unified format. */
import type { Program } from "../System.ts"
import { type Change, diffLines } from "./shared/diffLines.ts"
import { strftime } from "../strftime.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"
import { baseName, joinPath } from "./shared/paths.ts"

/**
 * `diff [-q] [-u | -U N] [-i] [-b] [-w] [--label TEXT]... FILE1 FILE2`: prints differences. Source: diff(1).
 */
export const diff: Program = defineUtility(
  "diff",
  "u U|unified: q|brief i|ignore-case b|ignore-space-change w|ignore-all-space s|report-identical-files label: a|text N",
  async (io) => {
    const [one = "", two = ""] = io.operands
    const paths = [resolveInDirectory(io, one, two), resolveInDirectory(io, two, one)] as const
    const [first, second] = [await readLines(io, paths[0]), await readLines(io, paths[1])]
    if (first === undefined || second === undefined) return 2
    const normalize = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
      lines.map((line) => {
        const folded = io.has("i") ? line.toLowerCase() : line
        return io.has("w") ? folded.replace(/\s+/g, "") : io.has("b") ? folded.replace(/\s+/g, " ").trimEnd() : folded
      })
    const plain = !(io.has("i") || io.has("b") || io.has("w"))
    const [a, b] = plain ? [first, second] : [normalize(first), normalize(second)]
    const changes = await diffLines(a, b, () => io.flushAndYield())
    if (changes.length === 0) {
      if (io.has("s")) io.print(`Files ${paths[0]} and ${paths[1]} are identical\n`)
      return 0
    }
    if (io.has("q")) io.print(`Files ${paths[0]} and ${paths[1]} differ\n`)
    else if (io.has("u") || io.has("U")) printUnified(io, paths, first, second, changes)
    else printNormal(io, first, second, changes)
    return 1
  },
  { errorExitCode: 2, minOperands: 2, maxOperands: 2 },
)

/** A directory stands for the file in it that has the name of the other operand. */
const resolveInDirectory = (io: UtilityIo, path: string, other: string): string => {
  return path !== "-" && io.isDirectory(path) ? joinPath(path, baseName(other)) : path
}

const readLines = async (io: UtilityIo, path: string): Promise<ReadonlyArray<string> | undefined> => {
  const input = io.openInput(path)
  if (input === undefined) return undefined
  const lines = await io.readLines(input)
  input.close()
  return input.failed ? undefined : lines
}

const putLines = (io: UtilityIo, sign: string, lines: ReadonlyArray<string>): void => {
  for (const line of lines) {
    io.out.putBinary(line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`)
  }
}

const printNormal = (
  io: UtilityIo,
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  changes: ReadonlyArray<Change>,
): void => {
  const range = (from: number, to: number): string => to - from <= 1 ? `${to}` : `${from + 1},${to}`
  for (const { a, aEnd, b, bEnd } of changes) {
    const letter = a === aEnd ? "a" : b === bEnd ? "d" : "c"
    io.print(`${range(a, aEnd)}${letter}${range(b, bEnd)}\n`)
    putLines(io, "< ", one.slice(a, aEnd))
    if (letter === "c") io.print("---\n")
    putLines(io, "> ", two.slice(b, bEnd))
  }
}

const printUnified = (
  io: UtilityIo,
  paths: readonly [string, string],
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  changes: ReadonlyArray<Change>,
): void => {
  const context = Number(io.value("U") ?? "3")
  if (!(context >= 0)) io.fail(`invalid context length '${io.value("U") ?? ""}'`)
  const labels = io.values("label")
  const title = (at: 0 | 1): string => {
    const stat = io.system.stat(paths[at])
    const time = typeof stat === "object" ? stat.modified : io.system.now()
    return labels[at] ?? `${paths[at]}\t${strftime("%Y-%m-%d %H:%M:%S.%N %z", time, io.zone)}`
  }
  io.print(`--- ${title(0)}\n+++ ${title(1)}\n`)
  const range = (from: number, to: number): string =>
    to - from === 1 ? `${to}` : `${to === from ? from : from + 1},${to - from}`
  for (let at = 0; at < changes.length;) {
    let end = at + 1
    while (end < changes.length && (changes[end]?.a ?? 0) - (changes[end - 1]?.aEnd ?? 0) <= 2 * context) end++
    const group = changes.slice(at, end)
    const [first, last] = [group[0], group[group.length - 1]]
    if (first === undefined || last === undefined) break
    const before = Math.min(context, first.a, first.b)
    const after = Math.min(context, one.length - last.aEnd)
    io.print(
      `@@ -${range(first.a - before, last.aEnd + after)} +${range(first.b - before, last.bEnd + after)} @@\n`,
    )
    let from = first.a - before
    for (const { a, aEnd, b, bEnd } of group) {
      putLines(io, " ", one.slice(from, a))
      putLines(io, "-", one.slice(a, aEnd))
      putLines(io, "+", two.slice(b, bEnd))
      from = aEnd
    }
    putLines(io, " ", one.slice(from, from + after))
    at = end
  }
}
