/** Prints rows of queries in the modes of the sqlite3 shell. Source: sqlite3(1), "Changing Output Formats". */
import { textToBinary } from "../../binaryString.ts"
import type { Value } from "./Database.ts"
import { ColumnType } from "./Engine.ts"
import { formatReal } from "./formatReal.ts"

export const modes = [
  "ascii",
  "box",
  "column",
  "csv",
  "html",
  "insert",
  "json",
  "line",
  "list",
  "markdown",
  "quote",
  "table",
  "tabs",
] as const
export type Mode = typeof modes[number]

export interface PrintSettings {
  mode: Mode
  headers: boolean | undefined
  separator: string
  rowSeparator: string
  nullValue: string
  /** The table that the mode `insert` names. */
  table: string
  widths: ReadonlyArray<number>
}

/** Rows of the modes that align columns are held until the last one. */
const maxHeldBytes = 67_108_864

/** A number with 20 digits, as the modes with SQL and JSON show it. */
const exactReal = ({ number, text }: Value): string =>
  number === Infinity ? "1e999" : number === -Infinity ? "-1e999" : number === undefined ? text : formatReal(number, 20)

const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A value as SQL. */
export const quoteValue = (value: Value): string => {
  const { bytes, text, type } = value
  if (type === ColumnType.null) return "NULL"
  if (type === ColumnType.text) return quoteText(text)
  if (type === ColumnType.float) return exactReal(value)
  if (type !== ColumnType.blob) return text
  return `X'${Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("")}'`
}

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll(
    "'",
    "&#39;",
  )

const jsonText = (text: string): string => {
  // deno-lint-ignore no-control-regex -- control characters are escaped
  const escaped = text.replace(/["\\\x00-\x1f\x7f]/g, (letter) => {
    const named = { '"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" }[letter]
    return named ?? (letter === "\x7f" ? letter : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)
  })
  return `"${escaped}"`
}

/** A binary string, like all printed texts. */
const jsonValue = (value: Value): string => {
  if (value.type === ColumnType.null) return "null"
  if (value.type === ColumnType.text || value.type === ColumnType.blob) return jsonText(value.bytes)
  return value.type === ColumnType.float ? exactReal(value) : value.text
}

const widthOf = (text: string): number => [...text].length

const lines = {
  table: ["+", "+", "+", "-", "|"],
  box: ["┌┬┐", "├┼┤", "└┴┘", "─", "│"],
  markdown: ["|", "|", "|", "-", "|"],
} as const

export class RowPrinter {
  readonly #put: (text: string) => void
  readonly #settings: PrintSettings
  #count = 0
  #held: Array<ReadonlyArray<Value>> = []
  #heldBytes = 0

  constructor(put: (text: string) => void, settings: PrintSettings) {
    this.#put = put
    this.#settings = settings
  }

  /** One row, or the end of a query. */
  visit(columns: ReadonlyArray<string>, row: ReadonlyArray<Value> | undefined): void {
    const { mode } = this.#settings
    if (mode === "column" || mode === "table" || mode === "box" || mode === "markdown") {
      if (row === undefined) return this.#printHeld(columns)
      this.#held.push(row)
      for (const { bytes } of row) this.#heldBytes += bytes.length + 64
      if (this.#heldBytes > maxHeldBytes) {
        throw new RangeError(`more than ${maxHeldBytes} bytes would be held in the mode ${mode}; use .mode list`)
      }
      return
    }
    if (row !== undefined) this.#printRow(columns, row)
    else this.#end()
  }

  #end(): void {
    if (this.#settings.mode === "json" && this.#count > 0) this.#put("]\n")
    this.#count = 0
  }

  /** The text of a value, a binary string. */
  #show(value: Value): string {
    return value.type === ColumnType.null ? textToBinary(this.#settings.nullValue) : value.bytes.replace(/\0.*$/s, "")
  }

  #csv(text: string): string {
    const { separator } = this.#settings
    // deno-lint-ignore no-control-regex -- control characters are quoted
    return text === "" || /[\x00-\x20"'\x7f-\xff]/.test(text) || text.includes(separator)
      ? `"${text.replaceAll('"', '""')}"`
      : text
  }

  #printRow(columns: ReadonlyArray<string>, row: ReadonlyArray<Value>): void {
    const { headers = false, mode, rowSeparator, separator, table } = this.#settings
    const isFirst = this.#count++ === 0
    const join = (values: ReadonlyArray<string>): void => this.#put(values.join(separator) + rowSeparator)
    switch (mode) {
      case "line": {
        const width = Math.max(5, ...columns.map(widthOf))
        if (!isFirst) this.#put(rowSeparator === "\r\n" ? "\n" : rowSeparator)
        row.forEach((value, at) =>
          this.#put(`${textToBinary((columns[at] ?? "").padStart(width))} = ${this.#show(value)}\n`)
        )
        return
      }
      case "html":
        if (isFirst && headers) {
          this.#put(`<TR>${columns.map((column) => `<TH>${textToBinary(escapeHtml(column))}</TH>\n`).join("")}</TR>\n`)
        }
        return this.#put(`<TR>${row.map((value) => `<TD>${escapeHtml(this.#show(value))}</TD>\n`).join("")}</TR>\n`)
      case "csv":
        if (isFirst && headers) join(columns.map((column) => this.#csv(textToBinary(column))))
        return join(
          row.map((value) =>
            value.type === ColumnType.null ? textToBinary(this.#settings.nullValue) : this.#csv(this.#show(value))
          ),
        )
      case "json":
        this.#put(`${isFirst ? "[" : ",\n"}{${
          columns.map((column, at) => {
            const value = row[at]
            return `${jsonText(textToBinary(column))}:${value === undefined ? "null" : jsonValue(value)}`
          }).join(",")
        }}`)
        return
      case "quote":
        if (isFirst && headers) join(columns.map((column) => textToBinary(quoteText(column))))
        return join(row.map((value) => textToBinary(quoteValue(value))))
      case "insert": {
        const names = headers ? `(${columns.map(quoteName).join(",")})` : ""
        return this.#put(
          textToBinary(`INSERT INTO ${quoteName(table)}${names} VALUES(${row.map(quoteValue).join(",")});\n`),
        )
      }
      default:
        if (isFirst && headers) join(columns.map(textToBinary))
        join(row.map((value) => this.#show(value)))
    }
  }

  #printHeld(columns: ReadonlyArray<string>): void {
    const rows = this.#held.map((row) =>
      row.map((value) => value.type === ColumnType.null ? this.#settings.nullValue : value.text.replace(/\0.*$/s, ""))
    )
    const { mode, widths: given } = this.#settings
    const isPlain = this.#held.length === 0
    this.#held = []
    this.#heldBytes = 0
    if (isPlain) return
    const headers = this.#settings.headers === true
    // Rows of several lines are kept apart.
    const isTall = rows.some((row) => row.some((text) => text.includes("\n")))
    const widths = columns.map((column, at) => {
      const width = given[at] ?? 0
      return width > 0
        ? width
        : Math.max(widthOf(column), ...rows.map((row) => Math.max(...(row[at] ?? "").split("\n").map(widthOf))))
    })
    const cell = (text: string, at: number, isCentered: boolean): string => {
      const width = widths[at] ?? 0
      const rest = width - widthOf(text)
      if (rest <= 0) return text
      const isRight = !isCentered && (given[at] ?? 0) < 0
      const before = isCentered ? Math.floor(rest / 2) : isRight ? rest : 0
      return " ".repeat(before) + text + " ".repeat(rest - before)
    }
    const put = (text: string): void => this.#put(textToBinary(text))
    /** A row of cells, each with as many lines as its text. */
    const print = (
      row: ReadonlyArray<string>,
      isCentered: boolean,
      left: string,
      middle: string,
      right: string,
    ): void => {
      const parts = row.map((text) => text.split("\n"))
      for (let line = 0; line < Math.max(...parts.map(({ length }) => length)); line++) {
        put(left + parts.map((part, at) => cell(part[line] ?? "", at, isCentered)).join(middle) + right)
      }
    }
    if (mode === "column") {
      if (headers) {
        put(`${columns.map((column, at) => cell(column, at, false)).join("  ")}\n`)
        put(`${widths.map((width) => "-".repeat(width)).join("  ")}\n`)
      }
      rows.forEach((row, at) => {
        if (isTall && at > 0) put("\n")
        print(row, false, "", "  ", "\n")
      })
      return
    }
    const [top, middle, bottom, dash, bar] = lines[mode === "box" || mode === "markdown" ? mode : "table"]
    const rule = (corners: string): string => {
      const [left = "", inner = left, right = left] = [...corners]
      return `${left}${widths.map((width) => dash.repeat(width + 2)).join(inner)}${right}\n`
    }
    const [left, between, right] = [`${bar} `, ` ${bar} `, ` ${bar}\n`]
    if (mode !== "markdown") put(rule(top))
    print(columns, true, left, between, right)
    put(rule(middle))
    rows.forEach((row, at) => {
      if (isTall && at > 0 && mode !== "markdown") put(rule(middle))
      print(row, false, left, between, right)
    })
    if (mode !== "markdown") put(rule(bottom))
  }
}

/** A name as SQL: in double quotes unless it is plain. */
export const quoteName = (name: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !keywords.has(name.toUpperCase()) ? name : `"${name.replaceAll('"', '""')}"`

const keywords = new Set(
  "ABORT ADD ALL ALTER AND AS BEGIN BETWEEN BY CASE CHECK COLLATE COLUMN COMMIT CONSTRAINT CREATE CROSS DEFAULT DEFERRABLE DELETE DISTINCT DROP ELSE ESCAPE EXCEPT EXISTS FOREIGN FROM FULL GROUP HAVING IN INDEX INNER INSERT INTERSECT INTO IS ISNULL JOIN LEFT LIMIT NATURAL NOT NOTNULL NULL ON OR ORDER OUTER PRIMARY REFERENCES RIGHT SELECT SET TABLE THEN TO TRANSACTION UNION UNIQUE UPDATE USING VALUES WHEN WHERE"
    .split(" "),
)
