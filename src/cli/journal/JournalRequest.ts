/**
 * Types of the parsed requests of `sluice journal`.
 *
 * @module
 */
import type { ExitCodeFilter } from "../../history/listCommands.ts"
import type { Head } from "../../journal/Entry.ts"
import type { Since, TerminalSize } from "./parseValues.ts"

/** Selects the commands that `list` prints. */
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
  /** Maximum number of the newest commands, printed oldest first. */
  readonly tail: number | undefined
  readonly oldest: boolean
  readonly long: boolean
  readonly iso: boolean
}

/** Selects a command and one of its runs. */
export interface CommandRequest {
  readonly commandId: string
  readonly attempt: number | undefined
}

/** The parts of a command to show; `grep` keeps the matching lines of its output. */
export interface ShowRequest extends CommandRequest {
  readonly _tag: "Show"
  readonly grep: RegExp | undefined
}

/** Selects the command to follow; `timestamps` prefixes each line with its time. */
export interface TailRequest {
  readonly _tag: "Tail"
  readonly commandId: string | undefined
  readonly since: Since | undefined
  readonly timestamps: boolean
}

/** The output format of `export`. */
export type ExportFormat = "ndjson" | "asciicast" | "asciicast-v3"

/** Selects the entries that `prune` removes. */
export interface PruneRequest {
  readonly _tag: "Prune"
  readonly olderThan: number | undefined
  readonly keepEntries: number | undefined
  readonly keepBytes: number | undefined
  readonly commandIds: ReadonlyArray<string>
  readonly why: string | undefined
  readonly dryRun: boolean
}

/** A subcommand with its parsed flags. */
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

/** A subcommand and the journal that it acts on. */
export interface JournalRequest {
  /** A file or a URL as given; `undefined` for the default journal. */
  readonly at: string | undefined
  readonly json: boolean
  readonly action: JournalAction
}
