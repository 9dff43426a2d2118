import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { copyFileSync, cpSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import type { Head } from "../../../../src/journal/Entry.ts"
import { hashRow } from "../../../../src/journal/hashChain.ts"
import { ConnectionSet } from "../../../../src/journal/stores/sqlite/ConnectionSet.ts"
import { loadBuiltins } from "../../../../src/journal/stores/sqlite/loadBuiltins.ts"
import { makeProver } from "../../../../src/journal/stores/sqlite/ProverThreads.ts"
import { openStore } from "../../../../src/journal/stores/sqlite/SqliteStore.ts"
import { verifyStore } from "../../../../src/journal/verify.ts"
import { workshop } from "../../../support/workshop.ts"

/** More than a walk proves without threads. */
const count = 24_000

/**
 * A journal of 240 commands: its first 1,000 entries are pruned, and the bodies of three commands, one of them among
 * those of another; some bodies are long.
 */
const filled = Effect.gen(function* () {
  const { path } = yield* workshop
  const file = path("journal.db")
  yield* Effect.scoped(Effect.gen(function* () {
    const journal = yield* SqliteJournal.make({ path: file })
    for (let from = 0; from < count; from += 1_000) {
      yield* journal.append(Array.from({ length: 1_000 }, (_, index) => ({
        branch: `"b\\${index % 2}`,
        correlationId: from === 7_000 ? `i${index % 2}` : `c${Math.floor((from + index) / 100)}`,
        body: { _tag: "T", text: (from + index) % 3_000 === 7 ? "ü".repeat(100_000) : "\ud800 \u0000 é", index },
      })))
    }
    yield* journal.prune({ through: 1_000, correlationIds: ["c50", "c150", "i0"] })
  }))
  let copies = 0
  return (...statements: ReadonlyArray<string>): string => {
    const copy = path(`copy-${copies++}.db`)
    copyFileSync(file, copy)
    cpSync(`${file}-texts`, `${copy}-texts`, { recursive: true })
    const database = new DatabaseSync(copy, { defensive: false } as object)
    for (const sql of statements) database.exec(sql)
    database.close()
    return copy
  }
})

/** The outcome of a verification with proofs, which must be that of a walk. */
const verified = (path: string, expect_?: Head) =>
  Effect.scoped(Effect.gen(function* () {
    const { prover, ...store } = yield* openStore({ path })
    let proven = 0
    const counting: NonNullable<typeof prover> = (positions) =>
      Effect.map(prover?.(positions) ?? Effect.die("no prover"), (made) => ({
        ...made,
        prove: (range) =>
          Effect.tap(made.prove(range), (proof) => Effect.sync(() => proven += proof === undefined ? 0 : 1)),
      }))
    const outcomeOf = (effect: ReturnType<typeof verifyStore>) =>
      Effect.match(effect, { onFailure: ({ message }) => message, onSuccess: (report) => report })
    const outcome = yield* outcomeOf(verifyStore({ ...store, prover: counting }, { expect: expect_ }))
    expect(outcome).toEqual(yield* outcomeOf(verifyStore(store, { expect: expect_ })))
    expect(proven).toBeGreaterThan(0)
    return outcome
  }))

const hashAt = (path: string, position: number): string => {
  const database = new DatabaseSync(path)
  const row = database.prepare("SELECT hash FROM entries WHERE position = ?").get(position)
  database.close()
  return String(row?.["hash"])
}

it.live(
  "proves what a walk finds valid, with stripped and long bodies, and an expected head in the middle",
  () =>
    Effect.gen(function* () {
      const copy = yield* filled
      const path = copy()
      const whole = yield* verified(path)
      expect(whole).toMatchObject({ stripped: 700, removedThrough: 1_000, expected: "none" })
      expect(yield* verified(path, { position: 17_001, hash: hashAt(path, 17_001) })).toMatchObject({
        expected: "holds",
      })
      expect(yield* verified(path, { position: 17_001, hash: "0".repeat(64) })).toContain("17001")
      expect(yield* verified(path, { position: 500, hash: "0".repeat(64) })).toMatchObject({ expected: "pruned" })
      expect(yield* verified(path, { position: 99_999, hash: "0".repeat(64) })).toContain("once ended at 99999")
    }),
  120_000,
)

it.live("finds what a walk finds", () =>
  Effect.gen(function* () {
    const copy = yield* filled
    const at = 20_000
    const hash = "0".repeat(64)
    for (
      const [what, ...statements] of [
        [`entry ${at} does`, `UPDATE entries SET body = replace(body, 'T', 'U') WHERE position = ${at}`],
        [`entry ${at} does`, `UPDATE entries SET tag = 'U' WHERE position = ${at}`],
        [`entry ${at} does`, `UPDATE entries SET time = time + 1 WHERE position = ${at}`],
        [`entry ${at} does`, `UPDATE entries SET correlation_id = 'x' WHERE position = ${at}`],
        [
          `entry ${at} does`,
          `UPDATE entries SET correlation_id = correlation_id || char(10) || tag, tag = branch, branch = '', marks = 7
            WHERE position = ${at}`,
        ],
        [`entry ${at} does`, `UPDATE entries SET hash = '${hash}' WHERE position = ${at}`],
        [`entry ${at} does`, `UPDATE entries SET body = '' WHERE position = ${at}`],
        [`entry ${at} does`, `DELETE FROM entries WHERE position = ${at}`],
        ["entry 5001 does", "UPDATE entries SET time = time + 1 WHERE position = 5050"],
        // The first entry of a block.
        ["missing from an index", "UPDATE entries SET marks = marks & ~4 WHERE position = 20224"],
        // Deno's node:sqlite reads a text up to its first zero byte.
        [`entry ${at} `, `UPDATE entries SET tag = tag || char(0) WHERE position = ${at}`],
        [`entry ${at} `, `UPDATE entries SET body = body || char(0) || 'x' WHERE position = ${at}`],
        ["entry 50", "UPDATE entries SET branch = branch || char(0) WHERE position = 5050"],
      ] as const
    ) expect(yield* verified(copy(...statements))).toContain(what)
  }), 120_000)

it.live("finds a row that was written anew with its hash, by the next one", () =>
  Effect.gen(function* () {
    const copy = yield* filled
    const path = copy()
    const row = {
      position: 20_000,
      time: 1,
      branch: "b",
      correlationId: "c",
      tag: "T",
      version: 1,
      body: '{"_tag":"T"}',
    }
    const hash = hashRow(hashAt(path, 19_999), row)
    const database = new DatabaseSync(path)
    database.exec(`UPDATE entries SET time = 1, branch = 'b', correlation_id = 'c', version = 1, body = '${row.body}',
      hash = '${hash}', marks = 7 WHERE position = 20000`)
    database.close()
    expect(yield* verified(path)).toContain("entry 20001 does not hold")
  }), 120_000)

it.live("verifies while entries are pruned and appended", () =>
  Effect.gen(function* () {
    const copy = yield* filled
    const journal = yield* SqliteJournal.make({ path: copy() })
    const changes = Effect.gen(function* () {
      for (let through = 2_000; through <= 20_000; through += 3_000) {
        yield* journal.append([{ branch: "b", correlationId: "late", body: { _tag: "T" } }])
        yield* journal.prune({ through, correlationIds: [`c${through / 100 + 20}`] })
        yield* Effect.sleep("20 millis")
      }
    })
    const reads = Effect.forEach([1, 2, 3, 4], () => journal.verify(), { concurrency: 2 })
    const [, reports] = yield* Effect.all([changes, reads], { concurrency: 2 })
    expect(reports.length).toBe(4)
    yield* journal.verify()
  }), 120_000)

it.live("lets other work run between the starts of two threads", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    let rounds = 0
    const timer = setInterval(() => rounds++, 0)
    const starts: Array<number> = []
    const builtins = loadBuiltins()
    const { Worker } = builtins.threads
    const slow = class extends Worker {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        super(...given)
        starts.push(rounds)
        // As long as a thread takes to start on Deno.
        for (const end = performance.now() + 20; performance.now() < end;);
      }
    }
    const connections = new ConnectionSet(
      { ...builtins, threads: { ...builtins.threads, Worker: slow } },
      { path: path("journal.db"), create: true, readOnly: false },
    )
    yield* makeProver(connections, count)
    while (starts.length < 2) yield* Effect.sleep(1)
    clearInterval(timer)
    connections.close()
    expect(new Set(starts).size).toBe(starts.length)
  }))
