import { expect, it } from "vitest"
import { TokenGrant } from "../../../src/auth/TokenGrant.ts"
import { TerminalTickets, ticketMillis } from "../../../src/http/terminals/TerminalTickets.ts"

const grant = new TokenGrant({ name: "all", rights: ["read"] })

it("redeems a ticket once, in time, and for its command", () => {
  const tickets = new TerminalTickets()
  const [once, late, other] = [tickets.issue(grant, "a", 0), tickets.issue(grant, "a", 0), tickets.issue(grant, "b", 0)]
  expect(tickets.redeem(once, "a", ticketMillis)).toBe(grant)
  expect(tickets.redeem(once, "a", ticketMillis)).toBeUndefined()
  expect(tickets.redeem(late, "a", ticketMillis + 1)).toBeUndefined()
  expect(tickets.redeem(other, "a", 0)).toBeUndefined()
  // A wrong guess at the command voids it.
  expect(tickets.redeem(other, "b", 0)).toBeUndefined()
})

it("keeps 1,024 tickets, the newest", () => {
  const tickets = new TerminalTickets()
  const issued = Array.from({ length: 1_025 }, () => tickets.issue(grant, "a", 0))
  expect(new Set(issued).size).toBe(1_025)
  expect(issued.map((ticket) => tickets.redeem(ticket, "a", 0)).filter((found) => found === undefined)).toHaveLength(1)
})
