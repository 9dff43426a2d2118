/** An HTTP server of the tests, over plain sockets: it answers with exact bytes, and records what it was asked. */
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { deflateSync, gzipSync } from "node:zlib"

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string
}

export interface HttpTestServer {
  /** Its origin. */
  readonly origin: string
  readonly asked: Array<Asked>
  /** Forgets how often paths were asked for. */
  readonly forget: () => void
  /** Number of connections that are open. */
  readonly connections: () => number
  /** Number of connections that were made. */
  readonly accepted: () => number
  readonly close: () => Promise<void>
}

type Answer = string | Uint8Array | ((socket: Socket) => void)

const page = (body: string | Uint8Array, headers: ReadonlyArray<string> = [], status = "200 OK"): Uint8Array => {
  const bytes = typeof body === "string" ? Buffer.from(body) : body
  const head = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${bytes.length}`, "", ""].join("\r\n")
  return Buffer.concat([Buffer.from(head), bytes])
}

const long = Array.from({ length: 5000 }, (_, at) => `line ${at}\n`).join("")

/** Times that a path was asked for. */
type Counts = Map<string, number>

const answerTo = ({ body, headers, method, path }: Asked, origin: string, counts: Counts): Answer => {
  const count = (counts.get(path) ?? 0) + 1
  counts.set(path, count)
  const header = (name: string): string | undefined => headers.find(([each]) => each.toLowerCase() === name)?.[1]
  const [, code, target = ""] = /^\/to\/(\d+)\/(.*)$/.exec(path) ?? []
  if (code !== undefined) {
    return page("elsewhere\n", [`Location: ${target.startsWith("http") ? target : `/${target}`}`], `${code} Moved`)
  }
  const [, status] = /^\/status\/(\d+)/.exec(path) ?? []
  if (status !== undefined) return page(`status ${status}\n`, ["Content-Type: text/plain"], `${status} Reason`)
  const [, loop] = /^\/loop\/(\d+)/.exec(path) ?? []
  if (loop !== undefined) return page("", [`Location: /loop/${Number(loop) + 1}`], "302 Found")
  const [, failures] = /^\/flaky\/(\d+)/.exec(path) ?? []
  if (failures !== undefined && count <= Number(failures)) return page("busy\n", [], "503 Busy")
  switch (path.replace(/\?.*/, "")) {
    case "/chunked":
      return "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n5\r\nhello\r\n7;x=y\r\n world\n\r\n0\r\nTrailer: x\r\n\r\n"
    case "/gzip":
      return page(gzipSync(long), ["Content-Encoding: gzip"])
    case "/deflate":
      return page(deflateSync("deflated\n"), ["Content-Encoding: deflate"])
    case "/badgzip":
      return page("this is not gzip", ["Content-Encoding: gzip"])
    case "/long": {
      const [, from] = /^bytes=(\d+)-/.exec(header("range") ?? "") ?? []
      if (from === undefined) return page(long, ["Accept-Ranges: bytes"])
      if (Number(from) >= long.length) return page("", [`Content-Range: bytes */${long.length}`], "416 Range")
      const [, to] = /-(\d+)$/.exec(header("range") ?? "") ?? []
      const end = to === undefined ? long.length : Number(to) + 1
      const range = `Content-Range: bytes ${from}-${end - 1}/${long.length}`
      return page(long.slice(Number(from), end), [range], "206 Partial")
    }
    case "/closed":
      return "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nuntil the end\n"
    case "/short":
      return (socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort\n")
    case "/shortchunk":
      return (socket) => socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nshort\n")
    case "/empty":
      return (socket) => socket.end()
    case "/reset":
      return (socket) => socket.resetAndDestroy()
    case "/silent":
      return () => {}
    case "/slow":
      return (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    case "/endless":
      return (socket) => {
        const more = () => {
          while (!socket.destroyed && socket.write("x".repeat(65_536)));
        }
        socket.on("drain", more)
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        more()
      }
    case "/headers":
      return (socket) => {
        let at = 0
        const more = () => {
          while (!socket.destroyed && socket.write(`X-Header-${at++}: ${"x".repeat(1000)}\r\n`));
        }
        socket.on("drain", more)
        socket.write("HTTP/1.1 200 OK\r\n")
        more()
      }
    case "/interim":
      return (socket) => {
        const more = () => {
          while (!socket.destroyed && socket.write("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)));
        }
        socket.on("drain", more)
        more()
      }
    case "/cookies":
      return page("baked\n", [
        "Set-Cookie: one=1; Path=/",
        "Set-Cookie: two=2; Path=/cookies; HttpOnly",
        "Set-Cookie: far=3; Domain=example.org",
        "Set-Cookie: late=4; Path=/; Max-Age=100000000",
        "Set-Cookie: gone=5; Path=/; Expires=Thu, 01 Jan 1970 00:00:10 GMT",
      ])
    case "/named":
      return page("named\n", [`Content-Disposition: attachment; filename="a/../name of it.txt"`])
    case "/dated": {
      const since = Date.parse(header("if-modified-since") ?? "")
      const modified = "Last-Modified: Wed, 21 Oct 2015 07:28:00 GMT"
      return since >= Date.UTC(2015, 9, 21, 7, 28)
        ? page("", [modified], "304 Not Modified")
        : page("dated\n", [modified])
    }
    case "/auth":
      return header("authorization") === "Basic dXNlcjpwYTpzcw=="
        ? page("welcome\n")
        : page("who?\n", [`WWW-Authenticate: Basic realm="test"`], "401 Unauthorized")
    case "/nothing":
      return "HTTP/1.1 204 No Content\r\nX-Nothing: yes\r\n\r\n"
    case "/folder/":
      return page("folder\n")
    default:
      return page(`${method} ${path} ${body.length}\n`, [
        "Content-Type: text/plain",
        "X-Twice: a",
        "X-Twice: b",
        `X-Origin: ${origin === "" ? "" : "here"}`,
      ])
  }
}

/** The length of a request in the buffer with its body, and the body; `undefined` while it is not complete. */
const bodyIn = (rest: Buffer, head: string): { readonly body: Buffer; readonly length: number } | undefined => {
  if (/^transfer-encoding:\s*chunked/im.test(head)) {
    const pieces: Array<Buffer> = []
    for (let at = 0;;) {
      const end = rest.indexOf("\r\n", at)
      if (end < 0) return undefined
      const size = Number.parseInt(rest.toString("latin1", at, end), 16)
      if (rest.length < end + 4 + size) return undefined
      pieces.push(rest.subarray(end + 2, end + 2 + size))
      at = end + 4 + size
      if (size === 0) return { body: Buffer.concat(pieces), length: at }
    }
  }
  const length = Number(/^content-length:\s*(\d+)/im.exec(head)?.[1] ?? 0)
  return rest.length < length ? undefined : { body: rest.subarray(0, length), length }
}

/** Starts a server. */
export const startServer = async (): Promise<HttpTestServer> => {
  const asked: Array<Asked> = []
  const counts: Counts = new Map()
  const sockets = new Set<Socket>()
  let origin = ""
  let accepted = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    accepted++
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {})
    let buffer = Buffer.alloc(0)
    let isWaiting = false
    socket.on("data", (piece) => {
      buffer = Buffer.concat([buffer, typeof piece === "string" ? Buffer.from(piece) : piece])
      for (;;) {
        const end = buffer.indexOf("\r\n\r\n")
        if (end < 0) return
        const head = buffer.toString("latin1", 0, end)
        const found = bodyIn(buffer.subarray(end + 4), head)
        if (found === undefined) {
          if (/^expect:/im.test(head) && isWaiting !== (isWaiting = true)) socket.write("HTTP/1.1 100 Continue\r\n\r\n")
          return
        }
        isWaiting = false
        buffer = buffer.subarray(end + 4 + found.length)
        const [start = "", ...lines] = head.split("\r\n")
        const [method = "", path = ""] = start.split(" ")
        const headers = lines.map((line) =>
          [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as const
        )
        const request = { method, path, headers, body: found.body.toString("latin1") }
        asked.push(request)
        const answer = answerTo(request, origin, counts)
        if (typeof answer === "function") answer(socket)
        else {
          const bytes = typeof answer === "string" ? Buffer.from(answer) : answer
          const endOfHead = Buffer.from(bytes).indexOf("\r\n\r\n") + 4
          socket.write(method === "HEAD" ? bytes.subarray(0, endOfHead) : bytes)
          if (path === "/closed") socket.end()
        }
      }
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the server has no port")
  origin = `http://127.0.0.1:${address.port}`
  return {
    origin,
    asked,
    forget: () => counts.clear(),
    connections: () => sockets.size,
    accepted: () => accepted,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  }
}
