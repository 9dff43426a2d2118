import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Body, Draft } from "@sluice/shell/journal"
import { plainly } from "./chain.ts"
import { appendEach, everything, note, notes, type Part, positionsOf, reasonOf, textsOf, upTo } from "./target.ts"

const bodies: Readonly<Record<string, Body>> = {
  "an empty one": { _tag: "Empty" },
  "one that is large": { _tag: "Large", text: "x".repeat(1024 * 1024) },
  "one of wide characters": { _tag: "Wide", text: "日本語 😀 é e\u0301 \u2028\uFEFF".repeat(10_000) },
  "lone surrogates": { _tag: "Lone", text: "a\ud83d", "\ude00": "\ud83d\ud83d\ude00" },
  "NUL and its like": { _tag: "Control", text: 'a\0b\u0001\u001f\u007f\r\n\t"\\/', "\0": "\0" },
  "keys that objects are odd about": JSON.parse(
    '{"_tag":"Odd","__proto__":{"x":1},"constructor":"c","toString":null,"10":"ten","9":"nine","-1":0,"":"empty"}',
  ),
  "numbers": {
    _tag: "Numbers",
    list: [0, -0, 1.5, -1e-7, 1e21, 5e-324, 1.7976931348623157e308, 9007199254740991, -9007199254740991, 0.1 + 0.2],
  },
  "what nests": { _tag: "Nested", z: { b: [{ d: 1, c: [null, true, false, []] }], a: {} }, a: [[[[{}]]]] },
}

export const append: Part = (test) => {
  test("begins with an empty journal at position 0", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      expect(yield* journal.head).toEqual({ position: 0, hash: "0".repeat(64) })
      expect(yield* journal.read()).toEqual([])
      expect(yield* journal.readBackward()).toEqual([])
    }))

  test("gives positions from 1, without gaps, in the order of an append and of appends", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      expect(yield* journal.append(notes(3))).toEqual([1, 2, 3])
      expect(yield* journal.append([note("m", "4")])).toEqual([4])
      expect(yield* journal.append([note("n", "5"), note("m", "6")])).toEqual([5, 6])
      const entries = yield* journal.read()
      expect(positionsOf(entries)).toEqual(upTo(6))
      expect(textsOf(entries)).toEqual(["1", "2", "3", "4", "5", "6"])
      const head = yield* journal.head
      expect(head).toEqual({ position: 6, hash: entries.at(-1)?.hash })
    }))

  test("keeps every field of an entry, and the time of its append", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const before = Date.now()
      yield* journal.append([
        { branch: "compute", correlationId: "c-1", version: 7, body: { _tag: "Started", pid: 12 } },
        { branch: "notes", correlationId: "c 2!~", body: { _tag: "Noted" } },
      ])
      const [one, two] = yield* journal.read()
      expect(one).toMatchObject({ branch: "compute", correlationId: "c-1", version: 7, tag: "Started" })
      expect(one?.body).toEqual({ _tag: "Started", pid: 12 })
      expect(two).toMatchObject({ branch: "notes", correlationId: "c 2!~", version: 1, tag: "Noted" })
      expect(one?.time).toBeGreaterThanOrEqual(before)
      expect(two?.time).toBeLessThanOrEqual(Date.now())
      expect(Number.isSafeInteger(one?.time)).toBe(true)
    }))

  test("keeps names unchanged: letter case, quotes, wildcards, and the longest", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      const ids = ["a", "A", "a%", "a_", "a'b", 'a"b', "a\\b", " a", "a ", "null", "1", "01", "x".repeat(200)]
      yield* journal.append(ids.map((id) => note(id, id, id, id)))
      for (const id of ids) {
        const [entry, ...others] = yield* journal.read({ filter: { correlationId: id } })
        expect(others).toEqual([])
        expect(entry).toMatchObject({ branch: id, correlationId: id, tag: id, body: { _tag: id, text: id } })
      }
    }))

  test("accepts an append without drafts, and appends nothing", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      expect(yield* journal.append([])).toEqual([])
      expect(yield* journal.append([], { condition: { after: 0, noneOf: {} } })).toEqual([])
      yield* journal.append(notes(1))
      expect((yield* journal.head).position).toBe(1)
    }))

  for (const [what, body] of Object.entries(bodies)) {
    test(`returns a body unchanged: ${what}`, (place) =>
      Effect.gen(function* () {
        const journal = yield* place.open()
        yield* journal.append([note("n"), { branch: "notes", correlationId: "n", body }, note("n")])
        const [entry] = yield* journal.read({ after: 1, maxEntries: 1 })
        // As text too: an own key "__proto__" is not seen by every comparison, and -0 is 0 in JSON.
        const plain: unknown = JSON.parse(JSON.stringify(body))
        expect(entry?.body).toEqual(plain)
        expect(plainly(entry?.body)).toBe(plainly(plain))
        expect(yield* journal.verify()).toMatchObject({ entries: 3 })
      }))
  }

  test("keeps thousands of entries of one append together and in order", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      expect(yield* journal.append(notes(3_000))).toEqual(upTo(3_000))
      expect(textsOf(yield* everything(journal))).toEqual(upTo(3_000).map(String))
    }))

  const wrong: ReadonlyArray<readonly [field: string, draft: Draft]> = [
    ["branch", note("n", "", "Noted", "")],
    ["branch", note("n", "", "Noted", "é")],
    ["branch", note("n", "", "Noted", "x".repeat(201))],
    ["correlationId", note("")],
    ["correlationId", note("a\nb")],
    ["correlationId", note("a\0")],
    ["branch", { branch: "journal", correlationId: "journal", body: { _tag: "Checkpoint", kind: "removed" } }],
    ["body._tag", note("n", "", "")],
    ["body._tag", note("n", "", "tag\u007f")],
    ["version", { ...note("n"), version: 0 }],
    ["version", { ...note("n"), version: 1.5 }],
    ["version", { ...note("n"), version: NaN }],
    ["body", { ...note("n"), body: { _tag: "Number", n: NaN } }],
    ["body", { ...note("n"), body: { _tag: "Number", list: [[-Infinity]] } }],
    ["body", { ...note("n"), body: { _tag: "Large", text: "x".repeat(8 * 1024 * 1024) } }],
  ]
  test("refuses an append with an invalid draft, and appends none of its entries", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      for (const [field, draft] of wrong) {
        expect(yield* reasonOf(journal.append([note("n"), draft]))).toEqual({ _tag: "Invalid", field })
      }
      expect((yield* journal.head).position).toBe(0)
      yield* appendEach(journal, notes(2))
      expect(textsOf(yield* journal.read())).toEqual(["1", "2"])
    }))
}
