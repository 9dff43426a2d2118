import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import type { FetchHandler } from "../../src/cli/HttpListener.ts"
import { listenNode } from "../../src/cli/listenNode.ts"
import { eventually, settled } from "../support/eventually.ts"

// The bridge is for Node; Deno and Bun have servers of their own.
const node = it.effect.skipIf("Deno" in globalThis || "Bun" in globalThis)

const listening = (handler: FetchHandler) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => listenNode({ host: "127.0.0.1", port: 0 }, handler)),
      (server) => Effect.promise(() => server.closeNow()),
    ),
    (server) => ({ ...server, url: `http://127.0.0.1:${server.port}/path?a=1` }),
  )

/** Asks in bytes of one's own, and answers with all that comes back until the server hangs up. */
const ask = (port: number, request: string) =>
  Effect.promise(() =>
    new Promise<string>((resolve, reject) => {
      let answer = ""
      const socket = connect(port, "127.0.0.1", () => socket.end(request))
      socket.on("data", (part) => answer += part)
      socket.on("error", reject)
      socket.on("close", () => resolve(answer))
    })
  )

node("hands over the request as it came: method, URL, headers, body", () =>
  Effect.gen(function* () {
    const { url } = yield* listening(async (request) =>
      Response.json({
        method: request.method,
        url: request.url,
        header: request.headers.get("x-one"),
        body: await request.text(),
      })
    )
    const body = "é".repeat(100_000)
    const response = yield* Effect.promise(() => fetch(url, { method: "POST", headers: { "x-one": "1" }, body }))
    expect(yield* Effect.promise(() => response.json())).toEqual({ method: "POST", url, header: "1", body })
  }))

node("hands back the response as it is: status, headers, each cookie, no body", () =>
  Effect.gen(function* () {
    const headers = new Headers({ "x-one": "1" })
    headers.append("set-cookie", "a=1")
    headers.append("set-cookie", "b=2")
    const { url } = yield* listening(() => new Response(null, { status: 204, headers }))
    const response = yield* Effect.promise(() => fetch(url))
    expect(response.status).toBe(204)
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"])
    expect(response.headers.get("x-one")).toBe("1")
  }))

node("sends the head before the first byte of the body, and each byte as it comes", () =>
  Effect.gen(function* () {
    let body: ReadableStreamDefaultController<Uint8Array> | undefined
    const { url } = yield* listening(() =>
      new Response(
        new ReadableStream<Uint8Array>({
          start: (controller) => {
            body = controller
          },
        }),
      )
    )
    const response = yield* Effect.promise(() => fetch(url))
    expect(response.status).toBe(200)
    const reader = response.body?.getReader()
    body?.enqueue(Uint8Array.of(1))
    expect((yield* Effect.promise(async () => await reader?.read()))?.value).toEqual(Uint8Array.of(1))
    body?.close()
    expect((yield* Effect.promise(async () => await reader?.read()))?.done).toBe(true)
  }))

/** A body without an end, that counts how often it is pulled. */
const endless = () => {
  const seen = { pulls: 0, cancelled: false, aborted: false }
  const handler: FetchHandler = (request) => {
    request.signal.addEventListener("abort", () => {
      seen.aborted = true
    })
    return new Response(
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          seen.pulls++
          controller.enqueue(new Uint8Array(65_536))
        },
        cancel: () => {
          seen.cancelled = true
        },
      }, { highWaterMark: 0 }),
    )
  }
  return { seen, handler }
}

node("pulls no more than a client reads, and stops when it goes away", () =>
  Effect.gen(function* () {
    const { handler, seen } = endless()
    const { url } = yield* listening(handler)
    const client = new AbortController()
    yield* Effect.promise(() => fetch(url, { signal: client.signal }))
    const held = yield* settled(() => seen.pulls)
    // What the buffers of two sockets hold.
    expect(held).toBeLessThan(200)
    client.abort()
    yield* eventually("it notices", () => seen.cancelled && seen.aborted)
  }))

node("aborts a request whose client goes away before there is an answer, and no other", () =>
  Effect.gen(function* () {
    const aborted: Array<string> = []
    const { url } = yield* listening((request) => {
      const name = request.headers.get("x-name") ?? ""
      request.signal.addEventListener("abort", () => aborted.push(name))
      return name === "slow" ? new Promise(() => {}) : new Response("done")
    })
    const client = new AbortController()
    const slow = fetch(url, { headers: { "x-name": "slow" }, signal: client.signal }).catch(() => {})
    const quick = yield* Effect.promise(() => fetch(url, { headers: { "x-name": "quick" } }))
    expect(yield* Effect.promise(() => quick.text())).toBe("done")
    client.abort()
    yield* Effect.promise(() => slow)
    yield* eventually("it notices", () => aborted.length > 0)
    expect(aborted).toEqual(["slow"])
  }))

node("hangs up when the handler or its body breaks", () =>
  Effect.gen(function* () {
    const { port } = yield* listening((request) => {
      if (request.url.endsWith("/throws")) throw new Error("broken")
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        controller.enqueue(new TextEncoder().encode("half"))
        controller.error(new Error("broken"))
      }
      return new Response(new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }))
    })
    expect(yield* ask(port, "GET /throws HTTP/1.1\r\nHost: a\r\n\r\n")).toMatch(/^HTTP\/1\.1 500 /)
    const broken = yield* ask(port, "GET /breaks HTTP/1.1\r\nHost: a\r\n\r\n")
    expect(broken).toMatch(/^HTTP\/1\.1 200 /)
    // Without the chunk of length 0 that ends a body.
    expect(broken.endsWith("0\r\n\r\n")).toBe(false)
  }))

node("refuses an invalid request", () =>
  Effect.gen(function* () {
    const { port } = yield* listening(() => new Response("never"))
    expect(yield* ask(port, "GET http://[ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 400 /,
    )
  }))

node("says when the port is taken", () =>
  Effect.gen(function* () {
    const { port } = yield* listening(() => new Response("first"))
    const second = yield* Effect.exit(
      Effect.tryPromise(() => listenNode({ host: "127.0.0.1", port }, () => new Response("second"))),
    )
    expect(second._tag).toBe("Failure")
  }))

node("closes when the last answer has been sent", () =>
  Effect.gen(function* () {
    let finish: ((response: Response) => void) | undefined
    const { close, url } = yield* listening(() => new Promise<Response>((resolve) => finish = resolve))
    const answer = fetch(url)
    yield* eventually("it has come", () => finish !== undefined)
    let closed = false
    const closing = close().then(() => {
      closed = true
    })
    yield* Effect.promise(() => Promise.resolve())
    expect(closed).toBe(false)
    finish?.(new Response("last"))
    expect(yield* Effect.promise(async () => (await answer).text())).toBe("last")
    yield* Effect.promise(() => closing)
  }))
