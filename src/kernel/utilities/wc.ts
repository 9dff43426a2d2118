/** Implements the `wc` utility, which counts and prints the lines, words, characters and bytes of files. */
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import { countByte } from "./shared/countByte.ts"
import { isUtf8Locale } from "./shared/isUtf8Locale.ts"
import { defineUtility } from "./shared/defineUtility.ts"

interface Counts {
  lines: number
  words: number
  chars: number
  bytes: number
  maxWidth: number
}

const zeroCounts = (): Counts => ({ bytes: 0, chars: 0, lines: 0, maxWidth: 0, words: 0 })

/** `wc [-lwcmL] [FILE]...`: counts lines, words, characters and bytes. Source: wc(1). */
export const wc: Program = defineUtility("wc", "l|lines w|words c|bytes m|chars L|max-line-length", async (io) => {
  const { system } = io
  const chosen = ["l", "w", "m", "c", "L"].filter((name) => io.has(name))
  const shown = chosen.length > 0 ? chosen : ["l", "w", "c"]
  const utf8 = isUtf8Locale(system.env)
  const needsWords = shown.includes("w") || shown.includes("L")
  const needsLines = shown.includes("l")
  const needsChars = shown.includes("m") && utf8
  const rows: Array<readonly [Counts, string | undefined]> = []
  const total = zeroCounts()
  let known = 0
  let regular = true
  for (const input of io.inputs()) {
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
    rows.push([counts, io.operands.length === 0 ? undefined : input.path])
    total.bytes += counts.bytes
    total.chars += counts.chars
    total.lines += counts.lines
    total.words += counts.words
    total.maxWidth = Math.max(total.maxWidth, counts.maxWidth)
  }
  if (io.operands.length > 1) rows.push([total, "total"])
  const width = shown.length === 1 && rows.length === 1 ? 1 : Math.max(`${known}`.length, regular ? 1 : 7)
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
