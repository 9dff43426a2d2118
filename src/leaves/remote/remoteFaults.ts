/** Converts errors of requests to a server into faults of a command. */
import * as Duration from "effect/Duration"
import type { CommandId } from "../../command/CommandId.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import { isSecret, reveal } from "../../command/Secret.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault, withFaultFields } from "../../command/ShellFault.ts"
import { cancelledFault } from "../../shell/describeFaults.ts"
import { isTransient } from "../../client/reconnect.ts"
import { type RemoteError, statusOf } from "../../client/RemoteError.ts"

/** The longest part of a request, to name in the message of a request that is too long. */
const findLargestField = ({ arguments: words, environment = {}, input }: ShellExec): string => {
  const lengthOf = (word: unknown): number =>
    typeof word === "string" ? word.length : isSecret(word) ? (reveal(word)?.length ?? 0) : 0
  const sum = (all: ReadonlyArray<unknown>): number => all.reduce<number>((total, word) => total + lengthOf(word), 0)
  const lengths: ReadonlyArray<readonly [field: string, length: number]> = [
    ["arguments", sum(words)],
    ["environment", sum(Object.values(environment))],
    ["input", lengthOf(input)],
  ]
  return lengths.reduce((max, each) => each[1] > max[1] ? each : max)[0]
}

interface FaultParts {
  readonly reason: FaultReason
  readonly code: string
  readonly advice: string
}

const urlAdvice = "give the url of an execution server"
/** For a request without a token, or with an unknown one. */
export const tokenAdvice = "give a token that the server knows (token, --token-file, SLUICE_TOKEN)"
const retryAdvice = "try again later"

const faultParts = (exec: ShellExec, error: RemoteError): FaultParts => {
  if (error.reason._tag === "NotSent") {
    return { reason: { _tag: "InvalidRequest", field: "url", code: "EINVAL" }, code: "EINVAL", advice: urlAdvice }
  }
  if (error.reason._tag !== "Refused") {
    return { reason: { _tag: "Unknown", code: "EPROTO" }, code: "EPROTO", advice: urlAdvice }
  }
  const { problem, status } = error.reason
  const invalid = (field: string, code: string, advice: string): FaultParts => ({
    reason: { _tag: "InvalidRequest", field, code },
    code,
    advice,
  })
  const exhausted = (resource: string): FaultParts => ({
    reason: { _tag: "ResourceExhausted", resource },
    code: "EAGAIN",
    advice: retryAdvice,
  })
  switch (status) {
    case 401:
    case 403:
      return {
        reason: { _tag: "NotAllowed", policy: "token" },
        code: "NOT_ALLOWED",
        advice: status === 401 ? tokenAdvice : "give a token that may run commands",
      }
    case 404:
      return { reason: { _tag: "Unknown" }, code: "UNKNOWN", advice: "check the url: sluice serve prints it" }
    case 400:
    case 406:
    case 415:
    case 431:
      return invalid("request", "EINVAL", "the server may have another version")
    case 409:
      return invalid("commandId", "EEXIST", "use another command id")
    case 413:
      return invalid(findLargestField(exec), "E2BIG", "shorten it, or raise the server's maxBodyBytes")
    case 410:
      return {
        reason: { _tag: "JournalFailed", what: "its output was pruned" },
        code: "PRUNED",
        advice: "let the server's journal keep more",
      }
    case 429:
      return exhausted(problem?.type === "urn:sluice:request:busy" ? "commands" : "requests")
    case 502:
    case 503:
    case 504:
      return exhausted("server")
    default:
      return { reason: { _tag: "Unknown" }, code: "UNKNOWN", advice: "contact the server's operator" }
  }
}

/** The server's address, and how long lost connections to it are retried. */
export interface RemoteServer {
  readonly url: string
  readonly reconnectTimeout: Duration.Duration
}

/**
 * The fault of a command whose server failed to answer.
 *
 * @param hasStarted Whether the command is in the server's journal. If the server then stays unreachable, or has forgotten
 * the command, its outcome is unknown, and the fault is `HostLost`.
 * @param id The command's id on the server.
 */
export const serverFault = (
  exec: ShellExec,
  error: RemoteError,
  hasStarted: boolean,
  id: CommandId,
  { reconnectTimeout, url }: RemoteServer,
): ShellFault => {
  const host = URL.canParse(url) ? new URL(url).host : "the server"
  const fault = (reason: FaultReason, code: string, problem: string): ShellFault =>
    ShellFault.because(exec.commandId, reason, `exec: ${exec.command} (command ${id}) ${problem} (${code})`, {
      exception: error.message,
    })
  const time = Duration.format(reconnectTimeout)
  if (hasStarted && isTransient(error)) {
    const problem =
      `was lost: ${host} could not be reached for ${time}, and will end the command; look there for its output`
    return fault({ _tag: "HostLost", host }, "HOSTLOST", problem)
  }
  if (hasStarted && statusOf(error) === 404) {
    const problem = `was lost: ${host} has forgotten it; give its server a durable journal`
    return fault({ _tag: "HostLost", host }, "HOSTLOST", problem)
  }
  if (error.reason._tag === "Unreachable") {
    // The command may have started nevertheless, by a request whose answer was lost.
    const problem = `has no answer: ${host} could not be reached for ${time}; start its server, or check the url`
    return fault({ _tag: "Unknown", code: "EHOSTUNREACH" }, "EHOSTUNREACH", problem)
  }
  const { advice, code, reason } = faultParts(exec, error)
  const problem = error.reason._tag === "Refused" ? error.reason.problem : undefined
  const detail = problem?.detail ?? error.message.replace(/^http: /, "")
  return fault(reason, code, `was ${hasStarted ? "lost" : "not started"}: ${host}: ${detail}; ${advice}`)
}

/** The fault of a command whose stdout is to be written to a sink: a server cannot do that. */
export const stdoutFault = (exec: ShellExec): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "InvalidRequest", field: "stdout", code: "ENOTSUP" },
    `exec: ${exec.command} cannot run on a server with the option stdout: take the output from the stream (ENOTSUP)`,
  )

/**
 * Gives a server's fault the command's own id, and the reason of the caller's signal if the signal cancelled the
 * command.
 */
export const localFault = (exec: ShellExec, fault: ShellFault, signal: AbortSignal | undefined): ShellFault => {
  const { commandId } = exec
  if (signal?.aborted === true && fault.reason._tag === "Cancelled") {
    const { message, reason } = cancelledFault(exec)
    return withFaultFields(fault, { commandId, reason, message })
  }
  return fault.commandId === commandId ? fault : withFaultFields(fault, { commandId })
}

export const mapOutput = (fault: ShellFault, convert: (output: string) => string): ShellFault =>
  withFaultFields(fault, { stdout: convert(fault.stdout), stderr: convert(fault.stderr) })
