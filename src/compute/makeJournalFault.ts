/** Makes the fault of a command that could not be journaled. */
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import type { JournalError } from "../journal/JournalError.ts"

const codeOf = ({ reason }: JournalError): string | undefined => "code" in reason ? reason.code : undefined

export const makeJournalFault = (exec: ShellExec, error: JournalError, started: boolean): ShellFault => {
  const code = codeOf(error)
  const why = error.message.replace(/^journal: /, "")
  return ShellFault.because(
    exec.commandId,
    { _tag: "JournalFailed", what: error.reason._tag, ...(code === undefined ? undefined : { code }) },
    `exec: ${exec.command} was ${started ? "ended" : "not run"}, because it could not be journaled: ${why}`,
    { exception: error.exception },
  )
}
