/** Counts the commands of a script, and ends it at its limit. */
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"

export const countCommand = (shell: Shell): void => {
  const { maxCommands } = shell.limits
  if (++shell.usage.commands > maxCommands) throw new ShellError(`more than ${maxCommands} commands`, "shell", 126)
}
