/** Finds the journal position from which a reader that has the first events of a command resumes, by binary search. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ShellExec } from "../command/ShellExec.ts"
import type { CommandRecord } from "../history/CommandRecord.ts"
import { decodeEventEntry } from "../branch/BranchDefinition.ts"
import type { Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { ShellOutputChunks } from "../compute/ShellOutputChunks.ts"

export type ReadableRecord = Pick<CommandRecord, "attempts" | "commandId" | "endPosition" | "position"> & {
  readonly exec: ShellExec
}

/** Number of entries that one read returns: a shorter range is not worth a search. */
const nearPositions = 256

export const outputOf = (entry: Entry | undefined): ShellOutputChunks | undefined => {
  const event = entry === undefined ? undefined : decodeEventEntry(ComputeBranch, entry)
  if (event === undefined || Result.isFailure(event)) return undefined
  return event.success._tag === "ShellOutputChunks" ? event.success : undefined
}

/**
 * The position of the last output entry that starts at or before `after`, found by binary search; else the position of
 * the request. Chunk numbers rise within a run, so no later chunk lies before that entry, unless a redactor appended it
 * at the end of the run or another attempt came between.
 *
 * For a running command whose request was pruned: the first remaining entry if no output is missing before it, else
 * `undefined`.
 */
export const resumePosition: (
  journal: JournalService,
  record: ReadableRecord,
  after: number,
) => Effect.Effect<Position | undefined, JournalError> = Effect.fnUntraced(function* (journal, record, after) {
  const { attempts, commandId, endPosition, position } = record
  const filter = { branch: ComputeBranch.name, correlationId: commandId, tags: ["ShellOutputChunks"] }
  const end = endPosition ?? (yield* journal.head).position
  const isPruned = position === 0
  if (!isPruned && (attempts.length > 1 || end - position < nearPositions)) return position
  let low = position
  let high = end
  let best: Entry | undefined
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [entry] = yield* journal.read({ after: middle, filter, maxEntries: 1 })
    const output = outputOf(entry)
    if (entry === undefined || entry.position > high) high = middle
    else if (output === undefined) return position
    else if (output.fromSeq <= after) {
      best = entry
      low = entry.position
    } else high = middle
  }
  if (isPruned) {
    if (best !== undefined) return best.position
    const [first] = yield* journal.read({ filter, maxEntries: 1 })
    return outputOf(first)?.fromSeq === after + 1 ? first?.position : undefined
  }
  const found = outputOf(best)
  if (best === undefined || found === undefined) return position
  const [before] = yield* journal.readBackward({ before: best.position, filter, maxEntries: 1 })
  const last = outputOf(before)
  if (last === undefined) return position
  const goesOn = last.chunks.at(-1)?.more === true
  return found.fromSeq > last.toSeq || (goesOn && found.fromSeq === last.toSeq) ? best.position : position
})
