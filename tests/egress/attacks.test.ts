/** Clients that want more of a proxy than it gives: many at once, slow ones, ones that never read, and any bytes. */
import { afterEach, describe, expect, it } from "@effect/vitest"
import { connect } from "node:net"
import type { EgressProxy } from "../../src/egress/mod.ts"
import { random } from "../support/random.ts"
import { exchange, openClient, type RunningProxy, socksTo, startEcho, startProxy, startServer } from "./proxy.ts"

const cleanups: Array<() => Promise<void>> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** A proxy to an echo server under the name a.example. */
const echoing = async (options: Partial<EgressProxy.EgressProxyOptions> = {}) => {
  const server = await startEcho()
  const running: RunningProxy = await startProxy({
    allow: [],
    privateHosts: [`a.example:${server.port}`],
    resolve: () => Promise.resolve(["127.0.0.1"]),
    ...options,
  })
  cleanups.push(server.stop, running.stop)
  return { server, ...running, connecting: `CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n` }
}

describe("a proxy under attack", () => {
  it("1,000 connections at once: as many as the limit allows are served, the others end, and none stays", async () => {
    const { connecting, path, server } = await echoing({ maxConnections: 100 })
    const sockets = Array.from({ length: 1_000 }, () => connect(path))
    const states = sockets.map(() => "")
    const settled = sockets.map((socket, index) =>
      new Promise<void>((resolve) => {
        socket.on("error", () => resolve())
        socket.on("close", () => resolve())
        socket.on("data", (piece) => {
          states[index] += piece.toString("latin1")
          if (states[index]?.includes("hello ")) resolve()
        })
        socket.write(connecting)
      })
    )
    await Promise.all(settled)
    const statuses = states.map((text) => text.slice(9, 12))
    expect(statuses.filter((status) => status === "200")).toHaveLength(100)
    expect(new Set(statuses)).toEqual(new Set(["200", "503", ""]))
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => server.sockets.size).toBe(0)
    await expect.poll(() => exchange(path, `${connecting}abc`)).toMatch(/hello abc$/)
  })

  it("slow clients: a head in single bytes, a greeting of SOCKS, a ClientHello that never ends", async () => {
    const { connecting, path, server } = await echoing({ headTimeout: 300, idleTimeout: 300 })
    const slow = async (bytes: Uint8Array): Promise<string> => {
      const client = await openClient(path)
      let over = false
      void client.ended.then(() => void (over = true))
      for (const byte of bytes) {
        if (over) break
        await client.send(Uint8Array.of(byte))
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      const text = await client.ended
      client.socket.destroy()
      return text
    }
    const [http, socks] = await Promise.all([
      slow(Buffer.from(connecting)),
      slow(socksTo("a.example.with.a.long.name", server.port)),
    ])
    expect(http).toMatch(/^HTTP\/1\.1 400 .*in time/)
    expect(Buffer.from(socks, "latin1").subarray(2)).toHaveLength(0)
    const client = await openClient(path)
    await client.send(connecting)
    await client.send(Uint8Array.of(22, 3, 1, 255))
    // The start of a TLS record; the rest does not come.
    expect(await client.ended).toMatch(/hello $/)
    client.socket.destroy()
    await expect.poll(() => server.sockets.size).toBe(0)
  })

  it("clients that never read hold no more than their buffers", async () => {
    let written = 0
    const server = await startServer((socket) => {
      const fill = (): void => {
        for (let more = true; more; written += 65_536) more = socket.write(new Uint8Array(65_536))
      }
      socket.on("drain", fill)
      fill()
    })
    const { path, stop } = await startProxy({
      allow: [],
      privateHosts: [`a.example:${server.port}`],
      resolve: () => Promise.resolve(["127.0.0.1"]),
    })
    cleanups.push(server.stop, stop)
    const clients = await Promise.all(Array.from({ length: 20 }, () => openClient(path, false)))
    for (const client of clients) await client.send(`CONNECT a.example:${server.port} HTTP/1.1\r\n\r\n`)
    await expect.poll(() => server.sockets.size).toBe(20)
    let before = -1
    while (before !== written) {
      before = written
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    // Buffers of the kernel, most of them.
    expect(written / 20).toBeLessThan(10_000_000)
    for (const client of clients) client.socket.destroy()
    await expect.poll(() => server.sockets.size).toBe(0)
  })

  it("arbitrary bytes reach no other server, and the proxy keeps working", async () => {
    const { connecting, decisions, path, server } = await echoing({ headTimeout: 1_000 })
    const { int, pick } = random(7)
    const parts = [
      ...[
        "CONNECT ",
        "GET ",
        "http://",
        "a.example",
        "b.example",
        `:${server.port}`,
        "@",
        "%00",
        " HTTP/1.1",
        "\r\n",
        "\n",
        "\r",
      ],
      ...[
        "Host: ",
        "Content-Length: 5",
        "Transfer-Encoding: chunked",
        "\x05\x01\x00",
        "\x16\x03\x01",
        "\0",
        "é",
        ":",
        "/",
      ],
    ]
    const heads = [connecting, `GET http://a.example:${server.port}/ HTTP/1.1\r\nHost: b.example\r\n\r\n`]
    /** A request with up to three parts of others in it. */
    const attack = (): Buffer => {
      let text = pick(heads)
      for (let count = int(0, 3); count > 0; count--) {
        const at = int(0, text.length)
        text = text.slice(0, at) + pick(parts) + text.slice(at + int(0, 3))
      }
      return Buffer.from(text, "latin1")
    }
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 10 }, () => exchange(path, attack())))
    }
    const hosts = new Set(decisions.filter(({ allowed }) => allowed).map(({ host, port }) => `${host}:${port}`))
    expect([...hosts].filter((each) => each !== `a.example:${server.port}`)).toEqual([])
    expect(decisions.length).toBeGreaterThan(10)
    await expect.poll(() => server.sockets.size).toBe(0)
    expect(await exchange(path, `${connecting}abc`)).toMatch(/hello abc$/)
  })

  it.each([
    ["fe80::1%lo", "InvalidHost"],
    ["[fe80::1%25lo]", "InvalidHost"],
    ["::1", "InvalidHost"],
    ["[::1]", "NotAllowed"],
    ["[::ffff:7f00:1]", "NotAllowed"],
    ["127.1", "NotAllowed"],
    ["017700000001", "NotAllowed"],
    ["a.example\r\nHost: b.example", "InvalidHost"],
    ["a.example/", "InvalidHost"],
    ["", "InvalidHost"],
  ])("SOCKS with the name %j: reply 2, %s", async (name, reason) => {
    const { decisions, path, server } = await echoing()
    const text = await exchange(path, socksTo(name, server.port))
    expect(text.charCodeAt(3)).toBe(2)
    expect(decisions.map((decision) => decision.reason)).toEqual([reason])
  })
})
