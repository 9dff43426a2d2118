/** Checks the options of one token, holds its rights, and enforces its rate limit and its concurrency limit. */
import { quote } from "../base/quote.ts"
import { positiveMillisOf } from "../base/duration.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { ConcurrencyLimit } from "./ConcurrencyLimit.ts"
import type { TokenOptions, TokenRight } from "./TokenAccess.ts"
import { TokenBucket } from "./TokenBucket.ts"

const allRights: ReadonlyArray<TokenRight> = ["read", "run", "cancel", "files:read", "files:write", "approve"]

const optionNames: Readonly<Record<keyof TokenOptions, true>> = {
  name: true,
  token: true,
  rights: true,
  maxConcurrency: true,
  rate: true,
}

/**
 * The rights and limits of one token. All routes that share an authenticator share the grant, and so its limits.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { shellRoutes } from "@sluice/shell/http"
 *
 * await using server = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * const grant = server.sharedServices.authenticator.authenticate("Bearer s3cret")
 * console.log("rights" in grant && grant.rights.has("run")) // true
 * ```
 */
export class TokenGrant {
  /** The name of the token in logs. */
  readonly name: string
  /** The rights of the token. */
  readonly rights: ReadonlySet<TokenRight>
  /** Limit of the commands that run with this token. `tryAcquire` returns the function that releases the permit. */
  readonly concurrency: { readonly max: number; readonly tryAcquire: () => (() => void) | undefined }
  readonly #rate: TokenBucket | undefined

  /** Made by an authenticator. */
  constructor(options: Omit<TokenOptions, "token">) {
    refuseUnknownOptions("tokens", options, optionNames)
    const { maxConcurrency = Infinity, name, rate, rights = allRights } = options
    const unknown = rights.find((right) => !allRights.includes(right))
    if (unknown !== undefined) {
      throw new OptionError("rights", `rights: ${quote(unknown)} is not one of ${allRights.join(", ")}`)
    }
    this.name = name
    this.rights = new Set(rights)
    this.concurrency = new ConcurrencyLimit(requireCount("tokens", "maxConcurrency", maxConcurrency, { min: 1 }))
    this.#rate = rate === undefined ? undefined : new TokenBucket(rate.requests, positiveMillisOf("per", rate.per))
  }

  /** Counts a request and returns 0, or returns the whole seconds until the rate limit allows the next one. */
  retryAfterSeconds(nowMillis: number): number {
    return Math.ceil((this.#rate?.take(nowMillis) ?? 0) / 1000)
  }
}
