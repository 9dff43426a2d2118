/** Formats hunks that could not be applied. */
import type { FilePatch, PatchHunk } from "./parsePatch.ts"

const range = (start: number, count: number): string => count === 1 ? `${start}` : `${start},${count}`

/** A unified diff of the hunks, with the headers of the patch. */
export const formatRejects = (
  hunks: ReadonlyArray<PatchHunk>,
  names: readonly [string, string],
  { header }: FilePatch,
  isReverse: boolean,
): ReadonlyArray<string> => {
  const rests = header.map((line) => /\t.*$/s.exec(line)?.[0] ?? "")
  const [before = "", after = ""] = isReverse ? rests.reverse() : rests
  const out = [`--- ${names[0]}${before}\n`, `+++ ${names[1]}${after}\n`]
  for (const { lines, newStart, oldStart, section } of hunks) {
    const [removed, added] = (["+", "-"] as const).map((sign) => lines.filter((line) => line.sign !== sign).length)
    out.push(`@@ -${range(oldStart, removed ?? 0)} +${range(newStart, added ?? 0)} @@${section}\n`)
    for (const { sign, text } of lines) {
      out.push(text.endsWith("\n") ? sign + text : `${sign}${text}\n\\ No newline at end of file\n`)
    }
  }
  return out
}
