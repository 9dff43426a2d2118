/** Serves a fetch handler on a host and port with the HTTP server of the runtime: Deno, Bun or Node. */
import type { FetchHandler, HttpListener, ListenAddress } from "./HttpListener.ts"
import type { SocketConnection, SocketEvents } from "../server/upgradeWebSocket.ts"
import { listenNode } from "./listenNode.ts"

interface DenoServers {
  readonly serve: (
    options: { hostname: string; port: number; signal: AbortSignal; onListen: () => void },
    handler: FetchHandler,
  ) => {
    readonly addr: { readonly port: number }
    readonly shutdown: () => Promise<void>
    readonly finished: Promise<void>
  }
}

interface BunServers {
  readonly serve: (
    options: {
      hostname: string
      port: number
      fetch: FetchHandler
      maxRequestBodySize: number
      websocket: typeof bunWebSocket
    },
  ) => {
    readonly port: number
    readonly stop: (now?: boolean) => Promise<void>
  }
}

const hasServe = (u: unknown): u is { readonly serve: unknown } => typeof u === "object" && u !== null && "serve" in u
const isDeno = (u: unknown): u is DenoServers => hasServe(u) && "permissions" in u
const isBun = (u: unknown): u is BunServers => hasServe(u) && "spawn" in u

/**
 * Suppresses the warning of Deno after the first response that the request's signal also aborts then. The warning is
 * meant for authors of servers, and these routes ignore an abort after the end.
 *
 * Source: https://docs.deno.com/go/unstable-no-legacy-abort
 */
const withoutLegacyAbortWarning = (): void => {
  const { warn } = console
  console.warn = (...words: ReadonlyArray<unknown>) => {
    if (!String(words[0]).startsWith("Deno.serve: request.signal aborts on successful responses")) warn(...words)
  }
}

const listenDeno = (deno: DenoServers, { host, port }: ListenAddress, handler: FetchHandler): HttpListener => {
  const controller = new AbortController()
  withoutLegacyAbortWarning()
  const server = deno.serve({ hostname: host, port, signal: controller.signal, onListen: () => {} }, handler)
  return {
    port: server.addr.port,
    close: () => server.shutdown(),
    closeNow: async () => {
      controller.abort()
      await server.finished
    },
  }
}

interface BunWebSocket extends SocketConnection {
  readonly data: { readonly events: SocketEvents }
}

/** The handlers of Bun's WebSockets. Not those of `hono/bun`: that module also loads its file server. */
const bunWebSocket = {
  /** Routes have smaller limits of their own. */
  maxPayloadLength: 1_048_576,
  open: (socket: BunWebSocket): void => socket.data.events.onOpen(new Event("open"), socket),
  message: (socket: BunWebSocket, message: string | Uint8Array): void => {
    const data = typeof message === "string" ? message : new Uint8Array(message).buffer
    socket.data.events.onMessage({ data }, socket)
  },
  close: (socket: BunWebSocket): void => socket.data.events.onClose(),
}

const listenBun = (bun: BunServers, { host, port }: ListenAddress, handler: FetchHandler): HttpListener => {
  // Bun refuses bodies of more than 128 MiB; the routes have limits of their own, and files are larger.
  const maxRequestBodySize = Number.MAX_SAFE_INTEGER
  const server = bun.serve({ hostname: host, port, fetch: handler, maxRequestBodySize, websocket: bunWebSocket })
  return { port: server.port, close: () => server.stop(), closeNow: () => server.stop(true) }
}

export const listen = async (address: ListenAddress, handler: FetchHandler): Promise<HttpListener> => {
  const deno: unknown = Reflect.get(globalThis, "Deno")
  if (isDeno(deno)) return listenDeno(deno, address, handler)
  const bun: unknown = Reflect.get(globalThis, "Bun")
  if (isBun(bun)) return listenBun(bun, address, handler)
  return await listenNode(address, handler)
}
