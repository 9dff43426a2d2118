/** Prints commits with their changes, separated as git separates them. */
import type { Session } from "../Session.ts"
import type { FileChange } from "../diff/changes.ts"
import { printChanges } from "../diff/diffOptions.ts"
import type { DiffOptions } from "../diff/diffTypes.ts"
import type { Repository } from "../repository/Repository.ts"
import type { Commit } from "../repository/objects.ts"
import { formatPretty, isNamedFormat, type PrettyOptions } from "./prettyFormat.ts"

export interface LogEntryPrinter {
  readonly print: (
    commit: Commit,
    changes: ReadonlyArray<FileChange> | undefined,
    reflog?: PrettyOptions["reflog"],
  ) => Promise<void>
}

/** Prints commits, with separators as git places them. */
export const entryPrinter = (
  git: Session,
  repository: Repository,
  pretty: PrettyOptions,
  diff: DiffOptions,
): LogEntryPrinter => {
  let isFirst = true
  const isMedium = isNamedFormat(pretty.format) && !pretty.isTerminated
  return {
    print: async (commit, changes, reflog) => {
      if (!isFirst && !pretty.isTerminated) git.print("\n")
      isFirst = false
      const text = formatPretty(repository, commit, { ...pretty, reflog })
      git.print(text)
      const isEmpty = text === "" && !isNamedFormat(pretty.format)
      if (isMedium || pretty.isTerminated) { if (!isEmpty || pretty.isTerminated) git.print("\n") }
      const hasDiff = changes !== undefined && changes.length > 0 && !diff.none && diff.formats.size > 0
      if (!hasDiff) {
        if (!isMedium && !pretty.isTerminated) return
        return
      }
      if (!isMedium && !pretty.isTerminated) git.print("\n")
      if (isMedium || (!isNamedFormat(pretty.format) && !isEmpty)) {
        // Git puts a line between the message and the changes, except in one-line formats.
        git.print(diff.formats.has("patch") && diff.formats.size > 1 ? "---\n" : "\n")
      }
      await printChanges(git, repository, changes, diff)
    },
  }
}
