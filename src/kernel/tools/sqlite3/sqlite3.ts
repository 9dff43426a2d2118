/** Implements the `sqlite3` program: its options, and statements from arguments and from standard input. */
import { decodeLossless } from "../../../base/surrogateEscape.ts"
import { concatBytes } from "../../../base/bytes.ts"
import { FileType } from "../../Stat.ts"
import type { Program, System } from "../../System.ts"
import { Output } from "../../utilities/shared/Output.ts"
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"
import { Database, SqlError } from "./Database.ts"
import { type DotContext, type DotResult, runDot, setMode } from "./dotCommands.ts"
import { loadSqlite } from "./loadSqlite.ts"
import { errorContext, SqliteShell } from "./SqliteShell.ts"
import { StatementScanner } from "./StatementScanner.ts"

/** Maximum bytes of a script, and of one statement. */
const maxScriptBytes = 67_108_864

interface Options {
  readonly operands: Array<string>
  readonly commands: Array<string>
  readonly settings: Array<(shell: SqliteShell) => void>
  isReadOnly: boolean
  bail: boolean
  version: boolean
}

const parse = (args: ReadonlyArray<string>): Options => {
  const found: Options = { operands: [], commands: [], settings: [], isReadOnly: false, bail: false, version: false }
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (!arg.startsWith("-") || arg === "-") {
      found.operands.push(arg)
      continue
    }
    const name = arg.replace(/^--?/, "")
    const value = (): string => {
      const next = args[++at]
      if (next === undefined) throw new UtilityExit(1, `sqlite3: Error: missing argument to ${arg}`)
      return next
    }
    switch (name) {
      case "ascii":
      case "box":
      case "column":
      case "csv":
      case "html":
      case "json":
      case "line":
      case "list":
      case "markdown":
      case "quote":
      case "table":
      case "tabs":
        // When chosen by an option, CSV ends rows with only a newline.
        found.settings.push((shell) => {
          setMode(shell, name)
          if (name === "csv") shell.settings.rowSeparator = "\n"
        })
        break
      case "header":
      case "noheader":
        found.settings.push((shell) => {
          shell.settings.headers = name === "header"
        })
        break
      case "separator": {
        const text = value()
        found.settings.push((shell) => {
          shell.settings.separator = text
        })
        break
      }
      case "newline": {
        const text = value()
        found.settings.push((shell) => {
          shell.settings.rowSeparator = text
        })
        break
      }
      case "nullvalue": {
        const text = value()
        found.settings.push((shell) => {
          shell.settings.nullValue = text
        })
        break
      }
      case "cmd":
        found.commands.push(value())
        break
      case "readonly":
        found.isReadOnly = true
        break
      case "bail":
        found.bail = true
        break
      case "echo":
        found.settings.push((shell) => {
          shell.echo = true
        })
        break
      case "batch":
      case "safe":
        break
      case "version":
        found.version = true
        break
      case "init":
        found.commands.push(`.read "${value()}"`)
        break
      default:
        throw new UtilityExit(1, `sqlite3: Error: unknown option: ${arg}\nUse -help for a list of options.`)
    }
  }
  return found
}

const readScript = async (system: System): Promise<string> => {
  const parts: Array<Uint8Array> = []
  let length = 0
  for (;;) {
    const piece = new Uint8Array(65_536)
    const count = await system.read(0, piece)
    if (count <= 0) return decodeLossless(concatBytes(parts, length))
    parts.push(piece.subarray(0, count))
    length += count
    if (length > maxScriptBytes) {
      throw new UtilityExit(1, `Error: a script of more than ${maxScriptBytes} bytes; use .read`)
    }
  }
}

/** The code of an error, unless it is the general one. */
const codeOf = ({ code }: SqlError): string => code > 1 ? ` (${code})` : ""

/** Runs the lines of a script: commands with a dot, and statements up to their semicolon. */
const runText = async (shell: SqliteShell, text: string, depth = 0): Promise<DotResult> => {
  if (depth > 25) throw new UtilityExit(1, "Error: .read is nested too deeply")
  const context: DotContext = { runText: (inner) => runText(shell, inner, depth + 1) }
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  let [sql, start] = ["", 0]
  let scanner = new StatementScanner()
  let isBlank = true
  const execute = async (): Promise<void> => {
    const statement = sql
    sql = ""
    scanner = new StatementScanner()
    isBlank = true
    if (statement.trim() === "") return
    try {
      await shell.execute(statement)
    } catch (cause) {
      if (!(cause instanceof SqlError)) throw cause
      shell.errors++
      const kind = cause.isParse ? "Parse" : "Runtime"
      shell.complain(
        `${kind} error near line ${start}: ${cause.message}${cause.isParse ? errorContext(cause) : ` (${cause.code})`}`,
      )
    }
    await shell.pause()
  }
  for (const [at, line] of lines.entries()) {
    if (shell.echo) shell.print(`${line}\n`)
    if (isBlank && (line.startsWith(".") || line.startsWith("#"))) {
      if (line.startsWith("#")) continue
      try {
        const result = await runDot(shell, line, context)
        if (result !== undefined) return result
      } catch (cause) {
        if (!(cause instanceof SqlError)) throw cause
        shell.errors++
        shell.complain(`Error: ${cause.message}`)
      }
      await shell.pause()
    } else {
      if (isBlank) {
        start = at + 1
        sql = ""
      }
      isBlank &&= line.trim() === ""
      sql += `${line}\n`
      if (scanner.add(`${line}\n`)) await execute()
      if (at % 256 === 0) await shell.pause()
    }
    if (shell.errors > 0 && shell.bail) return { exit: 1 }
  }
  await execute()
  return undefined
}

/** Runs one argument: a command or statements. An error ends the shell. */
const runArgument = async (shell: SqliteShell, text: string): Promise<DotResult> => {
  try {
    if (text.startsWith(".")) return await runDot(shell, text, { runText: (inner) => runText(shell, inner) })
    await shell.execute(text)
    return undefined
  } catch (cause) {
    if (!(cause instanceof SqlError)) throw cause
    const where = text.startsWith(".") ? "" : cause.isParse ? "in prepare, " : "stepping, "
    shell.complain(`Error: ${where}${cause.message}${codeOf(cause)}${errorContext(cause)}`)
    return { exit: cause.code }
  }
}

const runShell = async (system: System, shell: SqliteShell, options: Options): Promise<number> => {
  for (const command of options.commands) {
    const result = await runArgument(shell, command)
    if (result !== undefined) return result.exit
  }
  const arguments_ = options.operands.slice(1)
  for (const argument of arguments_) {
    const result = await runArgument(shell, argument)
    if (result !== undefined) return result.exit
  }
  if (arguments_.length > 0) return 0
  const result = await runText(shell, await readScript(system))
  return result?.exit ?? (shell.errors > 0 ? 1 : 0)
}

/** `sqlite3 [OPTION]... [FILE [SQL]...]`: runs SQL on a database file of the sandbox. Source: sqlite3(1). */
export const sqlite3: Program = async (system) => {
  const err = new Output(system, 2)
  let shell: SqliteShell | undefined
  let code: number
  try {
    const options = parse(system.args.slice(1))
    const engine = await loadSqlite()
    if (options.version) {
      await system.writeAll(1, new TextEncoder().encode(`${engine.capi.sqlite3_libversion()}\n`))
      return 0
    }
    const path = options.operands[0] ?? ""
    const stat = path === "" || path === ":memory:" ? undefined : system.stat(path)
    if (typeof stat === "object" && stat.type === FileType.directory) {
      throw new UtilityExit(1, `Error: unable to open database "${path}": unable to open database file`)
    }
    Database.install(engine, system)
    shell = new SqliteShell(system, engine, path, options.isReadOnly)
    shell.bail = options.bail
    for (const set of options.settings) set(shell)
    code = await runShell(system, shell, options)
  } catch (cause) {
    if (!(cause instanceof UtilityExit || cause instanceof RangeError)) throw cause
    const message = cause instanceof UtilityExit && cause.exitCode === 127 ? `sqlite3: ${cause.message}` : cause.message
    if (message !== "") err.putText(`${message}\n`)
    code = cause instanceof UtilityExit ? cause.exitCode ?? 1 : 1
  }
  try {
    await shell?.finish()
    await err.flush()
  } catch (failure) {
    if (!(failure instanceof UtilityExit)) throw failure
  }
  return code
}
