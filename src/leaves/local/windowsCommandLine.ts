/**
 * Command lines for what Windows does not start by itself: batch files and scripts for cmd.exe and PowerShell.
 *
 * @module
 */
import * as Result from "effect/Result"
import * as CommandLine from "effect/process/CommandLine"
import type { Variables } from "./environment.ts"

/** A process to start in place of what was asked for. */
export interface WindowsInvocation {
  readonly program: string
  readonly args: ReadonlyArray<string>
  /**
   * Whether `args` are to be put together with spaces as they are (`windowsRawArguments` on Deno,
   * `windowsVerbatimArguments` on Bun and Node), instead of quoted by the rules of the C runtime.
   */
  readonly verbatim: boolean
}

/** What no command line can carry. */
export interface NotCarried {
  readonly field: "command" | "arguments"
  readonly problem: string
}

/** An invocation, or what of it cannot be carried. */
export type Invoked = Result.Result<WindowsInvocation, NotCarried>

const refuse = (field: NotCarried["field"], problem: string): Result.Result<never, NotCarried> =>
  Result.fail({ field, problem })

/** Microsoft, "Command prompt line string limitation". Beyond it cmd.exe says so, and runs nothing. */
const longestCmdLine = 8191

/** CreateProcessW takes 32,767 characters with the NUL at the end. */
const longestCommandLine = 32_766

/**
 * Where cmd.exe is. Not by its name, for which CreateProcess would look in the current directory first, and not by
 * ComSpec, which anybody may set.
 */
export const cmdPath = (environment: Variables): string =>
  `${environment("SystemRoot") ?? "C:\\Windows"}\\System32\\cmd.exe`

const invokeCmd = (cmd: string, switches: ReadonlyArray<string>, line: string): Invoked =>
  line.length > longestCmdLine
    ? refuse("arguments", `make a line of ${line.length} characters, and cmd.exe takes ${longestCmdLine}`)
    // `/s`: the first and the last quote go, and nothing else is done to what is between.
    : Result.succeed({ program: cmd, args: [...switches, "/d", "/s", "/c", `"${line}"`], verbatim: true })

/** Whether a script stays what it is between parentheses: none of its own closes ours, and no remark swallows it. */
const fitsIntoBlock = (script: string): boolean => {
  // What is escaped or quoted counts for nothing. A quote that is not closed goes on to the end, and so does a `^`.
  const bare = script.replace(/\^[^]|"[^"]*"/g, "q")
  if (/["^]/.test(bare) || /(?:^|[&|(])[\s@]*(?:rem\b|::)/i.test(bare)) return false
  let depth = 0
  for (const char of bare) {
    if (char === "(") depth++
    else if (char === ")" && --depth < 0) return false
  }
  return depth === 0
}

/**
 * A script for cmd.exe, as it stands: `cmd.exe /d /s /c "echo %USERNAME% && dir"`. `/d` leaves out what AutoRun in
 * the registry would run before. A line break would end the script there, in silence, so it is refused.
 *
 * - `mergeStreams` sends stderr into stdout's pipe, in the order of the writes: `(SCRIPT) 2>&1`. A script that would
 *   not stay whole between the parentheses (a remark, a quote or parenthesis without its other half) is refused.
 *
 * Source: Compute Branch, "Leaf: WindowsShell"; Microsoft, "cmd".
 */
export const cmdScript = (
  cmd: string,
  script: string,
  options: { readonly mergeStreams?: boolean } = {},
): Invoked =>
  /[\r\n]/.test(script)
    ? refuse("command", "has a line break, and cmd.exe reads one line: join the commands with &")
    : script.includes("\0")
    ? refuse("command", "contains a NUL")
    : options.mergeStreams !== true
    ? invokeCmd(cmd, [], script)
    : fitsIntoBlock(script)
    ? invokeCmd(cmd, [], `(${script}) 2>&1`)
    : refuse("command", "has a remark, a quote or a parenthesis that keeps its streams from being merged")

// `%%cd:~,%` is a `%` and then nothing (no character of the current directory): a `%` after which cmd.exe has
// nothing to expand. There is no escape for `%` outside a batch file; `^%` only moves the name by one character.
const withoutExpansion = (text: string): string => text.replaceAll("%", "%%cd:~,%")

/** What cmd.exe leaves alone without quotes, and what a batch file does not take for the end of an argument. */
const plain = /^[A-Za-z0-9#$*+\-./:?@_\\]*[A-Za-z0-9#$*+\-./:?@_]$/

// A quote is doubled, not put behind a backslash: cmd.exe does not know that one, and would take what comes after
// for unquoted. Backslashes count, for the C runtime, where they stand before a quote.
const quoted = (argument: string): string => {
  const inner = argument.replace(/(\\+)("?)|"/g, (found, slashes: string = "", quote: string, at: number) => {
    if (slashes === "") return `""`
    const counts = quote !== "" || at + found.length === argument.length
    return slashes + (counts ? slashes : "") + quote + quote
  })
  return `"${inner}"`
}

const cmdArgument = (argument: string): string => plain.test(argument) ? argument : withoutExpansion(quoted(argument))

/** What a file name can be: no quote, and no backslash at its end that would take the closing quote along. */
const isFileName = (path: string): boolean => !/["\0\r\n]/.test(path) && !path.endsWith("\\")

/**
 * A batch file (`.cmd`, `.bat`) or a program with arguments, through cmd.exe, so that each argument arrives as it
 * is: `cmd.exe /e:on /v:off /d /s /c ""C:\tool.cmd" "a & b""`. Escaping by `^` would hold only until the batch file
 * hands its `%*` on; quotes hold there too. Line breaks and NULs cannot be carried and are refused.
 *
 * - `mergeStreams` sends stderr into stdout's pipe, in the order of the writes.
 *
 * What no caller can prevent: a batch file that sets `enabledelayedexpansion` expands `!NAME!` in its arguments, and
 * one that uses `call` expands `%NAME%` again.
 *
 * Source: CVE-2024-27980, CVE-2024-24576; the rules are those of Rust's standard library
 * (`library/std/src/sys/args/windows.rs`, `make_bat_command_line`).
 */
export const cmdCall = (
  cmd: string,
  path: string,
  args: ReadonlyArray<string>,
  options: { readonly mergeStreams?: boolean } = {},
): Invoked => {
  if (!isFileName(path)) return refuse("command", `is no file name: '${path.replaceAll("\0", "\\0")}'`)
  const broken = args.findIndex((argument) => /[\0\r\n]/.test(argument))
  if (broken >= 0) return refuse("arguments", `cannot carry a line break or a NUL to cmd.exe (argument ${broken + 1})`)
  const line = [`"${withoutExpansion(path)}"`, ...args.map(cmdArgument)].join(" ")
  // `/e:on`: `%cd:~,%` is one of the extensions. `/v:off`: `!` is a character like any other.
  return invokeCmd(cmd, ["/e:on", "/v:off"], options.mergeStreams === true ? `${line} 2>&1` : line)
}

/**
 * The command line from which a program that follows the rules of the C runtime (CommandLineToArgvW) reads exactly
 * these arguments: what Deno, Bun and Node make of arguments that are not verbatim.
 *
 * Source: Microsoft, "Parsing C command-line arguments", "CreateProcessW".
 */
export const windowsCommandLine = (program: string, args: ReadonlyArray<string>): Result.Result<string, NotCarried> =>
  Result.match(CommandLine.join([program, ...args], { format: "windows" }), {
    onFailure: () => isFileName(program) ? refuse("arguments", "contain a NUL") : refuse("command", "is no file name"),
    onSuccess: (line) =>
      line.length > longestCommandLine
        ? refuse("arguments", `make a line of ${line.length} characters, and Windows takes ${longestCommandLine}`)
        : Result.succeed(line),
  })

const invokePowershell = (powershell: string, ...args: ReadonlyArray<string>): Invoked => {
  const all = ["-NoLogo", "-NoProfile", "-NonInteractive", ...args]
  return Result.map(windowsCommandLine(powershell, all), () => ({ program: powershell, args: all, verbatim: false }))
}

/**
 * A script for PowerShell: `pwsh -NoLogo -NoProfile -NonInteractive -Command SCRIPT`. Line breaks and quotes arrive
 * as they are. The exit code is the one of `exit n` in the script, else 0, or 1 when the last command failed.
 *
 * Not `-EncodedCommand`: it takes nearly three times the room in the command line, and makes Windows PowerShell
 * write its errors as XML.
 *
 * Source: Compute Branch, "Leaf: WindowsShell"; Microsoft, "about_Pwsh".
 */
export const powershellScript = (powershell: string, script: string): Invoked =>
  // `-Command -` reads the script from stdin.
  script.trim() === "-" ? refuse("command", "is no script") : invokePowershell(powershell, "-Command", script)

/**
 * A PowerShell script file with arguments: `pwsh -NoLogo -NoProfile -NonInteractive -File PATH ARGS`. The arguments
 * are not read as PowerShell; one that begins with `-` can still name a parameter of the script.
 */
export const powershellFile = (powershell: string, path: string, args: ReadonlyArray<string>): Invoked =>
  invokePowershell(powershell, "-File", path, ...args)
