/**
 * Who may do what, as the routes answer it.
 *
 * @module
 */
import type { TokenRight } from "../auth/TokenAccess.ts"
import type { TokenGrant } from "../auth/TokenGrant.ts"
import { type Authenticator, Unauthorized } from "../auth/Authenticator.ts"
import { type Refusal, refuse } from "./problem.ts"

/** What whoever sent this `Authorization` may do in a request at a time that needs a right; or why it is refused. */
export const authorize = (
  tokens: Authenticator,
  authorization: string | undefined,
  right: TokenRight,
  now: () => number,
): TokenGrant | Refusal => {
  const grant = tokens.authenticate(authorization)
  if (grant instanceof Unauthorized) {
    return refuse(401, "unauthorized", grant.detail, { headers: { "www-authenticate": grant.challenge } })
  }
  const seconds = grant.retryAfterSeconds(now())
  if (seconds > 0) {
    return refuse(429, "too-many-requests", "as many requests as the token may make have been made", {
      headers: { "retry-after": String(seconds) },
    })
  }
  return grant.rights.has(right) ? grant : refuse(403, "forbidden", `the token does not allow to ${right}`)
}
