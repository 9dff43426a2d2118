/** A handshake with any headers, which no client of WebSockets would send; its status. */
import { connect } from "node:net"

export const rawHandshake = (url: string, path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve, reject) => {
    const { host, hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => {
      const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`)
    })
    socket.on("error", reject)
    socket.on("data", (bytes) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(bytes))?.[1]))
      socket.destroy()
    })
  })
