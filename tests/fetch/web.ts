/** A small web server over sockets, with what a client can meet. */
import { createServer, type Server } from "node:http"
import { once } from "node:events"

export interface Web {
  readonly url: string
  readonly host: string
  /** The requests so far: method, path and headers. */
  readonly requests: Array<
    { readonly method: string; readonly path: string; readonly headers: Record<string, unknown> }
  >
  /** Connections that are open. */
  readonly open: () => Promise<number>
  readonly stop: () => Promise<void>
}

const bytesOf = async (body: AsyncIterable<Uint8Array>): Promise<ReadonlyArray<number>> => {
  const bytes: Array<number> = []
  for await (const piece of body) bytes.push(...piece)
  return bytes
}

/** Serves on a free port. `redirectTo` is where `/away` leads. */
export const serveWeb = async (redirectTo = ""): Promise<Web> => {
  const requests: Array<Web["requests"][number]> = []
  let revision = 1
  const server: Server = createServer(async (request, response) => {
    const { headers, method = "", url: path = "" } = request
    requests.push({ method, path, headers })
    const [, name, value = ""] = path.split("/")
    const redirect = (status: number, location: string) => response.writeHead(status, { location }).end()
    switch (name) {
      case "hello":
        return response.writeHead(200, { "set-cookie": "session=secret" }).end(method === "HEAD" ? "" : "hello ä 🚀")
      case "echo":
        return response.end(JSON.stringify({ method, a: headers["x-a"], bytes: await bytesOf(request) }))
      case "redirect":
        return value === "0" ? response.end("there") : redirect(302, `/redirect/${Number(value) - 1}`)
      case "moved":
        return redirect(Number(value), "/echo")
      case "away":
        return redirect(302, redirectTo)
      case "endless": {
        const write = (): void => {
          while (!response.destroyed && response.write("x".repeat(65_536)));
        }
        response.on("drain", write)
        return write()
      }
      case "slow":
        return
      case "cut":
        response.writeHead(200, { "content-length": "100" }).write("half")
        return void setTimeout(() => response.destroy(), 20)
      case "tagged": {
        const etag = `"${revision}"`
        const cacheControl = value === "" ? "no-cache" : decodeURIComponent(value)
        const common = { etag, "cache-control": cacheControl, "vary": "accept" }
        if (headers["if-none-match"] === etag) return response.writeHead(304, { ...common, "x-validated": "yes" }).end()
        return response.writeHead(200, common).end(`revision ${revision}`)
      }
      case "change":
        revision += 1
        return response.end()
      default:
        return response.writeHead(404, { "x-kind": "missing" }).end("no")
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  const host = `127.0.0.1:${address.port}`
  return {
    url: `http://${host}`,
    host,
    requests,
    open: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
