/**
 * Makes the program `sh`, a shell of POSIX's language and bash's, without prompt, history and job control.
 *
 * No library fits: an edge isolate has no bash and no processes, bash compiled to WebAssembly needs `fork`, which WASI
 * does not have, and sessions, limits and fair scheduling need a shell on this kernel's own system calls. Source:
 * POSIX.1-2024 XCU chapter 2, sh(1); bash(1).
 */
import { children, type Node, parse } from "../../shell-language/ShellLanguage.ts"
import { Errno, errnoText } from "../Errno.ts"
import type { Program, System } from "../System.ts"
import { setOption } from "./builtins/options.ts"
import { interpreter } from "./interpreter.ts"
import { optionLetters, shoptNames } from "./shellOptions.ts"
import { readFile, runScript, runToExit } from "./processes.ts"
import { readLine } from "./readLine.ts"
import { aliasOf, runLine } from "./runText.ts"
import { PositionalParameters } from "./PositionalParameters.ts"
import { type Interpreter, Shell } from "./Shell.ts"
import { resolveShellLimits, type ShellLimits, type ShellLimitSettings } from "./ShellLimits.ts"
import { ScriptSource } from "./ScriptSource.ts"
import { initializeVariables } from "./initializeVariables.ts"
import { machineType, versionText } from "./version.ts"

/** Options of a shell. */
export interface ShellProgramOptions {
  /** Limits of the shell; the others keep their defaults. */
  readonly limits?: ShellLimits | undefined
  /** Whether a builtin exists; the name of another one means a program. Default: all exist. */
  readonly hasBuiltin?: ((name: string) => boolean) | undefined
  /** Whether a script itself may open a file: by a redirection, `$(<file)` or `source`. Default: it may. */
  readonly mayOpen?: Interpreter["mayOpen"]
}

interface Invocation {
  readonly from: "string" | "file" | "stdin" | "version" | "help"
  readonly rest: ReadonlyArray<string>
}

/** Options for interactive shells and start-up files, which have no effect. */
const longOptions = new Set(["--norc", "--noprofile", "--login", "--noediting", "--debugger"])
const longOptionsWithFile = new Set(["--rcfile", "--init-file"])
const longNames: Readonly<Record<string, string>> = { "--posix": "posix", "--verbose": "verbose" }

const versionLine = `Sluice sh, which speaks the language of GNU bash, version ${versionText} (${machineType})\n`
const usage =
  `${versionLine}Usage:\tsh [option] ... [file [argument ...]]\n\tsh [option] ... -c text [name [argument ...]]\n`

/** Parses the arguments and sets the options; returns a text as an error message. */
const readArguments = (shell: Shell, args: ReadonlyArray<string>): Invocation | string => {
  let from: Invocation["from"] = "file"
  let at = 1
  for (; at < args.length; at++) {
    const arg = args[at] ?? ""
    if (longOptions.has(arg)) continue
    if (arg === "--version" || arg === "--help") return { from: arg === "--help" ? "help" : "version", rest: [] }
    if (longOptionsWithFile.has(arg)) {
      at++
      continue
    }
    const name = longNames[arg]
    if (name !== undefined) {
      setOption(shell, name, true)
      continue
    }
    if (/^--./.test(arg)) return `${arg}: invalid option`
    if (arg === "--" || arg === "-") {
      at++
      break
    }
    if (!/^[-+]./.test(arg)) break
    const on = arg.startsWith("-")
    for (const letter of arg.slice(1)) {
      if (letter === "c") from = "string"
      else if (letter === "s") from = "stdin"
      else if (letter === "o") {
        if (!setOption(shell, args[++at], on)) return `${args[at]}: invalid option name`
      } else if (letter === "O") {
        const name = args[++at] ?? ""
        if (!shoptNames.includes(name)) return `${name}: invalid shell option name`
        if (on) shell.options.add(name)
        else shell.options.delete(name)
      } else if (letter !== "i" && letter !== "l" && !setOption(shell, optionLetters[letter], on)) {
        return `${arg[0]}${letter}: invalid option`
      }
    }
  }
  const rest = args.slice(at)
  if (from === "string" && rest.length === 0) return "-c: option requires an argument"
  return { from: from === "file" && rest.length === 0 ? "stdin" : from, rest }
}

const start = async (shell: Shell, args: ReadonlyArray<string>): Promise<number> => {
  shell.name = args[0] ?? "sh"
  const invocation = readArguments(shell, args)
  if (typeof invocation === "string") {
    await shell.print(`${shell.name}: ${invocation}\n`, 2)
    return 2
  }
  const { from, rest } = invocation
  if (from === "version" || from === "help") return shell.writeOutput(from === "help" ? usage : versionLine)
  const [first = "", ...more] = rest
  if (from === "stdin") {
    shell.positional = new PositionalParameters(rest)
    return runStdin(shell)
  }
  if (from === "string") {
    shell.name = more[0] ?? shell.name
    shell.positional = new PositionalParameters(more.slice(1))
    shell.runsText = true
    shell.variables.set("BASH_EXECUTION_STRING", first)
    return shell.interpreter.run(shell, first)
  }
  const text = await readFile(shell.system, first, shell.limits.maxValueLength)
  if (typeof text === "number") {
    await shell.print(`${shell.name}: ${first}: ${errnoText(text)}\n`, 2)
    return text === -Errno.ENOENT ? 127 : 126
  }
  shell.name = first
  shell.positional = new PositionalParameters(more)
  return runScript(shell, text)
}

/** A command of more lines than this is parsed again only after as many more. */
const linesPerAttempt = 512

const isWhole = (node: Node): boolean => node._tag === "HereDocument" ? node.closed : children(node).every(isWhole)

/** Runs standard input line by line, so that a command of the script can read the lines after it. */
const runStdin = async (shell: Shell): Promise<number> => {
  let line = 1
  let status = 0
  shell.textDepth = 1
  const options = () => ({
    extglob: shell.hasOption("extglob"),
    coprocesses: true,
    aliases: (name: string) => aliasOf(shell, name),
  })
  for (let ended = false; !ended && shell.pendingJump === undefined;) {
    let text = ""
    for (let tries = 0;; tries++) {
      const next = await readLine(shell, 0)
      ended = next === undefined
      text += ended ? "" : `${next}\n`
      if (ended || (tries > linesPerAttempt && tries % linesPerAttempt !== 0)) {
        if (ended) break
        continue
      }
      const parsed = parse(text, options())
      if (parsed._tag === "Success" ? !text.includes("<<") || isWhole(parsed.success) : !parsed.failure.incomplete) {
        break
      }
    }
    if (text === "") break
    const source = new ScriptSource(text, "main", line)
    const parsed = parse(text, options())
    if (parsed._tag === "Failure") return shell.interpreter.run(shell, text, source)
    shell.source = source
    if (parsed.success.statements.length > 0) status = await runLine(shell, parsed.success)
    line += text.split("\n").length - 1
  }
  return shell.pendingJump === undefined ? status : shell.status
}

export const makeShell = (system: System, limits: ShellLimitSettings, known: Interpreter = interpreter): Shell => {
  const shell = new Shell(system, known, limits)
  initializeVariables(shell)
  return shell
}

/** Returns the interpreter with the builtins and files that the options leave. */
export const boundInterpreter = ({ hasBuiltin, mayOpen }: ShellProgramOptions): Interpreter => {
  if (hasBuiltin === undefined && mayOpen === undefined) return interpreter
  const builtins = hasBuiltin === undefined
    ? interpreter.builtins
    : new Map([...interpreter.builtins].filter(([name]) => hasBuiltin(name)))
  return { ...interpreter, builtins, mayOpen }
}

/**
 * Returns the program `sh`: `sh -c SCRIPT [NAME ARG…]`, `sh FILE ARG…`, `sh -s ARG…`, with the options of `set` before
 * them. The exit code is that of the last command, 2 after a syntax error, 126 for a program that cannot be run and 127 for
 * one that is not found.
 *
 * @throws {OptionError} for a limit that is unknown or not a whole number
 *
 * @example
 * ```ts
 * import { FileSystem, Kernel, OpenFile, ShellProgram } from "@sluice/shell/kernel"
 *
 * const fileSystem = FileSystem.VirtualFileSystem.make({ now: () => 0n })
 * const kernel = Kernel.make({ fileSystem, programs: { sh: ShellProgram.make() } })
 * const stdout = new OpenFile.BufferFile()
 * const args = ["sh", "-c", "for i in 1 2 3; do echo $i; done | while read n; do echo $((n * n)); done"]
 * const shell = kernel.start({ program: "sh", args, fds: { 0: new OpenFile.NullFile(), 1: stdout, 2: new OpenFile.NullFile() } })
 * if (typeof shell === "number") throw new Error(`errno ${-shell}`)
 * console.log((await shell.exited).exitCode) // 0
 * console.log(stdout.text)
 * // 1
 * // 4
 * // 9
 * ```
 */
export const shellProgram = (options: ShellProgramOptions = {}): Program => {
  const limits = resolveShellLimits(options.limits)
  const bounded = boundInterpreter(options)
  return (system) => {
    const shell = makeShell(system, limits, bounded)
    return runToExit(shell, () => start(shell, system.args))
  }
}
