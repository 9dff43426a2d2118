/** Serves an app on a port: listens, announces its URLs and a new token, and shuts it down. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { encodeUtf8 } from "../base/bytes.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { readErrorCode } from "../base/readErrorCode.ts"
import { listen } from "./listen.ts"
import type { FetchHandler, HttpListener } from "./HttpListener.ts"
import type { OutputWriter } from "./ProcessOutput.ts"
import { isLoopback, serverUrl } from "./HttpListener.ts"
import { tryMessage } from "./writeMessage.ts"
import type { ServerRequest } from "./serverFlags.ts"
import { type ServerAccess, serverAccess } from "./serverTokens.ts"
import { UsageError } from "./UsageError.ts"

export interface FetchApp {
  readonly fetch: FetchHandler
}

/** Makes an app with the tokens that clients must send; fails for a token that no client could send. */
export const makeAppWithTokens = <A>(
  request: ServerRequest,
  make: (access: ServerAccess["access"]) => A,
): Effect.Effect<{ readonly app: A; readonly token: ServerAccess }, UsageError> =>
  Effect.flatMap(serverAccess(request), (token) =>
    Effect.try({
      try: () => ({ app: make(token.access), token }),
      catch: (error) =>
        new UsageError(
          `--token${request.tokenFile === undefined ? "" : "-file"}: ${errorMessage(error).replace(/^tokens?: /, "")}`,
        ),
    }))

/** The response to a request for another host name, as a page sends it after DNS rebinding. */
const unknownHost = (): Response =>
  new Response(
    "this server does not accept this host name (protection against DNS rebinding); allow it with --allow-host\n",
    {
      status: 404,
      headers: { "content-type": "text/plain; charset=utf-8" },
    },
  )

/** Listens; requests for another host get 404. `flag` names the port. */
export const startListening = (
  request: ServerRequest,
  { fetch }: FetchApp,
  flag: "http" | "port",
): Effect.Effect<HttpListener, UsageError> =>
  Effect.tryPromise({
    try: () =>
      listen(
        request,
        (httpRequest, env) => request.isForThisServer(httpRequest) ? fetch(httpRequest, env) : unknownHost(),
      ),
    catch: (error) =>
      new UsageError(
        `cannot listen on ${serverUrl(request.host, request.port)}: ${errorMessage(error)}${
          readErrorCode(error) === "EADDRINUSE" ? `; choose another with --${flag}` : ""
        }`,
      ),
  })

/** Prints the URLs on stdout, one per line, and the new token and warnings on stderr. */
export const announce = (
  { host }: ServerRequest,
  { port }: HttpListener,
  { newToken }: ServerAccess,
  paths: ReadonlyArray<string>,
  output: OutputWriter,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const say = (text: string): Effect.Effect<void> => tryMessage(output, text)
    if (newToken !== undefined) yield* say(`token ${Redacted.value(newToken)}`)
    // The console is served next to the routes of commands, whose address the clients use.
    if (paths.includes("")) yield* say(`page ${serverUrl(host, port)}/`)
    if (!isLoopback(host)) yield* say(`other machines can reach ${host}, and the connection is not encrypted`)
    const urls = paths.map((path) => `${serverUrl(host, port)}${path}\n`).join("")
    yield* Effect.ignore(output.write(1, encodeUtf8(urls)))
  })

/** Time in which clients can read the rest of their responses after the commands have ended. */
const responseGrace = "1 second"

/**
 * Stops accepting connections, ends the commands, and lets clients read their ends. While it drains, a server still
 * listens: new requests get 503, and disconnected readers can reconnect.
 */
export const shutDown = (server: HttpListener, dispose: () => Promise<unknown>, drains: boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    const before = drains ? undefined : server.close()
    yield* Effect.promise(dispose)
    const closed = before ?? server.close()
    const done = yield* Effect.timeoutOption(Effect.promise(() => closed), responseGrace)
    if (done._tag === "None") yield* Effect.promise(() => server.closeNow())
  })
