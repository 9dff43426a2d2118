/**
 * Declares the Schema of the ticket with which a client opens the WebSocket of a terminal on an execution server.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/**
 * Schema of the answer of `POST /commands/:id/terminal`: `protocols` are the subprotocols of the WebSocket, the last of
 * which is a ticket that opens it once, within `expiresInMillis`.
 *
 * @example
 * ```ts
 * import { TerminalTicket } from "@sluice/shell/wire"
 * import { Schema } from "effect"
 *
 * const ticket = { commandId: "c1", protocols: ["sluice.terminal.1", "sluice.ticket.9f2c"], expiresInMillis: 30_000 }
 * console.log(Schema.is(TerminalTicket)(ticket)) // true
 * ```
 *
 * @stability experimental
 */
export const TerminalTicket: Schema.Struct<{
  readonly commandId: typeof Schema.String
  readonly protocols: Schema.$Array<typeof Schema.String>
  readonly expiresInMillis: typeof Schema.Int
}> = Schema.Struct({
  commandId: Schema.String,
  protocols: Schema.Array(Schema.String),
  expiresInMillis: Schema.Int.check(Schema.isGreaterThan(0)),
})

/**
 * The ticket of a client's WebSocket.
 *
 * @stability experimental
 */
export type TerminalTicket = typeof TerminalTicket.Type
