/**
 * Who may do what at a server: whoever has a token, what the token allows.
 *
 * @module
 */
import type * as Redacted from "effect/Redacted"
import type { DurationInput } from "../base/duration.ts"

/** What a token may allow: to look, to run commands and feed them, to end them. */
export type TokenRight = "read" | "run" | "cancel"

/** One token of several, and what it allows. */
export interface TokenOptions {
  /** What it is called in logs. */
  readonly name: string
  /** What a client must send as `Authorization: Bearer <token>`: printable ASCII without spaces. */
  readonly token: string | Redacted.Redacted<string>
  /** Default: all. */
  readonly rights?: ReadonlyArray<TokenRight> | undefined
  /** The most commands that it runs at once. Default: as many as the route. */
  readonly maxConcurrent?: number | undefined
  /** The most requests that it makes in a time; as many at once, and then evenly. Default: no limit. */
  readonly rate?: { readonly requests: number; readonly per: DurationInput } | undefined
}

/** Who may run commands. There is no default: leaving the door open has to be said. */
export type TokenAccess =
  | {
    /** What a client must send as `Authorization: Bearer <token>`: printable ASCII without spaces. It allows all. */
    readonly token: string | Redacted.Redacted<string>
    readonly tokens?: never
    readonly unauthenticated?: never
  }
  | {
    /** Several, each with limits of its own. Every one sees the commands of all. */
    readonly tokens: ReadonlyArray<TokenOptions>
    readonly token?: never
    readonly unauthenticated?: never
  }
  | {
    /** Anybody who can reach the route runs commands. For tests, and behind an authentication of your own. */
    readonly unauthenticated: true
    readonly token?: never
    readonly tokens?: never
  }
