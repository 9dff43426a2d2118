/** Authenticates a request and checks its token's rate limit and right; refuses it with a problem. */
import type { TokenRight } from "../auth/TokenAccess.ts"
import type { TokenGrant } from "../auth/TokenGrant.ts"
import { type Authenticator, Unauthorized } from "../auth/Authenticator.ts"
import { type Refusal, refuse } from "./problem.ts"

/** The grant of a request that needs `right`, or the refusal: 401, 429 or 403. */
export const authorize = (
  authenticator: Authenticator,
  authorization: string | undefined,
  right: TokenRight,
  now: () => number,
): TokenGrant | Refusal => {
  const grant = authenticator.authenticate(authorization)
  if (grant instanceof Unauthorized) {
    return refuse(401, "unauthorized", grant.detail, { headers: { "www-authenticate": grant.challenge } })
  }
  const seconds = grant.retryAfterSeconds(now())
  if (seconds > 0) {
    return refuse(429, "too-many-requests", "too many requests for this token", {
      headers: { "retry-after": String(seconds) },
    })
  }
  return grant.rights.has(right) ? grant : refuse(403, "forbidden", `the token lacks the right ${right}`)
}
