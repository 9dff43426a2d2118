/** Builds Windows command lines and calls of cmd.exe and PowerShell; refuses values that they cannot contain. */
import * as Result from "effect/Result"
import * as CommandLine from "effect/process/CommandLine"
import { quote } from "../../base/quote.ts"
import type { Variables } from "../environment.ts"

/** A process to start instead of the requested program. */
export interface WindowsInvocation {
  readonly program: string
  readonly args: ReadonlyArray<string>
  /**
   * Whether `args` are joined with spaces unchanged (`windowsRawArguments` on Deno,
   * `windowsVerbatimArguments` on Bun and Node), instead of quoted by the rules of the C runtime.
   */
  readonly verbatim: boolean
}

export interface UnrepresentableValue {
  readonly field: "command" | "arguments"
  readonly problem: string
  readonly code: "EINVAL" | "E2BIG"
}

/** An invocation, or the value that cannot be passed. */
export type WindowsCallResult = Result.Result<WindowsInvocation, UnrepresentableValue>

const refuse = (
  field: UnrepresentableValue["field"],
  problem: string,
  code: UnrepresentableValue["code"] = "EINVAL",
): Result.Result<never, UnrepresentableValue> => Result.fail({ field, problem, code })

/** Maximum length for cmd.exe (Microsoft, "Command prompt line string limitation"); it refuses longer lines. */
const maxCmdLineLength = 8191

/** Maximum length for CreateProcessW: 32,767 characters with the final NUL. */
const maxCommandLineLength = 32_766

/**
 * The full path of cmd.exe. CreateProcess searches a bare name in the current directory first, and any program may set
 * ComSpec.
 */
export const cmdPath = (environment: Variables): string =>
  `${environment("SystemRoot") ?? "C:\\Windows"}\\System32\\cmd.exe`

const invokeCmd = (cmd: string, switches: ReadonlyArray<string>, line: string): WindowsCallResult =>
  line.length > maxCmdLineLength
    ? refuse("arguments", `make a line of ${line.length} characters, and cmd.exe takes ${maxCmdLineLength}`, "E2BIG")
    // `/s`: removes the first and the last quote and leaves the text between them unchanged.
    : Result.succeed({ program: cmd, args: [...switches, "/d", "/s", "/c", `"${line}"`], verbatim: true })

/**
 * Whether a script keeps its meaning in parentheses: it does not close them early, and no remark hides the closing one.
 */
const fitsIntoBlock = (script: string): boolean => {
  // Escaped and quoted text is ignored. An unclosed quote extends to the end, and so does a final `^`.
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
 * Builds the call of a cmd.exe script: `cmd.exe /d /s /c "echo %USERNAME% && dir"`. `/d` skips the registry's AutoRun
 * commands. A line break, which would silently end the script, is refused.
 *
 * - `mergeStreams` sends stderr into stdout's pipe, in the order of the writes: `(SCRIPT) 2>&1`. A script that
 *   changes its meaning in parentheses (a remark, an unclosed quote or parenthesis) is refused.
 *
 * Source: Microsoft, "cmd".
 */
export const cmdScript = (
  cmd: string,
  script: string,
  options: { readonly mergeStreams?: boolean } = {},
): WindowsCallResult =>
  /[\r\n]/.test(script)
    ? refuse("command", "has a line break, and cmd.exe reads one line: join the commands with &")
    : script.includes("\0")
    ? refuse("command", "contains a NUL")
    : options.mergeStreams !== true
    ? invokeCmd(cmd, [], script)
    : fitsIntoBlock(script)
    ? invokeCmd(cmd, [], `(${script}) 2>&1`)
    : refuse("command", "has a remark, a quote or a parenthesis that keeps its streams from being merged")

// `%%cd:~,%` is a `%` followed by an empty expansion (no character of the current directory), so that cmd.exe expands
// nothing after it. There is no escape for `%` outside a batch file; `^%` only moves the name by one character.
const withoutExpansion = (text: string): string => text.replaceAll("%", "%%cd:~,%")

/** Text that cmd.exe leaves unchanged without quotes, and that does not end an argument of a batch file. */
const plain = /^[A-Za-z0-9#$*+\-./:?@_\\]*[A-Za-z0-9#$*+\-./:?@_]$/

// A quote is doubled instead of escaped by a backslash: cmd.exe does not know that escape, and would treat the rest as
// unquoted. The C runtime interprets backslashes before a quote.
const quoted = (argument: string): string => {
  const inner = argument.replace(/(\\+)("?)|"/g, (found, slashes: string = "", quote: string, at: number) => {
    if (slashes === "") return `""`
    const counts = quote !== "" || at + found.length === argument.length
    return slashes + (counts ? slashes : "") + quote + quote
  })
  return `"${inner}"`
}

const cmdArgument = (argument: string): string => plain.test(argument) ? argument : withoutExpansion(quoted(argument))

/** A valid file name: without a quote, and without a final backslash, which would escape the closing quote. */
const isFileName = (path: string): boolean => !/["\0\r\n]/.test(path) && !path.endsWith("\\")

/**
 * Builds the call of a batch file (`.cmd`, `.bat`) or a program through cmd.exe, so that each argument arrives unchanged:
 * `cmd.exe /e:on /v:off /d /s /c ""C:\tool.cmd" "a & b""`. Escaping by `^` fails when the batch file passes `%*` on; quotes
 * do not. Line breaks and NULs cannot be passed and are refused.
 *
 * - `mergeStreams` sends stderr into stdout's pipe, in the order of the writes.
 *
 * A caller cannot prevent a batch file with `enabledelayedexpansion` from expanding `!NAME!` in its arguments, or one
 * that uses `call` from expanding `%NAME%` again.
 *
 * Source: CVE-2024-27980, CVE-2024-24576; the rules are those of Rust's standard library
 * (`library/std/src/sys/args/windows.rs`, `make_bat_command_line`).
 */
export const cmdCall = (
  cmd: string,
  path: string,
  args: ReadonlyArray<string>,
  options: { readonly mergeStreams?: boolean } = {},
): WindowsCallResult => {
  if (!isFileName(path)) return refuse("command", `is not a file name: ${quote(path)}`)
  const broken = args.findIndex((argument) => /[\0\r\n]/.test(argument))
  if (broken >= 0) return refuse("arguments", `cannot carry a line break or a NUL to cmd.exe (argument ${broken + 1})`)
  const line = [`"${withoutExpansion(path)}"`, ...args.map(cmdArgument)].join(" ")
  // `/e:on` enables the extension `%cd:~,%`. `/v:off` makes `!` an ordinary character.
  return invokeCmd(cmd, ["/e:on", "/v:off"], options.mergeStreams === true ? `${line} 2>&1` : line)
}

/**
 * Builds the command line that a program of the C runtime (CommandLineToArgvW) parses to exactly these arguments, as Deno,
 * Bun and Node do for arguments that are not verbatim.
 *
 * Source: Microsoft, "Parsing C command-line arguments", "CreateProcessW".
 */
export const windowsCommandLine = (
  program: string,
  args: ReadonlyArray<string>,
): Result.Result<string, UnrepresentableValue> =>
  Result.match(CommandLine.join([program, ...args], { format: "windows" }), {
    onFailure: () =>
      isFileName(program) ? refuse("arguments", "contain a NUL") : refuse("command", "is not a file name"),
    onSuccess: (line) =>
      line.length > maxCommandLineLength
        ? refuse(
          "arguments",
          `make a line of ${line.length} characters, and Windows takes ${maxCommandLineLength}`,
          "E2BIG",
        )
        : Result.succeed(line),
  })

const invokePowershell = (powershell: string, ...args: ReadonlyArray<string>): WindowsCallResult => {
  const all = ["-NoLogo", "-NoProfile", "-NonInteractive", ...args]
  return Result.map(windowsCommandLine(powershell, all), () => ({ program: powershell, args: all, verbatim: false }))
}

/**
 * Builds the call of a PowerShell script: `pwsh -NoLogo -NoProfile -NonInteractive -Command SCRIPT`. Line breaks and
 * quotes arrive unchanged. The exit code is that of `exit n` in the script, otherwise 0, or 1 if the last command failed.
 *
 * It does not use `-EncodedCommand`, which needs nearly three times the length and makes Windows PowerShell write its errors
 * as XML.
 *
 * Source: Microsoft, "about_Pwsh".
 */
export const powershellScript = (powershell: string, script: string): WindowsCallResult =>
  // `-Command -` reads the script from stdin.
  script.trim() === "-" ? refuse("command", "is not a script") : invokePowershell(powershell, "-Command", script)

/**
 * Builds the call of a PowerShell script file: `pwsh -NoLogo -NoProfile -NonInteractive -File PATH ARGS`. The
 * arguments are not parsed as PowerShell; one that begins with `-` can still name a parameter of the script.
 */
export const powershellFile = (powershell: string, path: string, args: ReadonlyArray<string>): WindowsCallResult =>
  invokePowershell(powershell, "-File", path, ...args)
