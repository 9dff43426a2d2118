/** Implements the builtins `:`, `true`, `false`, `echo`, `printf`, `test`, `[`, `umask`, `times` and `ulimit`. */
import { errnoText } from "../../Errno.ts"
import { findSetVariables, testContextOf } from "../conditionalExpression.ts"
import { runCoroutine, yieldNow } from "../../Coroutine.ts"
import { changeMode } from "../../modes.ts"
import type { Later } from "../../System.ts"
import { isUtf8Locale } from "../../isUtf8Locale.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { echo } from "./echo.ts"
import { withOptions } from "./parseBuiltinOptions.ts"
import { formatMinutes } from "../runTimed.ts"
import type { PrintfOptions } from "./printf.ts"
import { ShellError } from "../ShellError.ts"
import { joinBytes } from "../characters.ts"
import { setNamedVariable } from "./namedVariables.ts"
import { test, TestError } from "./test.ts"

const echoBuiltin: Builtin = (shell, args) => {
  const text = runCoroutine(shell.system, echo(args.slice(1), shell.hasOption("xpg_echo")))
  const written = typeof text === "string" ? shell.print(text) : text.then((text) => shell.print(text))
  return written === 0 ? 0 : reportWriteError(shell, "echo", written)
}

const reportWriteError = async (shell: Shell, name: string, written: number | Promise<number>): Promise<number> => {
  const errno = await written
  return errno < 0 ? shell.reportError(`${name}: write error: ${errnoText(errno)}`) : 0
}

const optionsOf = (shell: Shell): PrintfOptions => ({
  formatStops: false,
  now: () => shell.system.now(),
  started: () => shell.system.now() - shell.system.monotonic() + shell.startedAt,
  zone: shell.variables.get("TZ"),
  utf8: isUtf8Locale(shell.variables),
})

/** Loaded with the first `printf`. */
let printfModule: typeof import("./printf.ts") | undefined

const printfBuiltin: Builtin = async (shell, args) => {
  const target = args[1] === "-v" ? args[2] : undefined
  const words = args.slice(target === undefined ? 1 : 3)
  if (words[0] === "--") words.shift()
  const [format, ...rest] = words
  if (format === undefined) return shell.reportError("printf: usage: printf [-v var] format [arguments]", 2)
  printfModule ??= await import("./printf.ts")
  const pieces = printfModule.printf(format, rest, optionsOf(shell))
  const kept: Array<string> = []
  let length = 0
  let next = pieces.next()
  for (; next.done !== true; next = pieces.next()) {
    if (target === undefined) {
      const status = await reportWriteError(shell, "printf", shell.print(next.value))
      if (status !== 0) return status
    } else {
      kept.push(next.value)
      length += next.value.length
      if (length > shell.limits.maxValueLength) throw new ShellError(`${target}: the value is too long`, "line")
    }
    const turn = yieldNow(shell.system)
    if (turn instanceof Promise) await turn
  }
  const printed = next.value
  if (target !== undefined) await setNamedVariable(shell, target, joinBytes(kept.join("")).replaceAll("\0", ""))
  for (const problem of printed.problems) await shell.reportError(`printf: ${problem}`)
  return printed.exitCode
}

const testBuiltin: Builtin = (shell, args) => {
  const bracket = args[0] === "["
  if (bracket && args.at(-1) !== "]") return shell.reportError("[: missing `]'", 2)
  const words = args.slice(1, bracket ? -1 : undefined)
  const named = words.filter((_, index) => words[index - 1] === "-v")
  return named.length === 0
    ? evaluateTest(shell, args[0] ?? "test", words)
    : findSetVariables(shell, named).then((isSet) => evaluateTest(shell, args[0] ?? "test", words, isSet))
}

const evaluateTest = (
  shell: Shell,
  name: string,
  words: ReadonlyArray<string>,
  isSet?: ReadonlyMap<string, boolean>,
): Later<number> => {
  try {
    return test(words, testContextOf(shell, isSet)) ? 0 : 1
  } catch (error) {
    if (!(error instanceof TestError)) throw error
    return shell.reportError(`${name}: ${error.message}`, 2)
  }
}

const symbolicMode = (mask: number): string =>
  ["u", "g", "o"].map((who, index) => {
    const bits = (~mask >> (6 - 3 * index)) & 7
    return `${who}=${bits & 4 ? "r" : ""}${bits & 2 ? "w" : ""}${bits & 1 ? "x" : ""}`
  }).join(",")

/** Applies a symbolic mode such as `u=rwx,g-w` to a mask; `undefined` if the text is not one. */
const symbolicMask = (text: string, mask: number): number | undefined => {
  const allowed = /^(?:[ugoa]*[-+=][rwx]*(?:,|$))+$/.test(text) ? changeMode(text, ~mask & 0o777, false, 0) : undefined
  return allowed === undefined ? undefined : ~allowed & 0o777
}

const umask = withOptions("Sp", (shell, { letters, rest }) => {
  const [text] = rest
  const before = shell.system.umask()
  if (text === undefined) {
    const shown = letters.has("S") ? symbolicMode(before) : `0${before.toString(8).padStart(3, "0")}`
    return shell.writeOutput(`${letters.has("p") ? `umask ${letters.has("S") ? "-S " : ""}` : ""}${shown}\n`)
  }
  const mask = /^[0-7]+$/.test(text)
    ? parseInt(text, 8) & 0o777
    : /^[0-9]/.test(text)
    ? undefined
    : symbolicMask(text, before)
  if (mask === undefined) {
    return shell.reportError(
      `umask: ${text}: ${/^[0-9]/.test(text) ? "octal number out of range" : "invalid symbolic mode"}`,
    )
  }
  shell.system.umask(mask)
  return letters.has("S") ? shell.writeOutput(`${symbolicMode(mask)}\n`) : 0
})

const times: Builtin = (shell) => {
  const own = formatMinutes(Number(shell.system.cpuTime() / 1_000_000n))
  return shell.writeOutput(`${own} 0m0.000s\n0m0.000s 0m0.000s\n`)
}

/** Limits belong to the kernel: a shell reports none and ignores attempts to set them. */
const ulimit: Builtin = (shell, args) =>
  args.slice(1).some((arg) => !arg.startsWith("-")) ? 0 : shell.writeOutput("unlimited\n")

export const basicBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  [":", () => 0],
  ["true", () => 0],
  ["false", () => 1],
  ["echo", echoBuiltin],
  ["printf", printfBuiltin],
  ["test", testBuiltin],
  ["[", testBuiltin],
  ["umask", umask],
  ["times", times],
  ["ulimit", ulimit],
]
