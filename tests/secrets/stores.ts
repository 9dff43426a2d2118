/** Servers that speak as Vault and AWS Secrets Manager do, over real sockets; they check each request exactly. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { once } from "node:events"
import { checkSignature, type Keys } from "../leaves/s3/signature.ts"

export interface StoreServer {
  readonly url: string
  /** The requests so far: method, path and query, and what is wrong with them. */
  readonly requests: Array<string>
  readonly stop: () => Promise<void>
}

type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>]

const serve = async (
  answer: (request: IncomingMessage, url: URL, body: Buffer) => Answer | undefined,
): Promise<StoreServer> => {
  const requests: Array<string> = []
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Array<Uint8Array> = []
    for await (const piece of request) pieces.push(piece)
    const url = new URL(request.url ?? "", `http://${request.headers.host}`)
    requests.push(`${request.method} ${url.pathname}${url.search}`)
    const answered = answer(request, url, Buffer.concat(pieces))
    // A server that says nothing.
    if (answered === undefined) return
    const [status, body, headers = {}] = answered
    response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body))
  }
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

/** Answers that are none of a store: what a caller may meet. */
const odd: Readonly<Record<string, Answer | undefined>> = {
  redirect: [307, "", { location: "http://127.0.0.1:1/elsewhere" }],
  sealed: [503, { errors: ["Vault is sealed: hunter2"] }],
  busy: [429, "hunter2"],
  broken: [200, "hunter2 is not JSON"],
  strange: [200, { data: "hunter2", SecretBinary: "aHVudGVyMg==" }],
  huge: [200, "x".repeat(2_000_000)],
  hangs: undefined,
}

/**
 * https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2, of which the bodies are: fields of `fields`, in versions.
 */
export const serveVault = (
  token: string,
  versions: Readonly<Record<string, ReadonlyArray<Readonly<Record<string, unknown>> | null>>>,
): Promise<StoreServer> =>
  serve(({ headers, method }, { pathname, search }) => {
    const { "user-agent": agent, accept: _accept, connection: _connection, host: _host, ...sent } = headers
    const expected = { "accept-encoding": "identity", "x-vault-token": token, "x-vault-request": "true" }
    const { "x-vault-namespace": namespace, ...rest } = sent
    if (headers["x-vault-token"] !== token) return [403, { errors: ["permission denied", `not ${token}`] }]
    if (JSON.stringify(Object.entries(rest).toSorted()) !== JSON.stringify(Object.entries(expected).toSorted())) {
      return [400, { errors: ["headers", rest] }]
    }
    if (method !== "GET" || agent !== "sluice") return [405, { errors: [] }]
    if (namespace !== undefined && namespace !== "team/a") return [404, { errors: [] }]
    if (pathname === "/v1/kv/metadata" && search === "?list=true") {
      return [200, {
        request_id: "r",
        lease_id: "",
        data: { keys: ["folder/", ...Object.keys(versions)] },
        wrap_info: null,
      }]
    }
    const name = decodeURIComponent(/^\/v1\/kv\/data\/(.+)$/.exec(pathname)?.[1] ?? "")
    if (Object.hasOwn(odd, name)) return odd[name]
    const all = Object.hasOwn(versions, name) ? versions[name] ?? [] : []
    const version = search === "" ? all.length : Number(/^\?version=(\d+)$/.exec(search)?.[1] ?? 0)
    const data = all[version - 1]
    if (data === undefined) return [404, { errors: [] }]
    const metadata = { created_time: "2026-01-01T00:00:00Z", deletion_time: "", destroyed: false, version }
    // A deleted version has its metadata.
    return [data === null ? 404 : 200, { request_id: "r", lease_id: "", data: { data, metadata }, wrap_info: null }]
  })

/** https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html, and ListSecrets in pages of two. */
export const serveAws = (keys: Keys, values: Readonly<Record<string, ReadonlyArray<string>>>): Promise<StoreServer> =>
  serve(({ headers, method = "" }, url, body) => {
    const sent = new Headers(
      Object.entries(headers).flatMap(([name, value]) =>
        typeof value === "string" &&
          !["connection", "user-agent", "accept-encoding", "content-length", "accept"].includes(name)
          ? [[name, value]]
          : []
      ),
    )
    const wrong = checkSignature({ method, url, headers: sent, body }, keys, Date.now(), "secretsmanager")
    const refuse = (
      status: number,
      type: string,
    ): Answer => [status, { __type: type, Message: `no ${keys.secretAccessKey}` }]
    if (wrong !== undefined) {
      return refuse(400, wrong === "InvalidToken" ? "ExpiredTokenException" : "InvalidSignatureException")
    }
    if (url.pathname !== "/" || method !== "POST" || headers["content-type"] !== "application/x-amz-json-1.1") {
      return refuse(404, "UnknownOperationException")
    }
    const asked = JSON.parse(body.toString())
    const name = String(asked.SecretId)
    switch (headers["x-amz-target"]) {
      case "secretsmanager.ListSecrets": {
        const all = Object.keys(values)
        const from = Number(asked.NextToken ?? 0)
        const page = all.slice(from, from + 2).map((name) => ({ Name: name, ARN: `arn:${name}` }))
        const next = from + 2 < all.length ? { NextToken: String(from + 2) } : {}
        return asked.MaxResults === 100
          ? [200, { SecretList: page, ...next }]
          : refuse(400, "InvalidParameterException")
      }
      case "secretsmanager.GetSecretValue": {
        if (Object.hasOwn(odd, name)) return odd[name]
        if (name === "denied") return refuse(400, "AccessDeniedException")
        if (name === "later") return refuse(400, "com.amazonaws.hunter2#NewException")
        const all = Object.hasOwn(values, name) ? values[name] ?? [] : []
        const version = asked.VersionId === undefined ? all.length : Number(asked.VersionId)
        const value = all[version - 1]
        if (value === undefined) return refuse(400, "ResourceNotFoundException")
        return [200, {
          ARN: `arn:${name}`,
          Name: name,
          SecretString: value,
          VersionId: String(version),
          VersionStages: [],
        }]
      }
      default:
        return refuse(400, "UnknownOperationException")
    }
  })
