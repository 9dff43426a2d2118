/** A connection to a server on which anything may be sent: also what is no request. */
import { connect, type Socket } from "node:net"

/** A connection, and what came back on it. */
export interface RawConnection {
  readonly socket: Socket
  readonly text: () => string
  /** The status of the first answer. */
  readonly status: () => number | undefined
  /** Whether the server has closed it. */
  readonly closed: () => boolean
  /** Sends bytes as fast as they are taken; done when all are sent, or the other side is gone. */
  readonly send: (bytes: string | Uint8Array) => Promise<void>
}

/** Connects to a port of this machine. The caller destroys the socket. */
export const rawConnection = async (port: number, reads = true): Promise<RawConnection> => {
  const socket = connect(port, "127.0.0.1")
  const pieces: Array<Buffer> = []
  let isClosed = false
  socket.on("error", () => {})
  socket.on("end", () => {
    isClosed = true
  })
  socket.on("close", () => {
    isClosed = true
  })
  if (reads) socket.on("data", (bytes) => pieces.push(Buffer.from(bytes)))
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  const text = (): string => Buffer.concat(pieces).toString("latin1")
  return {
    socket,
    text,
    status: () => {
      const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(text()) ?? []
      return status === undefined ? undefined : Number(status)
    },
    closed: () => isClosed,
    send: (bytes) =>
      new Promise((resolve) => {
        if (isClosed) return resolve()
        const done = (): void => {
          socket.off("close", done)
          resolve()
        }
        socket.on("close", done)
        socket.write(bytes, done)
      }),
  }
}

/** What the head of a request says beside the usual. */
export interface RawHead {
  readonly token: string
  readonly length?: number | undefined
  readonly headers?: ReadonlyArray<string>
  readonly path?: string
}

/** The head of a `POST` with a body of JSON. */
export const rawHead = ({ headers = [], length, path = "/exec", token }: RawHead): string =>
  [
    `POST ${path} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${token}`,
    "content-type: application/json",
    ...(length === undefined ? [] : [`content-length: ${length}`]),
    ...headers,
    "",
    "",
  ].join("\r\n")
