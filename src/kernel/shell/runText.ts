/** Parses and runs a script's text line by line, so that the lines before a syntax error run. */
import { makeScriptReader, type Script, type ShellSyntaxError } from "../../shell-language/ShellLanguage.ts"
import { runList } from "./execute.ts"
import { reportError } from "./errorHandling.ts"
import type { Shell } from "./Shell.ts"
import { ShellError, shellErrorOf } from "./ShellError.ts"
import { ScriptSource } from "./ScriptSource.ts"

const syntaxError = (shell: Shell, failure: ShellSyntaxError): Promise<number> => {
  shell.position = failure.offset
  return shell.reportError(`syntax error: found ${failure.found}, expected ${failure.expected}`, 2)
}

/** Runs the commands of one line and reports an error that unwinds it. */
export const runLine = async (shell: Shell, script: Script): Promise<number> => {
  if (shell.hasOption("verbose")) {
    await shell.print(`${shell.source.text.slice(script.span.start, script.span.end).trimEnd()}\n`, 2)
  }
  try {
    return await runList(shell, script.statements)
  } catch (thrown) {
    const error = shellErrorOf(thrown)
    shell.status = await reportError(shell, error)
    const ends = error.unwinds === "shell" || shell.subshellDepth > 0 ||
      (shell.hasOption("errexit") && shell.conditionDepth === 0)
    if (ends) shell.pendingJump = { kind: "exit", count: 1 }
    return shell.status
  }
}

export const aliasOf = (shell: Shell, name: string): string | undefined =>
  shell.hasOption("expand_aliases") ? shell.aliases.get(name) : undefined

/** Maximum characters of a text: the parser reads some parts, such as a name, in one piece. */
const maxTextLength = 16 * 1024 * 1024

/** Runs a text; returns the status of its last command, 2 after a syntax error. */
export const runText = async (
  shell: Shell,
  text: string,
  source: ScriptSource = new ScriptSource(text),
): Promise<number> => {
  if (shell.textDepth >= shell.limits.maxDepth) {
    throw new ShellError(`maximum nesting level exceeded (${shell.limits.maxDepth})`, "line")
  }
  // The host's stack does not grow with the nesting of texts.
  await Promise.resolve(shell.system.yield())
  const { position: at, conditionDepth: conditional, source: outer } = shell
  shell.textDepth++
  shell.source = source
  try {
    const reader = makeScriptReader(text, {
      extglob: shell.hasOption("extglob"),
      maxLength: Math.min(maxTextLength, shell.limits.maxValueLength),
      coprocesses: true,
      aliases: (name) => aliasOf(shell, name),
    })
    let status = 0
    while (shell.pendingJump === undefined) {
      reader.extglob = shell.hasOption("extglob")
      const line = reader.next()
      if (line._tag === "Failure") return shell.status = await syntaxError(shell, line.failure)
      if (line.success === undefined) return status
      status = await runLine(shell, line.success)
      shell.conditionDepth = conditional
    }
    return shell.status
  } finally {
    shell.textDepth--
    shell.source = outer
    shell.position = at
  }
}
