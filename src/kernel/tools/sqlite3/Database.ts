/**
 * Implements an open database, which runs statements row by row, within limits of time and memory, and lets other
 * processes run between rows.
 */
import type { System } from "../../System.ts"
import { bytesToBinary } from "../../binaryString.ts"
import { decodeLossless } from "../../../base/surrogateEscape.ts"
import { formatReal } from "./formatReal.ts"
import { Code, ColumnType, type Engine, OpenFlag, type Pointer } from "./Engine.ts"
import { installKernelVfs } from "./installKernelVfs.ts"
import { installLinearFunctions } from "./linearFunctions.ts"
import { maxBlockedMillis } from "../maxBlockedMillis.ts"
import { makeStepper, type Stepper } from "./Stepper.ts"

/** Memory of the engine. */
const maxHeapBytes = 268_435_456
/** Maximum bytes of one text or blob. */
const maxValueBytes = 67_108_864
const lengthLimit = 0
/** A comparison by LIKE or GLOB is one instruction, whose time is the product of both lengths. */
const maxLikePatternBytes = 1_000
const likePatternLimit = 8
/** SQLite copies the text. */
const transient = -1
const attachedLimit = 7
const dqsDml = 1013
const dqsDdl = 1014

/** A value as the shell shows it: its type, its text, and its bytes as a binary string. */
export interface Value {
  readonly type: number
  readonly text: string
  readonly bytes: string
  /** The value of a real number. */
  readonly number?: number
}

/** Failure of a statement. */
export class SqlError extends Error {
  readonly code: number
  readonly isParse: boolean
  /** Number of bytes of the statement before the error. */
  readonly offset: number
  readonly sql: string

  constructor(message: string, code: number, isParse: boolean, offset: number, sql: string) {
    super(message)
    this.code = code
    this.isParse = isParse
    this.offset = offset
    this.sql = sql
  }
}

export type RowVisitor = (columns: ReadonlyArray<string>, row: ReadonlyArray<Value> | undefined) => void | Promise<void>

export class Database {
  readonly #engine: Engine
  readonly #db: Pointer
  readonly #pause: () => Promise<void>
  readonly #stepper: Stepper
  isClosed = false

  private constructor(engine: Engine, db: Pointer, stepper: Stepper, pause: () => Promise<void>) {
    this.#engine = engine
    this.#db = db
    this.#stepper = stepper
    this.#pause = pause
  }

  static install(engine: Engine, system: System): void {
    installKernelVfs(engine, system)
  }

  static async open(
    engine: Engine,
    system: System,
    path: string,
    isReadOnly: boolean,
    pause: () => Promise<void>,
  ): Promise<Database> {
    const { capi, wasm } = engine
    const out = wasm.alloc(8)
    wasm.poke32(out, 0)
    const flags = isReadOnly ? OpenFlag.readOnly : OpenFlag.readWrite | OpenFlag.create
    const code = capi.sqlite3_open_v2(path, out, flags, "kernel")
    const db = wasm.peek32(out)
    wasm.dealloc(out)
    if (code !== Code.ok) {
      const message = db === 0 ? "out of memory" : capi.sqlite3_errmsg(db)
      capi.sqlite3_close_v2(db)
      throw new SqlError(message, code, false, -1, "")
    }
    const database = new Database(engine, db, await makeStepper(engine, system, db), pause)
    capi.sqlite3_limit(db, lengthLimit, maxValueBytes)
    capi.sqlite3_limit(db, likePatternLimit, maxLikePatternBytes)
    capi.sqlite3_limit(db, attachedLimit, 10)
    installLinearFunctions(engine, db, maxValueBytes)
    capi.sqlite3_db_config(db, dqsDml, 1, 0)
    capi.sqlite3_db_config(db, dqsDdl, 1, 0)
    await database.all(`PRAGMA hard_heap_limit=${maxHeapBytes}`)
    return database
  }

  get version(): string {
    return this.#engine.capi.sqlite3_libversion()
  }

  get changes(): number {
    return this.#engine.capi.sqlite3_changes(this.#db)
  }

  get totalChanges(): number {
    return this.#engine.capi.sqlite3_total_changes(this.#db)
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.#stepper.stop()
    this.#engine.capi.sqlite3_close_v2(this.#db)
  }

  #error(isParse: boolean, sql: string): SqlError {
    const { capi } = this.#engine
    const code = capi.sqlite3_extended_errcode(this.#db)
    if ((code & 255) === Code.interrupt) {
      return new SqlError(
        `the statement ran for ${maxBlockedMillis} ms without a row, in which this runtime runs nothing else; it was interrupted`,
        Code.interrupt,
        false,
        -1,
        sql,
      )
    }
    return new SqlError(
      capi.sqlite3_errmsg(this.#db),
      code & 255,
      isParse,
      isParse ? capi.sqlite3_error_offset(this.#db) : -1,
      sql,
    )
  }

  #value(statement: Pointer, column: number): Value {
    const { capi, wasm } = this.#engine
    const type = capi.sqlite3_column_type(statement, column)
    if (type === ColumnType.null) return { type, text: "", bytes: "" }
    const pointer = capi.sqlite3_column_blob(statement, column)
    const raw = wasm.heap8u().slice(pointer, pointer + capi.sqlite3_column_bytes(statement, column))
    if (type === ColumnType.float) {
      const text = bytesToBinary(raw)
      const number = text === "Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text)
      const shown = formatReal(number, 15)
      return { type, text: shown, bytes: shown, number }
    }
    return { type, text: decodeLossless(raw), bytes: bytesToBinary(raw) }
  }

  /** Runs the statements of a text. `visit` sees each row, and the columns once without a row at the end. */
  async run(sql: string, visit: RowVisitor, bindings: ReadonlyArray<string | undefined> = []): Promise<void> {
    const { capi, wasm } = this.#engine
    const start = wasm.allocCString(sql)
    const out = wasm.alloc(16)
    try {
      for (let at = start;;) {
        wasm.poke32(out, 0)
        const prepared = await this.#stepper.prepare(at, out, out + 8)
        const [statement, tail] = [wasm.peek32(out), wasm.peek32(out + 8)]
        if (prepared !== Code.ok) throw this.#error(true, wasm.cstrToJs(at) ?? "")
        if (statement === 0) {
          if (tail === at || wasm.heap8u()[tail] === 0) return
          at = tail
          await this.#pause()
          continue
        }
        try {
          bindings.forEach((text, index) => {
            if (text === undefined) capi.sqlite3_bind_null(statement, index + 1)
            else {
              const pointer = wasm.allocCString(text)
              capi.sqlite3_bind_text(statement, index + 1, pointer, -1, transient)
              wasm.dealloc(pointer)
            }
          })
          const columns = Array.from(
            { length: capi.sqlite3_column_count(statement) },
            (_, column) => capi.sqlite3_column_name(statement, column),
          )
          for (;;) {
            const code = await this.#stepper.step(statement)
            if (code === Code.done) break
            if (code !== Code.row) throw this.#error(false, wasm.cstrToJs(at) ?? "")
            await visit(columns, columns.map((_, column) => this.#value(statement, column)))
            await this.#pause()
          }
          await visit(columns, undefined)
        } finally {
          capi.sqlite3_finalize(statement)
        }
        await this.#pause()
        at = tail
      }
    } finally {
      wasm.dealloc(out)
      wasm.dealloc(start)
    }
  }

  /** All rows of a query. */
  async all(
    sql: string,
    bindings: ReadonlyArray<string | undefined> = [],
  ): Promise<ReadonlyArray<ReadonlyArray<Value>>> {
    const rows: Array<ReadonlyArray<Value>> = []
    await this.run(sql, (_, row) => {
      if (row !== undefined) rows.push(row)
    }, bindings)
    return rows
  }
}
