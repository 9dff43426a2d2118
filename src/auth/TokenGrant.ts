/**
 * What whoever asks may do, and how much of it is left.
 *
 * @module
 */
import { millisOf } from "../base/duration.ts"
import type { Right, TokenOptions } from "./TokenAccess.ts"
import { Allowance } from "./TokenBucket.ts"
import { Places } from "./ConcurrencyLimit.ts"

const everything: ReadonlyArray<Right> = ["read", "run", "cancel"]

/** What whoever asks may do. All servers that know a token share its grant, and so its limits. */
export class Grant {
  readonly name: string
  readonly rights: ReadonlySet<Right>
  /** The commands that it runs now. */
  readonly places: Places
  readonly #allowance: Allowance | undefined

  constructor({ maxConcurrent, name, rate, rights = everything }: Omit<TokenOptions, "token">) {
    this.name = name
    this.rights = new Set(rights)
    this.places = new Places(maxConcurrent ?? Infinity)
    this.#allowance = rate === undefined ? undefined : new Allowance(rate.requests, millisOf("per", rate.per))
  }

  /** A request is made: 0, or the whole seconds until one may be. */
  retryAfterSeconds(nowMillis: number): number {
    return Math.ceil((this.#allowance?.take(nowMillis) ?? 0) / 1000)
  }
}
