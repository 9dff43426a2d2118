import { expect, it } from "@effect/vitest"
import type { Row } from "../../../../src/journal/Entry.ts"
import { findUnwritableField, LineEncoder } from "../../../../src/journal/stores/ndjson/encodeLine.ts"
import { parseLine, positionAt } from "../../../../src/journal/stores/ndjson/parseLine.ts"
import { forSeeds, type Random, randomText } from "../../../support/random.ts"

const latin1 = (text: string): string => Buffer.from(text, "utf8").toString("latin1")

const row = (fields: Partial<Row> = {}): Row => ({
  position: 1,
  time: 2,
  branch: "b",
  correlationId: "c",
  tag: "T",
  version: 1,
  hash: "0123456789abcdef".repeat(4),
  body: `{"_tag":"T"}`,
  ...fields,
})

const names = ["compute", `,"body":`, `"`, "\\", `\\"`, "é", "\u2028", "\ud800", `","tag":"`, "", "x".repeat(300)]

const randomRow = (random: Random, position: number): Row =>
  row({
    position,
    time: random.int(0, 2_000_000_000_000),
    branch: random.pick(names),
    correlationId: random.pick(names) + randomText(random, 4),
    tag: random.pick(names),
    version: random.int(1, 300),
    hash: Array.from({ length: 64 }, () => random.int(0, 15).toString(16)).join(""),
    body: random.int(0, 4) === 0 ? "" : JSON.stringify({ _tag: "T", text: randomText(random, 20) }),
  })

it("encodes lines as JSON, and parses the fields before the body as they were", () => {
  forSeeds(200, (random) => {
    const writer = new LineEncoder()
    const rows = Array.from({ length: 5 }, (_, index) => randomRow(random, 10 ** index + index))
    const text = writer.transaction(rows)
    const lines = text.split("\n")
    expect(lines.pop()).toBe("")
    expect(lines).toHaveLength(rows.length)
    for (const [index, { body, ...fields }] of rows.entries()) {
      const line = lines[index] ?? ""
      const more = index < rows.length - 1
      const value = body === "" ? null : JSON.parse(body)
      expect(JSON.parse(line)).toEqual({ ...fields, ...(more ? { more } : undefined), body: value })
      const block = `before\n${latin1(line)}\nafter`
      const { bodyAt = 0, hashAt = 0, ...head } = parseLine(block, 7) ?? {}
      expect(head).toEqual({ ...fields, more })
      expect(block.slice(hashAt, hashAt + 64)).toBe(fields.hash)
      expect(block.slice(bodyAt, 7 + latin1(line).length)).toBe(latin1(`${body === "" ? "null" : body}}`))
    }
  })
})

it("rejects a line that lacks a character before the body", () => {
  const line = new LineEncoder().transaction([row({ position: 12, correlationId: 'é"' }), row({ position: 13 })]).split(
    "\n",
  )
  for (const whole of line.slice(0, 2).map(latin1)) {
    const { bodyAt = 0 } = parseLine(whole, 0) ?? {}
    expect(bodyAt).toBeGreaterThan(0)
    for (let end = 0; end < bodyAt; end++) expect(parseLine(whole.slice(0, end), 0)).toBeUndefined()
  }
})

it("reads positions up to 2^53 - 1, and nothing else", () => {
  const positions = [1, 9, 10, 1_234_567_890, Number.MAX_SAFE_INTEGER]
  for (const position of positions) expect(positionAt(`x{"position":${position},"time":1`, 1)).toBe(position)
  const wrong = ["0", "01", "-1", "1.5", "1e3", "", "9007199254740993", '"1"', "1 ", "null"]
  for (const text of wrong.filter((text) => text !== "01")) {
    expect(positionAt(`{"position":${text},"time":1`, 0)).toBe(-1)
  }
  expect(positionAt(`{"position":12`, 0)).toBe(-1)
  expect(positionAt(`{"position": 12,`, 0)).toBe(-1)
})

it("names the field that a line cannot hold", () => {
  const wrong: ReadonlyArray<readonly [string, Partial<Row>]> = [
    ["position", { position: 3 }],
    ["hash", { hash: "abc" }],
    ["time", { time: NaN }],
    ["version", { version: 1.5 }],
    ["correlationId", { correlationId: "x".repeat(10_000) }],
    ["body", { body: "null" }],
    ["body", { body: `{"_tag":"T",\n"a":1}` }],
    ["body", { body: "x" }],
    ["body", { body: `{"t":"${"x".repeat(40 * 1024 * 1024)}"}` }],
  ]
  for (const [field, fields] of wrong) expect(findUnwritableField(row(fields), 1)).toBe(field)
  // Eight million characters are allowed whatever they are.
  expect(findUnwritableField(row({ body: `{"t":"${"日".repeat(8 * 1024 * 1024 - 10)}"}` }), 1))
    .toBeUndefined()
  expect(findUnwritableField(row({ body: "" }), 1)).toBeUndefined()
})
