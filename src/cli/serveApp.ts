/**
 * Serves an app on a port, announces its address, and shuts it down after a signal.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { listen } from "./listen.ts"
import type { FetchHandler, HttpListener } from "./HttpListener.ts"
import type { OutputWriter } from "./ProcessOutput.ts"
import { isLoopback, serverUrl } from "./serverUrl.ts"
import { writeMessage } from "./writeMessage.ts"
import type { ServerRequest } from "./serverFlags.ts"
import { type ServerAccess, serverAccess } from "./serverTokens.ts"
import { UsageError } from "./UsageError.ts"

const reasonOf = (error: unknown): string => error instanceof Error ? error.message : String(error)

/** What is to be served. */
export interface FetchApp {
  readonly fetch: FetchHandler
}

/** Makes an app with the token that clients must send; a token that none could send is told. */
export const makeAppWithTokens = <A>(
  request: ServerRequest,
  make: (access: ServerAccess["access"]) => A,
): Effect.Effect<{ readonly app: A; readonly token: ServerAccess }, UsageError> =>
  Effect.flatMap(serverAccess(request), (token) =>
    Effect.try({
      try: () => ({ app: make(token.access), token }),
      catch: (error) =>
        new UsageError(
          `--token${request.tokenFile === undefined ? "" : "-file"}: ${reasonOf(error).replace(/^tokens: /, "")}`,
        ),
    }))

/** The answer to a request that is for another server, or comes from a page whose name was pointed here. */
const unknownHost = (): Response =>
  new Response("this server does not have this name: --allow-host names it\n", {
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8" },
  })

/** Listens; what is for another host gets 404. */
export const startListening = (request: ServerRequest, { fetch }: FetchApp): Effect.Effect<HttpListener, UsageError> =>
  Effect.tryPromise({
    try: () => listen(request, (asked, env) => request.isForThisServer(asked) ? fetch(asked, env) : unknownHost()),
    catch: (error) => new UsageError(`cannot listen on ${serverUrl(request.host, request.port)}: ${reasonOf(error)}`),
  })

/** Says how the server is reached: the URLs on stdout, one a line; what is to be known besides on stderr. */
export const announce = (
  { host }: ServerRequest,
  { port }: HttpListener,
  { newToken }: ServerAccess,
  paths: ReadonlyArray<string>,
  output: OutputWriter,
): Effect.Effect<void> =>
  Effect.gen(function* () {
    const tell = (text: string): Effect.Effect<void> => Effect.ignore(writeMessage(output, text))
    if (newToken !== undefined) yield* tell(`token ${Redacted.value(newToken)}`)
    // Next to a new token: someone who gave one has read what it opens.
    if (newToken !== undefined && paths.includes("/exec")) yield* tell(`page ${serverUrl(host, port)}/`)
    if (!isLoopback(host)) yield* tell(`others can reach ${host}, and what goes there is not encrypted`)
    const urls = paths.map((path) => `${serverUrl(host, port)}${path}\n`).join("")
    yield* Effect.ignore(output.write(1, new TextEncoder().encode(urls)))
  })

/** Time that clients have to take the last of their answers. */
const farewell = "1 second"

/**
 * Accepts no more, ends the commands, lets clients have their ends. A server that drains goes on listening meanwhile:
 * those who ask are told that it goes down, and those who read may come back.
 */
export const shutDown = (server: HttpListener, dispose: () => Promise<unknown>, drains: boolean): Effect.Effect<void> =>
  Effect.gen(function* () {
    const before = drains ? undefined : server.close()
    yield* Effect.promise(dispose)
    const closed = before ?? server.close()
    const done = yield* Effect.timeoutOption(Effect.promise(() => closed), farewell)
    if (done._tag === "None") yield* Effect.promise(() => server.closeNow())
  })
