import { expect, it } from "@effect/vitest"
import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { isLost, isTransient } from "../../../../src/sql/postgresErrors.ts"
import { toJournalError } from "../../../../src/journal/stores/postgres/errors.ts"

const coded = (code: string): Error => Object.assign(new Error(`what ${code} is`), { code })

const broken = (code: string, operation: string): SqlError =>
  new SqlError({ reason: new ConnectionError({ cause: coded(code), message: "broken", operation }) })

const refused = (code: string): SqlError => new SqlError({ reason: new UnknownError({ cause: coded(code) }) })

it.each(["EPIPE", "ECONNRESET", "ETIMEDOUT"])("takes a connection that breaks with %s for lost", (code) => {
  for (const operation of ["connect", "query"]) {
    expect([isLost(broken(code, operation)), isTransient(broken(code, operation))]).toEqual([true, true])
  }
  const { reason } = toJournalError(broken(code, "query"), {
    tried: "nothing was written",
    location: "pg",
    isWrite: true,
  })
  expect(reason).toEqual({ _tag: "Unavailable", code })
})

it("does not retry permanent refusals", () => {
  for (const code of ["42501", "XX001", "P0001"]) expect(isTransient(refused(code))).toBe(false)
  for (const code of ["EPERM", "EPROTO"]) expect(isLost(broken(code, "connect"))).toBe(false)
})

it("retries after shutdowns, lost connections, refused connections and serialization failures", () => {
  for (const code of ["57P01", "08006", "53300", "40001"]) expect(isTransient(refused(code))).toBe(true)
})
