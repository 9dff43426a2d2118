/** Applies the hunks of a patch to the lines of a file as git does: with the whole context, near the place they name. */
import type { PatchHunk } from "../../../utilities/patch/parsePatch.ts"

/** The lines with all hunks applied, or the first hunk that does not fit. */
export type HunksResult =
  | {
    readonly lines: ReadonlyArray<string>
    readonly offsets: ReadonlyArray<{ readonly number: number; readonly line: number; readonly offset: number }>
  }
  | { readonly failed: PatchHunk }

const linesPerPause = 65_536

/** Finds lines nearest to where they should be. Source: `find_pos` of git's apply.c. */
const findPlace = async (
  lines: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>,
  start: number,
  { atEnd, atStart, from, pause }: {
    readonly atStart: boolean
    readonly atEnd: boolean
    /** Lines before are the result of earlier hunks. */
    readonly from: number
    readonly pause: () => Promise<void>
  },
): Promise<number | undefined> => {
  const last = lines.length - wanted.length
  let compared = 0
  const matches = (at: number): boolean => {
    if (at < from || at > last || (atStart && at !== 0) || (atEnd && at !== last)) return false
    return wanted.every((line, index) => {
      compared++
      return lines[at + index] === line
    })
  }
  const guess = Math.min(atStart ? 0 : atEnd ? last : start, lines.length)
  for (let distance = 0; distance <= Math.max(guess, last - guess); distance++) {
    if (matches(guess + distance)) return guess + distance
    if (distance > 0 && matches(guess - distance)) return guess - distance
    if (distance % 256 < 255 && compared < linesPerPause) continue
    compared = 0
    await pause()
  }
  return undefined
}

export const applyHunks = async (
  before: ReadonlyArray<string>,
  hunks: ReadonlyArray<PatchHunk>,
  pause: () => Promise<void>,
): Promise<HunksResult> => {
  const offsets: Array<{ number: number; line: number; offset: number }> = []
  const out: Array<string> = []
  let done = 0
  const take = async (to: number): Promise<void> => {
    for (; done < to; done++) {
      out.push(before[done] ?? "")
      if (done % linesPerPause === linesPerPause - 1) await pause()
    }
  }
  for (const [index, hunk] of hunks.entries()) {
    const old = hunk.lines.filter(({ sign }) => sign !== "+").map(({ text }) => text)
    // Places are those in the file as the hunks before leave it.
    const growth = out.length - done
    const start = Math.max(0, hunk.newStart - 1) - growth
    const atStart = hunk.oldStart <= 1
    const at = atStart && growth !== 0 ? undefined : await findPlace(before, old, start, {
      atStart,
      atEnd: hunk.lines.at(-1)?.sign !== " ",
      from: done,
      pause,
    })
    if (at === undefined) return { failed: hunk }
    await take(at)
    if (at !== start) offsets.push({ number: index + 1, line: out.length + 1, offset: at - start })
    for (const { sign, text } of hunk.lines) if (sign !== "-") out.push(text)
    done += old.length
    await pause()
  }
  await take(before.length)
  return { lines: out, offsets }
}
