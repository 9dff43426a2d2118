/**
 * What goes wrong with a server, as the fault of a command.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import type { CommandId } from "../../command/CommandId.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import { isSecret, reveal } from "../../command/Secret.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { cancelMessage } from "../../shell/admit.ts"
import type { HttpError } from "../../client/HttpError.ts"
import { mayPass } from "../../client/reconnecting.ts"

const requestOf = ({ problem }: HttpError): string => problem?.type.replace(/^urn:sluice:request:/, "") ?? ""

/** The longest part of a request that was too long. */
const longest = ({ arguments: words, environment = {}, input }: ShellExec): string => {
  const lengthOf = (word: unknown): number =>
    typeof word === "string" ? word.length : isSecret(word) ? (reveal(word)?.length ?? 0) : 0
  const sum = (all: ReadonlyArray<unknown>): number => all.reduce<number>((total, word) => total + lengthOf(word), 0)
  const lengths: ReadonlyArray<readonly [field: string, length: number]> = [
    ["arguments", sum(words)],
    ["environment", sum(Object.values(environment))],
    ["input", lengthOf(input)],
  ]
  return lengths.reduce((most, each) => each[1] > most[1] ? each : most)[0]
}

interface Refused {
  readonly reason: FaultReason
  /** What the message ends with. */
  readonly code: string
  /** What to do. */
  readonly advice: string
}

const url = "give the url of an execution server"
const later = "try again later"

/** What a refusal is that is no command's fault. */
const refusedAs = (exec: ShellExec, error: HttpError): Refused => {
  if (error.reason === "NotSent") {
    return { reason: { _tag: "InvalidRequest", field: "url", code: "EINVAL" }, code: "EINVAL", advice: url }
  }
  if (error.reason !== "Refused") {
    return { reason: { _tag: "Unknown", code: "EPROTO" }, code: "EPROTO", advice: url }
  }
  const invalid = (field: string, code: string, advice: string): Refused => ({
    reason: { _tag: "InvalidRequest", field, code },
    code,
    advice,
  })
  const exhausted = (resource: string): Refused => ({
    reason: { _tag: "ResourceExhausted", resource },
    code: "EAGAIN",
    advice: later,
  })
  switch (error.status) {
    case 401:
    case 403:
      return {
        reason: { _tag: "NotAllowed", policy: "token" },
        code: "NOT_ALLOWED",
        advice: "give a token that may run commands",
      }
    case 400:
    case 406:
    case 415:
    case 431:
      return invalid("request", "EINVAL", "the server may be of another version")
    case 409:
      return invalid("commandId", "EEXIST", "give the command another id")
    case 413:
      return invalid(longest(exec), "E2BIG", "give less, or let the server read more (maxBodyBytes)")
    case 410:
      return {
        reason: { _tag: "JournalFailed", what: "its output was pruned" },
        code: "PRUNED",
        advice: "let the server's journal keep more",
      }
    case 429:
      return exhausted(requestOf(error) === "busy" ? "commands" : "requests")
    case 502:
    case 503:
    case 504:
      return exhausted("server")
    default:
      return { reason: { _tag: "Unknown" }, code: "UNKNOWN", advice: "ask whoever runs the server" }
  }
}

/** Who is asked, and how long it may be away. */
export interface Server {
  readonly url: string
  readonly patience: Duration.Duration
}

/**
 * The fault of a command whose server could not be spoken to. `begun` says whether it was in the server's journal: when the
 * server stays away then, or has forgotten it, nobody here knows what became of it, and the fault is `HostLost`. `id` is
 * the command's on the server.
 */
export const serverFault = (
  exec: ShellExec,
  error: HttpError,
  begun: boolean,
  id: CommandId,
  { patience, url }: Server,
): ShellFault => {
  const host = URL.canParse(url) ? new URL(url).host : "the server"
  const fault = (reason: FaultReason, code: string, what: string): ShellFault =>
    ShellFault.because(exec.commandId, reason, `exec: ${exec.command} (command ${id}) ${what} (${code})`, {
      exception: error.message,
    })
  const time = Duration.format(patience)
  if (begun && mayPass(error)) {
    const said = `was lost: ${host} could not be reached for ${time}, and ends it by itself; look there for what it did`
    return fault({ _tag: "HostLost", host }, "HOSTLOST", said)
  }
  if (begun && error.status === 404) {
    const said = `was lost: ${host} does not know it any more; give its server a journal that is kept`
    return fault({ _tag: "HostLost", host }, "HOSTLOST", said)
  }
  if (error.reason === "Unreachable") {
    // It may have been started all the same, by a request whose answer was lost.
    const said = `has no answer: ${host} could not be reached for ${time}; start its server, or look at the url`
    return fault({ _tag: "Unknown", code: "EHOSTUNREACH" }, "EHOSTUNREACH", said)
  }
  const { advice, code, reason } = refusedAs(exec, error)
  const said = error.problem?.detail ?? error.message.replace(/^http: /, "")
  return fault(reason, code, `was ${begun ? "lost" : "not started"}: ${host}: ${said}; ${advice}`)
}

/** The fault of a command that wants its stdout to go elsewhere. */
export const stdoutFault = (exec: ShellExec): ShellFault =>
  ShellFault.because(
    exec.commandId,
    { _tag: "InvalidRequest", field: "stdout", code: "ENOTSUP" },
    `exec: ${exec.command} cannot be asked for at a server: stdout cannot be handed on: take it from the stream (ENOTSUP)`,
  )

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
