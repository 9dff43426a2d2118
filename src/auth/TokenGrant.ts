/**
 * Declares the rights of one token, and tracks its rate limit and its concurrency limit.
 *
 * @module
 */
import { millisOf } from "../base/duration.ts"
import { ConcurrencyLimit } from "./ConcurrencyLimit.ts"
import type { TokenOptions, TokenRight } from "./TokenAccess.ts"
import { TokenBucket } from "./TokenBucket.ts"

const allRights: ReadonlyArray<TokenRight> = ["read", "run", "cancel"]

/**
 * What one token allows. All routes that share an authenticator share the grant, and so its limits.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { shellRoutes } from "@sluice/shell/http"
 *
 * await using server = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * const grant = server.sharedServices.authenticator.authenticate("Bearer s3cret")
 * console.assert("rights" in grant && grant.rights.has("run"))
 * ```
 *
 * @stability experimental
 */
export class TokenGrant {
  /** The name of the token in logs. */
  readonly name: string
  /** What the token permits. */
  readonly rights: ReadonlySet<TokenRight>
  /** Limit of the commands that run with this token. `tryAcquire` returns the function that releases the permit. */
  readonly concurrency: { readonly max: number; readonly tryAcquire: () => (() => void) | undefined }
  readonly #rate: TokenBucket | undefined

  /** Made by an authenticator. */
  constructor({ maxConcurrent, name, rate, rights = allRights }: Omit<TokenOptions, "token">) {
    this.name = name
    this.rights = new Set(rights)
    this.concurrency = new ConcurrencyLimit(maxConcurrent ?? Infinity)
    this.#rate = rate === undefined ? undefined : new TokenBucket(rate.requests, millisOf("per", rate.per))
  }

  /** Counts a request and returns 0, or returns the whole seconds until the rate limit allows the next one. */
  retryAfterSeconds(nowMillis: number): number {
    return Math.ceil((this.#rate?.take(nowMillis) ?? 0) / 1000)
  }
}
