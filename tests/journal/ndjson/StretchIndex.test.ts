import { expect, it } from "@effect/vitest"
import { type Filter, matches } from "@sluice/shell/journal"
import { nameHash } from "../../../src/journal/stores/ndjson/nameHash.ts"
import { Sketch } from "../../../src/journal/stores/ndjson/Sketch.ts"
import { StretchIndex } from "../../../src/journal/stores/ndjson/StretchIndex.ts"
import { forSeeds, type Random } from "../../support/random.ts"

/** A line of a file. */
interface Line {
  readonly from: number
  readonly to: number
  readonly branch: string
  readonly correlationId: string
  readonly tag: string
}

/** A file that begins at byte 100; ids come again for a while and then never, as those of commands do. */
const randomLines = ({ int, pick }: Random, count: number): ReadonlyArray<Line> => {
  let at = 100
  return Array.from({ length: count }, (_, index) => {
    const from = at
    at += pick([10, 20, 30, 500])
    const correlationId = `${Math.floor(index / 20) + int(0, 3)}`
    return {
      from,
      to: at,
      branch: pick(["a", "b"]),
      correlationId,
      tag: pick(["x", "y", `z${Math.floor(index / 50)}`]),
    }
  })
}

const learn = (index: StretchIndex, lines: ReadonlyArray<Line>): void => {
  const ids = new Sketch()
  let kinds = 0
  for (const { branch, correlationId, tag } of lines) {
    ids.add(nameHash(correlationId))
    kinds |= index.kinds.bit(branch, tag)
  }
  index.add({ from: lines[0]?.from ?? 0, to: lines.at(-1)?.to ?? 0, kinds, ids })
}

const learnSome = (index: StretchIndex, lines: ReadonlyArray<Line>, { int }: Random, most: number): void => {
  const first = int(0, lines.length - 1)
  learn(index, lines.slice(first, first + int(1, most)))
}

const randomFilter = ({ int, pick }: Random, lines: ReadonlyArray<Line>): Filter => {
  const { branch, correlationId, tag } = pick(lines)
  return {
    ...(int(0, 2) === 0 ? undefined : { correlationId }),
    ...(int(0, 2) === 0 ? { branch } : undefined),
    tags: int(0, 2) === 0 ? ["nothing", tag] : undefined,
  }
}

/** Reads on until the end as who scans does; the lines that are read. */
const forward = (index: StretchIndex, lines: ReadonlyArray<Line>, from: number, filter: Filter, most: number) => {
  const wanted = index.wanted(filter)
  const end = lines.at(-1)?.to ?? 0
  const read: Array<Line> = []
  let offset = from
  while (wanted !== undefined && offset < end) {
    const span = index.ahead(offset, end, most, wanted)
    if (span.from < offset || span.to > Math.min(end, span.from + most)) throw new Error("it is not what is next")
    const whole = lines.filter((line) => line.from >= span.from && line.to <= span.to)
    read.push(...whole)
    offset = whole.at(-1)?.to ?? span.from
    if (span.from < end && whole[0]?.from !== span.from) throw new Error("no line begins there")
  }
  return read
}

const backward = (index: StretchIndex, lines: ReadonlyArray<Line>, to: number, filter: Filter, most: number) => {
  const wanted = index.wanted(filter)
  const base = lines[0]?.from ?? 0
  const read: Array<Line> = []
  let offset = to
  while (wanted !== undefined && offset > base) {
    const span = index.behind(offset, base, most, wanted)
    if (span.to > offset || span.from < Math.max(base, span.to - most)) throw new Error("it is not what is next")
    const whole = lines.filter((line) => line.from >= span.from && line.to <= span.to)
    read.push(...whole)
    if (span.to > base && whole.at(-1)?.to !== span.to) throw new Error("no line ends there")
    if (!span.whole && span.from !== span.to - most) throw new Error("a line begins there, and it does not say so")
    if (span.to > base && span.whole && whole[0]?.from !== span.from) throw new Error("no line begins there")
    offset = whole[0]?.from ?? span.to
  }
  return read
}

it("passes over no line that is meant, whatever was learned, in whatever order", () => {
  forSeeds(40, (luck) => {
    const lines = randomLines(luck, 300)
    const index = new StretchIndex({ leastBytes: luck.pick([50, 200, 1_000]), most: luck.pick([3, 20, 1_000]) })
    for (let round = 0; round < 30; round++) {
      learnSome(index, lines, luck, 30)
      const filter = randomFilter(luck, lines)
      if (index.wanted(filter) === undefined) continue
      const start = luck.pick(lines).from
      const meant = lines.filter((line) => matches(filter, line))
      const ahead = new Set(forward(index, lines, start, filter, luck.pick([500, 3_000])))
      expect(meant.filter((line) => line.from >= start && !ahead.has(line))).toEqual([])
      const behind = new Set(backward(index, lines, start, filter, luck.pick([500, 3_000])))
      expect(meant.filter((line) => line.to <= start && !behind.has(line))).toEqual([])
    }
  })
})

it("keeps stretches in order, none over another, and no more than it may", () => {
  forSeeds(20, (luck) => {
    const lines = randomLines(luck, 500)
    const most = luck.pick([1, 7, 50])
    const index = new StretchIndex({ leastBytes: 50, most })
    for (let round = 0; round < 200; round++) {
      learnSome(index, lines, luck, 12)
      expect(index.size).toBeLessThanOrEqual(most)
      let end = 0
      for (const { from, to } of index.stretches) {
        if (from < end || to <= from) throw new Error(`one from ${from} to ${to} comes after ${end}`)
        end = to
      }
    }
    const wrong = lines.filter((line) => {
      const { from, known, to } = index.around(line.from)
      const isKnown = index.stretches.some((stretch) => stretch.from <= line.from && line.to <= stretch.to)
      return from > line.from || line.to > to || known !== isKnown
    })
    expect(wrong).toEqual([])
  })
})

it("joins what follows until it is long enough, and doubles what that is when there are too many", () => {
  const index = new StretchIndex({ leastBytes: 100, most: 10 })
  const learnAt = (at: number) =>
    learn(index, [{ from: at, to: at + 25, branch: "a", correlationId: `${at}`, tag: "x" }])
  for (let at = 0; at < 1_000; at += 25) learnAt(at)
  expect(index.leastBytes).toBe(100)
  expect(index.stretches.map(({ from, to }) => to - from)).toEqual(Array.from({ length: 6 }, () => 175).with(5, 125))
  for (let at = 1_000; at < 100_000; at += 25) learnAt(at)
  expect(index.leastBytes).toBeGreaterThanOrEqual(6_400)
  expect(index.size).toBeGreaterThan(3)
  expect(index.stretches[0]?.from).toBe(0)
  expect(index.stretches.at(-1)?.to).toBe(100_000)
  // Backwards it is the same.
  index.clear()
  expect(index.leastBytes).toBe(100)
  for (let at = 975; at >= 0; at -= 25) learnAt(at)
  expect(index.size).toBe(6)
})

it("forgets everything when it is told to", () => {
  const index = new StretchIndex()
  const line = { from: 0, to: 50_000, branch: "a", correlationId: "1", tag: "x" }
  learn(index, [line])
  expect(forward(index, [line], 0, { correlationId: "2" }, 50_000)).toEqual([])
  index.clear()
  expect(index.size).toBe(0)
  expect(forward(index, [line], 0, { correlationId: "2" }, 50_000)).toEqual([line])
})

it("takes kinds into account that others met after a scan began", () => {
  const index = new StretchIndex()
  const wanted = index.wanted({ branch: "late" })
  learn(index, [{ from: 0, to: 10, branch: "early", correlationId: "1", tag: "x" }])
  if (wanted === undefined) throw new Error("it asks for something")
  expect(index.ahead(0, 10, 100, wanted)).toEqual({ from: 10, to: 10 })
  learn(index, [{ from: 10, to: 20, branch: "late", correlationId: "2", tag: "x" }])
  expect(index.ahead(10, 20, 100, wanted).from).toBe(10)
})

it("takes at most four mebibytes of hashes and what is around them", () => {
  const index = new StretchIndex()
  const idsEach = 200
  for (let round = 0; round < 10_000; round++) {
    const ids = new Sketch()
    for (let id = 0; id < idsEach; id++) ids.add(nameHash(`${round} ${id}`))
    index.add({ from: round * 50_000, to: (round + 1) * 50_000, kinds: 1, ids })
  }
  expect(index.size).toBeGreaterThan(2_000)
  const hashes = index.stretches.reduce((sum, { ids }) => sum + ids.bytes, 0)
  // Around each there are objects: 310 to 420 bytes were measured.
  expect(hashes + index.size * 420).toBeLessThanOrEqual(4 * 1024 * 1024)
})
