/** Summarizes the decisions on the network of an isolated command: a line for each host and port. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { hostAndPort } from "../../egress/canonicalHost.ts"
import { egressBranch, EgressDecision } from "../../egress/EgressDecision.ts"
import type { CommandRecord } from "../../history/CommandRecord.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { Journal } from "../../journal/JournalService.ts"

/** Decisions that are read, and lines that are shown: a command may ask for any number. */
const maxDecisions = 10_000
const maxLines = 20

const decode = Schema.decodeUnknownOption(EgressDecision)

const lineOf = ({ allowed, entry, host, message, port }: EgressDecision): string =>
  allowed
    ? `${hostAndPort(host, port)} allowed by ${entry ?? "an entry"}`
    : `${hostAndPort(host, port)} refused: ${message ?? "no reason"}`

/** The lines, in the order of the first decision on each host. Empty for a command without a network. */
export const networkFacts = (
  { commandId, position }: CommandRecord,
): Effect.Effect<ReadonlyArray<string>, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const entries = yield* journal.read({
      after: position,
      filter: { branch: egressBranch, correlationId: commandId },
      limit: maxDecisions,
    })
    const counts = new Map<string, number>()
    for (const { body } of entries) {
      const decision = Option.getOrUndefined(decode(body))
      if (decision === undefined) continue
      const line = lineOf(decision)
      counts.set(line, (counts.get(line) ?? 0) + 1)
    }
    const lines = [...counts].map(([line, count]) => count === 1 ? line : `${line} (${count} times)`)
    const isCut = lines.length > maxLines || entries.length === maxDecisions
    return isCut ? [...lines.slice(0, maxLines), "and more: see journal export"] : lines
  })
