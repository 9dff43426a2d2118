/** Makes the fault of a command with a value that cannot be passed to a process. */
import { quote } from "../base/quote.ts"
import { referenceOf, reveal } from "../command/plain/secret.ts"
import type { Word } from "../command/Secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault as PlainFault } from "../command/plain/ShellFault.ts"
import type { ShellFault } from "../command/ShellFault.ts"

/** An entry that no environment can hold; `problem` gives the reason, without the value. */
export interface InvalidVariable {
  readonly name: string
  readonly problem: string
}

const lost = "is a secret whose value was lost when it was encoded"

/** The reason why a text cannot be passed to a process, if there is one. */
const invalidText = (word: Word): string | undefined => {
  const text = reveal(word)
  if (text === undefined) return lost
  if (text.includes("\0")) return "contains a NUL"
  // Half a surrogate pair has no UTF-8 encoding: each runtime would replace it with something different.
  return text.isWellFormed() ? undefined : "contains half a surrogate pair"
}

export const checkVariable = (name: string, value: Word | null): InvalidVariable | undefined => {
  if (name === "") return { name, problem: "has an empty name" }
  if (name.includes("=")) return { name, problem: "has a '=' in its name" }
  if (name.includes("\0")) return { name, problem: "has a NUL in its name" }
  const text = value === null ? "" : reveal(value)
  if (text === undefined) return { name, problem: "is a secret whose value was lost when it was encoded" }
  if (text.includes("\0")) return { name, problem: "contains a NUL" }
  return undefined
}

const knowsEncoding = (label: string): boolean => {
  try {
    new TextDecoder(label)
    return true
  } catch {
    return false
  }
}

const unresolved = "refers to a secret, which this shell does not read: put SecretShell around the leaf"

/** The first reference to a secret, which only the shell that reads it may start. */
const referringField = ({ arguments: words, environment = {}, input }: ShellExec) => {
  const index = words.findIndex((word) => referenceOf(word) !== undefined)
  if (index >= 0) return ["arguments", `argument ${index + 1} ${unresolved}`] as const
  const variable = Object.keys(environment).find((name) => referenceOf(environment[name]) !== undefined)
  if (variable !== undefined) return ["environment", `the variable ${quote(variable)} ${unresolved}`] as const
  return referenceOf(input) === undefined ? undefined : ["input", `the input ${unresolved}`] as const
}

const invalidField = (exec: ShellExec): readonly [field: string, problem: string] | undefined => {
  if (exec.command.trim() === "") return ["command", "the command is empty"]
  const command = invalidText(exec.command)
  if (command !== undefined) return ["command", `the command ${command}`]
  if (!exec.useShell && exec.shell !== undefined) {
    return ["shell", "a program runs without a shell: leave out shell, or write a script with ShellExec.shell"]
  }
  if (exec.useShell && exec.shell !== "portable" && exec.arguments.length > 0) {
    return ["arguments", "a script for the shell takes no arguments: write them into it, or leave out useShell"]
  }
  for (const [index, word] of exec.arguments.entries()) {
    const problem = invalidText(word)
    if (problem !== undefined) return ["arguments", `argument ${index + 1} ${problem}`]
  }
  if (exec.workingDirectory !== undefined) {
    const problem = exec.workingDirectory === "" ? "is empty" : invalidText(exec.workingDirectory)
    if (problem !== undefined) return ["workingDirectory", `the working directory ${problem}`]
  }
  for (const [name, value] of Object.entries(exec.environment ?? {})) {
    const problem = checkVariable(name, value)?.problem ??
      (invalidText(name) ?? (value === null ? undefined : invalidText(value)))
    if (problem !== undefined) return ["environment", `the variable ${quote(name)} ${problem}`]
  }
  if (exec.input !== undefined && !(exec.input instanceof Uint8Array) && reveal(exec.input) === undefined) {
    return ["input", `the input ${lost}`]
  }
  if (exec.encoding !== undefined && !knowsEncoding(exec.encoding)) {
    return ["encoding", `the encoding ${quote(exec.encoding)} is not known here`]
  }
  return undefined
}

/**
 * Makes the fault of a command that no machine can start: an empty command; a NUL or half a surrogate pair in the
 * command, an argument, the working directory or the environment; an empty name of a variable, or one with `=`; a
 * decoded secret, which has lost its value; a reference to a secret; an encoding that the runtime does not know;
 * arguments next to a script for the system's shell; a shell for a program. The reason is `InvalidRequest` and names
 * the field.
 *
 * The check reads each character only once, so it is cheap enough to run before every spawn.
 *
 * @example
 * ```ts
 * import { ShellExec } from "@sluice/shell"
 * import { validateExec } from "@sluice/shell/leaf"
 *
 * console.log(validateExec(ShellExec.make("ls", ["-l"]))) // undefined
 * console.log(validateExec(ShellExec.make("ls", ["a\0b"]))?.reason._tag) // InvalidRequest
 * ```
 */
export const validateExec = (exec: ShellExec): ShellFault | undefined => validated(exec, referringField)

/** Like {@link validateExec}, for a wrapper of the leaf, where references to secrets are not resolved yet. */
export const validateReferring = (exec: ShellExec): ShellFault | undefined => validated(exec, () => undefined)

const validated = (exec: ShellExec, others: typeof referringField): ShellFault | undefined => {
  const invalid = invalidField(exec) ?? others(exec)
  if (invalid === undefined) return undefined
  const [field, problem] = invalid
  const reason = { _tag: "InvalidRequest", field, code: "EINVAL" } as const
  return PlainFault.because(exec.commandId, reason, `exec: ${problem} (EINVAL)`)
}
