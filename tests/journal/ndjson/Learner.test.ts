import { expect, it } from "@effect/vitest"
import { type Filter, matches, type Row } from "@sluice/shell/journal"
import { Learner } from "../../../src/journal/stores/ndjson/Learner.ts"
import { LineWriter } from "../../../src/journal/stores/ndjson/line.ts"
import { nameHash } from "../../../src/journal/stores/ndjson/nameHash.ts"
import { StretchIndex } from "../../../src/journal/stores/ndjson/StretchIndex.ts"
import { forSeeds, type Random } from "../../support/random.ts"

const names = ["a", "b", `c"\\`, "é😀", `x","tag":"b`, "", "d\u0001\ud800", "n".repeat(300), `,"body":`]

const randomRows = ({ int, pick }: Random, count: number): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, index) => ({
    position: index + 1,
    time: pick([0, 1_700_000_000_000, 0.5]),
    branch: pick(["compute", "compute", pick(names)]),
    correlationId: pick([`${int(0, 10)}`, pick(names)]),
    tag: pick(["ShellChunk", "ShellFault", pick(names)]),
    version: 1,
    hash: "0123456789abcdef".repeat(4),
    body: pick(["", `{"_tag":"T","inner":{"position":1,"time":1,"branch":"compute","correlationId":"a","tag":"b"}}`]),
  }))

/** Rows that are all alike. */
const rowsOf = (count: number): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, index) => ({
    position: index + 1,
    time: 0,
    branch: "compute",
    correlationId: "0",
    tag: "T",
    version: 1,
    hash: "0123456789abcdef".repeat(4),
    body: `{"_tag":"T"}`,
  }))

const blockOf = (text: string) => {
  const bytes = Buffer.from(text, "utf8")
  return { bytes, text: bytes.toString("latin1") }
}

/** The places of lines in a text. */
const linesOf = (text: string): ReadonlyArray<{ readonly at: number; readonly end: number }> => {
  const lines: Array<{ at: number; end: number }> = []
  let at = 0
  for (let end = text.indexOf("\n") + 1; end > 0; end = text.indexOf("\n", at) + 1) {
    lines.push({ at, end })
    at = end
  }
  return lines
}

const readAll = (index: StretchIndex, text: string, backward = false): void => {
  const block = blockOf(text)
  const learner = new Learner(index)
  const lines = linesOf(block.text)
  for (const { at, end } of backward ? lines.toReversed() : lines) learner.line(block, at, 1_000 + at, 1_000 + end)
  learner.done()
}

const writeAll = (index: StretchIndex, rows: ReadonlyArray<Row>, text: string): void => {
  const learner = new Learner(index)
  const lines = linesOf(blockOf(text).text)
  for (const [nth, row] of rows.entries()) {
    const { at = 0, end = 0 } = lines[nth] ?? {}
    learner.row(row, 1_000 + at, 1_000 + end)
  }
  learner.done()
}

/** Whether a stretch of an index may hold what is meant. */
const mayHold = (index: StretchIndex, filter: Filter): ReadonlyArray<boolean> =>
  index.stretches.map(({ ids, kinds }) => index.wanted(filter)?.mayBeIn(kinds, ids) ?? true)

it("learns the same from lines, forward and backward, as from the rows that were written", () => {
  forSeeds(40, (luck) => {
    const rows = randomRows(luck, luck.int(1, 60))
    const text = new LineWriter().transaction(rows)
    const ways = [false, true].map((backward) => {
      const index = new StretchIndex()
      readAll(index, text, backward)
      return index
    })
    const written = new StretchIndex()
    writeAll(written, rows, text)
    for (const index of [...ways, written]) {
      expect(index.stretches.map(({ from, to }) => ({ from, to }))).toEqual([
        { from: 1_000, to: 1_000 + Buffer.byteLength(text) },
      ])
      const filters: ReadonlyArray<Filter> = [
        ...[...names, "0", "5", "nobody"].flatMap((name) => [
          { correlationId: name },
          { branch: name },
          { tags: [name] },
        ]),
        { tags: ["ShellChunk"] },
        { branch: "compute", tags: ["ShellFault"] },
      ]
      for (const filter of filters) {
        // So few ids are known exactly; branches and tags share bits when a name is too long to be remembered.
        const exact = filter.correlationId !== undefined
        const meant = rows.some((row) => matches(filter, row))
        if (exact || meant) expect(mayHold(index, filter), JSON.stringify(filter)).toEqual([meant])
      }
    }
  })
})

it("learns of each stretch what is in it, though names come and go", () => {
  forSeeds(20, ({ int, pick }) => {
    const rows = rowsOf(300).map((row) => ({
      ...row,
      branch: pick(["x", "y"]),
      correlationId: `${int(0, 30)}`,
      tag: pick(["s", "t", "u"]),
    }))
    const text = new LineWriter().transaction(rows)
    const lines = linesOf(text)
    for (const backward of [false, true]) {
      const index = new StretchIndex({ leastBytes: 700 })
      readAll(index, text, backward)
      expect(index.size).toBeGreaterThan(50)
      for (const filter of [{ branch: "x", tags: ["s"] }, { branch: "y", tags: ["s"] }, { correlationId: "7" }]) {
        const expected = index.stretches.map(({ from, to }) =>
          rows.some((row, nth) => {
            const at = 1_000 + (lines[nth]?.at ?? 0)
            return at >= from && at < to && matches(filter, row)
          })
        )
        expect(mayHold(index, filter)).toEqual(expected)
      }
    }
  })
})

it("learns nothing of a line whose names have other escapes: it is no entry, and is read each time", () => {
  const text = new LineWriter().transaction(rowsOf(1)).replace(`"correlationId":"0"`, `"correlationId":"\\u0030"`)
  const index = new StretchIndex()
  readAll(index, text)
  expect(index.stretches).toEqual([])
})

it("learns nothing of a line that is no entry, so that it is read each time", () => {
  forSeeds(20, (luck) => {
    const rows = randomRows(luck, 30)
    const lines = new LineWriter().transaction(rows).split("\n").slice(0, -1)
    const broken = luck.int(0, 29)
    const line = lines[broken] ?? ""
    const damaged = luck.pick([
      line.replace(`"branch"`, `"brunch"`),
      line.replace(`,"version":`, `,"versio":`),
      line.slice(0, luck.int(0, 20)),
      "{}",
      "",
      "hello, world, all",
      line.replace(`"tag":`, `"tag":\\`),
    ])
    const text = `${lines.with(broken, damaged).join("\n")}\n`
    for (const backward of [false, true]) {
      const index = new StretchIndex()
      readAll(index, text, backward)
      const { at = 0, end = 0 } = linesOf(blockOf(text).text)[broken] ?? {}
      const over = index.stretches.filter(({ from, to }) => from < 1_000 + end && to > 1_000 + at)
      expect(over).toEqual([])
      expect(index.stretches.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(
        Buffer.byteLength(text) - (end - at),
      )
    }
  })
})

it("does not bring back what was forgotten while it learned", () => {
  const rows = rowsOf(4)
  const block = blockOf(new LineWriter().transaction(rows))
  const lines = linesOf(block.text)
  const index = new StretchIndex()
  const learner = new Learner(index)
  for (const [nth, { at, end }] of lines.entries()) {
    if (nth === 2) index.clear()
    learner.line(block, at, at, end)
  }
  learner.done()
  expect(index.size).toBe(0)
})

it("learns nothing twice, and nothing over what was learned by another meanwhile", () => {
  const rows = rowsOf(4)
  const text = new LineWriter().transaction(rows)
  const index = new StretchIndex()
  writeAll(index, rows, text)
  readAll(index, text)
  readAll(index, text, true)
  expect(index.size).toBe(1)
  // One that reads on from what it has learned, while another has learned the same.
  const next = new StretchIndex()
  const slow = new Learner(next)
  const block = blockOf(text)
  const [first, ...others] = linesOf(block.text)
  slow.line(block, 0, 1_000, 1_000 + (first?.end ?? 0))
  readAll(next, text)
  for (const { at, end } of others) slow.line(block, at, 1_000 + at, 1_000 + end)
  slow.done()
  expect(next.size).toBe(1)
  expect(next.stretches[0]?.ids.mayHold(nameHash("0"))).toBe(true)
})
