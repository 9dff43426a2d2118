/** Builds `application/problem+json` responses from faults, journal errors and refused requests (RFC 9457). */
import * as Cause from "effect/Cause"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { CommandId } from "../command/CommandId.ts"
import type { FaultReason } from "../command/FaultReason.ts"
import { ShellFault } from "../command/ShellFault.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { responseHeaders } from "./headers.ts"

/**
 * An invalid field of a request. `pointer` is a JSON Pointer into the body, such as `#/arguments/0`.
 *
 * @stability stable
 */
export interface ProblemField {
  /** JSON Pointer to the field. */
  readonly pointer: string
  /** The problem. */
  readonly detail: string
}

/**
 * The body of an `application/problem+json` response.
 *
 *   - `type`: `urn:sluice:fault:<Reason>` if the command faulted before its first event (`fault` is then the encoded
 *   `ShellFault` with the partial output), else `urn:sluice:request:<kind>`.
 *   - `detail`: explains the problem; quotes no value of the request.
 *   - `errors`: the invalid fields of a body.
 *
 * @stability stable
 */
export interface ProblemDetails {
  /** Kind of the problem, a URN. */
  readonly type: string
  /** The kind in words. */
  readonly title: string
  /** HTTP status. */
  readonly status: number
  /** Explains the problem. */
  readonly detail: string
  /** The command, where there is one. */
  readonly commandId?: CommandId
  /** The encoded fault of the command. */
  readonly fault?: typeof ShellFault.Encoded
  /** The invalid fields of a body. */
  readonly errors?: ReadonlyArray<ProblemField>
}

export interface HttpRefusal<Problem extends { readonly status: number } = ProblemDetails> {
  readonly _tag: "Refusal"
  readonly problem: Problem
  readonly headers: Readonly<Record<string, string>>
}

const titles = {
  "unauthorized": "Authentication required",
  "forbidden": "Token lacks the right",
  "unknown-command": "Command not found",
  "unknown-approval": "Approval request not found",
  "conflict": "Command id already used",
  "input-closed": "Command takes no input",
  "input-gap": "Earlier input is missing",
  "no-terminal": "Command has no terminal",
  "no-websocket": "WebSockets are not available",
  "upgrade-required": "WebSocket required",
  "pruned": "Removed from the journal",
  "busy": "Too many concurrent commands",
  "too-many-requests": "Rate limit exceeded",
  "headers-too-large": "Request headers too large",
  "journal": "Journal error",
  "method-not-allowed": "Method not allowed",
  "not-acceptable": "No acceptable media type",
  "too-large": "Request body too large",
  "slow-body": "Request body timed out",
  "unsupported-media-type": "Unsupported media type",
  "precondition-failed": "Precondition failed",
  "range-not-satisfiable": "Range not satisfiable",
  "unknown-upload": "Upload not found",
  "upload-offset": "Upload continues elsewhere",
  "upload-complete": "Upload is complete",
  "invalid": "Invalid request",
  "wire-version": "Unsupported wire version",
  "unavailable": "Service unavailable",
  "internal": "Internal error",
} as const

export type RefusalKind = keyof typeof titles

export const refuse = (
  status: number,
  kind: RefusalKind,
  detail: string,
  more: { readonly headers?: Record<string, string>; readonly errors?: ReadonlyArray<ProblemField> } = {},
): HttpRefusal => ({
  _tag: "Refusal",
  problem: {
    type: `urn:sluice:request:${kind}`,
    title: titles[kind],
    status,
    detail,
    ...(more.errors === undefined ? undefined : { errors: more.errors }),
  },
  headers: more.headers ?? {},
})

// 499 is nginx's "client closed request": runs are nearly always cancelled by their clients, and no registered status
// means that. 409 would invite clients to retry.
const faults: Readonly<Record<FaultReason["_tag"], readonly [status: number, title: string]>> = {
  NotFound: [404, "Program or directory not found"],
  PermissionDenied: [403, "Permission denied"],
  NotAllowed: [403, "Refused by the access policy"],
  InvalidRequest: [400, "Invalid request"],
  Timeout: [408, "Command timed out"],
  Cancelled: [499, "Command cancelled"],
  Throttled: [429, "Too many concurrent commands"],
  ResourceExhausted: [503, "Server out of resources"],
  // Neither has `Retry-After`: the command may have done all or some of its work.
  HostLost: [502, "Process that ran the command was lost"],
  JournalFailed: [500, "Journal error"],
  Unknown: [500, "Unknown fault"],
}

const encodeFault: (fault: ShellFault) => typeof ShellFault.Encoded = Schema.encodeSync(ShellFault)

/** `retryAfterSeconds` is sent for temporary faults: `Throttled` and `ResourceExhausted`. */
const refuseFault = (fault: ShellFault, retryAfterSeconds: number): HttpRefusal => {
  const [status, title] = faults[fault.reason._tag]
  return {
    _tag: "Refusal",
    problem: {
      type: `urn:sluice:fault:${fault.reason._tag}`,
      title,
      status,
      detail: fault.message,
      commandId: fault.commandId,
      fault: encodeFault(fault),
    },
    headers: status === 429 || status === 503 ? { "retry-after": String(retryAfterSeconds) } : {},
  }
}

/** The fault in the cause of a run; for another cause, `Cancelled` or `Unknown` without details. */
export const faultOf = (commandId: CommandId, cause: Cause.Cause<ShellFault>): ShellFault => {
  const error = Cause.findError(cause)
  if (Result.isSuccess(error)) return error.success
  return Cause.hasInterruptsOnly(cause)
    ? ShellFault.because(commandId, { _tag: "Cancelled" }, "exec: cancelled")
    : ShellFault.because(commandId, { _tag: "Unknown" }, "exec: internal error")
}

export const refuseJournal = ({ message, reason }: JournalError): HttpRefusal => {
  if (reason._tag === "Pruned") return refuse(410, "pruned", message)
  const passes = reason._tag === "Unavailable" || reason._tag === "Locked"
  return refuse(passes ? 503 : 500, "journal", message, passes ? { headers: { "retry-after": "1" } } : {})
}

/** Makes the refusal of a failed run, or of a failed read of its events. */
export const refuseCause = (
  commandId: CommandId,
  cause: Cause.Cause<ShellFault | JournalError>,
  retryAfterSeconds: number,
): HttpRefusal => {
  const error = Result.getOrElse(Cause.findError(cause), (rest) => faultOf(commandId, rest))
  return error._tag === "ShellFault" ? refuseFault(error, retryAfterSeconds) : refuseJournal(error)
}

export const problemResponse = (
  refusal: HttpRefusal<{ readonly status: number }>,
  headers?: Readonly<Record<string, string>>,
): Response =>
  new Response(JSON.stringify(refusal.problem), {
    status: refusal.problem.status,
    headers: { ...responseHeaders, ...headers, ...refusal.headers, "content-type": "application/problem+json" },
  })
