/** Makes the faults of commands that were lost, or for which the server gave no exit status. */
import type { ShellExec } from "../../command/ShellExec.ts"
import type { Failure } from "../../sh-session/describeRefusal.ts"

export const lostFailure = (server: string, { command }: ShellExec, when: string): Failure => [
  { _tag: "HostLost", host: server },
  `exec: the connection to ${server} was lost ${when}; ${command} was not repeated (ECONNRESET)`,
]

/** When a command was lost. */
export const whileRunning = "while it ran, which ends it on the server"

/** The failure of a command without an exit status from the server: Dropbear has no names for some signals. */
export const noStatus = (server: string, { command }: ShellExec): Failure => [
  { _tag: "Unknown", code: "ENOSTATUS" },
  `exec: ${server} closed the channel of ${command} and did not say how it ended; a signal may have ended it (ENOSTATUS)`,
]
