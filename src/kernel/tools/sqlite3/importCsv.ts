/** Reads rows of a file into a table. Source: sqlite3(1) `.import`. */
import { decodeLossless } from "../../../base/surrogateEscape.ts"
import { errnoText } from "../../Errno.ts"
import { readFile } from "../../utilities/http/files.ts"
import type { SqliteShell } from "./SqliteShell.ts"
import { SqlError } from "./Database.ts"

/** The fields of each row; in quotes, separators and newlines are text. */
function* parseRows(
  text: string,
  separator: string,
  rowSeparator: string,
  quotes: boolean,
): Generator<ReadonlyArray<string>> {
  let [row, field, at]: [Array<string>, string, number] = [[], "", 0]
  while (at < text.length) {
    if (quotes && field === "" && text[at] === '"') {
      at++
      for (; at < text.length; at++) {
        if (text[at] !== '"') field += text[at]
        else if (text[at + 1] === '"') field += text[++at]
        else break
      }
      at++
    }
    let end = at
    while (
      end < text.length && !text.startsWith(separator, end) && !text.startsWith(rowSeparator, end) && text[end] !== "\n"
    ) end++
    field += text.slice(at, end)
    if (text.startsWith(separator, end) && separator !== "") {
      row.push(field)
      at = end + separator.length
      field = ""
      continue
    }
    yield [...row, quotes ? field.replace(/\r$/, "") : field]
    row = []
    field = ""
    at = end + (text.startsWith(rowSeparator, end) ? rowSeparator.length : 1)
  }
  if (row.length > 0) yield [...row, field]
}

export const importCsv = async (shell: SqliteShell, args: ReadonlyArray<string>): Promise<void> => {
  const operands: Array<string> = []
  let [skip, mode, verbose] = [0, shell.settings.mode === "csv" ? "csv" : "list", false]
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (/^--?skip$/.test(arg)) skip = Number(args[++at] ?? 0)
    else if (/^--?csv$/.test(arg)) mode = "csv"
    else if (/^--?ascii$/.test(arg)) {
      throw new SqlError(".import --ascii is not supported by sqlite3 of the sandbox; use --csv", 1, false, -1, "")
    } else if (/^-v$/.test(arg)) verbose = true
    else operands.push(arg)
  }
  const [path, table] = operands
  if (path === undefined || table === undefined) {
    throw new SqlError("missing FILE or TABLE argument.  Usage:\n.import FILE TABLE", 1, false, -1, "")
  }
  if (path.startsWith("|")) throw new SqlError("pipes are not supported; write a file first", 1, false, -1, "")
  const bytes = await readFile(shell.system, path)
  if (typeof bytes === "number") throw new SqlError(`cannot open "${path}"`, 1, false, -1, errnoText(bytes))
  const database = await shell.database()
  // As in the original shell, rows end with only a newline from then on.
  if (shell.settings.rowSeparator === "\r\n") shell.settings.rowSeparator = "\n"
  const isCsv = mode === "csv"
  const separator = isCsv ? (shell.settings.mode === "csv" ? shell.settings.separator : ",") : shell.settings.separator
  const rows = parseRows(
    decodeLossless(bytes).replace(/^\ufeff/, ""),
    separator,
    isCsv ? "\n" : shell.settings.rowSeparator,
    true,
  )
  const name = `"${table.replaceAll('"', '""')}"`
  let known = (await database.all("SELECT name FROM pragma_table_info(?)", [table])).length
  for (let left = skip; left > 0; left--) if (rows.next().done === true) break
  let line = skip
  if (known === 0) {
    const header = rows.next()
    if (header.done === true) throw new SqlError(`${path}: empty file`, 1, false, -1, "")
    line++
    await database.run(
      `CREATE TABLE ${name}(\n${header.value.map((column) => `"${column.replaceAll('"', '""')}" TEXT`).join(", ")})`,
      () => undefined,
    )
    known = header.value.length
  }
  const sql = `INSERT INTO ${name} VALUES(${Array.from({ length: known }, () => "?").join(",")})`
  await database.run("SAVEPOINT importing", () => undefined)
  let count = 0
  for (const row of rows) {
    line++
    if (row.length === 1 && row[0] === "" && known > 1) continue
    if (row.length < known) {
      shell.complain(`${path}:${line}: expected ${known} columns but found ${row.length} - filling the rest with NULL`)
    }
    if (row.length > known) {
      shell.complain(`${path}:${line}: expected ${known} columns but found ${row.length} - extras ignored`)
    }
    try {
      await database.run(sql, () => undefined, Array.from({ length: known }, (_, at) => row[at]))
      count++
    } catch (cause) {
      if (!(cause instanceof SqlError)) throw cause
      shell.complain(`${path}:${line}: INSERT failed: ${cause.message}`)
    }
    await shell.pause()
  }
  await database.run("RELEASE importing", () => undefined)
  if (verbose) shell.print(`Added ${count} rows with 0 errors using ${line} lines of input\n`)
}
