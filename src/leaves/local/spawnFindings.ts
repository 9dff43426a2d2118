/**
 * What each way in which a spawn fails means.
 *
 * @module
 */
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { tooLong } from "./argumentLimit.ts"
import type { FileKind } from "./resolve.ts"
import { isPath, type Platform } from "./resolve-paths.ts"
import { validateExec } from "../../shell/validateExec.ts"

/** What was to be started, and what is there, looked at after it failed. */
export interface SpawnContext {
  readonly exec: ShellExec
  /** The file that was to run, or its name where the runtime was to look for it. */
  readonly executable: string
  /** Default: `"posix"`. */
  readonly platform?: Platform | undefined
  /** The directory it was to run in; `undefined` when it was the process's own. */
  readonly cwd?: string | undefined
  /** What is at `cwd`. Default: `"unknown"`. */
  readonly cwdIs?: FileKind | undefined
  /** What is at `executable`. Default: `"unknown"`. */
  readonly executableIs?: FileKind | undefined
  /** Bytes that arguments and environment may have together. Default: nobody knows. */
  readonly argumentBytes?: number | undefined
  /** What the first line of `executable` names after `#!`: see {@link scriptInterpreter}. */
  readonly interpreter?: string | undefined
}

/** A reason, and the same in words. */
export interface Finding {
  readonly reason: FaultReason
  readonly issue: string
}

/** Says what a failed spawn means. */
export type Explain = (context: SpawnContext, code: string, error: unknown) => Finding

/** What was thrown, in words. */
export const textOf = (error: unknown): string => {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } catch {
    return Object.prototype.toString.call(error)
  }
}

// Deno tells the directory from the program; on Bun and Node only a look at it does.
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
    issue: `Working directory ${isFile ? "is not a directory" : "does not exist"} '${cwd}'`,
  }
}

/** What is wrong with a path, in words that follow its name; `ENOENT` is not among them. */
const pathProblems: Readonly<Record<string, string>> = {
  ENOTDIR: "a part of its path is not a directory",
  ELOOP: "its symbolic links go round in a circle",
}

/** What a path leads to nothing for, other than that nothing is there; `undefined` for any other code. */
export const badPath = (
  what: "command" | "workingDirectory",
  path: string,
  code: string | undefined,
): Finding | undefined => {
  const name = what === "command" ? "command" : "working directory"
  if (code === "ENAMETOOLONG") {
    return { reason: { _tag: "InvalidRequest", field: what, code }, issue: `The name of the ${name} is too long` }
  }
  const problem = code === undefined || !Object.hasOwn(pathProblems, code) ? undefined : pathProblems[code]
  if (code === undefined || problem === undefined) return undefined
  const found = what === "command" ? `${path} not found` : `Working directory does not exist '${path}'`
  return { reason: { _tag: "NotFound", what, path, code }, issue: `${found}: ${problem}` }
}

/** A program that is not there. */
export const noCommand = (path: string, platform: Platform, code: string, why = ""): Finding => ({
  reason: { _tag: "NotFound", what: "command", path, code },
  issue: `${path} not found${isPath(platform, path) ? "" : " in PATH"}${why}`,
})

const notFound = (why: string): Explain => (context, code, error) => {
  const { cwd, executable, executableIs, interpreter, platform = "posix" } = context
  if (cwd !== undefined && blamesDirectory(context, error)) return noDirectory(cwd, context, code, error)
  const isThere = isPath(platform, executable) && (executableIs === "executable" || executableIs === "file")
  if (code === "ENOENT" && isThere) {
    const named = interpreter === undefined ? "The interpreter" : `The interpreter '${interpreter.trimEnd()}'`
    const carriage = interpreter?.endsWith("\r") === true ? ", whose first line ends with a carriage return," : ""
    return {
      reason: { _tag: "NotFound", what: "interpreter", path: interpreter ?? executable, code },
      issue: `${named} of '${executable}'${carriage} not found`,
    }
  }
  return noCommand(executable, platform, code, why)
}

const denied = (issue: (executable: string) => string): Explain => (context, code, error) => {
  const { cwd, executable } = context
  if (cwd !== undefined && blamesDirectory(context, error)) {
    return { reason: { _tag: "PermissionDenied", path: cwd, code }, issue: `Permission denied to enter '${cwd}'` }
  }
  return { reason: { _tag: "PermissionDenied", path: executable, code }, issue: issue(executable) }
}

const notCapable: Explain = ({ executable }, code, error) => {
  const variable = /with (\S+) environment variable/.exec(textOf(error))?.[1]
  const issue = variable === undefined
    ? `Deno may not run '${executable}': start it with --allow-run=${executable}`
    : `Deno may not set ${variable} for a child: leave it out, or start Deno with --allow-run for every program`
  return { reason: { _tag: "PermissionDenied", path: executable, code }, issue }
}

const exhausted = (resource: string, issue: string): Explain => (_, code) => ({
  reason: { _tag: "ResourceExhausted", resource, code },
  issue,
})

const tooBig: Explain = ({ argumentBytes, exec }, code) => tooLong(exec, code, argumentBytes)

// NAME_MAX and PATH_MAX of Linux, macOS and the BSDs; on Windows the code is about the whole command line.
const hasLongName = (path: string): boolean => path.length > 1023 || path.split("/").some((part) => part.length > 255)

const nameTooLong: Explain = (context, code, error) => {
  const { cwd, executable, platform } = context
  if (cwd !== undefined && (blamesDirectory(context, error) || hasLongName(cwd))) {
    return {
      reason: { _tag: "InvalidRequest", field: "workingDirectory", code },
      issue: "The name of the working directory is too long",
    }
  }
  if (platform === "windows" && !hasLongName(executable)) return tooBig(context, code, error)
  return { reason: { _tag: "InvalidRequest", field: "command", code }, issue: "The name of the command is too long" }
}

const invalidArgument: Explain = ({ exec }, code, error) => {
  const seen = validateExec(exec)?.reason
  if (seen !== undefined && seen._tag === "InvalidRequest") {
    return { reason: { ...seen, code }, issue: `The field ${seen.field} has a value that no process can be given` }
  }
  const text = textOf(error)
  const field = text.includes("options.cwd")
    ? "workingDirectory"
    : text.includes("options.env")
    ? "environment"
    : /'args\[[1-9]/.test(text)
    ? "arguments"
    : "command"
  return { reason: { _tag: "InvalidRequest", field, code }, issue: `No process can be made of the ${field}` }
}

const notAProgram: Explain = ({ executable }, code) => ({
  reason: { _tag: "InvalidRequest", field: "command", code },
  issue: `'${executable}' is no program for this machine, nor a script that begins with '#!'`,
})

/** By errno name, what a failed spawn means. */
export const explanations: Readonly<Record<string, Explain>> = {
  ENOENT: notFound(""),
  ENOTDIR: notFound(`: ${pathProblems["ENOTDIR"]}`),
  ELOOP: notFound(`: ${pathProblems["ELOOP"]}`),
  EACCES: denied((file) => `Permission denied to run '${file}'`),
  EPERM: denied((file) => `Permission denied to run '${file}'`),
  ETXTBSY: denied((file) => `'${file}' is being written`),
  EBUSY: denied((file) => `'${file}' is in use`),
  NotCapable: notCapable,
  E2BIG: tooBig,
  ENAMETOOLONG: nameTooLong,
  ENOEXEC: notAProgram,
  EFTYPE: notAProgram,
  EINVAL: invalidArgument,
  EMFILE: exhausted("file descriptors", "This process has no file descriptor left"),
  ENFILE: exhausted("file descriptors", "This machine has no file descriptor left"),
  EAGAIN: exhausted("processes", "No more processes may be started"),
  ENOMEM: exhausted("memory", "There is not enough memory"),
}

/** Of an error that nobody knows. */
export const unknown: Explain = ({ executable }, code) => ({
  reason: { _tag: "Unknown", ...(code === "UNKNOWN" ? undefined : { code }) },
  issue: `'${executable}' could not be started`,
})
