/** Holds the state of a run of sqlite3: its database, settings and outputs. */
import { errnoText } from "../../Errno.ts"
import type { System } from "../../System.ts"
import { textToBinary } from "../../binaryString.ts"
import { Output } from "../../utilities/shared/Output.ts"
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"
import { Database, SqlError } from "./Database.ts"
import type { Engine } from "./Engine.ts"
import { type PrintSettings, RowPrinter } from "./RowPrinter.ts"

export class SqliteShell {
  readonly system: System
  readonly #engine: Engine
  readonly settings: PrintSettings = {
    mode: "list",
    headers: undefined,
    separator: "|",
    rowSeparator: "\n",
    nullValue: "",
    table: "table",
    widths: [],
  }
  readonly err: Output
  #out: Output
  #outFd = 1
  /** Whether `.once` set the output: it ends with the next command. */
  #isOnce = false
  #database: Database | undefined
  path: string
  readonly isReadOnly: boolean
  bail = false
  echo = false
  printsChanges = false
  errors = 0

  constructor(system: System, engine: Engine, path: string, isReadOnly: boolean) {
    this.system = system
    this.#engine = engine
    this.path = path
    this.isReadOnly = isReadOnly
    this.#out = new Output(system, 1)
    this.err = new Output(system, 2)
  }

  get out(): Output {
    return this.#out
  }

  print(text: string): void {
    this.#out.putBinary(textToBinary(text))
  }

  complain(text: string): void {
    this.err.putText(`${text}\n`)
  }

  readonly pause = async (): Promise<void> => {
    if (this.#out.isFull) await this.#out.flush()
    await this.system.yield()
  }

  async database(): Promise<Database> {
    if (this.#database !== undefined) return this.#database
    try {
      return this.#database = await Database.open(
        this.#engine,
        this.system,
        this.path === "" ? ":memory:" : this.path,
        this.isReadOnly,
        this.pause,
      )
    } catch (cause) {
      if (cause instanceof SqlError) {
        throw new UtilityExit(1, `Error: unable to open database "${this.path}": ${cause.message}`)
      }
      throw cause
    }
  }

  /** Opens another database. */
  reopen(path: string): void {
    this.#database?.close()
    this.#database = undefined
    this.path = path
  }

  /** Redirects the output to a file; without a path it is standard output. */
  async redirect(path: string | undefined, isOnce: boolean): Promise<void> {
    await this.#out.flush()
    if (this.#outFd !== 1) this.system.close(this.#outFd)
    this.#outFd = 1
    this.#isOnce = isOnce
    if (path !== undefined && path !== "stdout") {
      const fd = this.system.open(path, { write: true, create: true, truncate: true })
      if (fd < 0) this.complain(`Error: cannot open "${path}": ${errnoText(fd)}`)
      else this.#outFd = fd
    }
    this.#out = new Output(this.system, this.#outFd)
  }

  async endOnce(): Promise<void> {
    if (this.#isOnce) await this.redirect(undefined, false)
  }

  /** Runs SQL and prints its rows. */
  async execute(sql: string): Promise<void> {
    const database = await this.database()
    const printer = new RowPrinter((text) => this.#out.putBinary(text), this.settings)
    await database.run(sql, (columns, row) => printer.visit(columns, row))
    if (this.printsChanges) this.print(`changes: ${database.changes}   total_changes: ${database.totalChanges}\n`)
    await this.endOnce()
  }

  async finish(): Promise<void> {
    this.#database?.close()
    await this.redirect(undefined, false)
    await this.err.flush()
    await this.#out.flush()
  }
}

/** The part of a statement around an error, and a mark below it. Source: the shell's `shell_error_context`. */
export const errorContext = ({ offset, sql }: SqlError): string => {
  if (offset < 0) return ""
  const before = new TextDecoder().decode(new TextEncoder().encode(sql).subarray(0, offset)).length
  const start = Math.max(0, before - 50)
  const shown = sql.slice(start, start + 78).replaceAll(/\s/g, " ").trimEnd()
  const column = before - start
  const mark = column < 25 ? `${" ".repeat(column)}^--- error here` : `${" ".repeat(column - 14)}error here ---^`
  return `\n  ${shown}\n  ${mark}`
}
