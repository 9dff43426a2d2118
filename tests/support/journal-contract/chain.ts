import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import type { Entry } from "@sluice/shell/journal"
import { everything, note, notes, type Part } from "./target.ts"

/** RFC 8785 a second time, the short way. */
export const plainly = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(plainly).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1)
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${plainly(item)}`).join(",")}}`
}

/** The chain over entries, computed from the words of the documentation alone. */
export const chainOf = (entries: ReadonlyArray<Entry>, start: string = "0".repeat(64)): ReadonlyArray<string> => {
  let previous = start
  return entries.map(({ body, branch, correlationId, position, time, version }) => {
    const text = plainly({ body, branch, correlationId, position, time, version })
    previous = createHash("sha256").update(`${previous}\n${text}`, "utf8").digest("hex")
    return previous
  })
}

export const chain: Part = (test) => {
  test("chains each entry to the one before it by SHA-256 over canonical JSON", (place) =>
    Effect.gen(function* () {
      const journal = yield* place.open()
      yield* journal.append(notes(5))
      yield* journal.append([
        { branch: "b", correlationId: "c", version: 3, body: { z: [1, { y: "é😀", x: null }], _tag: "T", a: true } },
        note("__proto__", '\u2028"\\'),
      ])
      yield* Effect.forEach(notes(20), (draft) => journal.append([draft]), { concurrency: "unbounded" })
      const entries = yield* everything(journal)
      expect(entries).toHaveLength(27)
      expect(entries.map((entry) => entry.hash)).toEqual(chainOf(entries))
      expect(yield* journal.verify()).toEqual({
        entries: 27,
        stripped: 0,
        removedThrough: 0,
        head: { position: 27, hash: entries.at(-1)?.hash },
        expected: "none",
      })
    }))
}
