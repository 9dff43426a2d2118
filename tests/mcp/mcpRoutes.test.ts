import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Hono } from "hono"
import { fileURLToPath } from "node:url"
import { OptionError } from "../../src/base/OptionError.ts"
import { LocalShell } from "../../mod.ts"
import type { TokenOptions } from "../../src/http/mod.ts"
import { type McpHosts, type McpLimits, mcpRoutes } from "../../src/mcp/http.ts"
import type { McpToolOptions } from "../../src/mcp/McpToolOptions.ts"
import type { Shell } from "../../src/shell/Shell.ts"
import { eventually, settled } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { answerOf, begin, initialize, lazyPost, post, postStateless, served, toolCall } from "./support.ts"

const heartbeat = fileURLToPath(new URL("../fixtures/heartbeat.sh", import.meta.url))

const two: ReadonlyArray<TokenOptions> = [{ name: "one", token: "t0ken" }, { name: "other", token: "0ther" }]

const make = (more: McpLimits & McpHosts & McpToolOptions = {}, tokens = two) =>
  mcpRoutes({ ...more, layer: LocalShell.layer, tokens })

const Message = Schema.Struct({ result: Schema.optional(Schema.Unknown), error: Schema.optional(Schema.Unknown) })

const messageOf = async (response: Response) => Schema.decodeUnknownSync(Message)(await response.json())

const echo = (id: number) => toolCall(id, "execute_command", { command: "echo hello" })

const within = <A>(work: () => Promise<A>) => Effect.promise(work)

it.live("answers only clients with a token that use a name of this machine", () =>
  Effect.gen(function* () {
    const routes = make()
    const ask = (headers: Readonly<Record<string, string>>) =>
      within(async () =>
        (await routes.request("http://localhost/mcp", {
          method: "POST",
          headers: { "content-type": "application/json", "accept": "application/json, text/event-stream", ...headers },
          body: JSON.stringify(echo(1)),
        })).status
      )
    expect(yield* ask({})).toBe(401)
    expect(yield* ask({ authorization: "Bearer wrong" })).toBe(401)
    const authorization = "Bearer t0ken"
    expect(yield* ask({ authorization, host: "evil.example" })).toBe(404)
    expect(yield* ask({ authorization, origin: "http://evil.example" })).toBe(403)
    // It has no session.
    expect(yield* ask({ authorization, host: "localhost:1", origin: "http://localhost:1" })).toBe(400)
    yield* within(routes.dispose)
  }))

it.live("is mounted at any path of another app", () =>
  Effect.gen(function* () {
    const routes = make()
    const app = new Hono().route("/tools", routes)
    const response = yield* within(async () =>
      await app.request("http://localhost/tools/mcp", {
        method: "POST",
        headers: {
          "authorization": "Bearer t0ken",
          "content-type": "application/json",
          "accept": "application/json, text/event-stream",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "me", version: "1" } },
        }),
      })
    )
    expect(response.status).toBe(200)
    expect(response.headers.get("mcp-protocol-version")).toBe("2025-06-18")
    yield* within(routes.dispose)
  }))

it.live("knows a session only with the token that began it, and until it is ended", () =>
  Effect.gen(function* () {
    const url = yield* served(make())
    const session = yield* within(() => begin(url))
    expect((yield* within(() => post(url, echo(1), "0ther", session))).status).toBe(404)
    const answer = yield* within(async () => messageOf(await post(url, echo(2), "t0ken", session)))
    expect(answerOf(answer.result).result.stdout).toBe("hello\n")
    const end = (token: string) =>
      within(async () =>
        (await fetch(url, {
          method: "DELETE",
          headers: { "authorization": `Bearer ${token}`, "mcp-session-id": session ?? "" },
        })).status
      )
    expect(yield* end("0ther")).toBe(404)
    expect(yield* end("t0ken")).toBe(204)
    expect((yield* within(() => post(url, echo(3), "t0ken", session))).status).toBe(404)
  }).pipe(Effect.scoped))

it.live("ends the commands of a session that its client ends", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const url = yield* served(make())
    const session = yield* within(() => begin(url))
    const command = `sh '${heartbeat}' '${path("heartbeat")}' & wait`
    const answer = post(url, toolCall(1, "execute_command", { command }), "t0ken", session).then(
      (response) => response.text(),
      () => "",
    )
    yield* eventually("it runs", () => size("heartbeat") > 3)
    const headers = { "authorization": "Bearer t0ken", "mcp-session-id": session ?? "" }
    const ended = yield* within(() => fetch(url, { method: "DELETE", headers }))
    expect(ended.status).toBe(204)
    yield* settled(() => size("heartbeat"))
    yield* within(() => answer)
  }).pipe(Effect.scoped))

it.live("ends the session that was idle longest when there are too many", () =>
  Effect.gen(function* () {
    const url = yield* served(make({ maxSessions: 2 }))
    const [first, second, third] = [
      yield* within(() => begin(url)),
      yield* within(() => begin(url)),
      yield* within(() => begin(url)),
    ]
    const statusOf = (session: string | null) => within(async () => (await post(url, echo(1), "t0ken", session)).status)
    expect(yield* statusOf(first)).toBe(404)
    expect(yield* statusOf(second)).toBe(200)
    expect(yield* statusOf(third)).toBe(200)
  }).pipe(Effect.scoped))

it.live("speaks the revision that has no sessions", () =>
  Effect.gen(function* () {
    const url = yield* served(make())
    const response = yield* within(() => postStateless(url, echo(1), 7))
    const text = yield* within(() => response.text())
    expect(response.status, text).toBe(200)
    expect(text).toContain(`"progressToken":7`)
    expect(text).toContain("stdout: |\\n  hello\\n")
  }).pipe(Effect.scoped))

it.live("reads no message that is too long", () =>
  Effect.gen(function* () {
    const url = yield* served(make({ maxBodyBytes: 1_000 }))
    const session = yield* within(() => begin(url))
    const long = toolCall(1, "execute_process", { file: "cat", input: "x".repeat(2_000) })
    const response = yield* within(() => post(url, long, "t0ken", session))
    expect(response.status).toBe(413)
    yield* within(() => response.text())
  }).pipe(Effect.scoped))

it.live("answers one message without progress, and an event stream with it", () =>
  Effect.gen(function* () {
    const url = yield* served(make())
    const session = yield* within(() => begin(url))
    const plain = yield* within(() => post(url, echo(1), "t0ken", session))
    expect(plain.headers.get("content-type")).toBe("application/json")
    yield* within(() => plain.text())
    const message = toolCall(2, "execute_command", { command: "echo hello" }, "p1")
    const stream = yield* within(() => post(url, message, "t0ken", session))
    expect(stream.headers.get("content-type")).toBe("text/event-stream")
    const events = (yield* within(() => stream.text())).trim().split("\n\n").map((event) =>
      JSON.parse(event.replace(/^data: /, ""))
    )
    expect(events).toMatchObject([
      { method: "notifications/progress", params: { progressToken: "p1", progress: 1, message: "hello\n" } },
      { id: 2, result: { isError: false } },
    ])
  }).pipe(Effect.scoped))

it.live("reports output in the windows that a call names, and refuses invalid ones", () =>
  Effect.gen(function* () {
    const url = yield* served(make())
    const session = yield* within(() => begin(url))
    const eventsOf = (name: string, args: Record<string, unknown>) =>
      within(async () => {
        const text = await (await post(url, toolCall(2, name, args, "p1"), "t0ken", session)).text()
        return text.trim().split("\n\n").map((event) => JSON.parse(event.replace(/^data: /, "")))
      })
    const command = "echo 1; sleep 0.3; echo 2; echo 3"
    const process = { file: "sh", args: ["-c", command] }
    for (const [name, args] of [["execute_command", { command }], ["execute_process", process]] as const) {
      const told = async (window: string) =>
        (await Effect.runPromise(eventsOf(name, { ...args, window }))).flatMap(({ params }) => params?.message ?? [])
      expect(yield* within(() => told("lines:1"))).toEqual(["1\n", "2\n", "3\n"])
      expect(yield* within(() => told("final"))).toEqual(["1\n2\n3\n"])
      const [refused] = yield* eventsOf(name, { ...args, window: "lines" })
      expect(refused.result.isError).toBe(true)
      expect(refused.result.content[0].text).toContain("needs a whole number of lines")
    }
  }).pipe(Effect.scoped))

it.live("holds the command of a client that does not take its output", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const url = yield* served(make())
    const session = yield* within(() => begin(url))
    // 64 KiB at a time, as often as it gets rid of them.
    const script = `while printf '%65536d\\n' 1; do printf . >> '${path("written")}'; done`
    const message = toolCall(1, "execute_command", { command: script }, "p1")
    const socket = yield* Effect.acquireRelease(
      within(() => lazyPost(url, message, session)),
      (one) => Effect.sync(() => one.destroy()),
    )
    yield* eventually("it writes", () => size("written") > 3)
    const held = yield* settled(() => size("written"))
    socket.resume()
    yield* eventually("it goes on", () => size("written") > held + 10)
    socket.destroy()
    yield* settled(() => size("written"))
  }).pipe(Effect.scoped))

it.live("ends all commands when it is disposed of, answers them, and from then on 503", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const routes = make()
    const url = yield* served(routes)
    const session = yield* within(() => begin(url))
    const command = `sh '${heartbeat}' '${path("heartbeat")}' & wait`
    const answer = post(url, toolCall(1, "execute_command", { command }), "t0ken", session).then(
      (response) => response.text(),
      () => "",
    )
    yield* eventually("it runs", () => size("heartbeat") > 3)
    yield* within(routes.dispose)
    const last = size("heartbeat")
    expect(yield* settled(() => size("heartbeat"))).toBe(last)
    expect(yield* within(() => answer)).toContain("reason: Cancelled")
    const late = yield* within(() => post(url, echo(2), "t0ken", session))
    expect(late.status).toBe(503)
    yield* within(() => late.text())
  }).pipe(Effect.scoped))

it.live("answers 503 while the layer of the shell cannot be built, and tries again", () =>
  Effect.gen(function* () {
    let broken = true
    const layer: Layer.Layer<Shell, string> = Layer.unwrap(
      Effect.suspend(() => broken ? Effect.fail("no shell today") : Effect.succeed(LocalShell.layer)),
    )
    const url = yield* served(mcpRoutes({ layer, token: "t0ken" }))
    expect(yield* within(() => begin(url))).toBeNull()
    broken = false
    expect(yield* within(() => begin(url))).not.toBeNull()
  }).pipe(Effect.scoped))

it("refuses contradictory settings", () => {
  expect(() => make({ defaultTimeout: 0 })).toThrow(OptionError)
  expect(() => make({ defaultTimeout: "Infinity" })).toThrow(OptionError)
  expect(() => mcpRoutes({ layer: LocalShell.layer, token: "" })).toThrow(OptionError)
})

it.live("keeps no more of a session than the limit of its first message", () =>
  Effect.gen(function* () {
    const url = yield* served(make())
    const clientInfo = { name: "x".repeat(70_000), version: "1" }
    const long = { ...initialize, params: { ...initialize.params, clientInfo } }
    const response = yield* within(() => post(url, long))
    expect([response.status, response.headers.get("mcp-session-id")]).toEqual([413, null])
    expect(yield* within(() => response.text())).toContain("at most 65536 bytes")
    expect(yield* within(() => begin(url))).not.toBeNull()
  }).pipe(Effect.scoped))

it.live("admits pages of an allowed origin, with the CORS headers", () =>
  Effect.gen(function* () {
    const routes = make({ cors: { origins: ["https://app.example"] } })
    const ask = (method: string, headers: Readonly<Record<string, string>>) =>
      within(async () =>
        await routes.request("http://localhost/mcp", {
          method,
          headers: { "content-type": "application/json", "accept": "application/json, text/event-stream", ...headers },
          ...(method === "POST" ? { body: JSON.stringify(initialize) } : {}),
        })
      )
    const origin = "https://app.example"
    const first = yield* ask("OPTIONS", { origin, "access-control-request-method": "POST" })
    expect([first.status, first.headers.get("access-control-allow-origin")]).toEqual([204, origin])
    const then = yield* ask("POST", { origin, authorization: "Bearer t0ken" })
    expect([then.status, then.headers.get("access-control-allow-origin")]).toEqual([200, origin])
    expect(then.headers.get("access-control-expose-headers")).toContain("mcp-session-id")
    // Also why it was refused may be read.
    const refused = yield* ask("POST", { origin })
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin])
    const evil = yield* ask("OPTIONS", { origin: "https://evil.example", "access-control-request-method": "POST" })
    expect([evil.status, evil.headers.get("access-control-allow-origin")]).toEqual([403, null])
    yield* within(() => routes.dispose())
  }))

it("refuses limits without effect", () => {
  for (const limits of [{ maxBodyBytes: Number.NaN }, { maxSessions: 0 }, { sessionIdle: 0 }]) {
    expect(() => make(limits)).toThrow(OptionError)
  }
})

it.live("does not wait for a client that does not read a complete response", () =>
  Effect.gen(function* () {
    const routes = make()
    const response = yield* within(async () =>
      await routes.request("http://localhost/mcp", {
        method: "POST",
        headers: {
          "authorization": "Bearer t0ken",
          "content-type": "application/json",
          "accept": "application/json, text/event-stream",
        },
        body: JSON.stringify(initialize),
      })
    )
    // It would take half a minute, and then the test is over.
    yield* within(() => routes.dispose({ drain: "30 seconds" }))
    expect(response.bodyUsed).toBe(false)
  }))
