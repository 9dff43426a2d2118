/**
 * Runtime-independent interface of an HTTP listener: fetch handler, address, close.
 *
 * @module
 */

/** What answers requests; `env` is what the runtime tells beside the request. */
export type FetchHandler = (request: Request, env?: unknown) => Response | Promise<Response>

/** Where to listen. */
export interface ListenAddress {
  readonly host: string
  /** 0 is any that is free. */
  readonly port: number
}

/** A server that listens. */
export interface HttpListener {
  readonly port: number
  /** Accepts no more, and resolves when all answers have been sent. */
  readonly close: () => Promise<void>
  /** Hangs up on everybody. */
  readonly closeNow: () => Promise<void>
}
