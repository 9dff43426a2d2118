/** Declares a recorded run of a command: its request, its output and its end. */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { EpochMillis } from "../../command/ShellEvent.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import type { RunEnd } from "../../compute/RunEnd.ts"
import type { ShellOutputChunks } from "../../compute/ShellOutputChunks.ts"

export interface RecordedEnd {
  readonly event: RunEnd
  readonly at: EpochMillis
}

export interface Recording {
  readonly exec: ShellExec
  readonly requestedAt: EpochMillis
  readonly end: Effect.Effect<RecordedEnd, JournalError>
  /** Its output in order, read as it is pulled. */
  readonly output: Stream.Stream<ShellOutputChunks, JournalError>
}
