/** Implements the `wc` utility, which counts and prints the lines, words, characters and bytes of files. */
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import { binaryToText } from "../binaryString.ts"
import { countByte } from "./shared/countByte.ts"
import { isUtf8Locale } from "../isUtf8Locale.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

const spec = "l|lines w|words c|bytes m|chars L|max-line-length files0-from:"

interface Counts {
  lines: number
  words: number
  chars: number
  bytes: number
  maxWidth: number
}

const zeroCounts = (): Counts => ({ bytes: 0, chars: 0, lines: 0, maxWidth: 0, words: 0 })

/** Maximum bytes of the names that `--files0-from` reads. */
const maxNamesBytes = 16_777_216

/** The paths that the file of `--files0-from` names, each ended by NUL. */
const readNames = async (io: UtilityIo, file: string): Promise<ReadonlyArray<string>> => {
  if (io.operands.length > 0) io.failUsage("file operands cannot be combined with --files0-from")
  const input = io.openInput(file, 0)
  if (input === undefined) return io.exit(1)
  const names: Array<string> = []
  let held = 0
  await io.forEachLine([input], (line) => {
    if (line === "") io.fail(`${file}:${names.length + 1}: invalid zero-length file name`)
    held += line.length + 32
    if (held > maxNamesBytes) io.fail(`${file}: more than ${maxNamesBytes} bytes of names`)
    names.push(binaryToText(line))
  })
  input.close()
  return names
}

/** Whether a path is a regular file, so that all names in it are known before counting starts. */
const isFile = (io: UtilityIo, path: string): boolean => {
  const stat = path === "-" ? io.system.fstat(0) : io.system.stat(path)
  return typeof stat === "object" && stat.type === FileType.regularFile
}

/** `wc [-lwcmL] [--files0-from=FILE] [FILE]...`: counts lines, words, characters and bytes. Source: wc(1). */
export const wc: Program = defineUtility("wc", spec, async (io) => {
  const { system } = io
  const chosen = ["l", "w", "m", "c", "L"].filter((name) => io.has(name))
  const shown = chosen.length > 0 ? chosen : ["l", "w", "c"]
  const utf8 = isUtf8Locale(system.env)
  const needsWords = shown.includes("w") || shown.includes("L")
  const needsLines = shown.includes("l")
  const needsChars = shown.includes("m") && utf8
  const list = io.value("files0-from")
  const names = list === undefined ? io.operands : await readNames(io, list)
  const rows: Array<readonly [Counts, string | undefined]> = []
  const total = zeroCounts()
  let known = 0
  let regular = true
  for (const path of names.length === 0 && list === undefined ? ["-"] : names) {
    const input = io.openInput(path)
    if (input === undefined) continue
    const stat = system.fstat(input.fd)
    if (typeof stat !== "number" && stat.type === FileType.regularFile) known += stat.size
    else regular = false
    const counts = zeroCounts()
    let inWord = false
    let column = 0
    for await (const chunk of io.chunks(input)) {
      counts.bytes += chunk.length
      if (needsWords) {
        for (let at = 0; at < chunk.length; at++) {
          const byte = chunk[at] ?? 0
          if (byte === 32 || (byte >= 9 && byte <= 13)) {
            inWord = false
            if (byte === 10) counts.lines++
            if (byte === 9) column += 8 - column % 8
            else if (byte === 32) column++
            else if (byte !== 11) {
              counts.maxWidth = Math.max(counts.maxWidth, column)
              column = 0
            }
          } else {
            // In the C locale a byte outside ASCII starts no word and has no width.
            if (!inWord && (utf8 || (byte > 32 && byte < 127))) {
              inWord = true
              counts.words++
            }
            if (utf8 ? (byte & 0xc0) !== 0x80 && byte >= 32 && byte !== 127 : byte >= 32 && byte < 127) column++
          }
        }
      } else if (needsLines) counts.lines += countByte(chunk, 10)
      if (needsChars) { for (const byte of chunk) if ((byte & 0xc0) !== 0x80) counts.chars++ }
    }
    if (!needsChars) counts.chars = counts.bytes
    counts.maxWidth = Math.max(counts.maxWidth, column)
    rows.push([counts, names.length === 0 ? undefined : input.path])
    input.close()
    total.bytes += counts.bytes
    total.chars += counts.chars
    total.lines += counts.lines
    total.words += counts.words
    total.maxWidth = Math.max(total.maxWidth, counts.maxWidth)
  }
  if (names.length > 1) rows.push([total, "total"])
  const isStream = list !== undefined && !isFile(io, list)
  const width = isStream
    ? 1
    : shown.length === 1 && rows.length === 1
    ? 1
    : Math.max(`${known}`.length, regular ? 1 : 7)
  for (const [counts, name] of rows) {
    const values: Readonly<Record<string, number>> = {
      L: counts.maxWidth,
      c: counts.bytes,
      l: counts.lines,
      m: counts.chars,
      w: counts.words,
    }
    const numbers = shown.map((key) => `${values[key] ?? 0}`.padStart(width)).join(" ")
    io.print(name === undefined ? `${numbers}\n` : `${numbers} ${name}\n`)
  }
})
