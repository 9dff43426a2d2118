/** Terminals of a program's own server, made as the guide says for each runtime. */
import { serve as serveNode, upgradeWebSocket } from "@hono/node-server"
import * as Context from "effect/Context"
import { Hono } from "hono"
import { once } from "node:events"
import { expect, it } from "vitest"
import * as ws from "ws"
import { type ShellRoutes, shellRoutes, type WebSocketSource } from "../../../src/http/mod.ts"
import { Shell } from "../../../src/shell/Shell.ts"
import { decodeServerMessage, encodeClientMessage } from "../../../src/wire/terminalMessages.ts"
import { echoTerminals } from "../../support/echoTerminal.ts"
import { later, until } from "../journaled.ts"
import { runtime, serve } from "../serve.ts"
import { token } from "../support.ts"

type NodeOptions = Parameters<typeof serveNode>[0]

/** A server with the routes under `/api`; answers with their address. */
const start = async (make: (options: WebSocketSource) => ShellRoutes): Promise<string> => {
  const under = (options: WebSocketSource) => new Hono().route("/api", make(options))
  if (runtime !== "node") {
    const websocket = runtime === "bun" ? (await import("hono/bun")).websocket : undefined
    const server = await serve(under({}).fetch, 10, websocket)
    later(() => server.stop())
    return `http://127.0.0.1:${server.port}/api`
  }
  const { fetch } = under({ upgradeWebSocket })
  // By a name of no type: the types of `ws` do not fit those of `@hono/node-server`.
  const name: string = "WebSocketServer"
  const Server: new (options: object) => NonNullable<NodeOptions["websocket"]>["server"] = Reflect.get(ws, name)
  const websocket = { server: new Server({ noServer: true }) }
  const server = serveNode({ fetch, port: 0, hostname: "127.0.0.1", websocket })
  await once(server, "listening")
  later(() => Promise.resolve(server.close()))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return `http://127.0.0.1:${address.port}/api`
}

it("works in the caller's own server, below a path", async () => {
  const terminals = echoTerminals()
  const url = await start((options) => {
    const routes = shellRoutes({ context: Context.make(Shell, terminals.shell), token, ...options })
    later(() => routes.dispose())
    return routes
  })
  const post = async (path: string, body?: object) => {
    const headers = { "authorization": `Bearer ${token}`, "content-type": "application/json" }
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body ?? null) })
    return await response.json()
  }
  const { commandId } = await post("/exec", { command: "shell", detached: true, terminal: { cols: 80, rows: 24 } })
  const { protocols } = await post(`/commands/${commandId}/terminal`)
  const socket = new WebSocket(`${url.replace("http", "ws")}/commands/${commandId}/terminal`, protocols)
  socket.binaryType = "arraybuffer"
  let text = ""
  socket.addEventListener("message", ({ data }: MessageEvent) => {
    const message = decodeServerMessage(new Uint8Array(data))
    if (message?._tag === "Output") text += message.text
  })
  await until(() => text.includes("$ "))
  expect(socket.protocol).toBe("sluice.terminal.1")
  socket.send(encodeClientMessage({ _tag: "Input", bytes: new TextEncoder().encode("hello\r") }))
  await until(() => text.includes("hello\r\n$ "))
  let code = 0
  socket.addEventListener("close", (event) => code = event.code)
  socket.send(encodeClientMessage({ _tag: "Input", bytes: new TextEncoder().encode("\x04") }))
  await until(() => code !== 0)
  expect(code).toBe(1000)
})
