/** Lists the commands of a journal that were requested and have no end. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Entry } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { canRerun } from "../compute/canRerun.ts"
import { type CommandRecord, isOpen } from "./CommandRecord.ts"
import { makeLivenessCheck } from "./makeLivenessCheck.ts"
import { readEntriesToHead } from "./readEntries.ts"
import { endTags, readRecord, requestTags } from "./readRecord.ts"

const filter = { branch: ComputeBranch.name, tags: [...requestTags, ...endTags] }

export const readMilestones = (journal: JournalService): Stream.Stream<Entry, JournalError> =>
  readEntriesToHead(journal, { filter })

/** Whether a command waits or runs, or a daemon may run it again. */
const isAwaited = (record: CommandRecord): boolean =>
  isOpen(record) || (record.state._tag === "Lost" && record.exec !== undefined && canRerun(record.exec))

/**
 * The commands without an end in the journal, oldest first: waiting, running and lost ones. Reads all requests and
 * ends, no output, and keeps those without an end in memory.
 */
const commandsWithoutEnd: Effect.Effect<ReadonlyArray<CommandRecord>, JournalError, Journal> = Effect.gen(
  function* () {
    const journal = yield* Journal
    const unended = new Map<string, Entry>()
    yield* Stream.runForEach(readMilestones(journal), (entry) =>
      Effect.sync(() => {
        if (!requestTags.includes(entry.tag)) unended.delete(entry.correlationId)
        else unended.set(entry.correlationId, entry)
      }))
    const isGone = makeLivenessCheck(journal)
    return yield* Effect.forEach(
      [...unended.values()].sort((a, b) => a.position - b.position),
      (entry) => readRecord(journal, entry, isGone),
    )
  },
)

/**
 * The commands that wait or run, oldest first, and lost ones that a daemon will run again. Reads all requests and ends, no
 * output, and keeps the commands without an end in memory.
 *
 * @example
 * ```ts
 * import { ShellExec } from "@sluice/shell"
 * import { Audit } from "@sluice/shell/audit"
 * import { ComputeBranch } from "@sluice/shell/daemon"
 * import { Journal, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const body = ComputeBranch.request.encode(ShellExec.make("make", ["all"], { commandId: "c1" }))
 *   yield* Journal.append([{ branch: ComputeBranch.name, correlationId: "c1", body }])
 *   return yield* Audit.unfinished
 * })
 * const [waiting] = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
 * console.log(waiting?.line, waiting?.state._tag) // make all Waiting
 * ```
 */
export const unfinishedCommands: Effect.Effect<ReadonlyArray<CommandRecord>, JournalError, Journal> = Effect.map(
  commandsWithoutEnd,
  (records) => records.filter(isAwaited),
)
