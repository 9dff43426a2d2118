import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { JournalError, type Position } from "@sluice/shell/journal"
import { noHash, type Row } from "../../src/journal/Entry.ts"
import { scanInBatches } from "../../src/journal/scanBatches.ts"

const row = (position: Position): Row => ({
  position,
  time: 0,
  branch: "test",
  correlationId: "c",
  tag: "T",
  version: 1,
  hash: noHash,
  body: "{}",
})

/** Ten rows; one cannot be read. */
const damagedAt = (bad: Position) => ({
  scan: (
    { after = 0, before = 11, maxRows }: {
      after?: Position | undefined
      before?: Position | undefined
      maxRows: number
    },
  ) => {
    const wanted = Array.from({ length: 10 }, (_, index) => row(index + 1)).filter(({ position }) =>
      after < position && position < before
    ).slice(0, maxRows)
    return wanted.some(({ position }) => position === bad)
      ? Effect.fail(JournalError.because({ _tag: "Corrupt", what: "a line", position: bad }, "journal: a line"))
      : Effect.succeed(wanted)
  },
})

it.effect("returns the rows before an unreadable one, then fails with its position", () =>
  Effect.gen(function* () {
    for (const bad of [1, 2, 5, 10]) {
      const seen: Array<Position> = []
      const error = yield* Effect.flip(scanInBatches(damagedAt(bad), {}, ({ position }) => seen.push(position)))
      expect(error.reason).toMatchObject({ _tag: "Corrupt", position: bad })
      expect(seen).toEqual(Array.from({ length: bad - 1 }, (_, index) => index + 1))
    }
  }))
