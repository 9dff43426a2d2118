/** Servers and clients as programs use them: both official clients, over both transports. */
import * as New from "@modelcontextprotocol/client"
import * as NewStdio from "@modelcontextprotocol/client/stdio"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { connect, type Socket } from "node:net"
import { parse } from "yaml"
import { listen } from "../../src/cli/listen.ts"
import type { McpRoutes } from "../../src/mcp/http.ts"
import { CommandResult } from "../../src/mcp/mod.ts"
import { sluiceWords } from "../cli/support.ts"

/** Serves routes on a free port of this machine; answers with the URL of the route. */
export const served = (routes: McpRoutes): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => listen({ host: "127.0.0.1", port: 0 }, (request, env) => routes.fetch(request, env))),
    ({ closeNow }) => Effect.promise(() => Promise.all([routes.dispose(), closeNow()])),
  ).pipe(Effect.map(({ port }) => `http://127.0.0.1:${port}/mcp`))

/** What a tool answered. */
export interface Answer {
  readonly text: string
  readonly isError: boolean
  /** The structured content, or the YAML of the text. */
  readonly result: CommandResult
  readonly links: ReadonlyArray<string>
}

export interface CallOptions {
  readonly onprogress?: (progress: { readonly progress: number; readonly message?: string | undefined }) => void
  readonly signal?: AbortSignal
}

/** The same of every client. */
export interface AnyClient {
  readonly tools: () => Promise<ReadonlyArray<{ readonly name: string; readonly outputSchema?: unknown }>>
  readonly call: (name: string, args: Record<string, unknown>, options?: CallOptions) => Promise<Answer>
  readonly read: (uri: string) => Promise<string>
  readonly resources: () => Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })
const Link = Schema.Struct({ type: Schema.Literal("resource_link"), uri: Schema.String })

const Result = Schema.Struct({
  content: Schema.Array(Schema.Union([Text, Link])),
  structuredContent: Schema.optional(Schema.Unknown),
  isError: Schema.optional(Schema.Boolean),
})

const Contents = Schema.Struct({ contents: Schema.Array(Schema.Struct({ text: Schema.String })) })

/** The fields that an answer lacks whose call ran nothing. */
const nothingRan = { exit_code: null, stdout: "", stderr: "", command_id: "" }

/** What a tool answered, checked against what it promised. */
export const answerOf = (result: unknown): Answer => {
  const { content, isError, structuredContent } = Schema.decodeUnknownSync(Result)(result)
  const text = content.flatMap((block) => block.type === "text" ? [block.text] : []).join("")
  return {
    text,
    isError: isError === true,
    result: Schema.decodeUnknownSync(CommandResult)(structuredContent ?? { ...nothingRan, ...parse(text) }),
    links: content.flatMap((block) => block.type === "resource_link" ? [block.uri] : []),
  }
}

const textOf = (result: unknown): string =>
  Schema.decodeUnknownSync(Contents)(result).contents.map(({ text }) => text).join("")

const who = { name: "test", version: "1" }

const ofSdk = (client: Client): AnyClient => ({
  tools: async () => (await client.listTools()).tools,
  call: async (name, args, options) => answerOf(await client.callTool({ name, arguments: args }, undefined, options)),
  read: async (uri) => textOf(await client.readResource({ uri })),
  resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
  close: () => client.close(),
})

const ofClient = (client: New.Client): AnyClient => ({
  tools: async () => (await client.listTools()).tools,
  call: async (name, args, options) => answerOf(await client.callTool({ name, arguments: args }, options)),
  read: async (uri) => textOf(await client.readResource({ uri })),
  resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
  close: () => client.close(),
})

/** Makes a client of each kind. */
export const clients: Readonly<
  Record<"sdk" | "client", {
    readonly http: (url: string, token?: string) => Promise<AnyClient>
    readonly stdio: (env: Readonly<Record<string, string>>, flags?: ReadonlyArray<string>) => Promise<AnyClient>
  }>
> = {
  sdk: {
    http: async (url, token) => {
      const client = new Client(who)
      await client.connect(new StreamableHTTPClientTransport(new URL(url), headersOf(token)))
      return ofSdk(client)
    },
    stdio: async (env, flags) => {
      const client = new Client(who)
      await client.connect(new StdioClientTransport(programOf(env, flags)))
      return ofSdk(client)
    },
  },
  client: {
    http: async (url, token) => {
      const client = new New.Client(who)
      await client.connect(new New.StreamableHTTPClientTransport(new URL(url), headersOf(token)))
      return ofClient(client)
    },
    stdio: async (env, flags) => {
      const client = new New.Client(who)
      await client.connect(new NewStdio.StdioClientTransport(programOf(env, flags)))
      return ofClient(client)
    },
  },
}

export const headersOf = (token: string | undefined) =>
  token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } }

export const programOf = (env: Readonly<Record<string, string>>, flags: ReadonlyArray<string> = []) => {
  const [command = "", ...args] = sluiceWords
  const inherited = Object.entries(process.env).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
  return { command, args: [...args, "mcp", ...flags], env: { ...Object.fromEntries(inherited), ...env } }
}

/** Headers that every message needs. */
const messageHeaders = (token: string, session: string | null): Readonly<Record<string, string>> => ({
  "authorization": `Bearer ${token}`,
  "content-type": "application/json",
  "accept": "application/json, text/event-stream",
  ...(session === null ? undefined : { "mcp-session-id": session }),
})

/** Sends one message. */
export const post = (
  url: string,
  message: unknown,
  token = "t0ken",
  session: string | null = null,
): Promise<Response> => postText(url, JSON.stringify(message), token, session)

/** Sends one message, as it is. */
export const postText = (
  url: string,
  body: string,
  token = "t0ken",
  session: string | null = null,
): Promise<Response> => fetch(url, { method: "POST", headers: messageHeaders(token, session), body })

/** The message that begins a session. */
export const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: who },
}

/** Begins a session; answers with its id. */
export const begin = async (url: string, token = "t0ken"): Promise<string | null> => {
  const response = await post(url, initialize, token)
  await response.text()
  return response.headers.get("mcp-session-id")
}

/** A call of a tool. */
export const toolCall = (
  id: number,
  name: string,
  args: Readonly<Record<string, unknown>>,
  progressToken?: string,
): { readonly jsonrpc: "2.0"; readonly id: number; readonly method: string; readonly params: object } => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, ...(progressToken === undefined ? undefined : { _meta: { progressToken } }) },
})

/** Sends one message, and reads nothing until the socket is resumed; the client is gone when it is destroyed. */
export const lazyPost = async (url: string, message: unknown, session: string | null): Promise<Socket> => {
  const { hostname, pathname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {})
  socket.pause()
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  const body = new TextEncoder().encode(JSON.stringify(message))
  const headers = Object.entries({
    ...messageHeaders("t0ken", session),
    "host": "localhost",
    "content-length": String(body.length),
  }).map(([name, value]) => `${name}: ${value}`)
  socket.write([`POST ${pathname} HTTP/1.1`, ...headers, "", ""].join("\r\n"))
  socket.write(body)
  return socket
}

/** Sends a call of a tool as the revision has it that knows no sessions. */
export const postStateless = (
  url: string,
  call: ReturnType<typeof toolCall>,
  progressToken?: number,
): Promise<Response> => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    ...(progressToken === undefined ? undefined : { progressToken }),
  }
  return fetch(url, {
    method: "POST",
    headers: {
      ...messageHeaders("t0ken", null),
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "execute_command",
    },
    body: JSON.stringify({ ...call, params: { ...call.params, _meta } }),
  })
}
