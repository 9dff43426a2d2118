/**
 * Issues and redeems tickets for WebSockets. Each ticket is for one command and one token, and valid once. Tickets
 * replace tokens because browsers cannot set headers of a WebSocket, and addresses are logged.
 */
import type { TokenGrant } from "../../auth/TokenGrant.ts"
import type { CommandId } from "../../command/CommandId.ts"

interface Ticket {
  readonly grant: TokenGrant
  readonly commandId: CommandId
  readonly expires: number
}

export const ticketMillis = 30_000

/** Maximum number of tickets; the oldest one is dropped. */
const maxTickets = 1_024

const randomText = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, "0")).join("")

export class TerminalTickets {
  readonly #tickets = new Map<string, Ticket>()

  issue(grant: TokenGrant, commandId: CommandId, nowMillis: number): string {
    const text = randomText()
    this.#tickets.set(text, { grant, commandId, expires: nowMillis + ticketMillis })
    if (this.#tickets.size > maxTickets) {
      const [oldest = text] = this.#tickets.keys()
      this.#tickets.delete(oldest)
    }
    return text
  }

  /** Redeems a ticket, which is void from then on. Returns the grant that it was issued to; `undefined` if it is not valid. */
  redeem(text: string, commandId: CommandId, nowMillis: number): TokenGrant | undefined {
    const ticket = this.#tickets.get(text)
    this.#tickets.delete(text)
    return ticket !== undefined && ticket.commandId === commandId && nowMillis <= ticket.expires
      ? ticket.grant
      : undefined
  }
}
