/** The tools for terminals, by both official clients over HTTP and over stdio. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { describe, expect, it } from "@effect/vitest"
import { McpProtocol, McpTest } from "effect/ai"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { LocalShell } from "../../mod.ts"
import { AccessPolicy } from "../../src/policy/AccessPolicy.ts"
import { checkTerminals } from "../../src/mcp/checkTerminals.ts"
import { terminalTools } from "../../src/mcp/mod.ts"
import { mcpRoutes, type McpRoutesOptions } from "../../src/mcp/http.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { hasScript } from "../cli/terminal/onTerminal.ts"
import { sluice, sluiceWords } from "../cli/support.ts"
import { type EchoTerminals, echoTerminals } from "../support/echoTerminal.ts"
import { isolationWorks } from "../support/isolation.ts"
import { eventually } from "../support/eventually.ts"
import { type AnyClient, begin, clients, post, served, toolCall } from "./support.ts"

const names = ["open_terminal", "send_keys", "read_screen", "close_terminal"]

interface Started extends EchoTerminals {
  readonly url: string
}

const start = (
  options: Partial<Pick<McpRoutesOptions<never>, "maxOutputBytes">> = {},
  tokens: ReadonlyArray<{ readonly name: string; readonly token: string; readonly maxConcurrency?: number }> = [
    { name: "a", token: "t0ken" },
  ],
): Effect.Effect<Started, never, Scope.Scope> =>
  Effect.gen(function* () {
    const echo = echoTerminals()
    const context = Context.make(Shell, echo.shell)
    return { ...echo, url: yield* served(mcpRoutes({ context, tokens, terminals: true, ...options })) }
  })

const connected = (client: Promise<AnyClient>): Effect.Effect<AnyClient, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(() => client), (one) => Effect.promise(() => one.close()))

const call = (client: AnyClient, name: string, args: Record<string, unknown>) =>
  Effect.map(
    Effect.promise(() => client.call(name, args)),
    ({ isError, text }) => ({ isError, text, fields: parse(text) }),
  )

/** What a model does with a program that prompts. */
const usesTerminal = (client: AnyClient) =>
  Effect.gen(function* () {
    const opened = yield* call(client, "open_terminal", { file: "shell", cols: 60, rows: 10, wait_for: "$ " })
    expect(opened.fields).toMatchObject({ status: "running", waited: "matched", cursor: "line 1, column 3" })
    const id: string = opened.fields.terminal_id
    const typed = yield* call(client, "send_keys", {
      terminal_id: id,
      text: "size",
      keys: ["Enter"],
      wait_for: "10 60",
    })
    expect(typed.fields).toMatchObject({ waited: "matched" })
    expect(typed.fields.screen).toContain("$ size\n10 60")
    const silent = yield* call(client, "send_keys", { terminal_id: id, keys: ["Ctrl-C"] })
    expect(silent.fields.waited).toBe("silence")
    expect(silent.fields.screen).toContain("^C")
    const late = yield* call(client, "send_keys", { terminal_id: id, text: "x", wait_for: "never", timeout_ms: 200 })
    expect(late).toMatchObject({ isError: false, fields: { waited: "timeout" } })
    yield* call(client, "send_keys", { terminal_id: id, keys: ["Ctrl-C"] })
    yield* call(client, "send_keys", { terminal_id: id, text: "flood 100", keys: ["Enter"], wait_for: "00000001" })
    const screen = yield* call(client, "read_screen", { terminal_id: id, history_lines: 20 })
    expect(screen.fields.history.split("\n")).toHaveLength(20)
    expect(screen.fields.screen).toContain("00000001")
    const wrong = yield* call(client, "send_keys", { terminal_id: id, keys: ["Entr"] })
    expect(wrong).toMatchObject({ isError: true, fields: { reason: "InvalidArguments" } })
    expect(wrong.fields["error"]).toContain("Enter, ")
    const ended = yield* call(client, "send_keys", { terminal_id: id, text: "exit 4", keys: ["Enter"], wait_for: "zz" })
    expect(ended.fields).toMatchObject({ status: "ended", exit_code: 4, waited: "ended" })
    const after = yield* call(client, "send_keys", { terminal_id: id, text: "more" })
    expect(after).toMatchObject({ isError: true, fields: { failure: { reason: "Ended" } } })
    expect((yield* call(client, "close_terminal", { terminal_id: id })).fields).toMatchObject({ exit_code: 4 })
    const gone = yield* call(client, "read_screen", { terminal_id: id })
    expect(gone).toMatchObject({ isError: true, fields: { failure: { reason: "NotFound" } } })
  })

describe.each(["sdk", "client"] as const)("the official client of %s", (kind) => {
  it.live("opens a terminal over HTTP, types and sees, and closes it", () =>
    Effect.gen(function* () {
      const server = yield* start()
      const client = yield* connected(clients[kind].http(server.url, "t0ken"))
      const tools = yield* Effect.promise(client.tools)
      expect(tools.map(({ name }) => name).slice(-4)).toEqual(names)
      yield* usesTerminal(client)
      const opened = yield* call(client, "open_terminal", { file: "shell" })
      const closed = yield* call(client, "close_terminal", { terminal_id: opened.fields.terminal_id })
      expect(closed.fields.status).toBe("closed")
      expect(server.running()).toBe(0)
    }))
})

it.live("serves terminals over stdio", () =>
  Effect.gen(function* () {
    const fixture = fileURLToPath(new URL("./terminals.fixture.ts", import.meta.url))
    const [command = "", ...args] = [...sluiceWords.slice(0, -1), fixture]
    const client = new Client({ name: "test", version: "0" })
    yield* Effect.acquireRelease(
      Effect.promise(() => client.connect(new StdioClientTransport({ command, args }))),
      () => Effect.promise(() => client.close()),
    )
    yield* usesTerminal({
      tools: () => Promise.resolve([]),
      read: () => Promise.resolve(""),
      resources: () => Promise.resolve([]),
      close: () => Promise.resolve(),
      call: async (name, given) => {
        const { content, isError } = await client.callTool({ name, arguments: given })
        const [first] = Array.isArray(content) ? content : []
        const result = { exit_code: null, stdout: "", stderr: "", command_id: "" }
        return { text: String(first?.text), isError: isError === true, result, links: [] }
      },
    })
  }))

it.live("keeps the terminals of a session from others, limits them, and ends them with it", () =>
  Effect.gen(function* () {
    const server = yield* start({}, [{ name: "a", token: "t0ken" }, { name: "b", token: "other", maxConcurrency: 2 }])
    const session = yield* Effect.promise(() => begin(server.url))
    const answer = (name: string, args: object) =>
      Effect.promise(async () => {
        const response = await post(server.url, toolCall(1, name, { ...args }), "t0ken", session)
        const text = await response.text()
        const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text)
        return parse(result.content[0].text)
      })
    const opened = []
    for (let count = 0; count < 4; count++) {
      opened.push(yield* answer("open_terminal", { file: "shell", timeout_ms: 1 }))
    }
    expect((yield* answer("open_terminal", { file: "shell" })).failure).toEqual({ reason: "TooManySessions" })
    expect(server.running()).toBe(4)
    const stranger = yield* connected(clients.sdk.http(server.url, "t0ken"))
    const theirs = yield* call(stranger, "read_screen", { terminal_id: opened[0].terminal_id })
    expect(theirs).toMatchObject({ isError: true, fields: { failure: { reason: "NotFound" } } })
    // A call takes one of the two that the token may run at once, a terminal the other.
    const other = yield* connected(clients.sdk.http(server.url, "other"))
    yield* call(other, "open_terminal", { file: "shell", timeout_ms: 1 })
    expect((yield* call(other, "open_terminal", { file: "shell" })).fields.failure).toEqual({
      reason: "TooManySessions",
    })
    yield* Effect.promise(() =>
      fetch(server.url, {
        method: "DELETE",
        headers: { "authorization": "Bearer t0ken", "mcp-session-id": session ?? "" },
      })
    )
    yield* eventually("the terminals of the session end", () => server.running() === 1)
  }))

it.live("terminals that have ended free their slots; a refusal names the running ones", () =>
  Effect.gen(function* () {
    const client = yield* connected(clients.sdk.http((yield* start()).url, "t0ken"))
    const ids: Array<string> = []
    for (let count = 0; count < 6; count++) {
      const { fields } = yield* call(client, "open_terminal", { file: "shell", wait_for: "$ " })
      yield* call(client, "send_keys", {
        terminal_id: fields.terminal_id,
        text: "exit 0",
        keys: ["Enter"],
        wait_for: "-",
      })
    }
    for (let count = 0; count < 4; count++) {
      ids.push((yield* call(client, "open_terminal", { file: "shell", wait_for: "$ " })).fields.terminal_id)
    }
    const refused = yield* call(client, "open_terminal", { file: "shell" })
    expect(refused.fields.failure).toEqual({ reason: "TooManySessions" })
    for (const id of ids) expect(refused.text).toContain(id)
  }))

it.live("waits for a text that was typed often", () =>
  Effect.gen(function* () {
    const client = yield* connected(clients.sdk.http((yield* start()).url, "t0ken"))
    const { fields: { terminal_id } } = yield* call(client, "open_terminal", { file: "shell", wait_for: "$ " })
    // The echo comes in pieces: until it is whole, no try may take longer than the text is.
    const rule = { terminal_id, text: "=".repeat(2_000), wait_for: "=", timeout_ms: 300 }
    expect((yield* call(client, "send_keys", rule)).fields.waited).toBe("timeout")
    const next = { terminal_id, keys: ["Ctrl-C"], wait_for: "$ " }
    expect((yield* call(client, "send_keys", next)).fields.waited).toBe("matched")
  }))

it.live("ends all terminals with the server", () =>
  Effect.gen(function* () {
    const echo = echoTerminals()
    const context = Context.make(Shell, echo.shell)
    const routes = mcpRoutes({ context, token: "t0ken", terminals: true })
    const url = yield* served(routes)
    const client = yield* connected(clients.sdk.http(url, "t0ken"))
    yield* call(client, "open_terminal", { file: "shell" })
    expect(echo.running()).toBe(1)
    yield* Effect.promise(() => routes.dispose())
    yield* eventually("it ends", () => echo.running() === 0)
  }))

it.live("refuses terminals with a list of commands, unless they are isolated", () =>
  Effect.gen(function* () {
    const echo = echoTerminals()
    const policy = AccessPolicy.make({ allowedCommands: ["sh"] })
    const isolated = { ...echo.shell.capabilities, isolated: true }
    expect(checkTerminals(policy, echo.shell)?.message).toContain("cannot check typed commands")
    expect(checkTerminals(policy, { ...echo.shell, capabilities: isolated })).toBeUndefined()
    expect(checkTerminals(AccessPolicy.make({ allowedCommands: ["*"] }), echo.shell)).toBeUndefined()
    const tools = Layer.provide(terminalTools({ policy }), LocalShell.layer)
    const error = yield* Effect.flip(Effect.scoped(McpTest.makeClient(tools, { protocols: [McpProtocol.v2025_11_25] })))
    expect(String(error)).toContain("cannot check typed commands")
    const refused = yield* sluice(["mcp", "--terminals", "--allow-command", "git"])
    expect(refused).toMatchObject({ status: 125, stderr: expect.stringContaining("--terminals: a list of allowed") })
  }))

it.live("bounds the memory of a screen", () =>
  Effect.gen(function* () {
    const small = yield* start({ maxOutputBytes: 500 })
    const other = yield* connected(clients.sdk.http(small.url, "t0ken"))
    const { fields: { terminal_id } } = yield* call(other, "open_terminal", { file: "shell" })
    const full = yield* call(other, "send_keys", {
      terminal_id,
      text: "flood 500",
      keys: ["Enter"],
      wait_for: "00000001",
    })
    expect(full.text.length).toBeLessThan(1_000)
    expect(full.fields.screen).toContain("00000001")
  }))

it.live.skipIf(!hasScript)(
  "uses a real shell over stdio by sluice mcp --terminals, isolated if possible",
  () =>
    Effect.gen(function* () {
      const [allowed, ...walls] = isolationWorks ? ["bash", "--isolated"] : ["*"]
      const client = yield* connected(
        clients.client.stdio({ ALLOWED_COMMANDS: allowed }, ["--terminals", ...walls]),
      )
      const open = { file: "bash", args: ["--norc", "--noprofile", "-i"], rows: 12 }
      const { fields: { terminal_id } } = yield* call(client, "open_terminal", open)
      const read = { terminal_id, text: "read -s -p 'pass''word: ' x; echo; echo got ${#x}", keys: ["Enter"] }
      expect((yield* call(client, "send_keys", { ...read, wait_for: "password: " })).fields.waited).toBe("matched")
      const typed = yield* call(client, "send_keys", {
        terminal_id,
        text: "hunter2",
        keys: ["Enter"],
        wait_for: "got 7",
      })
      expect(typed.fields.waited).toBe("matched")
      expect(typed.text).not.toContain("hunter2")
      // The echo of what is typed is no output of the program.
      const echoed = { terminal_id, text: "sleep 0.3; echo finished", keys: ["Enter"] }
      const finished = yield* call(client, "send_keys", { ...echoed, wait_for: "finished" })
      expect(finished.fields).toMatchObject({ waited: "matched", screen: expect.stringMatching(/^finished$/m) })
      yield* call(client, "send_keys", { terminal_id, text: "sleep 1000", keys: ["Enter"] })
      const stopped = yield* call(client, "send_keys", { terminal_id, keys: ["Ctrl-C"], wait_for: "^C" })
      expect(stopped.fields.waited).toBe("matched")
      const closed = yield* call(client, "close_terminal", { terminal_id })
      expect(["closed", "ended"]).toContain(closed.fields.status)
    }),
)
