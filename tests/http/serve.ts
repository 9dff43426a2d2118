/** The server of whichever runtime runs the tests, on a free port of the loopback. */
import * as Predicate from "effect/Predicate"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

type Fetch = (request: Request, env?: unknown) => Response | Promise<Response>

export interface Served {
  readonly port: number
  readonly stop: () => Promise<void>
}

interface DenoServe {
  serve(
    options: { readonly port: number; readonly hostname: string; readonly onListen: () => void },
    handler: Fetch,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }
}

interface BunServe {
  serve(
    options: {
      readonly port: number
      readonly hostname: string
      readonly fetch: Fetch
      readonly idleTimeout: number
      readonly websocket?: object
    },
  ): {
    readonly port: number
    stop(force: boolean): Promise<void>
  }
}

const hasServe = (u: unknown): boolean => Predicate.hasProperty(u, "serve") && typeof u.serve === "function"
const isDeno = (u: unknown): u is DenoServe => hasServe(u)
const isBun = (u: unknown): u is BunServe => hasServe(u)
const deno: unknown = Reflect.get(globalThis, "Deno")
const bun: unknown = Reflect.get(globalThis, "Bun")

export const runtime: "deno" | "bun" | "node" = isDeno(deno) ? "deno" : isBun(bun) ? "bun" : "node"

/** `node:http` to fetch, as small as it can be: back-pressure, and the client's going away. */
const bridge = (fetch: Fetch) => async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const chunks = incoming.iterator({ destroyOnReturn: false })
  const gone = new AbortController()
  outgoing.on("close", () => gone.abort())
  const response = await fetch(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: new Headers(
        Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
      ),
      body: ["GET", "HEAD"].includes(incoming.method ?? "GET") ? null : new ReadableStream<Uint8Array>({
        pull: async (controller) => {
          const { done, value } = await chunks.next()
          if (done === true) controller.close()
          else controller.enqueue(value)
        },
      }, { highWaterMark: 0 }),
      signal: gone.signal,
      ...{ duplex: "half" },
    }),
  )
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  const reader = response.body?.getReader()
  gone.signal.addEventListener("abort", () => void reader?.cancel().catch(() => {}))
  for (;;) {
    const next = await reader?.read().catch(() => "broken" as const)
    // A body that breaks off must not look whole.
    if (next === "broken") return void outgoing.destroy()
    if (next === undefined || next.done) break
    if (!outgoing.write(next.value)) await once(outgoing, "drain", { signal: gone.signal }).catch(() => {})
  }
  outgoing.end()
}

/** Serves on this runtime's own server; `idleTimeout` (seconds) and `websocket` are Bun's. */
export const serve = async (fetch: Fetch, idleTimeout = 10, websocket?: object): Promise<Served> => {
  const hostname = "127.0.0.1"
  if (isDeno(deno)) {
    const server = deno.serve({ port: 0, hostname, onListen: () => {} }, fetch)
    return { port: server.addr.port, stop: () => server.shutdown() }
  }
  if (isBun(bun)) {
    const server = bun.serve({
      port: 0,
      hostname,
      fetch,
      idleTimeout,
      ...(websocket === undefined ? undefined : { websocket }),
    })
    return { port: server.port, stop: () => server.stop(true) }
  }
  const server = createServer(bridge(fetch))
  server.listen(0, hostname)
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return {
    port: address.port,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
