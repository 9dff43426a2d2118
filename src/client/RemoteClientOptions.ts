/** Declares the options that all clients of a server have. */
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { DurationInput } from "../base/duration.ts"

/** Options of a client: the server's address, credentials and bounds. */
export interface RemoteClientOptions {
  /**
   * The address at which the routes are mounted, such as `"https://build.example/shell"`. Nothing is ever sent to
   * another address: a redirection is an error.
   */
  readonly url: string
  /**
   * Sent as `Authorization: Bearer <token>`. An Effect, such as of `Secrets.get`, is run for each request; the layers of
   * clients take a reference to a secret, too, and read it for each request from the `Secrets` that they are made with.
   * Default: none.
   */
  readonly token?: string | Redacted.Redacted<string> | Effect.Effect<Redacted.Redacted<string>, unknown> | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Default: the runtime's `fetch`. Pass your own for a private certificate authority, a proxy, or HTTP/2 where the runtime
   * does not use it by default.
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Sends the secrets of commands to another machine even without encryption (`http:`). Default: `false`. */
  readonly plainSecrets?: boolean | undefined
  /**
   * Maximum bytes of one event, and of an answer that is read as a whole. Default: 256 MiB, which holds a `ShellOutput` with
   * both outputs at their default budget.
   */
  readonly maxAnswerBytes?: number | undefined
  /**
   * Maximum silence of a server that sends something at least every 15 s. After that, or up to half as much later, its
   * connection counts as lost. Default: 60 s.
   */
  readonly idleTimeout?: DurationInput | undefined
}

export const clientOptionNames: Readonly<Record<keyof RemoteClientOptions, true>> = {
  url: true,
  token: true,
  headers: true,
  fetch: true,
  plainSecrets: true,
  maxAnswerBytes: true,
  idleTimeout: true,
}
