/** Implements `sluice journal verify`. */
import * as Effect from "effect/Effect"
import type { Head } from "../../journal/Entry.ts"
import { Journal } from "../../journal/JournalService.ts"
import type { CliOutput, SubcommandEffect, SubcommandError } from "./CliOutput.ts"
import type { VerifyFlags } from "./flags.ts"
import { countText } from "./formatValues.ts"

const broken = 1

/** Formats a head as `--expect` takes it. */
export const formatHead = ({ hash, position }: Head): string => `${position}:${hash}`

const expectedTexts = { holds: "holds", pruned: "pruned, cannot be compared" } as const

export const verify = ({ expect }: VerifyFlags, cliOutput: CliOutput): SubcommandEffect =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const report = yield* journal.verify({ expect })
    if (cliOutput.json) {
      yield* cliOutput.value({ holds: true, ...report })
      return 0
    }
    const { entries, expected, head, removedThrough, stripped } = report
    yield* cliOutput.lines(1, [
      `holds: ${countText(entries, "entry", "entries")}`,
      ...(stripped === 0
        ? []
        : [`pruned contents: ${countText(stripped, "entry", "entries")}, recorded in a checkpoint`]),
      ...(removedThrough === 0 ? [] : [`pruned: entries up to ${removedThrough}, recorded in a checkpoint`]),
      ...(expected === "none" ? [] : [`expected: ${expectedTexts[expected]}`]),
      `head: ${formatHead(head)}`,
    ])
    return 0
  })

/** Reports a corrupt journal as the result of `verify`, also when it cannot be opened. */
export const reportCorruption =
  (cliOutput: CliOutput) =>
  <R>(work: Effect.Effect<number, SubcommandError, R>): Effect.Effect<number, SubcommandError, R> =>
    Effect.catchReason(work, "JournalError", "Corrupt", ({ position, what }, { message }) =>
      Effect.as(
        cliOutput.json ? cliOutput.value({ holds: false, position, what }) : cliOutput.lines(1, [
          `does not hold: ${message.replace(/^journal: /, "").replace(" does not hold: ", ": ")}`,
        ]),
        broken,
      ))
