/** Authenticates the caller of an MCP request. */
import { type Authenticator, Unauthorized } from "../auth/Authenticator.ts"
import { wallClockMillis } from "../base/wallClockMillis.ts"
import { McpRejection } from "./McpRejection.ts"
import type { HostCheck } from "./McpHosts.ts"
import { type McpCaller, rateExceededText } from "./McpCaller.ts"

export const SESSION = "mcp-session-id"

export interface CallerChecks {
  readonly hosts: HostCheck
  readonly authenticator: Authenticator
  readonly isClosing: () => boolean
}

/** The caller of a request, or its rejection: by the host, the origin, the token, or the rate limit. */
export const authenticateCaller = (
  request: Request,
  { authenticator, hosts, isClosing }: CallerChecks,
): McpCaller | McpRejection => {
  const rejection = hosts.reject(request)
  if (rejection !== undefined) return rejection
  const grant = authenticator.authenticate(request.headers.get("authorization"))
  if (grant instanceof Unauthorized) return new McpRejection(401, grant.detail, { "www-authenticate": grant.challenge })
  if (!grant.rights.has("run") && !grant.rights.has("read")) {
    return new McpRejection(403, "the token has neither the right run nor read")
  }
  const hasSession = request.headers.has(SESSION)
  if (!hasSession && request.method === "POST") {
    if (isClosing()) return McpRejection.unavailable
    const seconds = grant.retryAfterSeconds(wallClockMillis())
    if (seconds > 0) return McpRejection.retryAfter(429, rateExceededText(seconds), seconds)
  }
  const session = request.headers.get(SESSION) ?? undefined
  return { grant, session, isRateCounted: !hasSession, isClosing }
}
