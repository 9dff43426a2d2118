/** Serves a fetch handler with Node's HTTP server. */
import type * as NodeHttp from "node:http"
import type * as NodeNet from "node:net"
import type { Duplex } from "node:stream"
import { nodeBuiltins } from "../base/nodeBuiltins.ts"
import type { FetchHandler, HttpListener, ListenAddress } from "./HttpListener.ts"

const hasNoBody = (method: string): boolean => method === "GET" || method === "HEAD"

/** The body of a request, pulled on demand. */
const bodyOf = (incoming: NodeHttp.IncomingMessage): ReadableStream<Uint8Array> => {
  const chunks = incoming.iterator({ destroyOnReturn: false })
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await chunks.return?.()
    },
  }, { highWaterMark: 0 })
}

const requestOf = (incoming: NodeHttp.IncomingMessage, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  const method = incoming.method ?? "GET"
  const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host ?? "localhost"}`)
  const init: RequestInit & { readonly duplex: "half" } = {
    method,
    headers,
    signal,
    duplex: "half",
    ...(hasNoBody(method) ? undefined : { body: bodyOf(incoming) }),
  }
  return new Request(url, init)
}

/** Waits until the connection accepts more bytes, or is closed. */
const drained = (outgoing: NodeHttp.ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      outgoing.off("drain", done)
      outgoing.off("close", done)
      resolve()
    }
    outgoing.on("drain", done)
    outgoing.on("close", done)
  })

const send = async (response: Response, outgoing: NodeHttp.ServerResponse): Promise<void> => {
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
  outgoing.writeHead(response.status)
  if (response.body === null) {
    outgoing.end()
    return
  }
  // Sends the head at once: the first byte of a command may take long.
  outgoing.flushHeaders()
  const reader = response.body.getReader()
  const hangUp = (): void => {
    reader.cancel().catch(() => {})
  }
  outgoing.on("close", hangUp)
  if (outgoing.destroyed) hangUp()
  for (let next = await reader.read(); !next.done && !outgoing.destroyed; next = await reader.read()) {
    if (!outgoing.write(next.value)) await drained(outgoing)
  }
  outgoing.off("close", hangUp)
  outgoing.end()
}

const answer = async (
  handler: FetchHandler,
  incoming: NodeHttp.IncomingMessage,
  outgoing: NodeHttp.ServerResponse,
): Promise<void> => {
  const controller = new AbortController()
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) controller.abort()
  })
  let request: Request
  try {
    request = requestOf(incoming, controller.signal)
  } catch {
    // The request has no valid URL.
    outgoing.writeHead(400).end()
    return
  }
  try {
    await send(await handler(request), outgoing)
  } catch {
    // Destroys the connection, so that the client cannot take a partial response for a complete one.
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(500, { connection: "close" }).end()
  }
}

/** Writes the response to a request whose socket was not upgraded: a problem. */
const refuseUpgrade = async (response: Response, socket: Duplex): Promise<void> => {
  const body = new Uint8Array(await response.arrayBuffer())
  const headers = [...response.headers, ["content-length", String(body.length)], ["connection", "close"]]
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  socket.write(`HTTP/1.1 ${response.status} ${response.statusText}\r\n${lines}\r\n`)
  socket.end(body)
}

/** Answers a request that asks for a WebSocket: upgrades it, or responds as to any other. */
const answerUpgrade = async (
  handler: FetchHandler,
  incoming: NodeHttp.IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> => {
  const controller = new AbortController()
  let isUpgraded = false
  socket.on("error", () => socket.destroy())
  socket.once("close", () => controller.abort())
  try {
    const { nodeUpgrade } = await import("./nodeUpgrade.ts")
    const env = await nodeUpgrade(incoming, socket, head, () => isUpgraded = true)
    const response = await handler(requestOf(incoming, controller.signal), env)
    if (!isUpgraded) await refuseUpgrade(response, socket)
  } catch {
    socket.destroy()
  }
}

export const listenNode = ({ host, port }: ListenAddress, handler: FetchHandler): Promise<HttpListener> => {
  const http = nodeBuiltins()?.getBuiltinModule("node:http")
  if (http === undefined) return Promise.reject(new Error("this runtime has no HTTP server"))
  let closing = false
  const upgraded = new Set<Duplex>()
  const isWebSocket = ({ headers }: NodeHttp.IncomingMessage): boolean => headers.upgrade?.toLowerCase() === "websocket"
  // A request to upgrade to another protocol is answered like one without an upgrade, since its body is not on the
  // socket yet.
  const options = { shouldUpgradeCallback: isWebSocket }
  const server = http.createServer(options, (incoming, outgoing) => {
    outgoing.on("close", () => {
      // A kept-alive connection would keep the server open.
      if (closing) setTimeout(() => server.closeIdleConnections())
    })
    void answer(handler, incoming, outgoing)
  })
  server.on("upgrade", (incoming, socket, head) => {
    upgraded.add(socket)
    socket.once("close", () => upgraded.delete(socket))
    void answerUpgrade(handler, incoming, socket, head)
  })
  const closed = new Promise<void>((resolve) => {
    server.on("close", () => resolve())
  })
  const close = (): Promise<void> => {
    closing = true
    server.close()
    server.closeIdleConnections()
    return closed
  }
  return new Promise((resolve, reject) => {
    server.on("error", reject)
    server.listen(port, host, () => {
      const address: NodeNet.AddressInfo | string | null = server.address()
      resolve({
        port: typeof address === "object" && address !== null ? address.port : port,
        close,
        closeNow: () => {
          server.closeAllConnections()
          for (const socket of upgraded) socket.destroy()
          return close()
        },
      })
    })
  })
}
