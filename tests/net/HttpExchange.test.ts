import { expect, it, vi } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer as createTlsServer } from "node:https"
import { createServer, type Server, Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { nodeBuiltins } from "../../src/base/nodeBuiltins.ts"
import { ExchangeError, openExchange } from "../../src/net/HttpExchange.ts"

const listen = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return address === null || typeof address === "string" ? 0 : address.port
}

/** Sends a request to 127.0.0.1, and reads the whole body: the text, or the fault. */
const send = async (url: string, method = "GET", addresses = ["127.0.0.1"]): Promise<string> => {
  const process = nodeBuiltins()
  if (process === undefined) throw new Error("this runtime has no sockets")
  try {
    const request = {
      ...{ url: new URL(url), method, headers: [], body: undefined },
      ...{ addresses, maxHeadBytes: 1_024 },
    }
    const { read, status } = await openExchange(process, request, new AbortController().signal)
    let text = `${status} `
    for (let piece = await read(); piece !== undefined; piece = await read()) text += new TextDecoder().decode(piece)
    return text
  } catch (cause) {
    return cause instanceof ExchangeError ? cause.fault : String(cause)
  }
}

it.each(
  [
    ["a body of a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc", "200 ab"],
    [
      "chunks, without their trailers",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\na\r\n2\r\nbc\r\n0\r\nX: y\r\n\r\n",
      "200 abc",
    ],
    ["a body until the end", "HTTP/1.0 200 OK\r\n\r\nabc", "200 abc"],
    ["no body of 204", "HTTP/1.1 204 No\r\n\r\nabc", "204 "],
    [
      "what follows interim responses",
      "HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
      "200 a",
    ],
    [
      "two framings",
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "Malformed",
    ],
    ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc", "Malformed"],
    ["a header with a bare line feed", "HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n", "Malformed"],
    ["another protocol", "HTTP/2 200\r\n\r\n", "Malformed"],
    ["a change of protocols", "HTTP/1.1 101 Switch\r\n\r\n", "Malformed"],
    ["long headers", `HTTP/1.1 200 OK\r\nA: ${"x".repeat(2_000)}\r\n\r\n`, "HeadersTooLong"],
    ["nothing", "", "NoResponse"],
    ["half a head", "HTTP/1.1 200 OK\r\nA:", "NoResponse"],
    ["half a body", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", "Truncated"],
    ["half a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", "Truncated"],
    ["a chunk without its end", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabX", "Truncated"],
  ] as const,
)("reads %s", async (_, response, outcome) => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => socket.end(response))
  })
  const port = await listen(server)
  expect(await send(`http://name.test:${port}/`)).toBe(outcome)
  server.close()
})

const hasOpenssl = (() => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

it.runIf(hasOpenssl)("refuses an untrusted certificate, and sends nothing (needs openssl)", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-tls-"))
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")]
  execFileSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"],
    ...["-keyout", key, "-out", certificate, "-subj", "/CN=name.test", "-addext", "subjectAltName=DNS:name.test"],
  ], { stdio: "ignore" })
  const pair = { key: readFileSync(key), cert: readFileSync(certificate) }
  rmSync(folder, { recursive: true })
  let asked = 0
  const server = createTlsServer(pair, (_, response) => {
    asked += 1
    response.end("secret")
  })
  const port = await listen(server)
  expect([await send(`https://name.test:${port}/`), asked]).toEqual(["Certificate", 0])
  server.closeAllConnections()
  server.close()
})

it("has no connection where nothing listens, and no TLS where HTTP is spoken", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => socket.end("HTTP/1.1 400 Bad\r\n\r\n"))
  })
  const port = await listen(server)
  expect(await send(`https://name.test:${port}/`)).toBe("Tls")
  server.close()
  await once(server, "close")
  expect(await send(`http://name.test:${port}/`)).toBe("Connect")
})

it("tries the next address beside one that does not answer, and gives that one up", async () => {
  const server = createServer((socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab"))
  const port = await listen(server)
  const silent = new Socket()
  const connecting = vi.spyOn(process.getBuiltinModule("node:net"), "connect").mockReturnValueOnce(silent)
  try {
    expect(await send(`http://a.example:${port}/`, "GET", ["192.0.2.1", "127.0.0.1"])).toBe("200 ab")
    expect(connecting).toHaveBeenCalledTimes(2)
    expect(silent.destroyed).toBe(true)
  } finally {
    connecting.mockRestore()
    server.close()
  }
})
