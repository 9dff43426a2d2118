/** Reads chunks of a session that are no longer kept from the journal. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellOutputChunk } from "../command/ShellEvent.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"

const pageEntries = 32

/** The chunks after `after` and before `before`, as they are recorded: without what was redacted. */
export const readJournal = (
  journal: JournalService,
  commandId: CommandId,
  after: number,
  before: number,
): Stream.Stream<ShellOutputChunk, JournalError> =>
  Stream.paginate(0, (position: number) =>
    Effect.map(
      journal.read({
        after: position,
        maxEntries: pageEntries,
        filter: { branch: ComputeBranch.name, correlationId: commandId, tags: ["ShellOutputChunks"] },
      }),
      (entries) => {
        const chunks: Array<ShellOutputChunk> = []
        let isOver = entries.length < pageEntries
        for (const entry of entries) {
          if (entry.body === undefined) continue
          const event = ComputeBranch.event.decode(entry.body, entry.version)
          if (Result.isFailure(event) || event.success._tag !== "ShellOutputChunks") continue
          for (const { content, seq, stream, timestamp } of event.success.chunks) {
            if (seq >= before) isOver = true
            else if (seq > after) {
              chunks.push({ _tag: "ShellOutputChunk", commandId, stream, content: content ?? "", timestamp, seq })
            }
          }
        }
        const last = entries.at(-1)
        return [chunks, isOver || last === undefined ? Option.none() : Option.some(last.position)] as const
      },
    ))
