/** Maps errno names of failed starts and paths to fault reasons, and to messages that name the cause. */
import { quote, quoteIfNeeded } from "../../base/quote.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { workingDirectoryIssue } from "../../command/workingDirectoryIssue.ts"
import { explainTooLong } from "./argumentLimit.ts"
import type { FileKind } from "../resolveExecutable.ts"
import { isPath, type Platform } from "../paths.ts"
import { validateExec } from "../../shell/validateExec.ts"

/** The failed command, and the state of its files after the failure. */
export interface SpawnContext {
  readonly exec: ShellExec
  /** The file to run, or its name if the runtime resolves it. */
  readonly executable: string
  /** Default: `"posix"`. */
  readonly platform?: Platform | undefined
  /** Its working directory; `undefined` for the process's own. */
  readonly cwd?: string | undefined
  /** The kind of file at `cwd`. Default: `"unknown"`. */
  readonly cwdIs?: FileKind | undefined
  /** The kind of file at `executable`. Default: `"unknown"`. */
  readonly executableIs?: FileKind | undefined
  /** Maximum bytes of arguments and environment together. Default: unknown. */
  readonly argumentBytes?: number | undefined
  /** The interpreter in the first line of `executable`: see {@link scriptInterpreter}. */
  readonly interpreter?: string | undefined
}

/** A reason, with its text. */
export interface Finding {
  readonly reason: FaultReason
  readonly issue: string
}

/** Explains a failed start. */
export type SpawnErrorExplanation = (context: SpawnContext, code: string, error: unknown) => Finding

export const textOf = (error: unknown): string => {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } catch {
    return Object.prototype.toString.call(error)
  }
}

// Deno's message names the directory or the program; on Bun and Node only a check of the directory tells them apart.
const blamesDirectory = ({ cwd, cwdIs = "unknown", executableIs }: SpawnContext, error: unknown): boolean => {
  if (cwd === undefined || cwdIs === "directory") return false
  const text = textOf(error)
  if (text.includes("Failed to spawn")) return /No such cwd|cwd is not a directory/.test(text)
  return cwdIs !== "unknown" || executableIs === "executable"
}

const noDirectory = (cwd: string, { cwdIs }: SpawnContext, code: string, error: unknown): Finding => {
  const isFile = code === "ENOTDIR" || cwdIs === "file" || cwdIs === "executable" ||
    textOf(error).includes("cwd is not a directory")
  return {
    reason: { _tag: "NotFound", what: "workingDirectory", path: cwd, code: isFile ? "ENOTDIR" : code },
    issue: workingDirectoryIssue(isFile ? "is not a directory" : "does not exist", cwd),
  }
}

/** Problems of a path other than `ENOENT`, as text that follows its name. */
const pathProblems: Readonly<Record<string, string>> = {
  ENOTDIR: "a part of its path is not a directory",
  ELOOP: "its symbolic links go round in a circle",
}

/** Explains an unresolvable path; `undefined` for any other code. */
export const explainPath = (
  what: "command" | "workingDirectory",
  path: string,
  code: string | undefined,
): Finding | undefined => {
  const name = what === "command" ? "command" : "working directory"
  if (code === "ENAMETOOLONG") {
    return { reason: { _tag: "InvalidRequest", field: what, code }, issue: `the name of the ${name} is too long` }
  }
  const problem = code === undefined || !Object.hasOwn(pathProblems, code) ? undefined : pathProblems[code]
  if (code === undefined || problem === undefined) return undefined
  const found = what === "command" ? `${quoteIfNeeded(path)} not found` : workingDirectoryIssue("does not exist", path)
  return { reason: { _tag: "NotFound", what, path, code }, issue: `${found}: ${problem}` }
}

export const explainMissingCommand = (path: string, platform: Platform, code: string, why = ""): Finding => ({
  reason: { _tag: "NotFound", what: "command", path, code },
  issue: `${quoteIfNeeded(path)} not found${isPath(platform, path) ? "" : " in PATH"}${why}`,
})

const notFound = (why: string): SpawnErrorExplanation => (context, code, error) => {
  const { cwd, executable, executableIs, interpreter, platform = "posix" } = context
  if (cwd !== undefined && blamesDirectory(context, error)) return noDirectory(cwd, context, code, error)
  const isThere = isPath(platform, executable) && (executableIs === "executable" || executableIs === "file")
  if (code === "ENOENT" && isThere) {
    const named = interpreter === undefined ? "the interpreter" : `the interpreter ${quote(interpreter.trimEnd())}`
    const carriage = interpreter?.endsWith("\r") === true ? ", whose first line ends with a carriage return," : ""
    return {
      reason: { _tag: "NotFound", what: "interpreter", path: interpreter ?? executable, code },
      issue: `${named} of ${quote(executable)}${carriage} not found`,
    }
  }
  return explainMissingCommand(executable, platform, code, why)
}

const denied = (issue: (executable: string) => string): SpawnErrorExplanation => (context, code, error) => {
  const { cwd, executable } = context
  if (cwd !== undefined && blamesDirectory(context, error)) {
    return { reason: { _tag: "PermissionDenied", path: cwd, code }, issue: `permission denied to enter ${quote(cwd)}` }
  }
  return { reason: { _tag: "PermissionDenied", path: executable, code }, issue: issue(executable) }
}

const notCapable: SpawnErrorExplanation = ({ executable }, code, error) => {
  const text = textOf(error)
  const variable = /with (\S+) environment variable/.exec(text)?.[1]
  const [, flag = "run"] = /with the --allow-(\w+) flag/.exec(text) ?? []
  const issue = variable === undefined && flag !== "run"
    ? `${quote(executable)} was not started, because Deno lacks a permission: start it with --allow-${flag}`
    : variable === undefined
    ? `Deno may not run ${quote(executable)}: start it with --allow-run=${executable}`
    : `Deno may not set ${variable} for a child: leave it out, or start Deno with --allow-run for every program`
  return { reason: { _tag: "PermissionDenied", path: executable, code }, issue }
}

const exhausted = (resource: string, issue: string): SpawnErrorExplanation => (_, code) => ({
  reason: { _tag: "ResourceExhausted", resource, code },
  issue,
})

const tooBig: SpawnErrorExplanation = ({ argumentBytes, exec }, code) => explainTooLong(exec, code, argumentBytes)

// NAME_MAX and PATH_MAX of Linux, macOS and the BSDs; on Windows the code refers to the whole command line.
const hasLongName = (path: string): boolean => path.length > 1023 || path.split("/").some((part) => part.length > 255)

const nameTooLong: SpawnErrorExplanation = (context, code, error) => {
  const { cwd, executable, platform } = context
  if (cwd !== undefined && (blamesDirectory(context, error) || hasLongName(cwd))) {
    return {
      reason: { _tag: "InvalidRequest", field: "workingDirectory", code },
      issue: "the name of the working directory is too long",
    }
  }
  if (platform === "windows" && !hasLongName(executable)) return tooBig(context, code, error)
  return { reason: { _tag: "InvalidRequest", field: "command", code }, issue: "the name of the command is too long" }
}

const invalidArgument: SpawnErrorExplanation = ({ exec }, code, error) => {
  const seen = validateExec(exec)?.reason
  if (seen !== undefined && seen._tag === "InvalidRequest") {
    return {
      reason: { ...seen, code },
      issue: `the field ${seen.field} has a value that cannot be passed to a process`,
    }
  }
  const text = textOf(error)
  const field = text.includes("options.cwd")
    ? "workingDirectory"
    : text.includes("options.env")
    ? "environment"
    : /'args\[[1-9]/.test(text)
    ? "arguments"
    : "command"
  return { reason: { _tag: "InvalidRequest", field, code }, issue: `the ${field} cannot be passed to a process` }
}

const notAProgram: SpawnErrorExplanation = ({ executable }, code) => ({
  reason: { _tag: "InvalidRequest", field: "command", code },
  issue: `${quote(executable)} is neither a program for this machine nor a script that begins with '#!'`,
})

/** The error code of a missing terminal engine; its message says what to install. */
export const noTerminalCode = "ENOTERMINAL"

const noTerminal: SpawnErrorExplanation = ({ exec }, _code, error) => ({
  reason: { _tag: "InvalidRequest", field: "terminal", code: "ENOTSUP" },
  issue: `${quoteIfNeeded(exec.command)} cannot have a terminal here: ${
    error instanceof Error ? error.message : "there is no engine"
  }`,
})

export const explanations: Readonly<Record<string, SpawnErrorExplanation>> = {
  ENOENT: notFound(""),
  ENOTDIR: notFound(`: ${pathProblems["ENOTDIR"]}`),
  ELOOP: notFound(`: ${pathProblems["ELOOP"]}`),
  EACCES: denied((file) => `permission denied to run ${quote(file)}`),
  EPERM: denied((file) => `permission denied to run ${quote(file)}`),
  ETXTBSY: denied((file) => `${quote(file)} is being written`),
  EBUSY: denied((file) => `${quote(file)} is in use`),
  NotCapable: notCapable,
  [noTerminalCode]: noTerminal,
  E2BIG: tooBig,
  ENAMETOOLONG: nameTooLong,
  ENOEXEC: notAProgram,
  EFTYPE: notAProgram,
  EINVAL: invalidArgument,
  EMFILE: exhausted("file descriptors", "this process has no file descriptor left"),
  ENFILE: exhausted("file descriptors", "this machine has no file descriptor left"),
  EAGAIN: exhausted("processes", "no more processes may be started"),
  ENOMEM: exhausted("memory", "there is not enough memory"),
}

export const explainUnknown: SpawnErrorExplanation = ({ executable }, code) => ({
  reason: { _tag: "Unknown", ...(code === "UNKNOWN" ? undefined : { code }) },
  issue: `${quote(executable)} could not be started`,
})
