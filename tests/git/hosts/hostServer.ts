/**
 * Shared parts of the servers of both hosts: sockets, a token, a real repository, pages, and answers to put in their
 * place.
 */
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface SentRequest {
  readonly method: string
  /** As it was sent, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: unknown
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text and bytes as they are, anything else as JSON. */
  readonly body?: unknown
}

export interface Call extends SentRequest {
  readonly query: URLSearchParams
  /** The values of the route, decoded. */
  readonly values: ReadonlyArray<string>
  readonly fields: Readonly<Record<string, unknown>>
}

export type Route = readonly [method: string, path: RegExp, answer: (call: Call) => Answer]

export interface HostServer extends AsyncDisposable {
  readonly origin: string
  readonly requests: Array<SentRequest>
  /** Headers of every answer. */
  headers: Readonly<Record<string, string>>
  /** Answers before the host does; `undefined` where the host is to answer. */
  override: ((request: SentRequest, response: ServerResponse) => Answer | "handled" | undefined) | undefined
}

export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  body,
  headers,
})

/** Fails as a host does. */
export class Refusal extends Error {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    super(String(status))
    this.status = status
    this.body = body
  }
}

export const refuse = (status: number, message: unknown, more: object = {}): never => {
  throw new Refusal(status, { message, ...more })
}

/** The program git in a repository. */
export interface StoredGit {
  (args: ReadonlyArray<string>, input?: string | Uint8Array, env?: Record<string, string>): Buffer
  /** What git prints; `undefined` where it fails. */
  readonly text: (...args: ReadonlyArray<string>) => string | undefined
  /** Writes a tree: that of a base with changes of the index. `undefined` where they do not fit. */
  readonly writeTree: (base: string | undefined, lines: ReadonlyArray<string>) => string | undefined
}

export const storedGit = (root: string): StoredGit => {
  const git = (args: ReadonlyArray<string>, input: string | Uint8Array = "", env: Record<string, string> = {}) =>
    execFileSync("git", [`--git-dir=${join(root, ".git")}`, "--literal-pathspecs", ...args], {
      input,
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "ignore"],
      maxBuffer: 100_000_000,
    })
  const text = (...args: ReadonlyArray<string>) => {
    try {
      return git(args).toString().replace(/\n$/, "")
    } catch {
      return undefined
    }
  }
  const writeTree = (base: string | undefined, lines: ReadonlyArray<string>) => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-index-"))
    const env = { GIT_INDEX_FILE: join(folder, "index") }
    try {
      if (base !== undefined) git(["read-tree", base], "", env)
      if (lines.length > 0) git(["update-index", "-z", "--index-info"], lines.map((line) => `${line}\0`).join(""), env)
      return git(["write-tree"], "", env).toString().trim()
    } catch {
      return undefined
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  return Object.assign(git, { text, writeTree })
}

/** One page of items, with the link to the next one. */
export const page = (
  items: ReadonlyArray<unknown>,
  { path, query }: Call,
  origin: string,
  defaultSize: number,
): Answer => {
  const size = Math.min(Number(query.get("per_page") ?? defaultSize), 100)
  const number = Number(query.get("page") ?? 1)
  const next = new URL(path, origin)
  next.searchParams.set("page", String(number + 1))
  const hasNext = items.length > number * size
  const link = `<${next.href}>; rel="next", <${new URL(path, origin).href}>; rel="first"`
  return ok(items.slice((number - 1) * size, number * size), hasNext ? { link } : {})
}

const read = async (request: IncomingMessage): Promise<unknown> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of request) pieces.push(piece)
  const text = Buffer.concat(pieces).toString()
  return text === "" ? undefined : JSON.parse(text)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Serves routes on a free port to those who have the token. */
export const serveHost = async (
  token: string,
  routes: (origin: string) => ReadonlyArray<Route>,
): Promise<HostServer> => {
  const requests: Array<SentRequest> = []
  const answer = (request: SentRequest, all: ReadonlyArray<Route>, origin: string): Answer => {
    if (!/^(Bearer|token) /.test(request.headers["authorization"] ?? "")) refuse(401, "Requires authentication")
    if (request.headers["authorization"]?.split(" ")[1] !== token) refuse(401, `Bad credentials: ${token}`)
    const { pathname, searchParams: query } = new URL(request.path, origin)
    for (const [method, pattern, handle] of all) {
      const match = pattern.exec(pathname)
      if (match === null || (method !== request.method && !(method === "GET" && request.method === "HEAD"))) continue
      const fields = isRecord(request.body) ? request.body : {}
      return handle({ ...request, query, values: match.slice(1).map(decodeURIComponent), fields })
    }
    return refuse(404, "Not Found")
  }
  const server = createServer(async (incoming, response) => {
    const request: SentRequest = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers: Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])),
      body: await read(incoming),
    }
    requests.push(request)
    let given: Answer | "handled" | undefined
    try {
      given = host.override?.(request, response) ?? answer(request, routes(origin), origin)
    } catch (error) {
      given = error instanceof Refusal
        ? { status: error.status, body: error.body }
        : { status: 500, body: { message: String(error) } }
    }
    if (given === "handled") return
    const { body = "", headers = {}, status } = given
    const isRaw = typeof body === "string" || body instanceof Uint8Array
    const type = { "content-type": isRaw ? "text/plain" : "application/json; charset=utf-8" }
    response.writeHead(status, { ...type, ...host.headers, ...headers })
      .end(request.method === "HEAD" ? "" : isRaw ? body : JSON.stringify(body))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  const host: HostServer = {
    origin,
    requests,
    headers: {},
    override: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
  return host
}
