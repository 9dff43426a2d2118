/**
 * Computes the maximum size of a process's arguments and environment, checks whether a command certainly exceeds it,
 * and explains which part is too long.
 *
 * Source: execve(2), "Limits on size of arguments and environment"; sysconf(3), ARG_MAX; Microsoft, "Environment
 * Variables".
 */
import { utf8Length } from "../../base/utf8.ts"
import type { FaultReason } from "../../command/FaultReason.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { reveal } from "../../command/plain/secret.ts"
import type { Host } from "../Host.ts"

/** Maximum bytes of one argument or variable on Linux with its final NUL (MAX_ARG_STRLEN). */
const maxStringBytes = 131_072

/** Linux: a quarter of the stack, at least 128 KiB and at most 6 MiB. macOS: a constant. */
const stackShare = 4
const minArgumentBytes = 131_072
const maxArgumentBytes = 6_291_456
const darwinBytes = 1_048_576

/** Size of the pointer that each string needs. */
const pointerBytes = 8

/**
 * Maximum characters of a variable on Windows, with its name. Windows starts a process with a longer variable, but the
 * process cannot read it.
 */
const maxVariableLength = 32_767

/** Maximum bytes of arguments and environment together on this machine; `undefined` if unknown. */
export const argumentLimit = (host: Pick<Host, "os" | "readText">): number | undefined => {
  if (host.os === "darwin") return darwinBytes
  if (host.os !== "linux") return undefined
  const stack = /^Max stack size\s+(\w+)/m.exec(host.readText("/proc/self/limits") ?? "")?.[1]
  if (stack === undefined) return undefined
  return Math.max(
    minArgumentBytes,
    Math.min(maxArgumentBytes, stack === "unlimited" ? maxArgumentBytes : Number(stack) / stackShare),
  )
}

interface Sizes {
  readonly strings: number
  /** Bytes of all strings, and of the largest one. */
  readonly bytes: number
  readonly max: number
}

const sizesOf = (words: Iterable<string>): Sizes => {
  let [strings, bytes, max] = [0, 0, 0]
  for (const word of words) {
    const length = utf8Length(word) + 1
    strings++
    bytes += length
    max = Math.max(max, length)
  }
  return { strings, bytes, max }
}

/** Whether strings are too long for a process: one of them, or all together. */
export const areTooLong = (
  strings: Iterable<string>,
  maxBytes: number,
  maxOneBytes: number = maxStringBytes,
): boolean => {
  const { bytes, max, strings: count } = sizesOf(strings)
  return max > maxOneBytes || bytes + count * pointerBytes > maxBytes
}

export const wordsOf = (
  exec: ShellExec,
): Iterable<string> => [exec.command, ...exec.arguments.map((word) => reveal(word) ?? "")]

export const variablesOf = (exec: ShellExec): ReadonlyArray<string> =>
  Object.entries(exec.environment ?? {}).map(([name, value]) => `${name}=${value === null ? "" : reveal(value)}`)

const hasLongVariable = (exec: ShellExec): boolean =>
  variablesOf(exec).some((variable) => variable.length > maxVariableLength)

/** A reason, with its text. */
export interface TooLongFinding {
  readonly reason: FaultReason
  readonly issue: string
}

/** Explains which part of a command is too long. `limit`: the result of {@link argumentLimit}. */
export const explainTooLong = (exec: ShellExec, code: string, limit: number | undefined): TooLongFinding => {
  const [args, variables] = [sizesOf(wordsOf(exec)), sizesOf(variablesOf(exec))]
  const isEnvironment = variables.bytes > args.bytes
  const { bytes, max, strings } = isEnvironment ? variables : args
  const size = `${bytes} bytes in ${strings} ${strings === 1 ? "string" : "strings"}`
  const together = `arguments and environment may have ${limit} together, with ${pointerBytes} for each string`
  const one = max > maxStringBytes ? `, and one of them ${max}; one may have ${maxStringBytes}` : ""
  const onWindows = hasLongVariable(exec) ? `; on Windows a variable may have ${maxVariableLength} characters` : ""
  return {
    reason: { _tag: "InvalidRequest", field: isEnvironment ? "environment" : "arguments", code },
    issue: `the ${isEnvironment ? "environment is" : "arguments are"} too long: ${size}${
      limit === undefined ? onWindows : `${one}; here ${together}`
    }`,
  }
}

/** Minimum number of strings to count: for fewer the system reports the error faster. */
const minCountedStrings = 1_000

/** Whether a command is certainly too long for a process, judged without encoding it. */
export const isTooLong = (exec: ShellExec, host: Pick<Host, "os" | "readText">): boolean => {
  if (host.os === "windows") return exec.environment !== undefined && hasLongVariable(exec)
  const names = exec.environment === undefined ? [] : Object.keys(exec.environment)
  const strings = names.length + exec.arguments.length
  if (strings < minCountedStrings) return false
  const limit = argumentLimit(host)
  if (limit === undefined) return false
  let bytes = strings * pointerBytes
  for (const word of exec.arguments) bytes += typeof word === "string" ? word.length + 1 : 1
  for (const name of names) {
    const value = exec.environment?.[name]
    bytes += value === null ? 0 : name.length + 2 + (typeof value === "string" ? value.length : 0)
  }
  return bytes > limit
}
