import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Database, type DatabaseFault, MockDatabase } from "../../src/database/mod.ts"

it.effect("answers by the SQL of a request, or of a statement of a transaction, and checks the expected requests", () =>
  Effect.gen(function* () {
    const mock = MockDatabase.make([
      { sql: "SELECT *", answer: { _tag: "DatabaseRows", columns: ["n"], rows: [[1], [2n ** 60n]] }, times: 1 },
      { sql: "DELETE *", answer: "Constraint" },
      { answer: { _tag: "DatabaseCommitted", results: [] }, expected: true, times: 2 },
    ])
    const run = <A, E>(program: Effect.Effect<A, E, Database>) => Effect.provideService(program, Database, mock)
    expect(yield* run(Database.query("SELECT n FROM t"))).toEqual([{ n: 1 }, { n: 2n ** 60n }])
    const refused = yield* run(Effect.flip(Database.transaction(["INSERT INTO t", "DELETE FROM t"])))
    expect([refused.faultKind, refused.message]).toEqual([
      "Constraint",
      "database transaction: a rule of the mock fails this request",
    ])
    const wrong = yield* run(Effect.flip(Database.execute("UPDATE t")))
    expect(wrong.message).toBe("database execute: the answer was DatabaseCommitted")
    expect((yield* Effect.flip(mock.verify)).message).toBe(
      "any request was expected 2 times, and was requested 1 times",
    )
    expect((yield* mock.requests).length).toBe(3)
  }))

/** The fault of a request that is refused before there is an answer; making it throws nothing. */
const refusalOf = (request: Effect.Effect<unknown, DatabaseFault, Database>): Effect.Effect<DatabaseFault> =>
  Effect.flip(request).pipe(Effect.orDie, Effect.provideService(Database, MockDatabase.make([])))

it.effect("refuses unknown options and invalid times when the request runs", () =>
  Effect.gen(function* () {
    const wrong: ReadonlyArray<readonly [Effect.Effect<unknown, DatabaseFault, Database>, string]> = [
      // @ts-expect-error the option is timeout
      [Database.query("SELECT 1", [], { timeoutMillis: 300 }), 'did you mean "timeout"?'],
      // @ts-expect-error there is no such option
      [Database.execute("SELECT 1", [], { maxRow: 300 }), 'did you mean "maxRows"?'],
      [Database.execute("SELECT 1", [], { maxRows: 0 }), "greater than or equal to 1"],
      [Database.transaction(["SELECT 1"], { timeout: 0 }), "timeout: write a duration above zero"],
    ]
    for (const [request, message] of wrong) {
      const fault = yield* refusalOf(request)
      expect(fault.faultKind).toBe("InvalidRequest")
      expect(fault.message).toContain(message)
    }
    const named = Database.query("SELECT 1", [], { timeout: 0, correlationId: "mine" })
    expect((yield* refusalOf(named)).correlationId).toBe("mine")
  }))

it.effect("names a parameter that no database accepts", () =>
  Effect.gen(function* () {
    const kinds = "null, a boolean, a number, a bigint, text, a Uint8Array, or { json: … }"
    const wrong: ReadonlyArray<readonly [params: unknown, message: string]> = [
      [{ n: 1 }, `the parameters must be a list, got an object: write ["a", 1]`],
      [[undefined], `parameter $1 is undefined; a parameter is ${kinds}`],
      [[1, , 2], `parameter $2 is undefined; a parameter is ${kinds}`],
      [["a", new Date()], `parameter $2 is a Date, write its toISOString(); a parameter is ${kinds}`],
      [[["s3cret"]], `parameter $1 is a list, write { json: … }; a parameter is ${kinds}`],
      [[{ a: "s3cret" }], `parameter $1 is an object, write { json: … }; a parameter is ${kinds}`],
      [[{ json: () => 1 }], `parameter $1 has no JSON in json; a parameter is ${kinds}`],
    ]
    for (const [params, message] of wrong) {
      const untyped: ReturnType<typeof JSON.parse> = params
      const requests = [
        Database.query("SELECT $1", untyped),
        Stream.runDrain(Database.stream("SELECT $1", untyped)),
        Database.execute("SELECT $1", untyped),
        Database.transaction(["SELECT 1", ["SELECT $1", untyped]]),
      ]
      for (const [at, request] of requests.entries()) {
        const fault = yield* refusalOf(request)
        expect([fault.faultKind, fault.statement]).toEqual(["InvalidRequest", at === 3 ? 1 : undefined])
        expect(fault.message).toContain(`: ${message}`)
        expect(fault.message).not.toContain("s3cret")
      }
    }
  }))
