/** Writes a database as SQL text. Source: sqlite3(1) `.dump`. */
import { compileGlob } from "../../utilities/shared/compileGlob.ts"
import type { Value } from "./Database.ts"
import { ColumnType } from "./Engine.ts"
import { quoteName, quoteValue } from "./RowPrinter.ts"
import type { SqliteShell } from "./SqliteShell.ts"

/** Text with newlines stays on one line. */
const dumpValue = (value: Value): string => {
  const sql = quoteValue(value)
  if (value.type !== ColumnType.text || !/[\n\r]/.test(value.text)) return sql
  const unused = (letter: string): string => {
    let mark = `\\${letter}`
    for (let at = 0; value.text.includes(mark); at++) mark = `(\\${letter}${at})`
    return mark
  }
  let out = sql
  if (value.text.includes("\r")) {
    const mark = unused("r")
    out = `replace(${out.replaceAll("\r", mark)},'${mark}',char(13))`
  }
  if (value.text.includes("\n")) {
    const mark = unused("n")
    out = `replace(${out.replaceAll("\n", mark)},'${mark}',char(10))`
  }
  return out
}

export const dump = async (shell: SqliteShell, pattern: string | undefined): Promise<void> => {
  const database = await shell.database()
  const matches = pattern === undefined
    ? () => true
    : compileGlob(pattern.replaceAll("%", "*").replaceAll("_", "?"), true)
  shell.print("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n")
  const schema = await database.all(
    "SELECT name, type, sql FROM sqlite_schema WHERE sql NOT NULL AND type='table' AND name NOT LIKE 'sqlite_stat%' ORDER BY tbl_name='sqlite_sequence', rowid",
  )
  for (const [name, , sql] of schema) {
    const [table, text] = [name?.text ?? "", sql?.text ?? ""]
    if (!matches(table)) continue
    if (table === "sqlite_sequence") shell.print("DELETE FROM sqlite_sequence;\n")
    else if (/^CREATE VIRTUAL TABLE/i.test(text)) {
      shell.print(
        `PRAGMA writable_schema=ON;\nINSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','${table}','${table}',0,'${
          text.replaceAll("'", "''")
        }');\n`,
      )
      continue
    } else {shell.print(
        `${/^CREATE TABLE ['"]/.test(text) ? text.replace(/^CREATE TABLE /, "CREATE TABLE IF NOT EXISTS ") : text};\n`,
      )}
    const columns = await database.all(
      `SELECT name FROM pragma_table_info(${quoteValue(name ?? { type: ColumnType.null, text: "", bytes: "" })})`,
    )
    const list = columns.map(([column]) => `"${(column?.text ?? "").replaceAll('"', '""')}"`).join(",")
    await database.run(`SELECT ${list} FROM "${table.replaceAll('"', '""')}"`, (_, row) => {
      if (row !== undefined) shell.print(`INSERT INTO ${quoteName(table)} VALUES(${row.map(dumpValue).join(",")});\n`)
    })
  }
  const rest = await database.all(
    "SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL AND type IN ('index','trigger','view') ORDER BY rowid",
  )
  for (const [name, sql] of rest) if (matches(name?.text ?? "")) shell.print(`${sql?.text ?? ""};\n`)
  shell.print("COMMIT;\n")
}
