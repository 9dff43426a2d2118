/** Decides which exit codes a caller accepts, and fits the error of a refused one to a caller of promises. */
import type { ShellOutput } from "../../command/ShellEvent.ts"
import { ShellExitError } from "./ShellExitError.ts"

/** 0 (`true`, the default), all and every signal (`false`), or the codes of a list. */
export type ExitCheck = boolean | ReadonlyArray<number> | undefined

/** Maximum length of the command line in a message. */
const shownLength = 500

/** Whether the exit code is accepted. A signal is accepted only if its code (128 + n) is listed, or all codes are. */
export const isAccepted = ({ exitCode }: { readonly exitCode: number }, check: ExitCheck): boolean =>
  check === false || (Array.isArray(check) ? check.includes(exitCode) : exitCode === 0)

/** The message without the prefix `exec:`, which distinguishes commands from other operations. */
export const withoutPrefix = (message: string): string => message.replace(/^exec: /, "")

/** Makes the error of a command line whose exit code is not accepted. */
export const refusedExit = (line: string, output: ShellOutput): ShellExitError => {
  const command = line.length > shownLength ? `${line.slice(0, shownLength)}…` : line
  const error = ShellExitError.because(output, { command })
  return new ShellExitError({ ...error, message: withoutPrefix(error.message) })
}
