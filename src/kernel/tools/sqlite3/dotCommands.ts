/** Implements the commands of the shell that begin with a dot. Source: sqlite3(1). */
import { readFile } from "../../utilities/http/files.ts"
import { decodeLossless } from "../../../base/surrogateEscape.ts"
import { SqlError } from "./Database.ts"
import { dump } from "./dump.ts"
import { importCsv } from "./importCsv.ts"
import { type Mode, modes } from "./RowPrinter.ts"
import type { SqliteShell } from "./SqliteShell.ts"

/** The result of a dot command: the exit code with which it ends the shell, or nothing. */
export type DotResult = { readonly exit: number } | undefined

const fail = (message: string): never => {
  throw new SqlError(message, 1, false, -1, "")
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
}

const unescape = (text: string): string =>
  text.replace(
    /\\(?:([0-7]{1,3})|(.))/gs,
    (_, octal: string | undefined, letter: string = "") =>
      octal === undefined ? escapes[letter] ?? letter : String.fromCharCode(Number.parseInt(octal, 8)),
  )

/** The words of a line; in double quotes `\n` and the like are escapes. */
const splitWords = (line: string): ReadonlyArray<string> =>
  Array.from(
    line.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+)/gs),
    ([, single, double, plain]) => single ?? (double === undefined ? unescape(plain ?? "") : unescape(double)),
  )

const isOn = (text: string | undefined): boolean => {
  const word = text?.toLowerCase()
  if (word === "on" || word === "yes" || word === "1") return true
  return word === "off" || word === "no" || word === "0"
    ? false
    : fail(`Not a boolean value: "${text}". Assuming "no".`)
}

const isMode = (text: string): text is Mode => modes.some((mode) => mode === text)

export const setMode = (shell: SqliteShell, name: string, table?: string): void => {
  const { settings } = shell
  const full = modes.find((mode) => mode.startsWith(name)) ??
    (name === "columns" ? "column" : name === "lines" ? "line" : undefined)
  if (full === undefined || !isMode(full)) {
    return fail(
      "mode should be one of: ascii box column csv html insert json line list markdown qbox quote table tabs tcl",
    )
  }
  settings.mode = full
  if (full === "list") [settings.separator, settings.rowSeparator] = ["|", "\n"]
  else if (full === "csv") [settings.separator, settings.rowSeparator] = [",", "\r\n"]
  else if (full === "tabs") settings.separator = "\t"
  else if (full === "quote") [settings.separator, settings.rowSeparator] = [",", "\n"]
  else if (full === "ascii") [settings.separator, settings.rowSeparator] = ["\x1f", "\x1e"]
  else if (full === "column") settings.rowSeparator = "\n"
  if (table !== undefined) settings.table = table
}

/** Names in columns, as wide as the terminal's 80 characters. */
const printColumns = (shell: SqliteShell, names: ReadonlyArray<string>): void => {
  const width = Math.max(0, ...names.map(({ length }) => length))
  const columns = Math.max(1, Math.floor(80 / (width + 2)))
  const rows = Math.ceil(names.length / columns)
  for (let row = 0; row < rows; row++) {
    const line: Array<string> = []
    for (let at = row; at < names.length; at += rows) line.push((names[at] ?? "").padEnd(width))
    shell.print(`${line.join("  ")}\n`)
  }
}

const like = (pattern: string | undefined): string => pattern ?? "%"

const names = async (
  shell: SqliteShell,
  sql: string,
  bindings: ReadonlyArray<string>,
): Promise<ReadonlyArray<string>> =>
  (await (await shell.database()).all(sql, bindings)).map(([value]) => value?.text ?? "")

const printSchema = async (shell: SqliteShell, pattern: string | undefined): Promise<void> => {
  const database = await shell.database()
  if (pattern !== undefined && /^sqlite_(?:schema|master)$/i.test(pattern)) {
    return shell.print(
      `CREATE TABLE ${pattern} (\n  type text,\n  name text,\n  tbl_name text,\n  rootpage integer,\n  sql text\n);\n`,
    )
  }
  const where = pattern === undefined ? "" : ` AND lower(tbl_name) ${/[*?[]/.test(pattern) ? "GLOB" : "LIKE"} lower(?1)`
  const rows = await database.all(
    `SELECT sql, type, name FROM sqlite_schema WHERE sql NOT NULL${where} ORDER BY rowid`,
    pattern === undefined ? [] : [pattern],
  )
  for (const [sql, type, name] of rows) {
    const text = sql?.text ?? ""
    const isView = type?.text === "view"
    const columns = isView ? await names(shell, "SELECT name FROM pragma_table_info(?)", [name?.text ?? ""]) : []
    const note = isView ? `\n/* ${name?.text}(${columns.join(",")}) */` : ""
    shell.print(
      `${
        /^CREATE TABLE ['"]/.test(text) ? text.replace(/^CREATE TABLE /, "CREATE TABLE IF NOT EXISTS ") : text
      }${note};\n`,
    )
  }
}

/** Runs a file of SQL and commands; the shell sets it. */
export interface DotContext {
  readonly runText: (text: string) => Promise<DotResult>
}

/** Maximum width of a column by `.width`, to which rows are padded. */
const maxWidth = 10_000

const refused = [
  "archive",
  "ar",
  "cd",
  "connection",
  "load",
  "shell",
  "system",
  "clone",
  "recover",
  "session",
  "testcase",
  "check",
  "excel",
  "progress",
  "scanstats",
  "trace",
  "vfsinfo",
  "filectrl",
  "fullschema",
  "iotrace",
  "lint",
  "log",
  "expert",
  "imposter",
  "sha3sum",
]

export const runDot = async (shell: SqliteShell, line: string, context: DotContext): Promise<DotResult> => {
  const [given = "", ...args] = splitWords(line.slice(1).trim())
  const { settings } = shell
  const [first, second] = args
  const need = (): string => first ?? fail(`missing argument of .${given}`)
  const known = [
    "backup",
    "bail",
    "changes",
    "databases",
    "dump",
    "echo",
    "exit",
    "headers",
    "help",
    "import",
    "indexes",
    "indices",
    "mode",
    "nullvalue",
    "once",
    "open",
    "output",
    "parameter",
    "print",
    "quit",
    "read",
    "restore",
    "save",
    "schema",
    "separator",
    "show",
    "stats",
    "tables",
    "timeout",
    "timer",
    "version",
    "width",
    "eqp",
    "explain",
    "limit",
    "prompt",
    "binary",
  ]
  const found = known.filter((name) => name.startsWith(given))
  const name = known.includes(given) ? given : found[0]
  if (refused.includes(given)) return fail(`.${given} is not supported by sqlite3 of the sandbox`)
  if (given === "" || name === undefined) {
    return fail(`unknown command or invalid arguments:  "${given}". Enter ".help" for help`)
  }
  switch (name) {
    case "bail":
      shell.bail = isOn(need())
      return
    case "changes":
      shell.printsChanges = isOn(need())
      return
    case "databases":
      for (const [, label, file] of await (await shell.database()).all("PRAGMA database_list")) {
        shell.print(`${label?.text}: ${file?.text === "" ? '""' : file?.text} ${shell.isReadOnly ? "r/o" : "r/w"}\n`)
      }
      return
    case "dump":
      return void await dump(shell, first)
    case "echo":
      shell.echo = isOn(need())
      return
    case "exit":
      return { exit: first === undefined ? 0 : Number(first) & 255 }
    case "quit":
      return { exit: 0 }
    case "headers":
      settings.headers = isOn(need())
      return
    case "help":
      shell.print(`Commands: ${known.map((each) => `.${each}`).join(" ")}\n`)
      return
    case "import":
      return void await importCsv(shell, args)
    case "indexes":
    case "indices":
      printColumns(
        shell,
        await names(shell, "SELECT name FROM sqlite_schema WHERE type='index' AND tbl_name LIKE ? ORDER BY 1", [
          like(first),
        ]),
      )
      return
    case "mode":
      if (first === undefined) shell.print(`current output mode: ${settings.mode}\n`)
      else {
        setMode(shell, first, second)
        if (settings.mode === "column") settings.headers ??= true
      }
      return
    case "nullvalue":
      settings.nullValue = need()
      return
    case "once":
    case "output":
      if (first?.startsWith("|") === true || first === "-e" || first === "-x") {
        return fail("pipes and editors are not supported; write a file")
      }
      return void await shell.redirect(name === "once" ? need() : first, name === "once")
    case "open":
      if (args.length > 1) return fail("options of .open are not supported")
      shell.reopen(first ?? "")
      return
    case "print":
      shell.print(`${args.join(" ")}\n`)
      return
    case "read": {
      const path = need()
      const bytes = path.startsWith("|")
        ? fail("pipes are not supported; write a file first")
        : await readFile(shell.system, path)
      if (typeof bytes === "number") return fail(`cannot open "${path}"`)
      return context.runText(decodeLossless(bytes))
    }
    case "backup":
    case "save": {
      const path = args.at(-1) ?? fail("missing FILENAME argument on .backup")
      await (await shell.database()).run(`VACUUM INTO '${path.replaceAll("'", "''")}'`, () => undefined)
      return
    }
    case "schema":
      return void await printSchema(shell, args.find((arg) => !arg.startsWith("-")))
    case "separator":
      settings.separator = need()
      if (second !== undefined) settings.rowSeparator = second
      return
    case "show":
      shell.print(
        `     headers: ${
          settings.headers === true ? "on" : "off"
        }\n        mode: ${settings.mode}\n   nullvalue: "${settings.nullValue}"\n    filename: ${shell.path}\n`,
      )
      return
    case "tables":
      printColumns(
        shell,
        await names(
          shell,
          "SELECT name FROM sqlite_schema WHERE type IN ('table','view') AND name NOT LIKE 'sqlite_%' AND name LIKE ? ORDER BY 1",
          [like(first)],
        ),
      )
      return
    case "timeout":
    case "binary":
      return
    case "version":
      shell.print(`SQLite ${(await shell.database()).version}\n`)
      return
    case "width":
      if (args.some((width) => !(Math.abs(Number(width)) <= maxWidth))) return fail(`a width is at most ${maxWidth}`)
      settings.widths = args.map(Number)
      return
  }
  return fail(`.${name} is not supported by sqlite3 of the sandbox`)
}
