import type { Program } from "../System.ts"
import { type Change, diffLines } from "./shared/diffLines.ts"
import { maxLineBytes } from "./shared/Input.ts"
import { formatTime } from "./shared/parseTime.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"
import { baseName, joinPath } from "./shared/walk.ts"

/** `diff [-q] [-u | -U N] [-i] [-b] [-w] [--label TEXT]... FILE1 FILE2`: what is different. Source: diff(1). */
export const diff: Program = utility(
  "diff",
  "u U|unified: q|brief i|ignore-case b|ignore-space-change w|ignore-all-space s|report-identical-files label: a|text N",
  async (io) => {
    const [one, two, more] = io.operands
    if (one === undefined || two === undefined) return io.missingOperand()
    if (more !== undefined) return io.extraOperand(more)
    const paths = [inFolder(io, one, two), inFolder(io, two, one)] as const
    const [first, second] = [await read(io, paths[0]), await read(io, paths[1])]
    if (first === undefined || second === undefined) return 2
    const shape = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
      lines.map((line) => {
        const folded = io.has("i") ? line.toLowerCase() : line
        return io.has("w") ? folded.replace(/\s+/g, "") : io.has("b") ? folded.replace(/\s+/g, " ").trimEnd() : folded
      })
    const plain = !(io.has("i") || io.has("b") || io.has("w"))
    const changes = plain
      ? await diffLines(first, second, () => io.settle())
      : await diffLines(shape(first), shape(second), () => io.settle())
    if (changes.length === 0) {
      if (io.has("s")) io.out.putText(`Files ${paths[0]} and ${paths[1]} are identical\n`)
      return 0
    }
    if (io.has("q")) io.out.putText(`Files ${paths[0]} and ${paths[1]} differ\n`)
    else if (io.has("u") || io.has("U")) unified(io, paths, first, second, changes)
    else normal(io, first, second, changes)
    return 1
  },
  { trouble: 2 },
)

/** A folder stands for its file of the other's name. */
const inFolder = (io: UtilityIo, path: string, other: string): string => {
  const stat = path === "-" ? undefined : io.system.stat(path)
  return typeof stat === "object" && stat.type === 3 ? joinPath(path, baseName(other)) : path
}

/** All lines of a file with their newlines. */
const read = async (io: UtilityIo, path: string): Promise<ReadonlyArray<string> | undefined> => {
  const input = io.open(path)
  if (input === undefined) return undefined
  const lines: Array<string> = []
  let held = 0
  for (let line = await input.line(); line !== undefined; line = await input.line()) {
    held += line.length + 32
    if (held > maxLineBytes) io.fail(`${path}: more than ${maxLineBytes} bytes would have to be held`)
    lines.push(input.terminated ? `${line}\n` : line)
  }
  input.close()
  return input.failed ? undefined : lines
}

const put = (io: UtilityIo, sign: string, lines: ReadonlyArray<string>): void => {
  for (const line of lines) {
    io.out.putBinary(line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`)
  }
}

const normal = (
  io: UtilityIo,
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  changes: ReadonlyArray<Change>,
): void => {
  const range = (from: number, to: number): string => to - from <= 1 ? `${to}` : `${from + 1},${to}`
  for (const { a, aEnd, b, bEnd } of changes) {
    const letter = a === aEnd ? "a" : b === bEnd ? "d" : "c"
    io.out.putText(`${range(a, aEnd)}${letter}${range(b, bEnd)}\n`)
    put(io, "< ", one.slice(a, aEnd))
    if (letter === "c") io.out.putText("---\n")
    put(io, "> ", two.slice(b, bEnd))
  }
}

const unified = (
  io: UtilityIo,
  paths: readonly [string, string],
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
  changes: ReadonlyArray<Change>,
): void => {
  const around = Number(io.value("U") ?? "3")
  if (!(around >= 0)) io.fail(`invalid context length '${io.value("U") ?? ""}'`)
  const labels = io.options.all.filter(([name]) => name === "label").map(([, text]) => text)
  const title = (at: 0 | 1): string => {
    const stat = io.system.stat(paths[at])
    const time = typeof stat === "object" ? stat.modified : io.system.now()
    return labels[at] ?? `${paths[at]}\t${formatTime("%Y-%m-%d %H:%M:%S.%N %z", time, io.system.env.get("TZ"))}`
  }
  io.out.putText(`--- ${title(0)}\n+++ ${title(1)}\n`)
  const range = (from: number, to: number): string =>
    to - from === 1 ? `${to}` : `${to === from ? from : from + 1},${to - from}`
  for (let at = 0; at < changes.length;) {
    let end = at + 1
    while (end < changes.length && (changes[end]?.a ?? 0) - (changes[end - 1]?.aEnd ?? 0) <= 2 * around) end++
    const group = changes.slice(at, end)
    const [first, last] = [group[0], group[group.length - 1]]
    if (first === undefined || last === undefined) break
    const before = Math.min(around, first.a, first.b)
    const after = Math.min(around, one.length - last.aEnd)
    io.out.putText(
      `@@ -${range(first.a - before, last.aEnd + after)} +${range(first.b - before, last.bEnd + after)} @@\n`,
    )
    let from = first.a - before
    for (const { a, aEnd, b, bEnd } of group) {
      put(io, " ", one.slice(from, a))
      put(io, "-", one.slice(a, aEnd))
      put(io, "+", two.slice(b, bEnd))
      from = aEnd
    }
    put(io, " ", one.slice(from, from + after))
    at = end
  }
}
