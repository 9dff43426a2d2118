/** Declares the types of a listening HTTP server, the same for Deno, Bun and Node. */

/** Handles requests; `env` is the runtime's second argument to the handler. */
export type FetchHandler = (request: Request, env?: unknown) => Response | Promise<Response>

export interface ListenAddress {
  readonly host: string
  /** 0 selects a free port. */
  readonly port: number
}

export interface HttpListener {
  readonly port: number
  /** Stops accepting connections; resolves when all responses have been sent. */
  readonly close: () => Promise<void>
  readonly closeNow: () => Promise<void>
}

/** Whether an address is reachable from this machine only. */
export const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")

/** The URL of an address and a port. */
export const serverUrl = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`
