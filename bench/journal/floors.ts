/** Measures the foundations of the stores, without a journal: rows of about 85 bytes, in batches. */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import { join } from "node:path"
import * as sqlite from "node:sqlite"
import type { Server } from "./Job.ts"
import { batchSize, type Level, rowText } from "./rows.ts"

const inBatches = (
  rows: number,
  write: (from: number, to: number) => void,
): number => {
  write(1, 1 + batchSize)
  const start = performance.now()
  for (let from = 1 + batchSize; from <= rows; from += batchSize) {
    write(from, from + batchSize)
  }
  return performance.now() - start
}

/** `node:sqlite`, one table, one prepared statement, a transaction for each batch. */
export const sqliteFloor = (
  folder: string,
  level: Level,
  rows: number,
): number => {
  const db = new sqlite.DatabaseSync(join(folder, "floor.db"))
  db.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${level === "disk" ? "FULL" : "NORMAL"}`,
  )
  db.exec(
    "CREATE TABLE entries (position INTEGER PRIMARY KEY, time INTEGER, tag TEXT, body TEXT)",
  )
  const insert = db.prepare("INSERT INTO entries VALUES (?, ?, ?, ?)")
  const ms = inBatches(rows, (from, to) => {
    db.exec("BEGIN IMMEDIATE")
    for (let position = from; position < to; position++) {
      insert.run(position, Date.now(), "Row", rowText(position))
    }
    db.exec("COMMIT")
  })
  db.close()
  return ms
}

/** `writeSync` of a batch of lines, and `fdatasyncSync` after each when the disk is to confirm. */
export const ndjsonFloor = (
  folder: string,
  level: Level,
  rows: number,
): number => {
  const file = fs.openSync(join(folder, "floor.ndjson"), "a")
  const ms = inBatches(rows, (from, to) => {
    let text = ""
    for (let position = from; position < to; position++) {
      text += rowText(position) + "\n"
    }
    fs.writeSync(file, text)
    if (level === "disk") fs.fdatasyncSync(file)
  })
  fs.closeSync(file)
  return ms
}

/** One statement of 256 rows, each a transaction of its own. */
export const postgresFloor = (
  server: Server,
  level: Level,
  rows: number,
): Promise<number> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* PgConnection.make({
          host: "127.0.0.1",
          port: server.port,
          database: "postgres",
          username: "sluice",
          password: Redacted.make(server.password),
        })
        yield* connection.query("DROP TABLE IF EXISTS floor", [])
        yield* connection.query(
          "CREATE TABLE floor (position int8 PRIMARY KEY, time int8, tag text, body text)",
          [],
        )
        yield* connection.query(
          `SET synchronous_commit = ${level === "memory" ? "off" : "on"}`,
          [],
        )
        const write = (from: number) => {
          const positions = Array.from({ length: batchSize }, (_, index) => BigInt(from + index))
          return connection.query(
            "INSERT INTO floor SELECT * FROM unnest($1::int8[], $2::int8[], $3::text[], $4::text[])",
            [
              positions,
              positions.map(() => BigInt(Date.now())),
              positions.map(() => "Row"),
              positions.map((position) => rowText(Number(position))),
            ],
          )
        }
        yield* write(1)
        const start = performance.now()
        for (
          let from = 1 + batchSize;
          from <= rows;
          from += batchSize
        ) yield* write(from)
        return performance.now() - start
      }),
    ),
  )
