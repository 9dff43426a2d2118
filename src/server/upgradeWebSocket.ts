/** Upgrades a request to a WebSocket on Deno, Bun and Node. */
import * as Predicate from "effect/Predicate"

export interface SocketConnection {
  /** Sends a message; throws when the connection is gone. */
  readonly send: (data: Uint8Array<ArrayBuffer>) => void
  readonly close: (code?: number, reason?: string) => void
}

/** Listeners of a WebSocket: a subset of Hono's (`WSEvents`), so that Hono's helpers accept them. */
export interface SocketEvents {
  readonly onOpen: (event: Event, connection: SocketConnection) => void
  /** Called with each message: a text, or an `ArrayBuffer`. */
  readonly onMessage: (event: { readonly data: unknown }, connection: SocketConnection) => void
  /** Called once, when the connection is closed or lost. */
  readonly onClose: () => void
  /** Called at an error; the close follows. */
  readonly onError: () => void
}

/** Passed by this package's Node server together with a request for a WebSocket. */
export interface NodeUpgrade {
  readonly upgradeWebSocket: (events: SocketEvents, protocol: string) => Promise<Response>
}

interface DenoUpgrades {
  readonly upgradeWebSocket: (
    request: Request,
    options: { readonly protocol: string; readonly idleTimeout: number },
  ) => { readonly response: Response; readonly socket: WebSocket }
}

interface BunUpgrades {
  readonly upgrade: (request: Request, options: { readonly data: object }) => boolean
}

const canUpgrade = (u: unknown): u is DenoUpgrades & NodeUpgrade =>
  Predicate.hasProperty(u, "upgradeWebSocket") && typeof u.upgradeWebSocket === "function"

const isBunServer = (u: unknown): u is BunUpgrades =>
  Predicate.hasProperty(u, "upgrade") && typeof u.upgrade === "function"

/** Seconds without a frame after which Deno pings, and closes a connection that does not answer. */
const denoIdleSeconds = 30

const upgradeDeno = (deno: DenoUpgrades, request: Request, events: SocketEvents, protocol: string): Response => {
  const { response, socket } = deno.upgradeWebSocket(request, { protocol, idleTimeout: denoIdleSeconds })
  socket.binaryType = "arraybuffer"
  socket.onopen = (event) => events.onOpen(event, socket)
  socket.onmessage = (event) => events.onMessage(event, socket)
  socket.onclose = events.onClose
  socket.onerror = events.onError
  return response
}

/** Upgrades with the data that the handlers `websocket` of `hono/bun` read. */
const upgradeBun = (server: BunUpgrades, request: Request, events: SocketEvents, protocol: string) => {
  try {
    const isUpgraded = server.upgrade(request, { data: { events, url: new URL(request.url), protocol } })
    return isUpgraded ? new Response(null) : undefined
  } catch {
    // The server was started without `websocket` handlers.
    return undefined
  }
}

/**
 * Upgrades a request. `env` is the server's second argument to the handler. `undefined` where the server cannot: Bun's
 * without the handlers `websocket` of `hono/bun`, and a Node server without a library for WebSockets.
 */
export const upgradeWebSocket = async (
  request: Request,
  env: unknown,
  events: SocketEvents,
  protocol: string,
): Promise<Response | undefined> => {
  const deno: unknown = Reflect.get(globalThis, "Deno")
  if (canUpgrade(deno)) return upgradeDeno(deno, request, events, protocol)
  const server = Predicate.hasProperty(env, "server") ? env.server : env
  if ("Bun" in globalThis && isBunServer(server)) return upgradeBun(server, request, events, protocol)
  return canUpgrade(env) ? await env.upgradeWebSocket(events, protocol) : undefined
}
