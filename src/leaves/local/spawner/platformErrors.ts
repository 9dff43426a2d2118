/** Makes the PlatformErrors of Effect's Node spawner on every runtime. */
import * as PlatformError from "effect/PlatformError"
import type { StandardCommand } from "effect/process/ChildProcess"
import * as CommandLine from "effect/process/CommandLine"
import * as Redacted from "effect/Redacted"
import { errorMessage } from "../../../base/errorMessage.ts"
import { errorCode } from "../../../host/faults/errorCode.ts"
import type { Platform } from "../../../host/paths.ts"
import type { KillRefusal } from "./ChildTree.ts"

/** The command and the call that a failure belongs to. */
export interface ProcessDescription {
  readonly command: StandardCommand
  readonly platform: Platform
}

/** The fields of Node's error of a failed system call. */
interface Errno {
  readonly code?: string | undefined
  readonly errno?: number | undefined
  readonly syscall?: string | undefined
  readonly path?: string | undefined
}

const tags: Readonly<Record<string, PlatformError.SystemErrorTag>> = {
  ENOENT: "NotFound",
  EACCES: "PermissionDenied",
  EPERM: "PermissionDenied",
  NotCapable: "PermissionDenied",
  EEXIST: "AlreadyExists",
  EISDIR: "BadResource",
  ENOTDIR: "BadResource",
  ELOOP: "BadResource",
  EBUSY: "Busy",
}

const errnoError = (message: string, errno: Errno, cause?: unknown): Error & Errno =>
  Object.assign(new Error(message, cause === undefined ? undefined : { cause }), errno)

/** Formats the command line; a secret shows as `<redacted>`. */
const shown = ({ command, platform }: ProcessDescription): string =>
  CommandLine.display([command.command, ...command.args], { format: platform })

const systemError = (
  subject: ProcessDescription,
  method: string,
  cause: Error & Errno,
  description?: string,
): PlatformError.PlatformError =>
  PlatformError.systemError({
    _tag: cause.code !== undefined && Object.hasOwn(tags, cause.code) ? tags[cause.code] ?? "Unknown" : "Unknown",
    module: "ChildProcess",
    method,
    description,
    pathOrDescriptor: shown(subject),
    syscall: cause.syscall,
    cause,
  })

/** The error of a command that cannot be started on any machine. */
export const badArgument = (description: string, cause?: unknown): PlatformError.PlatformError =>
  PlatformError.badArgument({
    module: "ChildProcess",
    method: "spawn",
    description,
    ...(cause === undefined ? undefined : { cause }),
  })

const numberOf = (error: unknown): number | undefined =>
  typeof error === "object" && error !== null && "errno" in error && typeof error.errno === "number"
    ? error.errno
    : undefined

const syscallOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "syscall" in error && typeof error.syscall === "string"
    ? error.syscall
    : undefined

const hasSecrets = ({ args, options }: StandardCommand): boolean =>
  args.some(Redacted.isRedacted) || Object.values(options.env ?? {}).some(Redacted.isRedacted)

/** The error of a failed start. `error`: the runtime's error, or the errno name found before. */
export const spawnFailed = (subject: ProcessDescription, file: string, error: unknown): PlatformError.PlatformError => {
  const thrown = typeof error !== "string"
  const code = thrown ? errorCode(error, subject.platform) : error
  const syscall = `spawn ${file}`
  const cause = errnoError(
    code === undefined ? syscall : `${syscall} ${code}`,
    { code, errno: numberOf(error), syscall, path: file },
    // A runtime's error repeats the arguments.
    thrown && !hasSecrets(subject.command) ? error : undefined,
  )
  return systemError(
    subject,
    "spawn",
    cause,
    // Deno names the missing permission, with programs and variables but no values.
    code === "NotCapable" && error instanceof Error ? error.message : undefined,
  )
}

/** The error of a missing working directory, with the system call that Effect's spawner uses. */
export const noDirectory = (path: string): PlatformError.PlatformError => {
  const errno = { code: "ENOENT", syscall: "access", path }
  return PlatformError.systemError({
    _tag: "NotFound",
    module: "FileSystem",
    method: "access",
    pathOrDescriptor: path,
    syscall: errno.syscall,
    cause: errnoError(`ENOENT: no such file or directory, access '${path}'`, errno),
  })
}

/** The error of a process that a signal ended, which has no exit code. */
export const endedBySignal = (subject: ProcessDescription, signal: string): PlatformError.PlatformError =>
  systemError(subject, "exitCode", new Error(`Process interrupted due to receipt of signal: '${signal}'`))

const refusals: Readonly<Record<KillRefusal, Errno>> = {
  gone: {},
  denied: { code: "EPERM", syscall: "kill" },
  unknown: { code: "EINVAL", syscall: "kill" },
}

/** The error of a signal that could not be sent. */
export const killFailed = (subject: ProcessDescription, why: KillRefusal): PlatformError.PlatformError =>
  systemError(subject, "kill", errnoError("Failed to kill child process", refusals[why]))

/** The error of a write to a descriptor (`"stdin"`, `"fd3"`) that is not read. */
export const writeFailed = (subject: ProcessDescription, descriptor: string): PlatformError.PlatformError =>
  systemError(subject, `fromWritable(${descriptor})`, errnoError("write EPIPE", { code: "EPIPE", syscall: "write" }))

/** The error of an input that continued after the process had ended. */
export const inputCut = (subject: ProcessDescription, descriptor: string): PlatformError.PlatformError =>
  systemError(
    subject,
    `fromWritable(${descriptor})`,
    errnoError("Premature close", { code: "ERR_STREAM_PREMATURE_CLOSE" }),
  )

export const readFailed = (
  subject: ProcessDescription,
  descriptor: string,
  error: unknown,
): PlatformError.PlatformError =>
  systemError(
    subject,
    `fromReadable(${descriptor})`,
    errnoError(errorMessage(error), {
      code: errorCode(error, subject.platform),
      errno: numberOf(error),
      syscall: syscallOf(error) ?? "read",
    }, error),
  )
