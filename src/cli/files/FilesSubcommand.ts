/** Declares the types of the subcommands of `sluice files`, and computes the exit status of their errors. */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { OptionError } from "../../base/OptionError.ts"
import type { FileEditError } from "../../files/FileEdit.ts"
import type { FileFault, FileFaultKind } from "../../files/FileFault.ts"
import type { FilePatchError } from "../../files/FilePatch.ts"
import type { Files } from "../../files/Files.ts"
import type { FileSearchError } from "../../files/FileSearch.ts"
import { ownFailureStatus } from "../exitStatus.ts"
import type { BrokenOutputError } from "../ProcessOutput.ts"
import type { UsageError } from "../UsageError.ts"

export type FilesError = FileFault | FileEditError | FilePatchError | FileSearchError | OptionError

/** A running subcommand; succeeds with the exit status. */
export type FilesSubcommand = Effect.Effect<number, FilesError | BrokenOutputError | UsageError, Files | Scope.Scope>

/** Exit status for a missing file, or an edit that does not apply. */
export const noMatchStatus = 1

const statuses: Partial<Readonly<Record<FileFaultKind, number>>> = {
  NotFound: 127,
  AccessDenied: 126,
  Timeout: 124,
}

/** Names of library options in messages, with the flag for each. */
const flagNames: ReadonlyArray<readonly [RegExp, string]> = [
  [/^LocalFileSystem: rootPath /, "--root: "],
  [/; use another createMode to replace it or to append/, "; leave --new out to replace it, or use --append"],
  [/; pass recursive to delete/, "; add --recursive to delete"],
  [/, or pass literal$/, ", or add --literal"],
]

/** The name of `--old` in messages. */
const editNames: ReadonlyArray<readonly [RegExp, string]> = [
  [/: replacement 1: oldText/, ": the text of --old"],
  [/oldText and newText/, "--old and --new"],
  [/, or set replaceAll$/, ", or add --all"],
]

/** The message of an error, with the names of flags. */
export const describeError = (
  error: FilesError,
  { isOneEdit = false }: { readonly isOneEdit?: boolean } = {},
): string =>
  [...flagNames, ...(isOneEdit ? editNames : [])].reduce(
    (message, [pattern, name]) => message.replace(pattern, name),
    error.message,
  )

export const exitStatusOfError = (error: FilesError): number => {
  switch (error._tag) {
    case "FileFault":
      return statuses[error.faultKind] ?? ownFailureStatus
    case "FileEditError":
      return noMatchStatus
    case "FilePatchError":
      return /^(?:Conflict|Missing|Exists)$/.test(error.reason._tag) ? noMatchStatus : ownFailureStatus
    default:
      return ownFailureStatus
  }
}
