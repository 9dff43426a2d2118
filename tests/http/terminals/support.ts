/** Terminals over HTTP: the routes on a real server over the leaf of `echoTerminal.ts`, and a small client of WebSockets. */
import * as Context from "effect/Context"
import { type ShellRoutes, shellRoutes, type ShellRoutesOptions } from "../../../src/http/mod.ts"
import { listen } from "../../../src/cli/listen.ts"
import { Shell } from "../../../src/shell/Shell.ts"
import {
  type ClientMessage,
  decodeServerMessage,
  encodeClientMessage,
  type ServerMessage,
  type TerminalState,
} from "../../../src/wire/terminalMessages.ts"
import { type EchoTerminals, echoTerminals } from "../../support/echoTerminal.ts"
import { later, until } from "../journaled.ts"
import { token } from "../support.ts"

export interface TerminalFixture {
  readonly url: string
  readonly routes: ShellRoutes
  readonly terminals: EchoTerminals
  readonly ask: (path: string, init?: RequestInit, bearer?: string) => Promise<Response>
  /** Starts a command on a terminal. */
  readonly open: (more?: object) => Promise<string>
  readonly attach: (id: string, options?: AttachOptions) => Promise<Attached>
}

export interface AttachOptions {
  readonly after?: number
  /** Its name: its input is counted. */
  readonly name?: string
  readonly bearer?: string
  /** Whether it acknowledges output by itself. Default: `true`. */
  readonly acknowledges?: boolean
  readonly protocols?: ReadonlyArray<string>
}

export interface Attached {
  readonly text: () => string
  readonly messages: ReadonlyArray<ServerMessage>
  readonly position: () => number
  readonly state: () => TerminalState | undefined
  readonly closed: () => { readonly code: number; readonly reason: string } | undefined
  readonly send: (message: ClientMessage) => void
  readonly type: (text: string) => void
  readonly sendRaw: (data: string | ArrayBuffer) => void
  readonly close: () => void
  readonly sees: (text: string) => Promise<void>
}

type Access = Omit<ShellRoutesOptions, "layer" | "runtime" | "context" | "unauthenticated" | "token" | "tokens"> & {
  readonly tokens?: ShellRoutesOptions["tokens"]
}

export const startTerminals = async ({ tokens, ...options }: Access = {}): Promise<TerminalFixture> => {
  const terminals = echoTerminals()
  const access = tokens === undefined ? { token } : { tokens }
  const routes = shellRoutes({ context: Context.make(Shell, terminals.shell), ...options, ...access })
  later(() => routes.dispose())
  // The server of `sluice serve`: it upgrades on every runtime.
  const server = await listen({ host: "127.0.0.1", port: 0 }, (request, env) => routes.fetch(request, env))
  later(() => server.closeNow())
  const url = `http://127.0.0.1:${server.port}`
  const ask: TerminalFixture["ask"] = (path, init = {}, bearer = token) =>
    fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${bearer}`, ...init.headers } })

  const attach: TerminalFixture["attach"] = async (
    id,
    { acknowledges = true, after, bearer, name = "", protocols } = {},
  ) => {
    const given = protocols ?? await ticket(ask, id, bearer)
    const query = `?client=${name}${after === undefined ? "" : `&after=${after}`}`
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/commands/${id}/terminal${query}`, [...given])
    socket.binaryType = "arraybuffer"
    const messages: Array<ServerMessage> = []
    let text = ""
    let position = after ?? -1
    let state: TerminalState | undefined
    let closed: { readonly code: number; readonly reason: string } | undefined
    const send = (message: ClientMessage): void => socket.send(encodeClientMessage(message))
    socket.addEventListener("message", ({ data }: MessageEvent) => {
      const message = decodeServerMessage(new Uint8Array(data))
      if (message === undefined) throw new Error("a message that is none")
      messages.push(message)
      if (message._tag === "Output") {
        text += message.text
        position = message.position
      } else if (message._tag === "State") ({ state } = message)
      if (acknowledges && (message._tag === "Output" || message._tag === "Ping") && socket.readyState === 1) {
        send({ _tag: "Acknowledge", position })
      }
    })
    const opened = new Promise<boolean>((resolve) => {
      socket.addEventListener("open", () => resolve(true))
      socket.addEventListener("close", ({ code, reason }) => {
        closed = { code, reason }
        resolve(false)
      })
      socket.addEventListener("error", () => {})
    })
    later(() => Promise.resolve(socket.close()))
    await opened
    return {
      text: () => text,
      messages,
      position: () => position,
      state: () => state,
      closed: () => closed,
      send,
      type: (keys) => send({ _tag: "Input", bytes: new TextEncoder().encode(keys) }),
      sendRaw: (data) => socket.send(data),
      close: () => socket.close(),
      sees: (expected) => until(() => text.includes(expected)),
    }
  }

  return {
    url,
    routes,
    terminals,
    ask,
    open: async (more = {}) => {
      const body = { command: "shell", detached: true, terminal: { cols: 80, rows: 24 }, ...more }
      const response = await ask("/exec", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      })
      if (response.status !== 202) throw new Error(await response.text())
      return (await response.json()).commandId
    },
    attach,
  }
}

export const ticket = async (
  ask: TerminalFixture["ask"],
  id: string,
  bearer?: string,
): Promise<ReadonlyArray<string>> => {
  const response = await ask(`/commands/${id}/terminal`, { method: "POST" }, bearer)
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  return (await response.json()).protocols
}
