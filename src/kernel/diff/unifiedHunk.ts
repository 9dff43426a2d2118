/** Prints a hunk of the unified format as ranges and signed lines. Source: POSIX diff, "Diff -U Output Format". */
import type { Hunk } from "./groupHunks.ts"

const rangeOf = (from: number, to: number): string =>
  to - from === 1 ? `${to}` : `${to === from ? from : from + 1},${to - from}`

/** The ranges of a hunk: `@@ -1,3 +1,4 @@`. */
export const hunkRange = ({ from, otherFrom, otherTo, to }: Hunk): string =>
  `@@ -${rangeOf(from, to)} +${rangeOf(otherFrom, otherTo)} @@`

/** Lines of a hunk with their sign: those of the context, removed ones, added ones. */
export function* signedLines(
  { changes, from, to }: Hunk,
  one: ReadonlyArray<string>,
  two: ReadonlyArray<string>,
): Generator<readonly [sign: " " | "-" | "+", lines: ReadonlyArray<string>]> {
  let done = from
  for (const { a, aEnd, b, bEnd } of changes) {
    yield [" ", one.slice(done, a)]
    yield ["-", one.slice(a, aEnd)]
    yield ["+", two.slice(b, bEnd)]
    done = aEnd
  }
  yield [" ", one.slice(done, to)]
}

/** The line after a last line that has no newline. */
export const noNewline = "\\ No newline at end of file\n"
