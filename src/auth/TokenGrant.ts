/**
 * What whoever asks may do, and how much of it is left.
 *
 * @module
 */
import { millisOf } from "../base/duration.ts"
import type { TokenOptions, TokenRight } from "./TokenAccess.ts"
import { TokenBucket } from "./TokenBucket.ts"
import { ConcurrencyLimit } from "./ConcurrencyLimit.ts"

const everything: ReadonlyArray<TokenRight> = ["read", "run", "cancel"]

/** What whoever asks may do. All servers that know a token share its grant, and so its limits. */
export class TokenGrant {
  readonly name: string
  readonly rights: ReadonlySet<TokenRight>
  /** The commands that it runs now. */
  readonly concurrency: ConcurrencyLimit
  readonly #allowance: TokenBucket | undefined

  constructor({ maxConcurrent, name, rate, rights = everything }: Omit<TokenOptions, "token">) {
    this.name = name
    this.rights = new Set(rights)
    this.concurrency = new ConcurrencyLimit(maxConcurrent ?? Infinity)
    this.#allowance = rate === undefined ? undefined : new TokenBucket(rate.requests, millisOf("per", rate.per))
  }

  /** A request is made: 0, or the whole seconds until one may be. */
  retryAfterSeconds(nowMillis: number): number {
    return Math.ceil((this.#allowance?.take(nowMillis) ?? 0) / 1000)
  }
}
