/**
 * A client of its own making: it reads nothing until it is told to, and is gone when its socket is. A `fetch` is neither:
 * it reads ahead, and does not signal an abort after its answer was collected.
 */
import { connect, type Socket } from "node:net"

/** What a {@link rawPost} sends. */
export interface RawPost {
  readonly url: string
  readonly token: string
  readonly body: unknown
  /** Default: `application/x-ndjson`. */
  readonly accept?: string | undefined
}

/** Connects, and sends a request; what comes back waits in the socket until it is resumed. The caller destroys it. */
export const rawPost = async ({ accept = "application/x-ndjson", body, token, url }: RawPost): Promise<Socket> => {
  const { hostname, pathname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  socket.pause()
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const head = [
    `POST ${pathname} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    `accept: ${accept}`,
    `content-length: ${bytes.length}`,
    "",
    "",
  ]
  socket.write(head.join("\r\n"))
  socket.write(bytes)
  return socket
}
