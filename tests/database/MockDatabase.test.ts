import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { OptionError } from "../../src/base/OptionError.ts"
import { Database, MockDatabase } from "../../src/database/mod.ts"

it.effect("answers by the SQL of a request, or of a statement of a transaction, and checks what was expected", () =>
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
      "database transaction: the mock was told to fail this way",
    ])
    const wrong = yield* run(Effect.flip(Database.execute("UPDATE t")))
    expect(wrong.message).toBe("database execute: the answer was DatabaseCommitted")
    expect((yield* Effect.flip(mock.verify)).message).toBe(
      "any request was expected 2 times, and was requested 1 times",
    )
    expect((yield* mock.requests).length).toBe(3)
  }))

it("refuses unknown options and invalid times", () => {
  // @ts-expect-error the option is timeout
  expect(() => Database.query("SELECT 1", [], { timeoutMillis: 300 })).toThrow('did you mean "timeout"?')
  // @ts-expect-error there is no such option
  expect(() => Database.execute("SELECT 1", [], { maxRow: 300 })).toThrow('did you mean "maxRows"?')
  expect(() => Database.transaction(["SELECT 1"], { timeout: 0 })).toThrow("timeout: write a duration above zero")
})

it("names a parameter that no database accepts", () => {
  const kinds = "null, a boolean, a number, a bigint, text, a Uint8Array, or { json: … }"
  const wrong: ReadonlyArray<readonly [params: unknown, message: string]> = [
    [{ n: 1 }, `Database: the parameters are a list, not an object: write ["a", 1]`],
    [[undefined], `Database: parameter $1 is undefined; a parameter is ${kinds}`],
    [[1, , 2], `Database: parameter $2 is undefined; a parameter is ${kinds}`],
    [["a", new Date()], `Database: parameter $2 is a Date, write its toISOString(); a parameter is ${kinds}`],
    [[["s3cret"]], `Database: parameter $1 is a list, write { json: … }; a parameter is ${kinds}`],
    [[{ a: "s3cret" }], `Database: parameter $1 is an object, write { json: … }; a parameter is ${kinds}`],
    [[{ json: () => 1 }], `Database: parameter $1 has no JSON in json; a parameter is ${kinds}`],
  ]
  for (const [params, message] of wrong) {
    const untyped: ReturnType<typeof JSON.parse> = params
    const calls = [
      () => Database.query("SELECT $1", untyped),
      () => Database.stream("SELECT $1", untyped),
      () => Database.execute("SELECT $1", untyped),
      () => Database.transaction(["SELECT 1", ["SELECT $1", untyped]]),
    ]
    for (const [at, call] of calls.entries()) {
      expect(call).toThrow(OptionError)
      expect(call).toThrow(at === 3 ? message.replace(":", ", statement 2:") : message)
    }
  }
})
