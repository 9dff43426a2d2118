import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import { createServer as createHttpServer } from "node:http"
import type { AddressInfo } from "node:net"
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { EgressProxy } from "../../src/egress/mod.ts"
import { exchange, openClient, type RunningProxy, socksTo, startEcho, startProxy, startServer } from "./proxy.ts"

const cleanups: Array<() => Promise<void>> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

const proxy = async (options: Partial<EgressProxy.EgressProxyOptions>): Promise<RunningProxy> => {
  const running = await startProxy({ allow: [], ...options })
  cleanups.push(running.stop)
  return running
}

/** A proxy to a port of this machine, under the name a.example. */
const proxyTo = (port: number, options: Partial<EgressProxy.EgressProxyOptions> = {}): Promise<RunningProxy> =>
  proxy({ privateHosts: [`a.example:${port}`], resolve: () => Promise.resolve(["127.0.0.1"]), ...options })

const echo = async () => {
  const server = await startEcho()
  cleanups.push(server.stop)
  return server
}

describe("a tunnel", () => {
  it("leads both ways, and ends half by half", async () => {
    const { port } = await echo()
    const { decisions, path } = await proxyTo(port)
    const text = await exchange(path, `CONNECT a.example:${port} HTTP/1.1\r\nHost: a.example\r\n\r\nabc`)
    expect(text).toBe("HTTP/1.1 200 Connection established\r\n\r\nhello abc")
    expect(decisions).toEqual([{
      _tag: "EgressDecision",
      protocol: "connect",
      host: "a.example",
      port,
      allowed: true,
      entry: `a.example:${port}`,
      addresses: ["127.0.0.1"],
    }])
  })

  it("sends the first bytes of a client as they came, in one piece", async () => {
    const pieces: Array<string> = []
    const server = await startServer((socket) => {
      socket.on("data", (piece) => void pieces.push(piece.toString("latin1")))
      socket.on("end", () => socket.end())
    })
    cleanups.push(server.stop)
    const { path } = await proxyTo(server.port)
    await exchange(path, `CONNECT a.example:${server.port} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n`)
    expect(pieces).toEqual(["GET / HTTP/1.1\r\n\r\n"])
  })

  it("by SOCKS5, with a name and with addresses", async () => {
    const { port } = await echo()
    const { decisions, path } = await proxyTo(port, { allow: [`127.0.0.1:${port}`] })
    const reply = String.fromCharCode(5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0)
    expect(await exchange(path, Buffer.concat([socksTo("A.example.", port), Buffer.from("abc")]))).toBe(
      `${reply}hello abc`,
    )
    const ports = [port >> 8, port & 255]
    expect(await exchange(path, Uint8Array.from([5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, ...ports, 97]))).toBe(
      `${reply}hello a`,
    )
    const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1]
    expect(await exchange(path, Uint8Array.from([5, 1, 0, 5, 1, 0, 4, ...mapped, ...ports, 98]))).toBe(
      `${reply}hello b`,
    )
    expect(decisions.map(({ host, protocol }) => [protocol, host])).toEqual([
      ["socks5", "a.example"],
      ["socks5", "127.0.0.1"],
      ["socks5", "127.0.0.1"],
    ])
  })

  it("moves 50 MB at the pace of the reader", async () => {
    let written = 0
    const server = await startServer((socket) => {
      const fill = (): void => {
        while (written < 50_000_000) {
          written += 65_536
          if (!socket.write(new Uint8Array(65_536))) return
        }
        socket.end()
      }
      socket.on("drain", fill)
      fill()
    })
    cleanups.push(server.stop)
    const { path } = await proxyTo(server.port)
    const client = await openClient(path, false)
    await client.send(`CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`)
    let before = -1
    while (before !== written) {
      before = written
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    // Buffers of three sockets, and of this test.
    expect(written).toBeLessThan(20_000_000)
    let read = 0
    client.socket.on("data", (piece) => void (read += piece.length))
    client.socket.resume()
    await client.ended
    expect(read).toBeGreaterThanOrEqual(50_000_000)
    client.socket.destroy()
  })

  it("is closed when idle, also to a client that reads nothing", async () => {
    const server = await startServer((socket) => {
      const fill = (): void => {
        while (socket.write(new Uint8Array(65_536)));
      }
      socket.on("drain", fill)
      fill()
    })
    cleanups.push(server.stop)
    const { path } = await proxyTo(server.port, { idleTimeout: 200 })
    const client = await openClient(path, false)
    await client.send(`CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`)
    await expect.poll(() => server.sockets.size).toBe(1)
    await expect.poll(() => server.sockets.size).toBe(0)
    client.socket.destroy()
  })
})

describe("a request at a URL", () => {
  const web = async (reply = "") => {
    const requests: Array<{ readonly raw: string }> = []
    const server = await startServer((socket) => {
      let raw = ""
      socket.on("data", (piece) => {
        raw += piece.toString("latin1")
        const end = raw.indexOf("\r\n\r\n")
        if (end < 0) return
        const length = Number(/content-length: (\d+)/i.exec(raw)?.[1] ?? 0)
        const isWhole = /chunked/i.test(raw) ? raw.endsWith("0\r\n\r\n") : raw.length >= end + 4 + length
        if (!isWhole) return
        requests.push({ raw })
        socket.write(reply || "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello")
      })
    })
    cleanups.push(server.stop)
    return { ...server, requests }
  }

  it("gets the host of the URL, its own path, no fields of the connection, and one answer", async () => {
    const server = await web()
    const { path } = await proxyTo(server.port)
    const text = await exchange(
      path,
      [
        `GET http://A.EXAMPLE:${server.port}/x?y=1 HTTP/1.1`,
        "Host: other.example",
        "Proxy-Authorization: Basic c2VjcmV0",
        "Proxy-Connection: keep-alive",
        "Connection: x-hop, keep-alive",
        "X-Hop: 1",
        "Upgrade: h2c",
        "Accept: */*",
        "",
        // A second request, for another host.
        `GET http://a.example:${server.port}/second HTTP/1.1`,
        "Host: other.example",
        "",
        "",
      ].join("\r\n"),
    )
    expect(server.requests.map(({ raw }) => raw)).toEqual([
      `GET /x?y=1 HTTP/1.1\r\nHost: a.example:${server.port}\r\nAccept: */*\r\nConnection: close\r\n\r\n`,
    ])
    expect(text).toBe("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
  })

  it("may have a body with a length, or in chunks, which are rewritten without extensions and trailers", async () => {
    const server = await web()
    const { path } = await proxyTo(server.port)
    const start = `POST http://a.example:${server.port} HTTP/1.1\r\n`
    await exchange(path, `${start}Content-Length: 3\r\n\r\nabcX: y\r\n\r\n`)
    await exchange(
      path,
      `${start}Transfer-Encoding: chunked\r\n\r\n3;ext=1\r\nabc\r\n0\r\nX-Trailer: 1\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
    )
    const head = `POST / HTTP/1.1\r\nHost: a.example:${server.port}\r\n`
    expect(server.requests.map(({ raw }) => raw)).toEqual([
      `${head}Content-Length: 3\r\nConnection: close\r\n\r\nabc`,
      `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    ])
  })

  it.each([
    ["both framings", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc"],
    ["two lengths", "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"],
    ["a list of lengths", "Content-Length: 3, 3\r\n\r\nabc"],
    ["a signed length", "Content-Length: +3\r\n\r\nabc"],
    ["another coding", "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
    ["a coding twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"],
    ["a space before the colon", "Content-Length : 3\r\n\r\nabc"],
    ["a continued line", "X: 1\r\n Content-Length: 3\r\n\r\nabc"],
    ["a lone LF", "X: 1\nContent-Length: 3\r\n\r\nabc"],
    ["a lone CR", "X: 1\rContent-Length: 3\r\n\r\nabc"],
    ["a NUL", "X: \0\r\n\r\n"],
  ])("with %s is refused and not sent", async (_, rest) => {
    const server = await web()
    const { path } = await proxyTo(server.port)
    const text = await exchange(path, `POST http://a.example:${server.port}/ HTTP/1.1\r\n${rest}`)
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(server.requests).toEqual([])
  })

  it("does not send the rest of a body that ends early", async () => {
    const server = await web()
    const { path } = await proxyTo(server.port)
    await exchange(path, `POST http://a.example:${server.port}/ HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc`)
    await exchange(path, `POST http://a.example:${server.port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc`)
    await exchange(path, `POST http://a.example:${server.port}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`)
    expect(server.requests).toEqual([])
  })

  it.each([
    [
      "100 and then 200",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      /100 Continue.*200 OK/s,
    ],
    [
      "chunks",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\n\r\nEXTRA",
      /\r\n\r\n2\r\nhi\r\n0\r\n\r\n$/,
    ],
    ["no body", "HTTP/1.1 204 No Content\r\n\r\nEXTRA", /204 No Content\r\nConnection: close\r\n\r\n$/],
    ["another protocol", "HTTP/1.1 101 Switching\r\n\r\n", /^HTTP\/1\.1 502 /],
    ["both framings", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", /^HTTP\/1\.1 502 /],
    ["no HTTP", "SSH-2.0-x\r\n\r\n", /^HTTP\/1\.1 502 /],
  ])("answered with %s", async (_, reply, expected) => {
    const server = await web(reply)
    const { path } = await proxyTo(server.port)
    expect(await exchange(path, `GET http://a.example:${server.port}/ HTTP/1.1\r\n\r\n`)).toMatch(expected)
  })

  it("works with a server of the runtime, whose answer ends with the connection", async () => {
    const server = createHttpServer((request, response) => {
      response.writeHead(200, { "x-host": request.headers.host ?? "" })
      request.pipe(response)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    cleanups.push(() => new Promise((resolve) => server.close(() => resolve())))
    const { port } = server.address() as AddressInfo
    const { path } = await proxyTo(port)
    const body = "x".repeat(300_000)
    const text = await exchange(
      path,
      `PUT http://a.example:${port}/ HTTP/1.1\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    expect(text).toContain(`x-host: a.example:${port}`)
    expect(text.split("x").length).toBeGreaterThan(300_000)
  })
})

describe("refusals", () => {
  const refusals: ReadonlyArray<readonly [target: string, status: number, reason: string]> = [
    ["b.example:443", 403, "NotAllowed"],
    ["a.example:22", 403, "NotAllowed"],
    ["127.0.0.1:443", 403, "NotAllowed"],
    ["2130706433:443", 403, "NotAllowed"],
    ["0x7f.1:443", 403, "NotAllowed"],
    ["[::1]:443", 403, "NotAllowed"],
    ["[::ffff:127.0.0.1]:443", 403, "NotAllowed"],
    ["a.example.evil.example:443", 403, "NotAllowed"],
    ["a.example:443@evil.example:443", 400, ""],
    ["a.example@evil.example:443", 403, "InvalidHost"],
    ["a.example%00.evil.example:443", 403, "InvalidHost"],
    ["[fe80::1%25lo]:443", 403, "InvalidHost"],
    ["a.example", 400, ""],
    ["a.example:0", 400, ""],
    ["a.example:99999", 400, ""],
    ["http://a.example/", 400, ""],
    ["private.example:443", 403, "PrivateAddress"],
    ["mixed.example:443", 403, "PrivateAddress"],
    ["mapped.example:443", 403, "PrivateAddress"],
    ["zone.example:443", 502, ""],
    ["none.example:443", 502, ""],
  ]
  const addresses: Readonly<Record<string, ReadonlyArray<string>>> = {
    "private.example": ["10.0.0.1"],
    "mixed.example": ["93.184.216.34", "127.0.0.1"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "zone.example": ["fe80::1%lo"],
    "a.example": ["127.0.0.1"],
  }
  const options = {
    allow: ["a.example", "private.example", "mixed.example", "mapped.example", "zone.example", "none.example"],
    resolve: (host: string) => Promise.resolve(addresses[host] ?? []),
  }

  it.each(refusals)("CONNECT %s: %i %s", async (target, status, reason) => {
    const { decisions, path } = await proxy(options)
    const text = await exchange(path, `CONNECT ${target} HTTP/1.1\r\n\r\n`)
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*\r\n\r\nsluice: .+\n$`, "s"))
    expect(decisions.map((decision) => decision.reason)).toEqual(reason === "" ? [] : [reason])
  })

  it.each([
    "GET / HTTP/1.1",
    "GET https://a.example/ HTTP/1.1",
    "GET ftp://a.example/ HTTP/1.1",
    "GET http://user:pass@a.example/ HTTP/1.1",
    "GET http://a.example HTTP/2.0",
    "GET  http://a.example/ HTTP/1.1",
    "GET http://a.example/#x HTTP/1.1",
    "GET http://a.example:x/ HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "nonsense",
    "\x16\x03\x01",
  ])("%j: 400", async (start) => {
    const { path } = await proxy(options)
    expect(await exchange(path, `${start}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
  })

  it("SOCKS: a name that is not allowed gets reply 2, other commands 7, other addresses 8, other methods 255", async () => {
    const { path } = await proxy(options)
    const replyTo = async (bytes: Uint8Array) => [...Buffer.from(await exchange(path, bytes), "latin1")].slice(0, 4)
    expect(await replyTo(socksTo("b.example", 443))).toEqual([5, 0, 5, 2])
    expect(await replyTo(socksTo("private.example", 443))).toEqual([5, 0, 5, 2])
    expect(await replyTo(socksTo("a\0.example", 443))).toEqual([5, 0, 5, 2])
    expect(await replyTo(socksTo("a.example", 443, 2))).toEqual([5, 0, 5, 7])
    expect(await replyTo(socksTo("a.example", 443, 3))).toEqual([5, 0, 5, 7])
    expect(await replyTo(Uint8Array.of(5, 1, 0, 5, 1, 0, 9, 0, 0))).toEqual([5, 0, 5, 8])
    expect(await replyTo(Uint8Array.of(5, 1, 2))).toEqual([5, 255])
    expect(await replyTo(socksTo("none.example", 443))).toEqual([5, 0, 5, 4])
  })

  it("a name that has another address the second time: the first one is connected to", async () => {
    const { port } = await echo()
    const answers = [["127.0.0.1"], ["169.254.169.254"]]
    let lookups = 0
    const { decisions, path } = await proxyTo(port, {
      resolve: () => Promise.resolve(answers[lookups++] ?? []),
    })
    const connecting = `CONNECT a.example:${port} HTTP/1.1\r\n\r\nabc`
    expect(await exchange(path, connecting)).toMatch(/^HTTP\/1\.1 200 .*hello abc$/s)
    expect(lookups).toBe(1)
    expect(await exchange(path, connecting)).toMatch(/^HTTP\/1\.1 403 /)
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false])
  })

  it("too many names to look up", async () => {
    const { decisions, path } = await proxy({ allow: ["*"], maxNames: 2, resolve: () => Promise.resolve([]) })
    for (const name of ["a", "b", "a", "c"]) await exchange(path, `CONNECT ${name}.example:443 HTTP/1.1\r\n\r\n`)
    expect(decisions.map(({ host, reason }) => [host, reason])).toEqual([["c.example", "TooManyNames"]])
  })

  it("a missing server: 502, or reply 5", async () => {
    const server = await startServer(() => {})
    await server.stop()
    const { path } = await proxyTo(server.port)
    expect(await exchange(path, `CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 502 .*connected/s,
    )
    expect((await exchange(path, socksTo("a.example", server.port))).charCodeAt(3)).toBe(5)
  })

  it("a head that does not come, or is too long", async () => {
    const { path } = await proxy({ headTimeout: 100, maxHeadBytes: 1_024 })
    const slow = await openClient(path)
    await slow.send("CONNECT a.exa")
    expect(await slow.ended).toMatch(/^HTTP\/1\.1 400 .*in time/s)
    slow.socket.destroy()
    const silent = await openClient(path)
    expect(await silent.ended).toBe("")
    silent.socket.destroy()
    expect(await exchange(path, `GET http://a.example/ HTTP/1.1\r\nX: ${"x".repeat(2_000)}\r\n\r\n`)).toMatch(
      /400 .*longer/s,
    )
  })
})

describe("a proxy", () => {
  it("refuses connections above its limit, and takes others when some have ended", async () => {
    const { port } = await echo()
    const { path } = await proxyTo(port, { maxConnections: 2 })
    const connecting = `CONNECT a.example:${port} HTTP/1.1\r\n\r\n`
    const first = await openClient(path)
    const second = await openClient(path)
    for (const client of [first, second]) {
      await client.send(connecting)
      expect(await client.received(40)).toMatch(/^HTTP\/1\.1 200 /)
    }
    expect(await exchange(path, connecting)).toMatch(/^HTTP\/1\.1 503 .*more than 2 connections/s)
    first.socket.destroy()
    await expect.poll(() => exchange(path, connecting)).toMatch(/^HTTP\/1\.1 200 /)
    second.socket.destroy()
  })

  it("ends with its scope: its connections, its socket and its folder", async () => {
    const server = await echo()
    const running = await startProxy({
      allow: [],
      privateHosts: [`a.example:${server.port}`],
      resolve: () => Promise.resolve(["127.0.0.1"]),
    })
    const client = await openClient(running.path)
    await client.send(`CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`)
    await client.received(45)
    expect(server.sockets.size).toBe(1)
    await running.stop()
    expect(await client.ended).toContain("200")
    await expect.poll(() => server.sockets.size).toBe(0)
    expect(existsSync(running.path)).toBe(false)
    expect(existsSync(running.path.replace(/\/[^/]*$/, ""))).toBe(false)
    client.socket.destroy()
  })

  it("logs an error of its socket, such as too many open files, and goes on", async () => {
    const net = process.getBuiltinModule("node:net")
    const made = vi.spyOn(net, "createServer")
    cleanups.push(() => Promise.resolve(made.mockRestore()))
    const logged: Array<string> = []
    const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
    const path = await Effect.runPromise(
      Effect.gen(function* () {
        const proxy = yield* EgressProxy.make({ allow: [] })
        const path = yield* proxy.listen("c1")
        made.mock.results[0]?.value.emit("error", new Error("accept EMFILE"))
        return path
      }).pipe(Effect.scoped, Effect.provide(logger)),
    )
    expect(logged).toEqual([`network: a connection to ${path} was not accepted: accept EMFILE`])
  })

  it("says which option is wrong", async () => {
    const problem = (options: EgressProxy.EgressProxyOptions) =>
      Effect.runPromise(
        EgressProxy.make(options).pipe(
          Effect.flatMap((made) => made.listen("c1")),
          Effect.scoped,
          Effect.flip,
        ),
      )
    expect(await problem({ allow: [], maxConnections: 0 })).toMatchObject({ option: "maxConnections" })
    expect(await problem({ allow: [], folder: "/nowhere" })).toMatchObject({ option: "folder" })
    const { folder, remove } = await longFolder()
    cleanups.push(remove)
    expect(await problem({ allow: [], folder })).toMatchObject({
      option: "folder",
      message: expect.stringContaining("at most 103 bytes"),
    })
  })
})

const longFolder = async () => {
  const { mkdtemp, mkdir, rm } = await import("node:fs/promises")
  const top = await mkdtemp("/tmp/sluice-test-")
  const folder = `${top}/${"x".repeat(90)}`
  await mkdir(folder)
  return { folder, remove: () => rm(top, { recursive: true }) }
}
