/** Tests `sluice serve --mcp`: MCP tools beside the HTTP routes and the console. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { parse } from "yaml"
import { begin, clients, initialize, post, toolCall } from "../mcp/support.ts"
import { eventually, settled } from "../support/eventually.ts"
import { heartbeat } from "../support/heartbeat.ts"
import { workshop } from "../support/workshop.ts"
import { runInProcess, startSluice } from "./support.ts"

const within = <A>(work: () => Promise<A>) => Effect.promise(work)

/** A server with tools on a free port, and where its routes and its tools are. */
const serving = (env: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const server = yield* startSluice(["serve", "--mcp", "--port", "0", "--token", "t0ken", ...flags], {
      env: { SLUICE_JOURNAL: "", ...env },
    })
    yield* eventually("it says where it listens", () => server.stdout().endsWith("/mcp\n"))
    const [url = "", mcp = ""] = server.stdout().trim().split("\n")
    const exec = `${url}/exec`
    const ask = (path: string) =>
      within(async () => {
        const response = await fetch(new URL(path, exec), { headers: { authorization: "Bearer t0ken" } })
        return { status: response.status, text: await response.text() }
      })
    return { server, exec, mcp, ask }
  })

/** The status of a message that begins a session, whatever host it says that it is for. */
const statusOf = (url: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const body = JSON.stringify(initialize)
    const all = {
      "authorization": "Bearer t0ken",
      "content-type": "application/json",
      "accept": "application/json, text/event-stream",
      "content-length": String(body.length),
      "connection": "close",
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("")
    let text = ""
    const socket = connect(Number(port), hostname)
    socket.on("error", reject)
    socket.on("data", (part) => {
      text += String(part)
    })
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])))
    socket.write(`POST /mcp HTTP/1.1\r\n${lines}\r\n${body}`)
  })

it.live(
  "gives tools to both official clients, whose commands are in its journal and on its page",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const hosts = ["--allow-host", "tools.example", "--allow-host", "127.0.0.1"]
      const flags = ["--journal", path("runs.ndjson"), "--allow-command", "echo", ...hosts]
      const { ask, exec, mcp, server } = yield* serving({}, ...flags)
      expect([exec, mcp].join(" ")).toMatch(/^http:\/\/127\.0\.0\.1:(\d+)\/exec http:\/\/127\.0\.0\.1:\1\/mcp$/)
      for (const kind of ["sdk", "client"] as const) {
        const client = yield* Effect.acquireRelease(
          within(() => clients[kind].http(mcp, "t0ken")),
          (one) => within(() => one.close()),
        )
        const ran = yield* within(() => client.call("execute_process", { file: "echo", args: [kind] }))
        expect(ran.result).toMatchObject({ exit_code: 0, stdout: `${kind}\n` })
        const { status, text } = yield* ask(`/commands/${ran.result.command_id}`)
        expect([status, JSON.parse(text)]).toMatchObject([200, { state: "exited", arguments: [kind] }])
        const refused = yield* within(() => client.call("execute_command", { command: "pwd" }))
        expect(refused.result.error).toContain("allowed commands: echo")
        const list = parse(yield* within(() => client.read("sluice://commands")))
        expect(list.commands.map(({ line }: { line: string }) => line)).toContain(`echo ${kind}`)
      }
      // A page whose name was pointed at this machine says its own.
      expect(yield* within(() => statusOf(mcp, { host: "evil.example" }))).toBe(404)
      expect(yield* within(() => statusOf(mcp, { host: "tools.example" }))).toBe(200)
      expect(yield* within(() => statusOf(mcp, { host: "127.0.0.1", origin: "http://evil.example" }))).toBe(403)
      expect((yield* ask("/")).text).toContain("<title>Sluice</title>")
      expect((yield* ask("/metrics")).text).toContain(`route="/mcp"`)
      expect(server.stderr()).toBe(`sluice: page ${new URL("/", mcp)}\n`)
      server.signal("SIGTERM")
      expect(yield* server.status).toBe(0)
    }),
)

it.live("finishes and answers the commands of tools while it drains, then ends", () =>
  Effect.gen(function* () {
    const { path, size, write } = yield* workshop
    const { mcp, server } = yield* serving({}, "--drain", "30s")
    const session = yield* within(() => begin(mcp))
    const command = `printf . > '${path("begun")}'; until [ -e '${path("go")}' ]; do sleep 0.02; done; echo done`
    const answer = post(mcp, toolCall(1, "execute_command", { command }), "t0ken", session).then((one) => one.text())
    yield* eventually("it runs", () => size("begun") > 0)
    server.signal("SIGTERM")
    const refused = async (): Promise<void> => {
      while (await statusOf(mcp, { host: "localhost" }) !== 503) await new Promise((resolve) => setTimeout(resolve, 20))
    }
    yield* within(refused)
    write("go", "")
    expect(yield* within(() => answer)).toContain("stdout: |\\n  done\\n")
    expect(yield* server.status).toBe(0)
  }))

it.live("ends the commands of tools on a signal, and notifies their clients", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const { mcp, server } = yield* serving({})
    const session = yield* within(() => begin(mcp))
    const command = heartbeat(path("heartbeat"))
    const answer = post(mcp, toolCall(1, "execute_command", { command }), "t0ken", session).then((one) => one.text())
    yield* eventually("it runs", () => size("heartbeat") > 3)
    server.signal("SIGINT")
    expect(yield* within(() => answer)).toContain("reason: Cancelled")
    expect(yield* server.status).toBe(0)
    const last = size("heartbeat")
    expect(yield* settled(() => size("heartbeat"))).toBe(last)
  }))

it.effect("names the flags that require --mcp", () =>
  Effect.gen(function* () {
    const { status, stderr } = yield* runInProcess("serve", "--allow-origin", "x")
    expect([status, stderr]).toEqual([125, "sluice: --allow-origin requires --mcp\n"])
  }))
