/** The tools beside the routes of `shellRoutes`, and the console: one server. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Hono } from "hono"
import { fileURLToPath } from "node:url"
import { LocalShell, ShellExec } from "../../mod.ts"
import { listen } from "../../src/cli/listen.ts"
import { consoleRoutes } from "../../src/console/mod.ts"
import { shellRoutes, type ShellRoutesOptions } from "../../src/http/mod.ts"
import { mcpRoutes } from "../../src/mcp/http.ts"
import { RemoteClient } from "../../src/client/Client.ts"
import { eventually, settled } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { answerOf, begin, clients, initialize, post, toolCall } from "./support.ts"

const heartbeat = fileURLToPath(new URL("../fixtures/heartbeat.sh", import.meta.url))

const within = <A>(work: () => Promise<A>) => Effect.promise(work)

const Message = Schema.Struct({ result: Schema.Unknown })

const calling = async (url: string, id: number, command: string, session: string | null, token?: string) =>
  answerOf(
    Schema.decodeUnknownSync(Message)(
      await (await post(url, toolCall(id, "execute_command", { command }), token, session)).json(),
    ).result,
  )

type Options = Omit<ShellRoutesOptions, "layer" | "runtime" | "context" | "token" | "tokens" | "unauthenticated">

/** Routes, console and tools on one port. */
const serving = (options: Options = {}) =>
  Effect.gen(function* () {
    const tokens = [
      { name: "all", token: "t0ken" },
      { name: "one", token: "0ne", maxConcurrency: 1 },
      { name: "slow", token: "sl0w", rate: { requests: 2, per: "1 hour" } },
    ] as const
    const routes = shellRoutes({ layer: LocalShell.layer, tokens, ...options })
    const tools = mcpRoutes({ server: routes })
    const app = new Hono().route("/", consoleRoutes()).route("/", routes).route("/", tools)
    const server = yield* Effect.acquireRelease(
      within(() => listen({ host: "127.0.0.1", port: 0 }, (request, env) => app.fetch(request, env))),
      ({ closeNow }) => within(() => Promise.all([tools.dispose(), routes.dispose(), closeNow()])),
    )
    const url = `http://127.0.0.1:${server.port}`
    const ask = (path: string, init: RequestInit = {}) =>
      within(() => fetch(`${url}${path}`, { ...init, headers: { authorization: "Bearer t0ken", ...init.headers } }))
    const client = yield* RemoteClient.make({ url, token: "t0ken" })
    return { routes, tools, url, mcp: `${url}/mcp`, ask, client }
  })

const exec = (command: string, args: ReadonlyArray<string>, token: string): RequestInit => ({
  method: "POST",
  headers: { "authorization": `Bearer ${token}`, "content-type": "application/json" },
  body: JSON.stringify({ command, arguments: args }),
})

for (const kind of ["sdk", "client"] as const) {
  it.live(
    `@modelcontextprotocol/${kind} beside the routes: its commands are theirs, and theirs are its resources`,
    () =>
      Effect.gen(function* () {
        const { ask, client, mcp } = yield* serving()
        const agent = yield* Effect.acquireRelease(
          within(() => clients[kind].http(mcp, "t0ken")),
          (one) => within(() => one.close()),
        )
        const { result } = yield* within(() => agent.call("execute_command", { command: "echo out; exit 3" }))
        expect(yield* client.command(result.command_id)).toMatchObject({ state: "exited", exitCode: 3 })
        const events = yield* Stream.runCollect(client.events(result.command_id))
        expect(events.map(({ event }) => event._tag)).toEqual(["ShellOutputChunk", "ShellOutput"])
        yield* client.run(ShellExec.make("echo", ["theirs"], { commandId: "theirs" }))
        expect(yield* within(() => agent.read("sluice://commands/theirs/stdout"))).toBe("theirs\n")
        const page = yield* ask("/")
        expect(yield* within(() => page.text())).toContain("<title>Sluice</title>")
        const metrics = yield* ask("/metrics")
        expect(yield* within(() => metrics.text())).toMatch(
          /^sluice_http_requests_total\{method="POST",route="\/mcp",status="200"\} [1-9]/m,
        )
      }).pipe(Effect.scoped),
  )
}

it.live("lists a tool's command while it runs, and ends it on request", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const { client, mcp } = yield* serving()
    const session = yield* within(() => begin(mcp))
    const answer = calling(mcp, 1, `sh '${heartbeat}' '${path("heartbeat")}' & wait`, session)
    yield* eventually("it runs", () => size("heartbeat") > 3)
    const { commands: [running] } = yield* client.commands({ state: ["open"] })
    expect(running).toMatchObject({ state: "running", useShell: true })
    yield* client.cancel(running?.commandId ?? "")
    const { isError, result } = yield* within(() => answer)
    expect([isError, result.reason, result.command_id]).toEqual([true, "Cancelled", running?.commandId])
    yield* settled(() => size("heartbeat"))
    expect(yield* client.command(running?.commandId ?? "")).toMatchObject({ state: "faulted", reason: "Cancelled" })
  }).pipe(Effect.scoped))

it.live("enforces the limits of a token and of the routes for both together", () =>
  Effect.gen(function* () {
    const { path, size, write } = yield* workshop
    const { ask, mcp } = yield* serving({ maxConcurrency: 2 })
    const wait = (name: string) => `printf . > '${path(name)}'; until [ -e '${path("go")}' ]; do sleep 0.02; done`
    const first = ask("/exec", exec("sh", ["-c", wait("first")], "0ne")).pipe(Effect.runPromise)
    yield* eventually("the first runs", () => size("first") > 0)
    const one = yield* within(() => begin(mcp, "0ne"))
    expect(yield* within(() => calling(mcp, 1, "echo no", one, "0ne"))).toMatchObject({
      isError: true,
      result: { reason: "Throttled" },
    })
    const all = yield* within(() => begin(mcp))
    const second = calling(mcp, 2, wait("second"), all)
    yield* eventually("the second runs", () => size("second") > 0)
    const third = yield* within(() => calling(mcp, 3, "echo no", all))
    expect(third.result).toMatchObject({ reason: "Throttled", stdout: "" })
    const busy = yield* ask("/exec", exec("true", [], "t0ken"))
    expect(busy.status).toBe(429)
    yield* within(() => busy.text())
    write("go", "")
    expect((yield* within(() => second)).isError).toBe(false)
    expect(yield* within(async () => (await first).status)).toBe(200)
    // Two requests in an hour, wherever they are made.
    expect((yield* ask("/commands", { headers: { authorization: "Bearer sl0w" } })).status).toBe(200)
    const slow = yield* within(() => begin(mcp, "sl0w"))
    expect(yield* within(() => calling(mcp, 4, "echo no", slow, "sl0w"))).toMatchObject({
      isError: true,
      result: { reason: "Throttled" },
    })
    expect((yield* ask("/commands", { headers: { authorization: "Bearer sl0w" } })).status).toBe(429)
  }).pipe(Effect.scoped))

it.live("lets tools end their commands while both drain, and begins no more", () =>
  Effect.gen(function* () {
    const { path, size, write } = yield* workshop
    const { ask, mcp, routes, tools } = yield* serving()
    const session = yield* within(() => begin(mcp))
    const command = `printf . > '${path("begun")}'; until [ -e '${path("go")}' ]; do sleep 0.02; done; echo done`
    const running = calling(mcp, 1, command, session)
    yield* eventually("it runs", () => size("begun") > 0)
    const drain = { drain: "20 seconds" } as const
    const disposed = Promise.all([tools.dispose(drain), routes.dispose(drain)])
    const late = yield* within(() => calling(mcp, 2, "echo no", session))
    expect(late).toMatchObject({ isError: true, result: { reason: "Cancelled", stdout: "" } })
    expect(late.result.error).toMatch(/the server is shutting down.* \(CANCELLED\)$/)
    const begun = yield* within(() => post(mcp, initialize))
    expect([begun.status, begun.headers.get("retry-after")]).toEqual([503, "1"])
    yield* within(() => begun.text())
    expect((yield* ask("/health")).status).toBe(503)
    write("go", "")
    expect((yield* within(() => running)).result).toMatchObject({ exit_code: 0, stdout: "done\n" })
    yield* within(() => disposed)
  }).pipe(Effect.scoped))

it.live(
  "ends the commands of tools with the routes, and notifies their clients and readers",
  () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const { client, mcp, routes, tools } = yield* serving()
      const session = yield* within(() => begin(mcp))
      const running = calling(mcp, 1, `sh '${heartbeat}' '${path("heartbeat")}' & wait`, session)
      yield* eventually("it runs", () => size("heartbeat") > 3)
      const { commands: [open] } = yield* client.commands({ state: ["open"] })
      const reading = Effect.runPromise(Stream.runCollect(client.events(open?.commandId ?? "")))
      const drain = { drain: "1 second" } as const
      yield* within(() => Promise.all([tools.dispose(drain), routes.dispose(drain)]))
      const last = size("heartbeat")
      expect(yield* settled(() => size("heartbeat"))).toBe(last)
      expect((yield* within(() => running)).result.reason).toBe("Cancelled")
      expect((yield* within(() => reading)).at(-1)?.event).toMatchObject({ reason: { _tag: "Cancelled" } })
    }).pipe(Effect.scoped),
)
