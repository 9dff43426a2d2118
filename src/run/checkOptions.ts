/** Refuses unknown, invalid and contradictory options, which plain JavaScript does not check. */
import { quote } from "../base/quote.ts"
import { durationOf, millisOf } from "../base/duration.ts"
import { OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { execOptionNames } from "../command/plain/execFields.ts"
import type { RunDuration, RunOptions, SharedRunOptions } from "./RunOptions.ts"
import type { RunnerOptions } from "./Runner.ts"

type Names<A> = Readonly<Record<keyof A, unknown>>

const { commandId, input, onHostLoss: _o, streamOutput: _s, useShell: _u, ...commonNames } = execOptionNames

const sharedNames: Names<SharedRunOptions> = {
  ...commonNames,
  check: true,
  verbose: true,
  signal: true,
}

const runNames: Names<RunOptions> = {
  ...sharedNames,
  commandId,
  input,
  stdin: true,
  stdout: true,
  stderr: true,
}

const runnerNames: Names<RunnerOptions> = {
  ...sharedNames,
  maxConcurrency: true,
  maxQueued: true,
  defaultShell: true,
  preferPowerShell: true,
  cleanup: true,
  dieWithParent: true,
  mock: true,
  record: true,
  dryRun: true,
}

const isEncoding = (label: string): boolean => {
  try {
    return new TextDecoder(label).encoding !== ""
  } catch {
    return false
  }
}

const refuse = (option: string, problem: string): never => {
  throw new OptionError(option, `${option}: ${problem}`)
}

const hasFile = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "file" in value &&
  (typeof value.file === "string" || value.file instanceof URL)

const isTarget = (value: unknown): boolean => value instanceof WritableStream || hasFile(value)

const checkOutput = (name: "stdout" | "stderr", value: unknown): void => {
  if (value === undefined || ["pipe", "inherit", "ignore", "tee"].some((word) => word === value) || isTarget(value)) {
    return
  }
  if (typeof value === "object" && value !== null && "tee" in value) {
    const targets = Array.isArray(value.tee) ? value.tee : [value.tee]
    if (targets.length > 0 && targets.every((target) => target === "inherit" || isTarget(target))) return
  }
  const forms = `"pipe", "inherit", "ignore", "tee", { tee: … }, { file: "path" } or a WritableStream`
  refuse(name, typeof value === "string" ? `${quote(value)} is not one of ${forms}` : `write ${forms}`)
}

const checkStdin = ({ input, stdin }: RunOptions): void => {
  if (stdin === undefined) return
  if (input !== undefined) refuse("stdin", "input is also given: a command reads only one of them")
  if (["pipe", "inherit", "ignore"].some((word) => word === stdin) || hasFile(stdin)) return
  refuse("stdin", `write "pipe", "inherit", "ignore" or { file: "path" }; a value to read goes into the option input`)
}

/** Validates a time after which a command is ended. To have no timeout, callers omit the option. */
const checkDeadline = (name: "timeout" | "idleTimeout", value: RunDuration | undefined): void => {
  if (value === undefined) return
  const millis = millisOf(name, value)
  if (!(millis > 0 && millis < Infinity)) refuse(name, "write a finite time above zero, or leave it out for none")
}

const checkShared = ({ check, encoding, grace, idleTimeout, shell, signal, timeout }: SharedRunOptions): void => {
  if (shell !== undefined && shell !== "system" && shell !== "portable") {
    refuse("shell", 'write "system" or "portable"; the option defaultShell of a runner names the shell of the system')
  }
  checkDeadline("timeout", timeout)
  checkDeadline("idleTimeout", idleTimeout)
  if (encoding !== undefined && !isEncoding(encoding)) {
    refuse("encoding", `TextDecoder does not have ${quote(encoding)}`)
  }
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    refuse("signal", "write an AbortSignal; kill(signal) sends a signal of the system")
  }
  if (grace !== undefined) durationOf("grace", grace)
  const codes = Array.isArray(check) && check.every((code) => Number.isInteger(code))
  if (check !== undefined && typeof check !== "boolean" && !codes) {
    refuse("check", "write a boolean or a list of exit codes")
  }
}

/** Validates the options of a command. `where` names the call in messages. */
export const checkRunOptions = (where: string, options: RunOptions): void => {
  refuseUnknownOptions(where, options, runNames)
  checkShared(options)
  checkOutput("stdout", options.stdout)
  checkOutput("stderr", options.stderr)
  checkStdin(options)
  if (options.mergeStreams === true && options.stderr !== undefined && options.stderr !== "pipe") {
    refuse("stderr", "mergeStreams sends stderr to the destination of stdout: give one of them")
  }
  if (options.idleTimeout !== undefined && options.stdout === "inherit") {
    refuse("idleTimeout", "an inherited output is not read here, so its silence cannot be measured")
  }
}

/** Validates the options of `within`. */
export const checkSharedOptions = (where: string, options: SharedRunOptions): void => {
  refuseUnknownOptions(where, options, sharedNames)
  checkShared(options)
}

export const checkRunnerOptions = (options: RunnerOptions): void => {
  refuseUnknownOptions("Runner.make", options, runnerNames)
  checkShared(options)
  const { dryRun, mock, record } = options
  if (mock !== undefined && typeof mock !== "function") refuse("mock", "write a function of a command")
  if (record !== undefined && !hasFile(record)) refuse("record", 'write { file: "path" }')
  const given = [mock, record, dryRun === true ? dryRun : undefined].filter((each) => each !== undefined)
  if (given.length > 1) refuse("mock", "give one of mock, record and dryRun")
}
