/** Runs command substitutions, and starts process substitutions: `$(…)`, `<(…)` and `>(…)`. */
import type { Command, CommandSubstitution, ProcessSubstitution, Script } from "../../shell-language/SyntaxTree.ts"
import { Errno, errnoText } from "../Errno.ts"
import type { Pid } from "../System.ts"
import { expandText } from "./expand/expandWords.ts"
import { createPipe, soleCommand, startStage } from "./pipeline.ts"
import { readText, reapChildren, spawnShell, waitForChild } from "./processes.ts"
import { openPath } from "./redirections.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"

/** Runs a script in a subshell. A `break` in `$(…)` ends it without a message if the shell is in a loop. */
const runScript = (script: Script, loopDepth = 0) => (copy: Shell): Promise<number> => {
  copy.loopDepth = loopDepth
  copy.textDepth++
  return copy.interpreter.list(copy, script.statements)
}

const soleCommandOf = ({ statements: [statement, ...more] }: Script): Command | undefined => {
  const [pipeline] = statement?.pipelines ?? []
  const isAlone = more.length === 0 && statement?.pipelines.length === 1 && !statement.background
  return isAlone && pipeline !== undefined ? soleCommand(pipeline) : undefined
}

/** Runs `$(…)`; returns its output without trailing newlines. */
export const substituteCommand = async (shell: Shell, { script }: CommandSubstitution): Promise<string> => {
  const command = soleCommandOf(script)
  const given = command === undefined ? undefined : await fileOf(shell, command)
  const output = given ?? await outputOf(shell, script, command)
  if (typeof output === "number") {
    throw new ShellError(
      output === -Errno.EFBIG
        ? `command substitution: more than ${shell.limits.maxSubstitutionBytes} bytes`
        : `command substitution: ${errnoText(output)}`,
      "line",
    )
  }
  let end = output.length
  while (output[end - 1] === "\n") end--
  const text = output.slice(0, end)
  return text.includes("\0") ? text.replaceAll("\0", "") : text
}

/** Reads the file of `$(<file)`; `undefined` for other commands. */
const fileOf = async (shell: Shell, node: Command): Promise<string | number | undefined> => {
  if (node._tag !== "SimpleCommand" || node.words.length > 0 || node.assignments.length > 0) return undefined
  const [redirection] = node.redirects
  if (node.redirects.length !== 1 || redirection?._tag !== "FileRedirect") return undefined
  if (redirection.operator !== "<" || redirection.variable !== undefined || (redirection.fd ?? 0) !== 0) {
    return undefined
  }
  const path = await expandText(shell, redirection.target)
  const fd = openPath(shell, path, { read: true })
  shell.substitutionStatus = fd < 0 ? await shell.reportError(`${path}: ${errnoText(fd)}`) : 0
  if (fd < 0) return ""
  const text = await readText(shell.system, fd, shell.limits.maxSubstitutionBytes)
  shell.system.close(fd)
  return text
}

const outputOf = async (shell: Shell, script: Script, command: Command | undefined): Promise<string | number> => {
  const [read, write] = createPipe(shell)
  const body = (copy: Shell): Promise<number> => {
    if (!copy.hasOption("inherit_errexit")) copy.options.delete("errexit")
    return runScript(script, shell.loopDepth)(copy)
  }
  let started: Pid | { readonly status: number }
  try {
    started = command === undefined
      ? spawnShell(shell, body, shell.descriptors.forChild([[1, write]]))
      : await startStage(shell, command, [[1, write]], body)
  } catch (error) {
    shell.system.close(read)
    throw error
  } finally {
    shell.system.close(write)
  }
  const text = await readText(shell.system, read, shell.limits.maxSubstitutionBytes)
  shell.system.close(read)
  shell.substitutionStatus = typeof started === "number" ? await waitForChild(shell, started) : started.status
  shell.status = shell.substitutionStatus
  return text
}

/** Starts `<(…)` or `>(…)`; returns the path of a descriptor that the command inherits. */
export const substituteProcess = (shell: Shell, { direction, script }: ProcessSubstitution): string => {
  reapChildren(shell)
  const [read, write] = createPipe(shell)
  const [mine, theirs] = direction === "<" ? [read, write] : [write, read]
  // A process that inherited the pipes of other substitutions would keep them open.
  const others = new Set(shell.substitutionDescriptors)
  const table = shell.descriptors.forChild([[direction === "<" ? 1 : 0, theirs]]).filter(([fd]) => !others.has(fd))
  try {
    shell.lastBackground = spawnShell(shell, runScript(script), table)
  } finally {
    shell.system.close(theirs)
  }
  const fd = shell.descriptors.addBelow(mine, 63)
  shell.substitutionDescriptors.push(fd)
  return `/dev/fd/${fd}`
}
