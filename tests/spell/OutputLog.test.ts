import { expect, it } from "@effect/vitest"
import { OutputLog } from "../../src/spell/OutputLog.ts"
import { random } from "../support/random.ts"

it("reads pushed output page by page, from any position", () => {
  const log = new OutputLog(1_000_000)
  const { int } = random(1)
  let whole = ""
  for (let index = 0; index < 500; index++) {
    const piece = "ab\n€😀".repeat(int(0, 20))
    whole += piece
    log.push(piece)
  }
  expect(log.end).toBe(whole.length)
  let text = ""
  for (let position = 0; position < log.end;) {
    const page = log.read(position, int(2, 500))
    expect(page.omitted).toBe(0)
    expect(page.text.isWellFormed()).toBe(true)
    text += page.text
    position = page.position
  }
  expect(text).toBe(whole)
  expect(log.read(whole.length + 5, 10)).toEqual({ text: "", position: whole.length, omitted: 0 })
})

it("keeps the end within its limit, and says how much before it is gone", () => {
  const log = new OutputLog(100)
  for (let index = 0; index < 10_000; index++) {
    log.push(`${String(index).padStart(9, "0")}\n`)
    expect(log.length).toBeLessThanOrEqual(210)
  }
  const page = log.read(0, 1_000)
  expect(page).toMatchObject({ position: 100_000, omitted: 99_900 })
  expect(page.text.length).toBe(100)
  expect(page.text.endsWith("000009999\n")).toBe(true)
  expect(log.read(99_990, 1_000)).toEqual({ text: "000009999\n", position: 100_000, omitted: 0 })
})

it("continues before a character that a page would split", () => {
  const log = new OutputLog(100)
  log.push("a😀b")
  expect(log.read(0, 2)).toMatchObject({ text: "a😀", position: 3 })
  expect(log.read(1, 1)).toMatchObject({ text: "😀", position: 3 })
})
