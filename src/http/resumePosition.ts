/**
 * Where to begin to read a command whose first events are known to the reader.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CommandRecord } from "../history/CommandRecord.ts"
import { decodeEventEntry } from "../branch/BranchDefinition.ts"
import type { Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { ShellOutputChunks } from "../compute/ShellOutputChunks.ts"

/** Positions that are not worth a search: that many entries are read at once. */
const nearPositions = 256

const outputOf = (entry: Entry | undefined): ShellOutputChunks | undefined => {
  const event = entry === undefined ? undefined : decodeEventEntry(ComputeBranch, entry)
  if (event === undefined || Result.isFailure(event)) return undefined
  return event.success._tag === "ShellOutputChunks" ? event.success : undefined
}

/**
 * The position of an entry of output at which every chunk after `after` begins or lies ahead, found by halves; else that
 * of the request. The chunks of a run have rising numbers, so an entry that begins with one that is known is such a
 * place, unless it is one that a redactor made at the end of the run, or another attempt came between.
 *
 * Of a command whose request was pruned, and which runs still, it is the first entry that is left if nothing is missing
 * before it, and `undefined` if something is.
 */
export const resumePosition: (
  journal: JournalService,
  record: CommandRecord,
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
    const [entry] = yield* journal.read({ after: middle, filter, limit: 1 })
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
    const [first] = yield* journal.read({ filter, limit: 1 })
    return outputOf(first)?.fromSeq === after + 1 ? first?.position : undefined
  }
  const found = outputOf(best)
  if (best === undefined || found === undefined) return position
  const [before] = yield* journal.readBackward({ before: best.position, filter, limit: 1 })
  const last = outputOf(before)
  if (last === undefined) return position
  const goesOn = last.chunks.at(-1)?.more === true
  return found.fromSeq > last.toSeq || (goesOn && found.fromSeq === last.toSeq) ? best.position : position
})
