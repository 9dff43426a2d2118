/** Resolves the user, directory and program that a command is about to run with, for its lease. */
import type { LeaseExecution } from "../branch/BranchEntry.ts"
import { currentUser } from "../branch/currentUser.ts"
import type { ResolvedCommand } from "../shell/ShellService.ts"

/**
 * The user, the canonical working directory, and the canonical path of the program, as far as the shell knows them. `text`
 * removes text that must not be stored.
 */
export const describeExecution = (
  { executable, workingDirectory }: ResolvedCommand,
  text: (whole: string) => string = (whole) => whole,
): LeaseExecution => {
  const user = currentUser()
  return {
    ...(executable === undefined ? undefined : { executable: text(executable) }),
    ...(user === undefined ? undefined : { user }),
    ...(workingDirectory === undefined ? undefined : { workingDirectory: text(workingDirectory) }),
  }
}
