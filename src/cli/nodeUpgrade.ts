/** Upgrades requests of Node's HTTP server to WebSockets with the package `ws`. */
import type * as NodeHttp from "node:http"
import type { Duplex } from "node:stream"
import type { RawData, WebSocket, WebSocketServer } from "ws"
import type { NodeUpgrade, SocketEvents } from "../server/upgradeWebSocket.ts"

/** Maximum bytes of a message: handlers have smaller limits of their own. */
const maxPayload = 1_048_576

/** Loads `ws`; `undefined` where it is not installed. */
const loadServer = async (): Promise<WebSocketServer | undefined> => {
  try {
    const { WebSocketServer: Server } = await import("ws")
    return new Server({ noServer: true, maxPayload, perMessageDeflate: false })
  } catch {
    return undefined
  }
}

let loading: Promise<WebSocketServer | undefined> | undefined

const toBytes = (data: RawData): Uint8Array<ArrayBuffer> => {
  if (!Array.isArray(data)) return new Uint8Array(data)
  throw new Error("ws was configured for whole messages")
}

const connect = (socket: WebSocket, events: SocketEvents): void => {
  socket.on("message", (data, isBinary) => {
    const bytes = toBytes(data)
    events.onMessage({ data: isBinary ? bytes.buffer : new TextDecoder().decode(bytes) }, socket)
  })
  socket.on("close", () => events.onClose())
  // The close event follows.
  socket.on("error", () => socket.terminate())
  events.onOpen(new Event("open"), socket)
}

/** Passed together with a request for a WebSocket; empty if `ws` is not installed. */
export const nodeUpgrade = async (
  incoming: NodeHttp.IncomingMessage,
  socket: Duplex,
  head: Buffer,
  onUpgraded: () => void,
): Promise<NodeUpgrade | undefined> => {
  const server = await (loading ??= loadServer())
  return server && {
    upgradeWebSocket: (events) =>
      new Promise((resolve) => {
        onUpgraded()
        server.handleUpgrade(incoming, socket, head, (opened) => {
          connect(opened, events)
          resolve(new Response(null))
        })
        // `ws` itself answers a handshake that it refuses.
        socket.once("close", () => resolve(new Response(null)))
      }),
  }
}
