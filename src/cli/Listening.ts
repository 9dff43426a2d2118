/**
 * What it is to serve HTTP, on every runtime.
 *
 * @module
 */

/** What answers requests; `env` is what the runtime tells beside the request. */
export type FetchHandler = (request: Request, env?: unknown) => Response | Promise<Response>

/** Where to listen. */
export interface Address {
  readonly host: string
  /** 0 is any that is free. */
  readonly port: number
}

/** A server that listens. */
export interface Listening {
  readonly port: number
  /** Accepts no more, and resolves when all answers have been sent. */
  readonly close: () => Promise<void>
  /** Hangs up on everybody. */
  readonly closeNow: () => Promise<void>
}
