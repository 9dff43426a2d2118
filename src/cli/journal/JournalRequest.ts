/**
 * Types of the parsed requests of `sluice journal`.
 *
 * @module
 */
import type { ExitCodeFilter } from "../../history/listCommands.ts"
import type { Head } from "../../journal/Entry.ts"
import type { Since, TerminalSize } from "./parseValues.ts"

/** Which commands `list` shows. */
export interface ListRequest {
  readonly _tag: "List"
  readonly since: Since | undefined
  readonly until: Since | undefined
  readonly failed: boolean
  readonly command: string | undefined
  readonly grep: RegExp | undefined
  readonly exitCode: ExitCodeFilter | undefined
  readonly host: string | undefined
  readonly limit: number | undefined
  /** The newest so many, oldest first. */
  readonly tail: number | undefined
  readonly oldest: boolean
  readonly long: boolean
  readonly iso: boolean
}

/** Which command, and which run of it. */
export interface CommandRequest {
  readonly commandId: string
  readonly attempt: number | undefined
}

/** The parts of a command to show; `grep` keeps the matching lines of its output. */
export interface ShowRequest extends CommandRequest {
  readonly _tag: "Show"
  readonly grep: RegExp | undefined
}

/** The command to follow, and whether each line has its time. */
export interface TailRequest {
  readonly _tag: "Tail"
  readonly commandId: string | undefined
  readonly since: Since | undefined
  readonly timestamps: boolean
}

/** What `export` writes, and of what. */
export type ExportFormat = "ndjson" | "asciicast" | "asciicast-v3"

/** What `prune` takes out. */
export interface PruneRequest {
  readonly _tag: "Prune"
  readonly olderThan: number | undefined
  readonly keepEntries: number | undefined
  readonly keepBytes: number | undefined
  readonly commandIds: ReadonlyArray<string>
  readonly why: string | undefined
  readonly dryRun: boolean
}

/** What is to be done with a journal. */
export type JournalAction =
  | ListRequest
  | ShowRequest
  | TailRequest
  | CommandRequest & { readonly _tag: "Replay"; readonly speed: number }
  | { readonly _tag: "Verify"; readonly expect: Head | undefined }
  | {
    readonly _tag: "Export"
    readonly commandId: string | undefined
    readonly format: ExportFormat
    readonly size: TerminalSize | undefined
    readonly attempt: number | undefined
  }
  | PruneRequest
  | { readonly _tag: "Stats" }
  | { readonly _tag: "Repair" }
  | { readonly _tag: "Salvage"; readonly from: string; readonly to: string }

/** What was asked for, and of which journal. */
export interface JournalRequest {
  /** A file or a URL, as it was written; `undefined`: the usual one. */
  readonly at: string | undefined
  readonly json: boolean
  readonly action: JournalAction
}
