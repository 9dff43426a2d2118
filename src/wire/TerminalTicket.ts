/** Declares the Schema of the ticket with which a client opens the WebSocket of a terminal on an execution server. */
import * as Schema from "effect/Schema"

/**
 * Schema of the answer of `POST /commands/:id/terminal`: `protocols` are the subprotocols of the WebSocket, the last of
 * which is a ticket that opens it once, within `expiresInMillis`.
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

/** The ticket of a client's WebSocket. */
export type TerminalTicket = typeof TerminalTicket.Type
