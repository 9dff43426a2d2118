/** Reports the commands of a server from its journal, afterwards. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Audit } from "../../src/history/mod.ts"
import type { CommandRecord } from "../../src/history/CommandRecord.ts"
import { endTags, requestTags } from "../../src/history/readRecord.ts"
import { Journal } from "../../src/journal/JournalService.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { ComputeBranch } from "../../src/compute/ComputeBranch.ts"

/** What a journal says of its commands. */
export interface Report {
  readonly commands: ReadonlyMap<string, CommandRecord>
  /** How many entries ask for a command, and how many end it, by its id. */
  readonly requests: ReadonlyMap<string, number>
  readonly ends: ReadonlyMap<string, number>
}

const counted = (ids: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/** Reads a journal, also while it is written; its chain is recomputed. */
export const readReport = (path: string): Effect.Effect<Report, unknown> =>
  Effect.scoped(Effect.gen(function* () {
    const journal = yield* SqliteJournal.make({ path, create: false, readOnly: true })
    yield* journal.verify()
    const commands = yield* Stream.runCollect(Stream.provideService(Audit.list(), Journal, journal))
    const ids = (tags: ReadonlyArray<string>) => {
      const page = (after: number) =>
        Effect.map(
          journal.read({ after, filter: { branch: ComputeBranch.name, tags }, maxEntries: 1_000 }),
          (entries) => [entries, Option.fromUndefinedOr(entries.at(-1)?.position)] as const,
        )
      return Effect.map(
        Stream.runCollect(Stream.paginate(0, page)),
        (entries) => counted(entries.map(({ correlationId }) => correlationId)),
      )
    }
    return {
      commands: new Map(commands.map((record) => [record.commandId, record])),
      requests: yield* ids(requestTags),
      ends: yield* ids(endTags),
    }
  }))

/** Commands that were not asked for once and ended once. */
export const notOnce = ({ ends, requests }: Report): ReadonlyArray<string> =>
  [...new Set([...requests.keys(), ...ends.keys()])].filter((id) => requests.get(id) !== 1 || ends.get(id) !== 1)

/** How the commands of a journal ended, and how many so. */
export const endsOf = ({ commands }: Report): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { state } of commands.values()) {
    const how = state._tag === "Exited"
      ? `exit ${state.exitCode}`
      : state._tag === "Faulted"
      ? state.reason._tag
      : state._tag
    counts[how] = (counts[how] ?? 0) + 1
  }
  return counts
}
