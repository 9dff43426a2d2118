/**
 * What goes wrong with a server, as the fault of a command.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { cancelMessage } from "../../shell/admit.ts"
import type { HttpError } from "../../wire/HttpError.ts"

const requestOf = ({ problem }: HttpError): string => problem?.type.replace(/^urn:sluice:request:/, "") ?? ""

/** The longest part of a request that was too long. */
const longest = (exec: ShellExec): string => {
  const environment = JSON.stringify(exec.environment ?? {}).length
  return JSON.stringify(exec.arguments).length >= environment ? "arguments" : "environment"
}

/** The reason of a refusal that is no command's fault, and the code that its message ends with. */
const reasonOf = (exec: ShellExec, error: HttpError): readonly [reason: FaultReason, code: string] => {
  if (error.reason !== "Refused") return [{ _tag: "Unknown" }, "EPROTO"]
  switch (error.status) {
    case 401:
    case 403:
      return [{ _tag: "NotAllowed", policy: "token" }, "NOT_ALLOWED"]
    case 400:
    case 406:
    case 415:
    case 431:
      return [{ _tag: "InvalidRequest", field: "request", code: "EINVAL" }, "EINVAL"]
    case 409:
      return [{ _tag: "InvalidRequest", field: "commandId", code: "EEXIST" }, "EEXIST"]
    case 413:
      return [{ _tag: "InvalidRequest", field: longest(exec), code: "E2BIG" }, "E2BIG"]
    case 410:
      return [{ _tag: "JournalFailed", what: "its output was pruned" }, "PRUNED"]
    case 429:
      return requestOf(error) === "busy"
        ? [{ _tag: "ResourceExhausted", resource: "commands" }, "EAGAIN"]
        : [{ _tag: "ResourceExhausted", resource: "requests" }, "EAGAIN"]
    case 503:
      return [{ _tag: "ResourceExhausted", resource: "server" }, "EAGAIN"]
    default:
      return [{ _tag: "Unknown" }, "UNKNOWN"]
  }
}

/**
 * The fault of a command whose server could not be spoken to: `begun` says whether it was in the server's journal. Then
 * nobody here knows what became of it, and the fault is `HostLost`.
 */
export const serverFault = (
  exec: ShellExec,
  error: HttpError,
  begun: boolean,
  url: string,
  patience: Duration.Duration,
): ShellFault => {
  const { host } = new URL(url)
  if (error.reason === "Unreachable") {
    const time = Duration.format(patience)
    const what = begun
      ? `was lost: ${host} could not be reached for ${time}, and ends it by itself`
      : `was not started: ${host} could not be reached for ${time}`
    const [reason, code] = begun
      ? [{ _tag: "HostLost", host }, "HOSTLOST"] as const
      : [{ _tag: "Unknown" }, "EHOSTUNREACH"] as const
    return ShellFault.because(exec.commandId, reason, `exec: ${exec.command} ${what} (${code})`, {
      exception: error.message,
    })
  }
  const [reason, code] = reasonOf(exec, error)
  const said = error.problem?.detail ?? error.message
  const message = `exec: ${exec.command} was ${begun ? "lost" : "not started"}: ${host}: ${said} (${code})`
  return ShellFault.because(exec.commandId, reason, message)
}

/** A fault with some of its fields as this side knows them. */
const changed = (
  fault: ShellFault,
  fields: Partial<Pick<ShellFault, "commandId" | "reason" | "message" | "stdout" | "stderr">>,
): ShellFault => {
  const { exception, message, ...rest } = fault
  return new ShellFault({ ...rest, message, ...(exception === undefined ? undefined : { exception }), ...fields })
}

/** A fault as this side knows it: under the command's own id, and cancelled by the caller's signal if it was. */
export const ownFault = (exec: ShellExec, fault: ShellFault, signal: AbortSignal | undefined): ShellFault => {
  const { commandId } = exec
  if (signal?.aborted === true && fault.reason._tag === "Cancelled") {
    return changed(fault, { commandId, reason: { _tag: "Cancelled", by: "signal" }, message: cancelMessage(exec) })
  }
  return fault.commandId === commandId ? fault : changed(fault, { commandId })
}

/** A fault with its partial output in another text. */
export const withText = (fault: ShellFault, text: (output: string) => string): ShellFault =>
  changed(fault, { stdout: text(fault.stdout), stderr: text(fault.stderr) })
