/** Merges two changed texts with their common base, line by line, as git does, with minimal conflicts. */
import type { Change } from "../../../diff/compareTexts.ts"
import { diffTexts } from "../diff/diffTexts.ts"

type Lines = ReadonlyArray<string>
type Pause = () => Promise<void> | void

/** A range of the result: lines of both sides, a change of one side, or a conflict. Ends are exclusive. */
interface Part {
  readonly kind: "ours" | "theirs" | "conflict"
  readonly base: readonly [from: number, to: number]
  readonly ours: readonly [from: number, to: number]
  readonly theirs: readonly [from: number, to: number]
}

export interface MergedText {
  readonly lines: Lines
  readonly conflicts: number
}

export interface MergeLabels {
  readonly ours: string
  readonly base: string
  readonly theirs: string
  /** `diff3` shows the base in conflicts. */
  readonly style: "merge" | "diff3"
  readonly favor?: "ours" | "theirs" | undefined
}

/** Conflicts with at most this many lines between them are one. */
const maxGap = 3

/** Joins the changes of both sides that touch each other. */
const overlay = (one: ReadonlyArray<Change>, two: ReadonlyArray<Change>): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  let [i, j, oursShift, theirsShift] = [0, 0, 0, 0]
  while (i < one.length || j < two.length) {
    const [ours, theirs] = [one[i], two[j]]
    if (ours !== undefined && (theirs === undefined || ours.aEnd < theirs.a)) {
      parts.push({
        kind: "ours",
        base: [ours.a, ours.aEnd],
        ours: [ours.b, ours.bEnd],
        theirs: [ours.a + theirsShift, ours.aEnd + theirsShift],
      })
      oursShift = ours.bEnd - ours.aEnd
      i++
      continue
    }
    if (theirs !== undefined && (ours === undefined || theirs.aEnd < ours.a)) {
      parts.push({
        kind: "theirs",
        base: [theirs.a, theirs.aEnd],
        ours: [theirs.a + oursShift, theirs.aEnd + oursShift],
        theirs: [theirs.b, theirs.bEnd],
      })
      theirsShift = theirs.bEnd - theirs.aEnd
      j++
      continue
    }
    let [from, to] = [Math.min(ours?.a ?? 0, theirs?.a ?? 0), 0]
    const [oursBefore, theirsBefore] = [oursShift, theirsShift]
    const take = (change: Change): void => {
      to = Math.max(to, change.aEnd)
    }
    if (ours !== undefined) take(ours)
    if (theirs !== undefined) take(theirs)
    for (;;) {
      const [nextOurs, nextTheirs] = [one[i], two[j]]
      if (nextOurs !== undefined && nextOurs.a <= to) {
        take(nextOurs)
        oursShift = nextOurs.bEnd - nextOurs.aEnd
        i++
      } else if (nextTheirs !== undefined && nextTheirs.a <= to) {
        take(nextTheirs)
        theirsShift = nextTheirs.bEnd - nextTheirs.aEnd
        j++
      } else break
    }
    from = Math.max(0, from)
    parts.push({
      kind: "conflict",
      base: [from, to],
      ours: [from + oursBefore, to + oursShift],
      theirs: [from + theirsBefore, to + theirsShift],
    })
  }
  return parts
}

const isSame = (one: Lines, two: Lines): boolean =>
  one.length === two.length && one.every((line, at) => line === two[at])

/** Splits a conflict at the lines that both sides have. */
const refine = async (part: Part, ours: Lines, theirs: Lines, pause: Pause): Promise<ReadonlyArray<Part>> => {
  const [one, two] = [ours.slice(...part.ours), theirs.slice(...part.theirs)]
  if (isSame(one, two)) return [{ ...part, kind: "ours" }]
  if (one.length === 0 || two.length === 0) return [part]
  const changes = await diffTexts(one, two, pause)
  return changes.map(({ a, aEnd, b, bEnd }, at) => ({
    kind: "conflict",
    base: at === 0 ? part.base : [part.base[1], part.base[1]],
    ours: [part.ours[0] + a, part.ours[0] + aEnd],
    theirs: [part.theirs[0] + b, part.theirs[0] + bEnd],
  }))
}

/** Joins conflicts with a few lines between them: they are easier to read as one. */
const join = (parts: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  const joined: Array<Part> = []
  for (const part of parts) {
    const last = joined.at(-1)
    const isNear = last !== undefined && last.kind === "conflict" && part.kind === "conflict" &&
      part.ours[0] - last.ours[1] <= maxGap
    if (!isNear) joined.push(part)
    else {
      joined[joined.length - 1] = {
        kind: "conflict",
        base: [last.base[0], part.base[1]],
        ours: [last.ours[0], part.ours[1]],
        theirs: [last.theirs[0], part.theirs[1]],
      }
    }
  }
  return joined
}

/** Each line keeps its newline; a line without one gets it before a marker. */
const terminated = (lines: Lines): Lines =>
  lines.map((line, at) => at === lines.length - 1 && !line.endsWith("\n") ? `${line}\n` : line)

export const mergeTexts = async (
  base: Lines,
  ours: Lines,
  theirs: Lines,
  labels: MergeLabels,
  pause: Pause,
): Promise<MergedText> => {
  const [one, two] = [await diffTexts(base, ours, pause), await diffTexts(base, theirs, pause)]
  let parts = overlay(one, two)
  const refined: Array<Part> = []
  for (const part of parts) {
    if (part.kind !== "conflict") refined.push(part)
    else if (isSame(ours.slice(...part.ours), theirs.slice(...part.theirs))) refined.push({ ...part, kind: "ours" })
    else refined.push(...labels.style === "diff3" ? [part] : await refine(part, ours, theirs, pause))
  }
  parts = labels.style === "diff3" ? refined : join(refined)
  const lines: Array<string> = []
  let [at, conflicts] = [0, 0]
  const put = (more: Lines): void => {
    for (const line of more) lines.push(line)
  }
  for (const part of parts) {
    put(ours.slice(at, part.ours[0]))
    at = part.ours[1]
    const [mine, other] = [ours.slice(...part.ours), theirs.slice(...part.theirs)]
    const kind = part.kind === "conflict" ? labels.favor ?? "conflict" : part.kind
    if (kind === "ours") put(mine)
    else if (kind === "theirs") put(other)
    else {
      conflicts++
      const middle = labels.style === "diff3"
        ? [`||||||| ${labels.base}\n`, ...terminated(base.slice(...part.base))]
        : []
      put([`<<<<<<< ${labels.ours}\n`, ...terminated(mine), ...middle, "=======\n", ...terminated(other)])
      put([`>>>>>>> ${labels.theirs}\n`])
    }
  }
  put(ours.slice(at))
  return { lines, conflicts }
}
