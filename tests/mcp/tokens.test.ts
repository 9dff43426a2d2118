/** Tests the rights, rates and limits of tokens over HTTP. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { existsSync } from "node:fs"
import { LocalShell } from "../../mod.ts"
import type { TokenOptions } from "../../src/http/mod.ts"
import { MemoryJournal } from "../../src/journal/Journal.ts"
import { mcpRoutes } from "../../src/mcp/http.ts"
import { JournaledShell } from "../../src/compute/journal.ts"
import { eventually, settled } from "../support/eventually.ts"
import { heartbeat } from "../support/heartbeat.ts"
import { workshop } from "../support/workshop.ts"
import { fixtures } from "./conformance/fixtures.ts"
import { answerOf, begin, clients, initialize, post, postStateless, postText, served, toolCall } from "./support.ts"

const Message = Schema.Struct({
  result: Schema.optional(Schema.Unknown),
  error: Schema.optional(
    Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optional(Schema.Unknown) }),
  ),
})

const Batch = Schema.Array(Schema.Struct({ result: Schema.Struct({ isError: Schema.Boolean }) }))

const layer = () => JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))

const within = <A>(work: () => Promise<A>) => Effect.promise(work)

const serving = (...tokens: ReadonlyArray<TokenOptions>) => served(mcpRoutes({ layer: layer(), tokens }))

/** A session of a token: what it sends is answered as a message. */
const sessionOf = (url: string, token: string) =>
  Effect.gen(function* () {
    const id = yield* within(() => begin(url, token))
    expect(id).not.toBeNull()
    return (message: unknown) =>
      within(async () => {
        const response = await post(url, message, token, id)
        expect(response.status).toBe(200)
        return Schema.decodeUnknownSync(Message)(await response.json())
      })
  })

const request = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 9, method, params })

const echo = toolCall(1, "execute_command", { command: "echo hello" })

const readList = request("resources/read", { uri: "sluice://commands" })

it.live("shows a token only what its rights allow: tools need run, resources read", () =>
  Effect.gen(function* () {
    const url = yield* serving(
      { name: "runner", token: "r-r", rights: ["run"] },
      { name: "watcher", token: "w-w", rights: ["read"] },
      { name: "ender", token: "e-e", rights: ["cancel"] },
    )
    const runner = yield* sessionOf(url, "r-r")
    expect(answerOf((yield* runner(echo)).result).result.stdout).toBe("hello\n")
    expect((yield* runner(request("resources/list"))).result).toMatchObject({ resources: [] })
    expect((yield* runner(request("resources/templates/list"))).result).toMatchObject({ resourceTemplates: [] })
    expect((yield* runner(readList)).error?.message).toMatch(/not found/i)
    const watcher = yield* sessionOf(url, "w-w")
    expect((yield* watcher(request("tools/list"))).result).toMatchObject({ tools: [] })
    // As if there were no such tool: nothing of it runs.
    expect((yield* watcher(echo)).error?.message).toMatch(/execute_command/)
    const read = (yield* watcher(readList)).result
    expect(JSON.stringify(read)).toContain("echo hello")
    const refused = yield* within(() => post(url, initialize, "e-e"))
    expect(refused.status).toBe(403)
    expect(yield* within(() => refused.text())).toContain("neither the right run nor read")
  }).pipe(Effect.scoped))

for (const kind of ["sdk", "client"] as const) {
  it.live(
    `@modelcontextprotocol/${kind}: a token without run sees resources, and no tools`,
    () =>
      Effect.gen(function* () {
        const url = yield* serving({ name: "watcher", token: "w-w", rights: ["read"] })
        const client = yield* Effect.acquireRelease(
          within(() => clients[kind].http(url, "w-w")),
          (one) => within(() => one.close()),
        )
        expect(yield* within(client.tools)).toEqual([])
        expect(yield* within(client.resources)).toContain("sluice://commands")
        const called = yield* within(() =>
          client.call("execute_command", { command: "echo hello" }).then(() => "ran", (error) => String(error))
        )
        expect(called).toContain("execute_command")
      }).pipe(Effect.scoped),
  )
}

it.live("checks rights for the caller's own tools and resources, too", () =>
  Effect.gen(function* () {
    const url = yield* served(mcpRoutes({
      layer: LocalShell.layer,
      tokens: [{ name: "watcher", token: "w-w", rights: ["read"] }],
      registrations: fixtures,
    }))
    const watcher = yield* sessionOf(url, "w-w")
    expect((yield* watcher(request("tools/list"))).result).toMatchObject({ tools: [] })
    expect((yield* watcher(toolCall(1, "test_simple_text", {}))).error?.message).toMatch(/test_simple_text/)
  }).pipe(Effect.scoped))

it.live("runs no more commands at once than a token may, and says so in its answer", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    const url = yield* serving({ name: "small", token: "s-s", maxConcurrency: 1 }, { name: "large", token: "l-l" })
    const small = yield* sessionOf(url, "s-s")
    const large = yield* sessionOf(url, "l-l")
    const command = `touch '${path("begun")}'; until [ -e '${path("go")}' ]; do sleep 0.02; done; echo done`
    const session = yield* within(() => begin(url, "s-s"))
    const first = post(url, toolCall(1, "execute_command", { command }), "s-s", session).then((one) => one.json())
    yield* eventually("it has begun", () => existsSync(path("begun")))
    // Also in another session of the same token.
    const second = answerOf((yield* small(echo)).result)
    expect(second).toMatchObject({ isError: true, result: { reason: "Throttled", exit_code: null } })
    expect(second.result.error).toMatch(/^mcp: .* \(THROTTLED\)$/)
    expect(second.result.error).toContain("too many concurrent commands")
    expect(answerOf((yield* large(echo)).result).result.stdout).toBe("hello\n")
    write("go", "")
    const message = Schema.decodeUnknownSync(Message)(yield* within(() => first))
    expect(answerOf(message.result).result.stdout).toBe("done\n")
    expect(answerOf((yield* small(echo)).result).result.stdout).toBe("hello\n")
  }).pipe(Effect.scoped))

it.live("limits the request rate of a token: 429 before a session, within it the response says when to retry", () =>
  Effect.gen(function* () {
    const url = yield* serving({ name: "slow", token: "s-s", rate: { requests: 3, per: "1 hour" } })
    // The first begins it, the second and the third are calls.
    const session = yield* sessionOf(url, "s-s")
    expect(answerOf((yield* session(echo)).result).isError).toBe(false)
    expect((yield* session(readList)).error).toBeUndefined()
    const late = answerOf((yield* session(echo)).result)
    expect(late).toMatchObject({ isError: true, result: { reason: "Throttled" } })
    expect(late.result.error).toMatch(/^mcp: .* try again in \d+ s \(THROTTLED\)$/)
    const read = (yield* session(readList)).error
    expect(read?.message).toMatch(/try again in \d+ s$/)
    expect(read?.data).toMatchObject({ retryAfterSeconds: expect.any(Number) })
    // To look at what there is costs nothing.
    expect((yield* session(request("tools/list"))).error).toBeUndefined()
    const another = yield* within(() => post(url, initialize, "s-s"))
    expect(another.status).toBe(429)
    expect(Number(another.headers.get("retry-after"))).toBeGreaterThan(1_000)
    yield* within(() => another.text())
  }).pipe(Effect.scoped))

it.live("counts each message of a batch", () =>
  Effect.gen(function* () {
    const url = yield* serving({ name: "slow", token: "s-s", rate: { requests: 3, per: "1 hour" } })
    const opened = yield* within(() =>
      post(url, { ...initialize, params: { ...initialize.params, protocolVersion: "2025-03-26" } }, "s-s")
    )
    yield* within(() => opened.text())
    const session = opened.headers.get("mcp-session-id")
    const batch = [1, 2, 3, 4].map((id) => toolCall(id, "execute_command", { command: "echo hello" }))
    const answer = yield* within(() => post(url, batch, "s-s", session))
    const answers = Schema.decodeUnknownSync(Batch)(yield* within(() => answer.json()))
    expect(answers.map(({ result }) => result.isError).sort()).toEqual([false, false, true, true])
    const many = Array.from({ length: 101 }, (_, id) => toolCall(id, "execute_command", { command: "echo hello" }))
    for (const body of [JSON.stringify(many), `\ufeff ${JSON.stringify(many)}`]) {
      const refused = yield* within(() => postText(url, body, "s-s", session))
      expect(refused.status).toBe(413)
      expect(yield* within(() => refused.text())).toContain("a batch has at most 100 messages")
    }
  }).pipe(Effect.scoped))

it.live("counts a message of the revision without sessions once, and answers 429 to one too many", () =>
  Effect.gen(function* () {
    const url = yield* serving({ name: "slow", token: "t0ken", rate: { requests: 2, per: "1 hour" } })
    const ask = within(async () => {
      const response = await postStateless(url, echo)
      return { status: response.status, retry: response.headers.get("retry-after"), text: await response.text() }
    })
    for (const _ of [1, 2]) expect(yield* ask).toMatchObject({ status: 200, text: expect.stringContaining("hello") })
    const { retry, status, text } = yield* ask
    expect([status, Number(retry) > 1_000]).toEqual([429, true])
    expect(text).toMatch(/try again in \d+ s/)
  }).pipe(Effect.scoped))

it.live("accepts a cancellation from a token beyond its rate", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const url = yield* serving({ name: "slow", token: "s-s", rate: { requests: 2, per: "1 hour" } })
    const session = yield* within(() => begin(url, "s-s"))
    const command = heartbeat(path("heartbeat"))
    const running = post(url, toolCall(7, "execute_command", { command }), "s-s", session).then((one) => one.text())
    yield* eventually("it runs", () => size("heartbeat") > 3)
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } }
    expect((yield* within(() => post(url, cancelled, "s-s", session))).status).toBe(202)
    yield* within(() => running)
    const last = size("heartbeat")
    expect(yield* settled(() => size("heartbeat"))).toBe(last)
  }).pipe(Effect.scoped))

it.live("links an output only for a token that may read it", () =>
  Effect.gen(function* () {
    const url = yield* serving(
      { name: "runner", token: "r-r", rights: ["run"] },
      { name: "both", token: "b-b", rights: ["run", "read"] },
    )
    const long = toolCall(2, "execute_process", { file: "seq", args: ["20000"] })
    const blind = answerOf((yield* (yield* sessionOf(url, "r-r"))(long)).result)
    expect(blind).toMatchObject({ links: [], result: { stdout_bytes_omitted: expect.any(Number) } })
    expect(blind.text).not.toContain("stdout_uri")
    expect(answerOf((yield* (yield* sessionOf(url, "b-b"))(long)).result).links).toHaveLength(1)
  }).pipe(Effect.scoped))
