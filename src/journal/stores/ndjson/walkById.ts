/**
 * Walks over the lines of a journal file that may have the correlation id of a scan: the segments that the index of ids names,
 * and all lines that it does not cover.
 *
 * @module
 */
import type { Position } from "../../Entry.ts"
import type { Scan } from "../../JournalStore.ts"
import type { Segment } from "./IdIndex.ts"
import type { JournalFile } from "./JournalFile.ts"
import { type RowCollector, toBlockText } from "./RowCollector.ts"
import { type LineWalk, walkLines } from "./walkLines.ts"

/** What a scan reads of a file that may grow meanwhile: nothing after `head`. */
const segmentsOf = (
  { ids }: JournalFile,
  { after = 0, before = Infinity, order }: Scan,
  id: string,
  head: Position,
): Array<Segment> => {
  const found = ids.segmentsOf(toBlockText(JSON.stringify(id)).slice(1, -1))
  const all = [...found, { first: ids.covered + 1, last: Infinity }].map(({ first, last }) => ({
    first: Math.max(first, after + 1),
    last: Math.min(last, before - 1, head),
  }))
  const meant = all.filter(({ first, last }) => first <= last)
  return order === "backward" ? meant.reverse() : meant
}

/** Starts the walk. The index grows first, if that is due. */
export const walkById = (file: JournalFile, scan: Scan, rows: RowCollector, id: string): LineWalk => {
  const { ids } = file
  const { position: head } = file.head
  let isGrowing = ids.startGrowing(file.end - file.base)
  let growth: LineWalk | undefined
  let segments: Array<Segment> | undefined
  let walk: LineWalk | undefined

  /** Returns whether the index has grown as far as it does. */
  const grow = (until: number): boolean => {
    try {
      growth ??= walkLines(file, { after: ids.covered, limit: Infinity }, ids)
      return growth.step(until)
    } catch {
      // A scan that comes to what cannot be read reports it.
      ids.stop()
      return true
    }
  }

  const step = (until: number): boolean => {
    if (isGrowing && !grow(until)) return false
    isGrowing = false
    segments ??= segmentsOf(file, scan, id, head)
    for (;;) {
      const [segment] = segments
      if (segment === undefined || rows.isDone) return true
      const { first, last } = segment
      walk ??= walkLines(file, { ...scan, after: first - 1, before: last + 1 }, rows)
      const read = rows.readBytes
      const isComplete = walk.step(until)
      if (last > ids.covered) ids.addRead(rows.readBytes - read)
      if (!isComplete) return false
      walk = undefined
      segments.shift()
      if (segments.length > 0 && performance.now() >= until) return false
    }
  }

  return { step }
}
