/**
 * Who makes a request over HTTP: the first thing that is looked at.
 *
 * @module
 */
import { type Tokens, Unauthorized } from "../auth/Authenticator.ts"
import { Denied } from "./McpRejection.ts"
import type { Names } from "./McpHosts.ts"
import { tooManyText, type Visit } from "./McpCaller.ts"

/** The header that names a session. */
export const SESSION = "mcp-session-id"

/** What is looked at. */
export interface Door {
  readonly names: Names
  readonly tokens: Tokens
  /** Whether no more commands are taken. */
  readonly isClosing: () => boolean
  /** Milliseconds. */
  readonly now: () => number
}

/** Who makes a request, or why it is turned away: by its host, its origin, its token, or its token's rate. */
export const visitOf = (request: Request, { isClosing, names, now, tokens }: Door): Visit | Denied => {
  const misnamed = names.problem(request)
  if (misnamed !== undefined) return misnamed
  const grant = tokens.find(request.headers.get("authorization"))
  if (grant instanceof Unauthorized) return new Denied(401, grant.detail, { "www-authenticate": grant.challenge })
  if (!grant.rights.has("run") && !grant.rights.has("read")) {
    return new Denied(403, "the token allows neither to run nor to read")
  }
  const hasSession = request.headers.has(SESSION)
  if (!hasSession && request.method === "POST") {
    if (isClosing()) return Denied.notNow
    const seconds = grant.retryAfterSeconds(now())
    if (seconds > 0) return Denied.until(429, tooManyText(seconds), seconds)
  }
  return { grant, isCounted: !hasSession, isClosing }
}
