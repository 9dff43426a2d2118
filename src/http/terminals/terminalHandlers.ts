/** Handles the routes of terminals: tickets, WebSockets, sizes and signals. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Context } from "hono"
import { wallClockMillis } from "../../base/wallClockMillis.ts"
import { ConcurrencyLimit } from "../../auth/ConcurrencyLimit.ts"
import { TokenGrant } from "../../auth/TokenGrant.ts"
import type { CommandRecord } from "../../history/CommandRecord.ts"
import type { JournalError } from "../../journal/JournalError.ts"
import { upgradeWebSocket } from "../../server/upgradeWebSocket.ts"
import { clientParameter, terminalProtocol, ticketPrefix } from "../../wire/terminalMessages.ts"
import { isSignal } from "../../command/signals.ts"
import { TerminalSize } from "../../command/Terminal.ts"
import type { TerminalTicket } from "../../wire/mod.ts"
import { jsonResponse, responseHeaders } from "../headers.ts"
import { type HttpRefusal, problemResponse, refuse } from "../problem.ts"
import { lastEventId } from "../query.ts"
import { readJson } from "../readJson.ts"
import type { AuthenticatedHandler, AuthenticatedRequest } from "../requestGuard.ts"
import type { RunningCommand } from "../RunningCommand.ts"
import type { ShellServer } from "../ShellServer.ts"
import { terminalEvents } from "./terminalEvents.ts"
import { TerminalTickets, ticketMillis } from "./TerminalTickets.ts"

const maxSockets = 1_024

const SignalRequest: Schema.Codec<{ readonly signal: string }> = Schema.Struct({
  signal: Schema.String.check(
    Schema.makeFilter((name: string) => isSignal(name) ? undefined : "a signal, such as SIGINT"),
  ),
})

export interface TerminalHandlers extends Readonly<Record<"ticket" | "resize" | "signal", AuthenticatedHandler>> {
  readonly open: (c: Context) => Promise<Response>
}

const noTerminal = refuse(409, "no-terminal", "the command has no terminal, has ended, or does not run on this server")

const clientName = (c: Context): string | undefined => {
  const name = c.req.query(clientParameter)
  return name !== undefined && /^[\w-]{1,64}$/.test(name) ? name : undefined
}

const withoutContent = (): Response => new Response(null, { status: 204, headers: responseHeaders })

export const terminalHandlers = (
  { bounds, cors, keepAlive, lookup: { commandOf, withJournal }, runs, ...options }: ShellServer,
): TerminalHandlers => {
  const tickets = new TerminalTickets()
  const sockets = new ConcurrencyLimit(maxSockets)

  /** Reads a small JSON body and applies it to the running command of the path. */
  const withRun = <A>(
    request: AuthenticatedRequest,
    schema: Schema.Codec<A, unknown>,
    apply: (run: RunningCommand, value: A) => boolean,
  ): Promise<Response> =>
    withJournal((journal): Effect.Effect<Response, HttpRefusal | JournalError> =>
      Effect.gen(function* () {
        const json = yield* Effect.flatMap(
          Effect.promise(() => readJson(request.c.req, bounds)),
          Effect.fromResult,
        )
        const value = yield* Effect.fromResult(
          Result.mapError(
            Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(json),
            (error) => refuse(400, "invalid", error.message.slice(0, 300)),
          ),
        )
        const record = yield* commandOf(journal, request)
        const run = runs.running.get(record.commandId)
        return run !== undefined && apply(run, value) ? withoutContent() : problemResponse(noTerminal)
      })
    )

  /**
   * Whether the page that sent a handshake is allowed: a page of this server, or of an allowed origin. Programs send no
   * origin.
   */
  const isOriginAllowed = (c: Context): boolean => {
    const origin = c.req.header("origin")
    if (origin === undefined || cors.isAllowed(origin)) return true
    return URL.canParse(origin) && new URL(origin).host === new URL(c.req.url).host
  }

  const refuseHandshake = (c: Context): HttpRefusal | undefined => {
    if (c.req.header("upgrade")?.toLowerCase() !== "websocket") {
      return refuse(426, "upgrade-required", "open it as a WebSocket", { headers: { upgrade: "websocket" } })
    }
    return isOriginAllowed(c)
      ? undefined
      : refuse(403, "forbidden", "pages of this origin may not open terminals: add it to cors.origins")
  }

  /** The grant of the ticket among the subprotocols. */
  const redeem = (c: Context): TokenGrant | HttpRefusal => {
    const protocols = (c.req.header("sec-websocket-protocol") ?? "").split(",").map((each) => each.trim())
    const ticket = protocols.find((each) => each.startsWith(ticketPrefix))
    const grant = protocols[0] !== terminalProtocol || ticket === undefined
      ? undefined
      : tickets.redeem(ticket.slice(ticketPrefix.length), c.req.param("id") ?? "", wallClockMillis())
    return grant ??
      refuse(401, "unauthorized", `send the protocols from POST ${c.req.path}; each is valid once, for a short time`)
  }

  const upgrade = async (c: Context, record: CommandRecord, grant: TokenGrant): Promise<Response> => {
    const after = lastEventId(c.req)
    if (Result.isFailure(after)) return problemResponse(after.failure)
    const release = sockets.tryAcquire()
    if (release === undefined) {
      return problemResponse(
        refuse(429, "busy", "too many open WebSockets", { headers: { "retry-after": "1" } }),
      )
    }
    const events = terminalEvents({
      runs,
      journal: await runs.journal(),
      record,
      after: after.success,
      name: clientName(c),
      canWrite: grant.rights.has("run"),
      canSignal: grant.rights.has("cancel"),
      pingMillis: Duration.toMillis(keepAlive),
      onEnd: release,
    })
    const response = options.upgradeWebSocket === undefined
      ? await upgradeWebSocket(c.req.raw, c.env, events, terminalProtocol)
      : await options.upgradeWebSocket(c, events)
    if (response !== undefined) return response
    release()
    return problemResponse(
      refuse(
        501,
        "no-websocket",
        `this server has no WebSockets: read ${c.req.path.replace(/terminal$/, "events")} and write by POST ${
          c.req.path.replace(/terminal$/, "input")
        }; or install the package ws (Node), or serve with the handlers of hono/bun (Bun)`,
      ),
    )
  }

  return {
    ticket: (request) =>
      withJournal((journal) =>
        Effect.map(commandOf(journal, request), ({ commandId }) => {
          const ticket = tickets.issue(request.grant, commandId, wallClockMillis())
          const body: TerminalTicket = {
            commandId,
            protocols: [terminalProtocol, `${ticketPrefix}${ticket}`],
            expiresInMillis: ticketMillis,
          }
          return jsonResponse(body)
        })
      ),

    open: (c) => {
      const refusal = refuseHandshake(c)
      if (refusal !== undefined) return Promise.resolve(problemResponse(refusal))
      const grant = redeem(c)
      if (!(grant instanceof TokenGrant)) return Promise.resolve(problemResponse(grant))
      return withJournal((journal) =>
        Effect.flatMap(commandOf(journal, { c }), (record) => Effect.promise(() => upgrade(c, record, grant)))
      )
    },

    resize: (request) =>
      withRun(request, TerminalSize, ({ terminal }, size) => {
        terminal?.resize(size)
        return terminal !== undefined
      }),

    signal: (request) =>
      withRun(request, SignalRequest, ({ terminal }, { signal }) => terminal?.signal(signal) ?? false),
  }
}
