/**
 * Implements `sluice journal verify`: checks the hash chain.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import type { Head } from "../../journal/Entry.ts"
import { Journal } from "../../journal/JournalService.ts"
import type { CliOutput, SubcommandEffect, SubcommandError } from "./CliOutput.ts"
import { countText } from "./formatValues.ts"

/** The status when an entry does not hold. */
const broken = 1

/** A head as `--expect` takes it. */
export const formatHead = ({ hash, position }: Head): string => `${position}:${hash}`

const expectedTexts = { holds: "holds", pruned: "was pruned since, and cannot be compared" } as const

/** Verifies a journal. */
export const verify = ({ expect }: { readonly expect: Head | undefined }, desk: CliOutput): SubcommandEffect =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const report = yield* journal.verify({ expect })
    if (desk.json) {
      yield* desk.value({ holds: true, ...report })
      return 0
    }
    const { entries, expected, head, removedThrough, stripped } = report
    yield* desk.lines(1, [
      `holds: ${countText(entries, "entry", "entries")}`,
      ...(stripped === 0 ? [] : [`pruned contents: ${countText(stripped, "entry", "entries")}, signed off`]),
      ...(removedThrough === 0 ? [] : [`pruned: entries up to ${removedThrough}, signed off`]),
      ...(expected === "none" ? [] : [`expected: ${expectedTexts[expected]}`]),
      `head: ${formatHead(head)}`,
    ])
    return 0
  })

/** What a journal that does not hold comes to, also one that cannot even be opened for it. */
export const reportCorruption =
  (desk: CliOutput) =>
  <R>(work: Effect.Effect<number, SubcommandError, R>): Effect.Effect<number, SubcommandError, R> =>
    Effect.catchReason(work, "JournalError", "Corrupt", ({ position, what }, { message }) =>
      Effect.as(
        desk.json
          ? desk.value({ holds: false, position, what })
          : desk.lines(1, [`does not hold: ${message.replace(/^journal: /, "").replace(" does not hold: ", ": ")}`]),
        broken,
      ))
