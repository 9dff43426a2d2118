/** Finds a part of a command that cannot be written to a journal for a daemon, such as a secret. */
import { quote } from "../base/quote.ts"
import { isSecret, referenceOf } from "../command/plain/secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import type { LeafRunOptions } from "../shell/ShellService.ts"

const secretProblem =
  "is a secret, and readers of the journal could see it: pass a reference (Secrets.reference), or set the secret in the daemon's environment"

/** A reference may be journaled, because the daemon resolves it. */
const isHidden = (word: unknown): boolean => isSecret(word) && referenceOf(word) === undefined

const problemOf = (
  exec: ShellExec,
  { stdin, stdout }: LeafRunOptions,
): readonly [field: string, problem: string] | undefined => {
  const index = exec.arguments.findIndex((word) => isHidden(word))
  if (index >= 0) return ["arguments", `argument ${index + 1} ${secretProblem}`]
  for (const [name, value] of Object.entries(exec.environment ?? {})) {
    if (isHidden(value)) return ["environment", `the variable ${quote(name)} ${secretProblem}`]
  }
  if (isHidden(exec.input)) return ["input", `the input ${secretProblem}`]
  if (stdin !== undefined) return ["stdin", "stdin is a stream: pass its content as the command's input"]
  if (stdout !== undefined) return ["stdout", "stdout cannot be passed on: read it from the stream"]
  return undefined
}

/** The fault of a command that a journal cannot store so that a daemon can run it; `undefined` if it can. */
export const findUnrecordable = (exec: ShellExec, options: LeafRunOptions): ShellFault | undefined => {
  const found = problemOf(exec, options)
  if (found === undefined) return undefined
  const [field, problem] = found
  return ShellFault.because(
    exec.commandId,
    { _tag: "InvalidRequest", field, code: "ENOTSUP" },
    `exec: ${exec.command} cannot be requested through a journal: ${problem} (ENOTSUP)`,
  )
}
