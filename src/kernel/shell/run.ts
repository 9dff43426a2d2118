/**
 * Runs a text, line by line: what stands before a syntax error has run when the error is found.
 *
 * @module
 */
import { makeScriptReader, type Script, type ShellSyntaxError } from "../../shell-language/ShellLanguage.ts"
import { runList } from "./execute.ts"
import { tell } from "./failure.ts"
import type { Shell } from "./Shell.ts"
import { ShellError, shellErrorOf } from "./ShellError.ts"
import { Source } from "./Source.ts"

const syntaxError = (shell: Shell, failure: ShellSyntaxError): Promise<number> => {
  shell.at = failure.offset
  return shell.complain(`syntax error: found ${failure.found}, expected ${failure.expected}`, 2)
}

/** Runs the commands of one line. An error that unwinds the line is told, and the line's status is its own. */
export const runLine = async (shell: Shell, script: Script): Promise<number> => {
  if (shell.on("verbose")) {
    await shell.print(`${shell.source.text.slice(script.span.start, script.span.end).trimEnd()}\n`, 2)
  }
  if (shell.on("noexec")) return 0
  try {
    return await runList(shell, script.statements)
  } catch (thrown) {
    const error = shellErrorOf(thrown)
    shell.status = await tell(shell, error)
    const ends = error.unwinds === "shell" || shell.subshellDepth > 0 ||
      (shell.on("errexit") && shell.conditional === 0)
    if (ends) shell.flow = { kind: "exit", count: 1 }
    return shell.status
  }
}

/** The text of an alias, where aliases are expanded. */
export const aliasOf = (shell: Shell, name: string): string | undefined =>
  shell.on("expand_aliases") ? shell.aliases.get(name) : undefined

/** Runs a text; answers with the status of its last command, 2 after a syntax error. */
export const runText = async (shell: Shell, text: string, source: Source = new Source(text)): Promise<number> => {
  if (shell.nesting >= shell.limits.depth) {
    throw new ShellError(`maximum nesting level exceeded (${shell.limits.depth})`, "line")
  }
  // The stack of the host ends here.
  await Promise.resolve(shell.system.breathe())
  const { at, conditional, source: outer } = shell
  shell.nesting++
  shell.source = source
  try {
    const reader = makeScriptReader(text, {
      extglob: shell.on("extglob"),
      maxLength: shell.limits.valueLength,
      coprocesses: true,
      aliases: (name) => aliasOf(shell, name),
    })
    let status = 0
    while (shell.flow === undefined) {
      reader.extglob = shell.on("extglob")
      const line = reader.next()
      if (line._tag === "Failure") return shell.status = await syntaxError(shell, line.failure)
      if (line.success === undefined) return status
      status = await runLine(shell, line.success)
      shell.conditional = conditional
    }
    return shell.status
  } finally {
    shell.nesting--
    shell.source = outer
    shell.at = at
  }
}
