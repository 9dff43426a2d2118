/** Implements the builtins that direct the order of execution: `break`, `eval`, `source`, `exec` and others. */
import { readInteger } from "../../../base/integers.ts"
import { errnoText } from "../../Errno.ts"
import { FileType } from "../../Stat.ts"
import { readText, spawnProgram, waitForChild } from "../processes.ts"
import { openPath } from "../redirections.ts"
import { type Later, Signal } from "../../System.ts"
import { PositionalParameters } from "../PositionalParameters.ts"
import type { Builtin, Shell } from "../Shell.ts"
import { ShellError } from "../ShellError.ts"
import { ScriptSource } from "../ScriptSource.ts"
import { runReturnTrap } from "../traps.ts"
import { meaningsOf } from "./type.ts"
import { withOptions } from "./parseBuiltinOptions.ts"

const leaveLoop: Builtin = (shell, [name = "", text]) => {
  const kind = name === "break" ? "break" : "continue"
  if (shell.loopDepth === 0) {
    return shell.reportError(`${name}: only meaningful in a \`for', \`while', or \`until' loop`, 0)
  }
  const count = Number(text ?? 1)
  if (!Number.isInteger(count)) {
    shell.pendingJump = { kind: "exit", count: 1 }
    return shell.reportError(`${name}: ${text}: numeric argument required`, 128)
  }
  shell.pendingJump = {
    kind: count < 1 ? "break" : kind,
    count: count < 1 ? shell.loopDepth : Math.min(count, shell.loopDepth),
  }
  return count < 1 ? shell.reportError(`${name}: ${text}: loop count out of range`) : 0
}

/** The status given by an argument; 2 if it is not a number. */
const statusOf = (shell: Shell, name: string, text: string | undefined): Later<number> => {
  if (text === undefined) return shell.status
  const value = readInteger(text)
  if (value !== undefined) return Number(BigInt.asUintN(8, value))
  return shell.reportError(`${name}: ${text}: numeric argument required`, 2)
}

const returnBuiltin: Builtin = async (shell, [name = "", text, ...more]) => {
  if (shell.call === undefined || shell.call.kind === "main") {
    return shell.reportError("return: can only `return' from a function or sourced script", 2)
  }
  if (more.length > 0) return shell.reportError(`${name}: too many arguments`)
  shell.status = await statusOf(shell, name, text)
  shell.pendingJump = { kind: "return", count: 1 }
  return shell.status
}

const exitBuiltin: Builtin = async (shell, args) => {
  const [name = "", text, ...more] = args[1] === "--" ? [args[0] ?? "", ...args.slice(2)] : args
  const status = await statusOf(shell, name, text)
  if (more.length > 0 && text !== undefined && /^\d+$/.test(text)) {
    throw new ShellError(`${name}: too many arguments`, "line")
  }
  shell.status = status
  shell.pendingJump = { kind: "exit", count: 1 }
  return status
}

const evalBuiltin: Builtin = (shell, args) => {
  const { position: at, source } = shell
  // Line numbers continue from the line of `eval`.
  const text = args.slice(args[1] === "--" ? 2 : 1).join(" ")
  return text.trim() === ""
    ? 0
    : shell.interpreter.run(shell, text, new ScriptSource(text, source.name, source.lineAt(at)))
}

const findSource = (shell: Shell, name: string): string => {
  if (name.includes("/") || !shell.hasOption("sourcepath")) return name
  for (const directory of (shell.variables.get("PATH") ?? "").split(":")) {
    const path = `${directory === "" ? "." : directory}/${name}`
    const found = shell.system.stat(path)
    if (typeof found === "object" && found.type === FileType.regularFile) return path
  }
  return name
}

const sourceBuiltin: Builtin = async (shell, args) => {
  const [name, ...rest] = args.slice(args[1] === "--" ? 2 : 1)
  if (name === undefined) return shell.reportError(`${args[0]}: filename argument required`, 2)
  const path = findSource(shell, name)
  const fd = openPath(shell, path, { read: true })
  const text = fd < 0 ? fd : await readText(shell.system, fd, shell.limits.maxValueLength)
  if (fd >= 0) shell.system.close(fd)
  if (typeof text === "number") return shell.reportError(`${name}: ${errnoText(text)}`)
  const { positional } = shell
  if (rest.length > 0) shell.positional = new PositionalParameters(rest)
  const outer = shell.enterCall("source", "source", path, shell.line)
  try {
    const status = await shell.interpreter.run(shell, text, new ScriptSource(text, path))
    if (shell.pendingJump?.kind !== "return") return await runReturnTrap(shell, status)
    shell.pendingJump = undefined
    return await runReturnTrap(shell, shell.status)
  } finally {
    shell.call = outer
    if (rest.length > 0) shell.positional = positional
  }
}

const handedOn = [Signal.SIGHUP, Signal.SIGINT, Signal.SIGQUIT, Signal.SIGUSR1, Signal.SIGUSR2, Signal.SIGTERM]

const execBuiltin = withOptions("a:cl", async (shell, { letters, rest, values }) => {
  const [name] = rest
  if (name === undefined) return 0
  shell.pendingJump = { kind: "exit", count: 1 }
  // The program that replaces the shell does not run its traps.
  shell.traps.delete("EXIT")
  const zero = values.get("a")
  try {
    if (letters.has("c")) shell.variables.unexport()
    const path = zero === undefined ? name : shell.system.which(name)
    const words = zero === undefined ? rest : [zero, ...rest.slice(1)]
    const program = typeof path === "string" ? path : name
    // The kernel cannot replace the program of a process: the shell forwards signals to a child, which ends with it.
    const pid = spawnProgram(shell, words, shell.descriptors.forChild(), program, Signal.SIGKILL)
    for (const signal of handedOn) {
      const before = shell.system.onSignal(signal, () => void shell.system.kill(pid, signal))
      if (before === "ignore") shell.system.onSignal(signal, before)
    }
    return shell.status = await waitForChild(shell, pid, true)
  } catch (error) {
    if (!(error instanceof ShellError) || error.unwinds !== "command") throw error
    shell.status = error.exitCode
    return shell.reportError(`exec: ${error.message.replace("command not found", "not found")}`, error.exitCode)
  }
})

const commands = withOptions("pvV", (shell, { letters, rest }) => {
  if (letters.has("p")) return withDefaultPath(shell, () => runOrDescribe(shell, letters, rest))
  return runOrDescribe(shell, letters, rest)
})

/** The directories of the standard utilities: `command -p`. */
const defaultPath = "/usr/bin:/bin"

const withDefaultPath = async (shell: Shell, run: () => Promise<number>): Promise<number> => {
  shell.variables.enter(true)
  try {
    const { exported = false } = shell.variables.find("PATH") ?? {}
    const path = shell.variables.local("PATH", true)
    path.value = defaultPath
    path.exported = exported
    return await run()
  } finally {
    shell.variables.leave()
  }
}

const runOrDescribe = async (
  shell: Shell,
  letters: ReadonlySet<string>,
  rest: ReadonlyArray<string>,
): Promise<number> => {
  if (!letters.has("v") && !letters.has("V")) {
    return rest.length === 0
      ? 0
      : shell.interpreter.invoke(shell, rest, { functions: false, builtins: true, programs: true })
  }
  let status = 1
  for (const name of rest) {
    const found = meaningsOf(shell, name)[0]
    if (found !== undefined) {
      status = 0
      await shell.writeOutput(`${letters.has("V") ? found.sentence : found.word}\n`)
    } else if (letters.has("V")) await shell.reportError(`command: ${name}: not found`)
  }
  return status
}

/** `caller [N]`: prints the line and the file of a call on the stack. */
const callerBuiltin: Builtin = (shell, [, text]) => {
  if (text !== undefined && !/^\d+$/.test(text)) return shell.reportError(`caller: ${text}: invalid number`, 2)
  const all = shell.calls
  const at = Number(text ?? 0)
  const [inner, outer] = [all[at], all[at + 1]]
  if (inner === undefined || (text !== undefined && outer === undefined)) return 1
  const name = text === undefined ? "" : `${outer?.name} `
  return shell.writeOutput(`${inner.line} ${name}${outer?.source ?? "NULL"}\n`)
}

const builtins: Builtin = (shell, args) =>
  args.length < 2
    ? 0
    : shell.interpreter.invoke(shell, args.slice(1), { functions: false, builtins: true, programs: false })

export const controlBuiltins: ReadonlyArray<readonly [string, Builtin]> = [
  ["break", leaveLoop],
  ["continue", leaveLoop],
  ["return", returnBuiltin],
  ["exit", exitBuiltin],
  ["eval", evalBuiltin],
  [".", sourceBuiltin],
  ["source", sourceBuiltin],
  ["exec", execBuiltin],
  ["command", commands],
  ["builtin", builtins],
  ["caller", callerBuiltin],
]
