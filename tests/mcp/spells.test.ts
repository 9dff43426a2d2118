/** Spells over MCP: the official clients cast every built-in one, follow, cancel, and are asked. */
import { expect, it } from "@effect/vitest"
import { McpProtocol, McpTest } from "effect/ai"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { existsSync, symlinkSync } from "node:fs"
import { heartbeat } from "../support/heartbeat.ts"
import { LocalShell, Shell, Window } from "../../mod.ts"
import { shellRoutes } from "../../src/http/mod.ts"
import { LocalFileSystem, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { mcpRoutes } from "../../src/mcp/http.ts"
import { elicitationApprover, type SpellToolOptions, spellTools } from "../../src/mcp/mod.ts"
import { ApprovalPolicy, Approver, ProcessTable, readFile, Spell, Spellbook } from "../../src/spell/mod.ts"
import { AccessPolicy } from "../../src/policy/AccessPolicy.ts"
import { eventually, settled } from "../support/eventually.ts"
import { workshop } from "../support/workshop.ts"
import { castAll, type Elicit, type SpellClient, spellClients } from "./spellClients.ts"
import { served } from "./support.ts"

const world = Layer.mergeAll(MemoryFileSystem.layer, LocalShell.layer, ProcessTable.layer)
const token = "t0ken"

const connected = (
  kind: keyof typeof spellClients,
  options: SpellToolOptions = {},
  elicit?: Elicit,
): Effect.Effect<SpellClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const url = yield* served(mcpRoutes({ spells: Spellbook.standard, layer: world, token, ...options }))
    return yield* Effect.acquireRelease(
      Effect.promise(() => spellClients[kind].http(url, token, elicit)),
      ({ close }) => Effect.promise(close),
    )
  })

for (const kind of ["sdk", "client", "client without sessions"] as const) {
  it.live(`@modelcontextprotocol/${kind} over HTTP casts every built-in spell`, () =>
    Effect.gen(function* () {
      const client = yield* connected(kind)
      yield* Effect.promise(() => castAll(client))
    }).pipe(Effect.scoped))

  it.live(`@modelcontextprotocol/${kind} follows the output of a command, and cancels its whole tree`, () =>
    Effect.gen(function* () {
      const { path, size, write } = yield* workshop
      const client = yield* connected(kind)
      for (
        const [name, args] of [
          ["run_script", (script: string) => ({ script })],
          ["execute_code", (code: string) => ({ language: "bash", code })],
        ] as const
      ) {
        const told: Array<string> = []
        const script = `echo one; while [ ! -e '${path(name)}' ]; do sleep 0.02; done; echo two`
        const { structured } = yield* Effect.promise(() =>
          client.cast(name, args(script), {
            onprogress: ({ message = "" }) => {
              told.push(message)
              write(name, "")
            },
          })
        )
        expect(structured).toMatchObject({ stdout: "one\ntwo\n" })
        expect(told[0]).toBe("one\n")
      }
      // Grouped as the call asks: without a window of its own there is one after the silence.
      for (const [window, wanted] of [["lines:1", ["1\n", "2\n", "3\n"]], ["final", ["1\n2\n3\n"]]] as const) {
        const told: Array<string> = []
        const text = "echo 1; echo 2; sleep 0.5; echo 3"
        for (
          const [name, args] of [
            ["run_script", { script: text }],
            ["execute_code", { language: "bash", code: text }],
          ] as const
        ) {
          told.length = 0
          yield* Effect.promise(() =>
            client.cast(name, { ...args, window }, { onprogress: ({ message = "" }) => void told.push(message) })
          )
          expect([name, told]).toEqual([name, wanted])
        }
      }
      const refused = yield* Effect.promise(() => client.cast("run_command", { command: "true", window: "lines" }))
      expect(refused.isError).toBe(true)
      expect(refused.text).toContain("needs a whole number of lines")
      // On Deno this client (2.4.0) leaves the connection of a call open that it has given up.
      if (kind === "client without sessions" && "Deno" in globalThis) return
      const stop = new AbortController()
      const script = `${heartbeat(path("heart"))} & wait`
      const running = client.cast("run_script", { script }, { signal: stop.signal }).then(
        () => "ended",
        () => "stopped",
      )
      yield* eventually("it runs", () => size("heart") > 3)
      stop.abort()
      expect(yield* Effect.promise(() => running)).toBe("stopped")
      yield* settled(() => size("heart"))
    }).pipe(Effect.scoped))

  it.live(`@modelcontextprotocol/${kind} is asked by elicitation, and its answer is obeyed`, () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const answers: Array<ReturnType<Elicit>> = [
        { action: "accept", content: { decision: "allow" } },
        { action: "accept", content: { decision: "deny", reason: "not that file" } },
        { action: "decline" },
        { action: "cancel" },
      ]
      const client = yield* connected(kind, { approval: ApprovalPolicy.ask }, (question) => {
        asked.push(question)
        return answers.shift() ?? { action: "cancel" }
      })
      const write = (path: string) => Effect.promise(() => client.cast("write_file", { path, content: "x" }))
      expect(yield* write("a")).toMatchObject({ isError: false })
      const denied = yield* write("b")
      expect(denied).toMatchObject({ isError: true, text: expect.stringContaining("not that file") })
      expect(denied.text).toContain("reason: Denied\n")
      expect((yield* write("c")).text).toContain("the user declined")
      expect((yield* write("d")).text).toContain("the user dismissed the question")
      expect(asked).toHaveLength(4)
      expect(asked[0]).toMatchObject({
        message: expect.stringContaining("write_file a"),
        requestedSchema: { type: "object", required: ["decision"] },
      })
      // What reads is not asked about.
      const { structured } = yield* Effect.promise(() => client.cast("list_directory", { path: "" }))
      expect(structured).toEqual({ entries: ["a"] })
      expect(asked).toHaveLength(4)
    }).pipe(Effect.scoped))
}

it.live("denies calls that need approval for a client without elicitation", () =>
  Effect.gen(function* () {
    const client = yield* connected("sdk", { approval: ApprovalPolicy.ask })
    const answer = yield* Effect.promise(() => client.cast("write_file", { path: "a", content: "x" }))
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("this client cannot ask its user") })
  }).pipe(Effect.scoped))

it.live("remembers the permissions of a client for its own session only", () =>
  Effect.gen(function* () {
    const url = yield* served(mcpRoutes({
      spells: Spellbook.standard,
      layer: world,
      token,
      approval: ApprovalPolicy.ask,
    }))
    const asked: Array<string> = []
    const client = (name: string) =>
      Effect.acquireRelease(
        Effect.promise(() =>
          spellClients.sdk.http(url, token, () => {
            asked.push(name)
            return { action: "accept", content: { decision: "allow in this session" } }
          })
        ),
        ({ close }) => Effect.promise(close),
      )
    const write = (one: SpellClient) => Effect.promise(() => one.cast("write_file", { path: "a", content: "x" }))
    const first = yield* client("first")
    expect(yield* write(first)).toMatchObject({ isError: false })
    expect(yield* write(first)).toMatchObject({ isError: false })
    expect(asked).toEqual(["first"])
    expect(yield* write(yield* client("second"))).toMatchObject({ isError: false })
    expect(asked).toEqual(["first", "second"])
  }).pipe(Effect.scoped))

/** A session of an earlier revision, whose client takes its own answers. */
const rawSession = (url: string) =>
  Effect.gen(function* () {
    const post = (body: object, session?: string) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": "2025-06-18",
        ...(session === undefined ? undefined : { "mcp-session-id": session }),
      }
      return fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...body }) })
    }
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: { elicitation: {} },
      clientInfo: { name: "raw", version: "1" },
    }
    const begun = yield* Effect.promise(() => post({ id: 1, method: "initialize", params }))
    yield* Effect.promise(() => begun.text())
    const session = begun.headers.get("mcp-session-id") ?? ""
    const send = (body: object) => Effect.promise(async () => await (await post(body, session)).text())
    yield* send({ method: "notifications/initialized" })
    let seen = ""
    /** Casts a spell, and follows what the server sends meanwhile. */
    const cast = (name: string, args: object) =>
      Effect.sync(() => {
        const read = async (): Promise<void> => {
          const { body } = await post({ id: 7, method: "tools/call", params: { name, arguments: args } }, session)
          for await (const part of body ?? []) seen += new TextDecoder().decode(part)
        }
        read().catch((error) => seen += String(error))
      })
    return { send, cast, seen: () => seen }
  })

it.live("shows the possible answers to clients of earlier revisions, and accepts no answer of another session", () =>
  Effect.gen(function* () {
    const url = yield* served(
      mcpRoutes({ spells: Spellbook.standard, layer: world, token, approval: ApprovalPolicy.ask }),
    )
    const [victim, attacker] = [yield* rawSession(url), yield* rawSession(url)]
    yield* victim.cast("write_file", { path: "a", content: "x" })
    yield* eventually("it asks", () => victim.seen().includes("elicitation/create"))
    expect(victim.seen()).toContain("One of: allow, allow in this session, deny")
    const id = Number(/"id":(\d+)/.exec(victim.seen())?.[1])
    const result = { action: "accept", content: { decision: "allow" } }
    for (let guess = 0; guess < id + 20; guess++) yield* attacker.send({ id: guess, result })
    const list = { id: 99, method: "tools/call", params: { name: "list_directory", arguments: { path: "" } } }
    expect(yield* attacker.send(list)).toContain(`"entries":[]`)
    expect(victim.seen()).not.toContain("bytesWritten")
    yield* victim.send({ id, result: { action: "accept", content: { decision: " Allow" } } })
    yield* eventually("it is written", () => victim.seen().includes("bytesWritten"))
  }).pipe(Effect.scoped))

it.live("asks about the possible target of a link in the folder", () =>
  Effect.gen(function* () {
    const { directory, exists, makeDirectory, path } = yield* workshop
    makeDirectory(".git/hooks")
    symlinkSync(".git/hooks", path("docs"))
    const layer = Layer.mergeAll(LocalFileSystem.layer({ rootPath: directory }), LocalShell.layer, ProcessTable.layer)
    const approval = ApprovalPolicy.workspaceWrite
    const url = yield* served(mcpRoutes({ spells: Spellbook.standard, layer, token, approval }))
    const client = yield* Effect.acquireRelease(
      Effect.promise(() => spellClients.sdk.http(url, token)),
      ({ close }) => Effect.promise(close),
    )
    const write = (file: string) => Effect.promise(() => client.cast("write_file", { path: file, content: "x" }))
    expect((yield* write("docs/pre-commit")).text).toContain("this client cannot ask its user")
    expect((yield* write("plain.txt")).isError).toBe(false)
    expect([exists(".git/hooks/pre-commit"), exists("plain.txt")]).toEqual([false, true])
  }).pipe(Effect.scoped))

it.live("asks the approver of the services instead of the client", () =>
  Effect.gen(function* () {
    const approver = Approver.layer(Approver.make(() => Effect.succeed({ decision: "deny", reason: "ask me later" })))
    const url = yield* served(mcpRoutes({
      spells: Spellbook.standard,
      layer: Layer.merge(world, approver),
      token,
      approval: ApprovalPolicy.ask,
    }))
    const client = yield* Effect.acquireRelease(
      Effect.promise(() => spellClients.sdk.http(url, token)),
      ({ close }) => Effect.promise(close),
    )
    const answer = yield* Effect.promise(() => client.cast("delete_file", { path: "a" }))
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("ask me later") })
  }).pipe(Effect.scoped))

it.live("waits for another approver where the client cannot ask its user", () =>
  Effect.gen(function* () {
    const late = Approver.make(() => Effect.delay(Effect.succeed({ decision: "allow" as const }), "50 millis"))
    const approver = Approver.layer(Approver.first(elicitationApprover, late))
    const layer = Layer.merge(world, approver)
    for (const kind of ["sdk", "client", "client without sessions"] as const) {
      const url = yield* served(mcpRoutes({ spells: Spellbook.standard, layer, token, approval: ApprovalPolicy.ask }))
      const client = yield* Effect.acquireRelease(
        Effect.promise(() => spellClients[kind].http(url, token)),
        ({ close }) => Effect.promise(close),
      )
      const answer = yield* Effect.promise(() => client.cast("write_file", { path: "a", content: "x" }))
      expect([kind, answer.isError, answer.text]).toEqual([kind, false, expect.anything()])
    }
  }).pipe(Effect.scoped))

it.live("keeps commands within the access policy, and files within the root", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    write("in/a.txt", "inside")
    write("out.txt", "outside")
    const files = LocalFileSystem.layer({ rootPath: path("in") })
    const layer = Layer.mergeAll(files, LocalShell.layer, ProcessTable.layer)
    const policy = AccessPolicy.make({ allowedCommands: ["echo"] })
    const url = yield* served(mcpRoutes({ spells: Spellbook.standard, layer, token, policy }))
    const client = yield* Effect.acquireRelease(
      Effect.promise(() => spellClients.client.http(url, token)),
      ({ close }) => Effect.promise(close),
    )
    const cast = (name: string, args: Record<string, unknown>) => Effect.promise(() => client.cast(name, args))
    expect((yield* cast("run_command", { command: "echo", arguments: ["hi"] })).structured).toMatchObject({
      stdout: "hi\n",
    })
    for (
      const [name, args] of [
        ["run_command", { command: "cat", arguments: [path("out.txt")] }],
        ["run_script", { script: `echo x; cat '${path("out.txt")}'` }],
        ["execute_code", { language: "bash", code: "echo x" }],
        ["start_process", { command: "cat" }],
      ] as const
    ) {
      expect((yield* cast(name, args)).text).toContain("is not among the allowed commands")
    }
    expect((yield* cast("read_file", { path: "a.txt" })).isError).toBe(false)
    expect(yield* cast("read_file", { path: "../out.txt" })).toMatchObject({ isError: true })
  }).pipe(Effect.scoped))

it.live("keeps the output of a script from before the policy refused one of its programs", () =>
  Effect.gen(function* () {
    const client = yield* connected("sdk", { policy: AccessPolicy.make({ allowedCommands: ["echo"] }) })
    const script = "echo one; echo two >&2; cat x"
    const { isError, text } = yield* Effect.promise(() => client.cast("run_script", { script }))
    expect(isError).toBe(true)
    expect(text).toMatch(/stdout: \|\n {4}one\n/)
    expect(text).toMatch(/stderr: \|\n {4}two\n/)
    expect(text).toContain("allowed commands: echo")
  }).pipe(Effect.scoped))

it.live("runs code with the requested version", () =>
  Effect.gen(function* () {
    const client = yield* connected("sdk")
    const call = (version: string) =>
      Effect.promise(() => client.cast("execute_code", { language: "bash", version, code: "echo $BASH_VERSINFO" }))
    expect(yield* call("0.1")).toMatchObject({ isError: true, text: expect.stringContaining("VersionNotFound") })
    expect((yield* call("5")).structured).toMatchObject({ exitCode: 0, stdout: "5\n" })
  }).pipe(Effect.scoped))

it.live("sends the whole output of code as progress, in windows of the server", () =>
  Effect.gen(function* () {
    const client = yield* connected("sdk", { window: Window.any(Window.lineCount(500), Window.silence("10 seconds")) })
    const told: Array<string> = []
    const code = `x=$(for i in $(seq 2000); do printf '%098dé\\n' $i; done); echo "$x"; printf '\\303'`
    yield* Effect.promise(() =>
      client.cast("execute_code", { language: "bash", code }, {
        onprogress: ({ message = "" }) => void told.push(message),
      })
    )
    expect(told.join("")).toHaveLength(200_000)
    expect(told.join("").match(/0001999é\n0*2000é\n$/)).not.toBeNull()
    // Not one for each read of a pipe.
    expect(told.length).toBeLessThanOrEqual(15)
  }).pipe(Effect.scoped))

/** A server in this process, with a client of Effect. */
const told = <R>(book: Spellbook.Spellbook<R>, layer: Layer.Layer<R>, call: { name: string; arguments: object }) =>
  Effect.gen(function* () {
    const tools = spellTools(book).pipe(Layer.provide(layer))
    const client = yield* McpTest.makeClient(tools, { protocols: [McpProtocol.v2025_11_25] })
    return yield* client.callTool({ name: call.name, arguments: { ...call.arguments } })
  }).pipe(Effect.scoped)

const spell = <A>(name: string, success: Schema.Codec<A, unknown>, result: Effect.Effect<A>) =>
  Spell.make({ name, description: "x", parameters: Schema.Struct({}), success, cast: () => result })

it.effect("gives the hints of spells", () =>
  Effect.gen(function* () {
    const tools = spellTools(Spellbook.standard).pipe(Layer.provide(world))
    const client = yield* McpTest.makeClient(tools, { protocols: [McpProtocol.v2025_11_25] })
    const { tools: listed } = yield* client.listTools()
    const hints = (name: string) => listed.find((tool) => tool.name === name)?.annotations
    expect(hints("read_file")).toMatchObject({ title: "Read file", readOnlyHint: true, destructiveHint: false })
    expect(hints("write_file")).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: false })
    expect(hints("delete_file")).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true })
  }).pipe(Effect.scoped))

it.effect("returns results that are not objects as text, without structured content", () =>
  Effect.gen(function* () {
    const book = Spellbook.make(
      spell("text", Schema.String, Effect.succeed("a\nb")),
      spell("list", Schema.Array(Schema.Int), Effect.succeed([1, 2])),
    )
    const text = yield* told(book, Layer.empty, { name: "text", arguments: {} })
    expect(text.content).toMatchObject([{ type: "text", text: "a\nb" }])
    expect(text.structuredContent).toBeUndefined()
    const list = yield* told(book, Layer.empty, { name: "list", arguments: {} })
    expect(list.content).toMatchObject([{ text: "[1,2]" }])
  }))

it.effect("reports a defect to the model without details", () =>
  Effect.gen(function* () {
    const book = Spellbook.make(spell("broken", Schema.String, Effect.die(new Error("the secret is 42"))))
    const { content: [first], isError } = yield* told(book, Layer.empty, { name: "broken", arguments: {} })
    expect({ first, isError }).toMatchObject({
      first: { text: expect.stringContaining("reason: Broken") },
      isError: true,
    })
    expect(JSON.stringify(first)).not.toContain("42")
  }))

it("refuses unknown options and an invalid policy before the first request", () => {
  const common = { spells: Spellbook.make(readFile), layer: MemoryFileSystem.layer, token }
  // @ts-expect-error there is no such option
  expect(() => mcpRoutes({ ...common, spell: 1 })).toThrow("spell")
  expect(() => mcpRoutes({ ...common, defaultTimeout: "1 second" })).toThrow("defaultTimeout applies to the tools")
  // @ts-expect-error approval needs spells
  expect(() => mcpRoutes({ layer: world, token, approval: ApprovalPolicy.ask })).toThrow("approval needs spells")
  const count = Spell.make({
    name: "count",
    description: "Counts.",
    parameters: Schema.Int,
    success: Schema.Int,
    cast: (n) => Effect.succeed(n + 1),
  })
  const counting = { spells: Spellbook.make(count), layer: Layer.empty, token }
  expect(() => mcpRoutes(counting)).toThrow("count: its parameters are not an object; use Schema.Struct")
  expect(() => Spellbook.toolkit(counting.spells)).toThrow("use Schema.Struct")
  expect(() => Spellbook.aiTools(counting.spells, Layer.empty)).toThrow("use Schema.Struct")
  // @ts-expect-error a rule needs a decision
  expect(() => mcpRoutes({ ...common, approval: { rules: [{}] } })).toThrow("ApprovalPolicy")
  // @ts-expect-error the layer lacks a Shell and a ProcessTable
  expect(mcpRoutes({ ...common, spells: Spellbook.standard })).toBeDefined()
})

it.live("hides spells from a token that may not run, and answers one that exceeds its limits", () =>
  Effect.gen(function* () {
    const { path, write } = yield* workshop
    const tokens = [
      { name: "reader", token: "reader", rights: ["read"] },
      { name: "runner", token: "runner", rights: ["run"], maxConcurrency: 1 },
    ] as const
    const url = yield* served(mcpRoutes({ spells: Spellbook.standard, layer: world, tokens }))
    const client = (name: string) =>
      Effect.acquireRelease(
        Effect.promise(() => spellClients.client.http(url, name)),
        ({ close }) => Effect.promise(close),
      )
    const reader = yield* client("reader")
    expect(yield* Effect.promise(() => reader.tools().catch(() => []))).toEqual([])
    expect(yield* Effect.promise(() => reader.cast("list_directory", { path: "" }).catch(() => "refused"))).toBe(
      "refused",
    )
    const runner = yield* client("runner")
    const script = `echo > '${path("begun")}'; while [ ! -e '${path("go")}' ]; do sleep 0.02; done`
    const running = runner.cast("run_script", { script })
    yield* eventually("it runs", () => existsSync(path("begun")))
    const second = yield* Effect.promise(() => runner.cast("list_directory", { path: "" }))
    expect(second).toMatchObject({ isError: true, text: expect.stringContaining("reason: Throttled") })
    write("go", "")
    expect(yield* Effect.promise(() => running)).toMatchObject({ isError: false })
  }).pipe(Effect.scoped))

it.live("casts on the shell and the journal of a server, with its tokens", () =>
  Effect.gen(function* () {
    const server = shellRoutes({ layer: LocalShell.layer, token })
    yield* Effect.addFinalizer(() => Effect.promise(() => server.dispose()))
    const layer = Layer.mergeAll(MemoryFileSystem.layer, Layer.effect(Shell, Shell), ProcessTable.layer)
    const url = yield* served(mcpRoutes({ server, spells: Spellbook.standard, layer }))
    const client = yield* Effect.acquireRelease(
      Effect.promise(() => spellClients.sdk.http(url, token)),
      ({ close }) => Effect.promise(close),
    )
    const answer = yield* Effect.promise(() => client.cast("run_command", { command: "echo", arguments: ["hi"] }))
    expect(answer.structured).toMatchObject({ stdout: "hi\n" })
    const headers = { authorization: `Bearer ${token}` }
    const listed = yield* Effect.promise(async () => {
      const response = await server.request("http://localhost/commands", { headers })
      return response.text()
    })
    expect(listed).toContain("echo")
  }).pipe(Effect.scoped))

it.live("ends calls when it is disposed of, with an answer", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const routes = mcpRoutes({ spells: Spellbook.standard, layer: world, token })
    const url = yield* served(routes)
    const client = yield* Effect.acquireRelease(
      Effect.promise(() => spellClients.sdk.http(url, token)),
      ({ close }) => Effect.promise(close),
    )
    const running = client.cast("run_script", { script: `${heartbeat(path("heart"))} & wait` })
    yield* eventually("it runs", () => size("heart") > 3)
    yield* Effect.promise(() => routes.dispose())
    expect(yield* Effect.promise(() => running)).toMatchObject({
      isError: true,
      text: expect.stringContaining("reason: Cancelled"),
    })
    yield* settled(() => size("heart"))
  }).pipe(Effect.scoped))
