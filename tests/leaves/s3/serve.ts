/** Serves a strict S3 service over HTTP. */
import { createServer } from "node:http"
import { once } from "node:events"
import type { StrictS3 } from "./StrictS3.ts"

export interface ServedS3 {
  readonly endpoint: string
  /** Requests that are not answered, or whose answer is not sent. */
  readonly open: () => number
  /** Breaks the connection of the next answer that is longer. */
  readonly cutAfter: (bytes: number) => void
  readonly close: () => Promise<void>
}

export const serveS3 = async (service: StrictS3): Promise<ServedS3> => {
  let open = 0
  let cutAfter = Infinity
  const server = createServer((request, response) => {
    const parts: Array<Uint8Array> = []
    open++
    response.on("close", () => open--)
    request.on("data", (part) => parts.push(part))
    request.on("end", async () => {
      const answer = await service.handle({
        method: request.method ?? "GET",
        url: new URL(request.url ?? "/", `http://${request.headers.host}`),
        headers: new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
        body: Buffer.concat(parts),
      })
      if (answer === "reset") {
        request.socket.destroy()
        return
      }
      const body = new Uint8Array(await answer.arrayBuffer())
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      if (request.method === "GET" && body.length > cutAfter) {
        response.write(body.subarray(0, cutAfter), () => request.socket.destroy())
        cutAfter = Infinity
      } else response.end(request.method === "HEAD" ? undefined : body)
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    open: () => open,
    cutAfter: (bytes) => void (cutAfter = bytes),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
