import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createServer } from "node:http"
import { sluice } from "./support.ts"

/** A server that ends each connection without an answer, and its requests. */
const silentServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const requests: Array<string> = []
    const server = createServer((request) => {
      requests.push(`${request.method} ${request.url}`)
      request.socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
    return { url: `http://127.0.0.1:${port}`, requests, close }
  }),
  ({ close }) => Effect.promise(close),
)

it.live("a server that does not answer is tried twice, and the command is not sent", () =>
  Effect.gen(function* () {
    const { requests, url } = yield* silentServer
    const { status, stderr, stdout } = yield* sluice(["run", "--url", url, "--", "true"])
    expect([status, stdout]).toEqual([125, ""])
    expect(stderr).toContain(`true was not started: GET ${url}/health: there was no answer: `)
    expect(stderr).toContain("start the server, or check --url (EHOSTUNREACH)")
    expect([...new Set(requests)]).toEqual(["GET /health"])
    // Deno itself sends each a second time.
    expect([2, 4]).toContain(requests.length)
  }).pipe(Effect.scoped))

it.live("reports a port on which no server listens, also as an event", () =>
  Effect.gen(function* () {
    const url = yield* Effect.scoped(Effect.flatMap(silentServer, ({ url }) => Effect.succeed(url)))
    const { status, stderr } = yield* sluice(["run", "--url", url, "--", "true"])
    expect([status, stderr.includes(url)]).toEqual([125, true])
    const { stdout } = yield* sluice(["run", "--json", "--url", url, "--", "true"])
    expect(JSON.parse(stdout)).toMatchObject({ _tag: "ShellFault", reason: { _tag: "Unknown", code: "EHOSTUNREACH" } })
  }))
