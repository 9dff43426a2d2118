/**
 * Opens SQLite connections that are confined to one file: an authorizer refuses other files and extensions.
 *
 * Source: https://www.sqlite.org/c3ref/c_alter_table.html (action codes)
 */
import type { Cell, Cells, Database, NodeSqlite, Statement as Prepared } from "../../sql/nodeSqlite.ts"
import { type DatabaseValue, integerValue } from "../DatabaseValue.ts"
import { DriverError } from "../DriverError.ts"
import type { Statement } from "../makeLeaf.ts"
import { maxEntryBytes, type RequestLimits } from "../leafOptions.ts"
import { type Row, RowMeter } from "../RowMeter.ts"
import { numberParameters, sqliteDialect, statementStart } from "../sqlScanner.ts"
import { countLargeValues, isStep, type Step } from "./largeValues.ts"
import { toDriverError } from "./toDriverError.ts"

/** Milliseconds for which SQLite itself waits for a lock. It blocks the event loop. */
const busyTimeoutMillis = 2

const action = { pragma: 19, transaction: 22, attach: 24, detach: 25, function: 31, savepoint: 32 }

/** Maximum number of values of the largest size that a statement may hold at a time. */
const maxLargeValues = 32

/** Actions that a request is denied. `VACUUM INTO` attaches the file that it writes. */
const refused = new Set([action.transaction, action.attach, action.detach, action.savepoint])

/** Pragmas that read. The others would change how the connection works, or name files. */
const readingPragmas = new Set([
  ...["application_id", "collation_list", "compile_options", "foreign_key_check", "foreign_key_list", "function_list"],
  ...["index_info", "index_list", "index_xinfo", "integrity_check", "quick_check", "table_info", "table_list"],
  ...["table_xinfo", "user_version"],
])

/** Functions that load code, or with which some builds of SQLite access files. */
const refusedFunctions = new Set([
  "load_extension",
  "fts3_tokenizer",
  "readfile",
  "writefile",
  "edit",
  "fsdir",
  "lsmode",
])

/** SQLite has no booleans and no JSON; its driver takes numbers for floats, and NaN would become NULL. */
const toCell = (value: DatabaseValue): Cell => {
  if (typeof value === "boolean") return value ? 1n : 0n
  if (typeof value === "number") {
    if (Number.isNaN(value)) throw new DriverError("InvalidRequest", "SQLite has no NaN")
    return Number.isSafeInteger(value) && !Object.is(value, -0) ? BigInt(value) : value
  }
  if (typeof value === "bigint" && BigInt.asIntN(64, value) !== value) {
    throw new DriverError("InvalidRequest", `${value} is not an integer of 64 bits; give it as text`)
  }
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array)
    ? JSON.stringify(value.json)
    : value
}

const toValue = (cell: unknown): DatabaseValue => {
  if (typeof cell === "bigint") return integerValue(cell)
  return typeof cell === "number" || typeof cell === "string" || cell instanceof Uint8Array ? cell : null
}

/** Whether `iterate` ends without an error at a row that fails, as on Deno 2.9. */
const hidesErrors = (database: Database): boolean => {
  const failing = "SELECT CASE column1 WHEN 2 THEN abs(-9223372036854775808) END FROM (VALUES (1), (2))"
  try {
    for (const _ of database.prepare(failing).iterate()) continue
    return true
  } catch {
    return false
  }
}

export interface RowIterator {
  readonly columns: ReadonlyArray<string>
  readonly next: () => Row | undefined
}

export class SqliteConnection {
  readonly #database: Database
  #isTrusted = false
  /** Whether statements get an end that is noticed, where the runtime hides errors of rows. */
  readonly #isGuarded: boolean
  #hasEnded = false
  readonly #limits: RequestLimits

  constructor({ DatabaseSync }: NodeSqlite, path: string, readOnly: boolean, limits: RequestLimits) {
    this.#limits = limits
    try {
      this.#database = new DatabaseSync(path, { readOnly })
    } catch (error) {
      throw toDriverError(error, "Failed")
    }
    const database = this.#database
    if (database.setAuthorizer === undefined || database.limits === undefined) {
      database.close()
      throw new DriverError(
        "Failed",
        "this runtime's node:sqlite has no authorizer; use Deno 2.9, Bun 1.4 or Node 24.10",
      )
    }
    // Deno 2.9 has no such option of a connection that only reads.
    this.own(`PRAGMA busy_timeout = ${busyTimeoutMillis}`)
    if (readOnly) this.own("PRAGMA query_only = ON")
    this.#limitValues(0)
    this.#isGuarded = hidesErrors(database)
    if (this.#isGuarded) {
      database.function("sluice_rows_end", () => {
        this.#hasEnded = true
        return 0n
      })
    }
    database.setAuthorizer((code, first, second) => {
      if (this.#isTrusted) return 0
      const isRefused = refused.has(code) ||
        (code === action.pragma && !readingPragmas.has(String(first).toLowerCase())) ||
        (code === action.function && refusedFunctions.has(String(second).toLowerCase()))
      return isRefused ? 1 : 0
    })
  }

  close(): void {
    this.#database.close()
  }

  own(sql: string): void {
    try {
      this.#isTrusted = true
      this.#database.exec(sql)
    } catch (error) {
      throw toDriverError(error, "Failed")
    } finally {
      this.#isTrusted = false
    }
  }

  /** Rows that the last statement has changed, if the count of all changes has grown since `before`. */
  affectedRows(before: number): number {
    const [all, last] = this.#database.prepare("SELECT total_changes() AS a, changes() AS b").all()
      .flatMap((row) => Object.values(row).map(Number))
    return all === before ? 0 : last ?? 0
  }

  get totalChanges(): number {
    return Number(Object.values(this.#database.prepare("SELECT total_changes() AS a").get() ?? [])[0])
  }

  /**
   * Limits the memory of a statement that may hold this many values; without a limit one function call could take a
   * gigabyte.
   */
  #limitValues(count: number): void {
    const { limits } = this.#database
    if (limits === undefined) return
    const length = Math.min(Math.max(this.#limits.maxBytes, 1_000_000), 1_000_000_000)
    const together = maxLargeValues * Math.min(length, maxEntryBytes)
    limits.length = Math.min(length, Math.floor(together / Math.max(count, 1)))
  }

  /** Prepares one statement and binds its parameters; its first row is computed by the first `next`. */
  iterate({ params, sql }: Statement): RowIterator {
    const cells = params.map(toCell)
    const start = statementStart(sqliteDialect, sql)
    // Preparing an empty statement would crash the process on Deno 2.9.
    if (start === sql.length) throw new DriverError("Syntax", "there is no statement")
    this.#limitValues(0)
    const { columns, prepared } = this.#prepare(numberParameters(sql.slice(start)))
    const guarded = columns.length > 0 ? this.#prepareGuarded(prepared, columns.length) : undefined
    const program = this.#explain((guarded ?? prepared).sourceSQL)
    const needed = program.reduce((max, { opcode, p1 }) => opcode === "Variable" ? Math.max(max, p1) : max, 0)
    if (needed > cells.length) {
      throw new DriverError("InvalidRequest", `the statement has ${needed} parameters, not ${cells.length}`)
    }
    this.#limitValues(countLargeValues(program))
    const rows = this.#run(guarded ?? prepared, cells, guarded !== undefined, columns.length > 0)
    return {
      columns,
      next: () => {
        try {
          const { done, value } = rows.next()
          return done === true ? undefined : value.map(toValue)
        } catch (error) {
          throw toDriverError(error, "Failed")
        }
      },
    }
  }

  #prepare(sql: string): { prepared: Prepared; columns: ReadonlyArray<string> } {
    try {
      const prepared = this.#database.prepare(sql)
      const rest = sql.slice(prepared.sourceSQL.length)
      if (statementStart(sqliteDialect, rest) < rest.length) {
        throw new DriverError("Syntax", "there is more than one statement; use a transaction")
      }
      return { prepared, columns: prepared.columns().map(({ name }) => name) }
    } catch (error) {
      throw toDriverError(error, "Syntax")
    }
  }

  /** The program of a statement. A parameter that is missing would be NULL in it. */
  #explain(sql: string): ReadonlyArray<Step> {
    // Its rows are small.
    if (/^explain(?![\w$\u0080-\uFFFF])/i.test(sql)) return []
    try {
      const program: ReadonlyArray<unknown> = this.#database.prepare(`EXPLAIN ${sql}`).all()
      if (program.every(isStep)) return program
      throw new DriverError("Failed", "this version of SQLite has another EXPLAIN format")
    } catch (error) {
      throw toDriverError(error, "Syntax")
    }
  }

  /** The statement with a second part that has no rows, and is reached only if the first part did not fail. */
  #prepareGuarded({ sourceSQL }: Prepared, count: number): Prepared | undefined {
    if (!this.#isGuarded) return undefined
    try {
      const nulls = Array.from({ length: count }, () => "NULL").join()
      const inner = sourceSQL.replace(/;$/, "")
      return this.#database.prepare(`SELECT * FROM (\n${inner}\n) UNION ALL SELECT ${nulls} WHERE sluice_rows_end()`)
    } catch {
      // A pragma, or a change.
      return undefined
    }
  }

  *#run(prepared: Prepared, cells: ReadonlyArray<Cell>, isGuarded: boolean, hasRows: boolean): Generator<Cells, void> {
    prepared.setReturnArrays(true)
    prepared.setReadBigInts(true)
    if (this.#isGuarded && !isGuarded) {
      if (hasRows) this.#measure(prepared, cells)
      return yield* prepared.all(...cells)
    }
    this.#hasEnded = !isGuarded
    yield* prepared.iterate(...cells)
    if (!this.#hasEnded) {
      throw new DriverError("Failed", "a row could not be computed; this runtime does not report why")
    }
  }

  /** Fails for rows over the limits, and undoes their changes: `all` would take them all into memory. */
  #measure(prepared: Prepared, cells: ReadonlyArray<Cell>): void {
    this.own("SAVEPOINT sluice_measure")
    const meter = new RowMeter(this.#limits)
    for (const row of prepared.iterate(...cells)) meter.add(row.map(toValue))
    this.own("ROLLBACK TO sluice_measure")
    this.own("RELEASE sluice_measure")
  }
}
