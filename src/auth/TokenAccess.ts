/** Declares the options of the bearer tokens that a server accepts: their rights, rate and concurrency. */
import type * as Redacted from "effect/Redacted"
import type { DurationInput } from "../base/duration.ts"

/**
 * A right of a token: `read` the journal, `run` commands and write their stdin, `cancel` commands; `files:read` to read and
 * list files, `files:write` to write and delete them; `approve` to answer whether agents may cast spells, which no token of an
 * agent should have.
 *
 * @stability stable
 */
export type TokenRight = "read" | "run" | "cancel" | "files:read" | "files:write" | "approve"

/**
 * One of several tokens, its rights and its limits.
 *
 * @stability stable
 */
export interface TokenOptions {
  /** The name of the token in logs. */
  readonly name: string
  /** The token of `Authorization: Bearer <token>`: printable ASCII without spaces. */
  readonly token: string | Redacted.Redacted<string>
  /**
   * Default: `read`, `run` and `cancel` at `shellRoutes` and `mcpRoutes`; at `fileRoutes` and `approvalRoutes` with
   * tokens of their own, the rights that these need. A right to files or approvals in addition to commands must be
   * named.
   */
  readonly rights?: ReadonlyArray<TokenRight> | undefined
  /** Maximum number of commands that run at once. Default: the limit of the route. */
  readonly maxConcurrency?: number | undefined
  /** Rate limit: `requests` in a burst, refilled evenly over the time `per`. Default: none. */
  readonly rate?: { readonly requests: number; readonly per: DurationInput } | undefined
}

/**
 * The tokens that a server accepts. There is no default: an open server must be requested explicitly.
 *
 * @stability stable
 */
export type TokenAccess =
  | {
    /** The token of `Authorization: Bearer <token>`: printable ASCII without spaces. It has all rights. */
    readonly token: string | Redacted.Redacted<string>
    readonly tokens?: never
    readonly unauthenticated?: never
  }
  | {
    /** Several tokens, each with rights and limits of its own. Each sees the commands of all. */
    readonly tokens: ReadonlyArray<TokenOptions>
    readonly token?: never
    readonly unauthenticated?: never
  }
  | {
    /** Everyone who reaches the route may run commands: for tests, or behind an authentication of your own. */
    readonly unauthenticated: true
    readonly token?: never
    readonly tokens?: never
  }
