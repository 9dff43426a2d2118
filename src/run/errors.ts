/** Declares the errors of running commands with types that do not need Effect, and exports their classes. */
import { OptionError as WrongOption } from "../base/OptionError.ts"
import { ShellFault as Fault } from "../command/plain/ShellFault.ts"
import { TemplateError as NoTemplate } from "../command/plain/TemplateError.ts"
import { ShellExitError as ExitError } from "../shell/plain/ShellExitError.ts"
import type { RunEnd } from "./RunResult.ts"

/** Reason of a {@link ShellFault}; `_tag` names the kind. */
export type RunFaultReason =
  | {
    readonly _tag: "NotFound"
    readonly what: "command" | "workingDirectory" | "interpreter" | "engine" | "image" | "container"
    readonly path: string
    readonly code?: string
  }
  | { readonly _tag: "PermissionDenied"; readonly path: string; readonly code?: string }
  | { readonly _tag: "NotAllowed"; readonly policy: string; readonly value?: string }
  | { readonly _tag: "InvalidRequest"; readonly field: string; readonly code?: string }
  | { readonly _tag: "Timeout"; readonly kind: "total" | "idle" | "queue"; readonly afterMillis: number }
  | { readonly _tag: "Cancelled"; readonly by?: string }
  | { readonly _tag: "Throttled"; readonly maxConcurrency: number; readonly maxQueued: number }
  | { readonly _tag: "ResourceExhausted"; readonly resource: string; readonly code?: string }
  | { readonly _tag: "HostLost"; readonly host?: string; readonly pid?: number; readonly ended?: number }
  | { readonly _tag: "JournalFailed"; readonly what: string; readonly code?: string }
  | { readonly _tag: "Unknown"; readonly code?: string }

/** A command could not be executed to its end; contains its output so far. An exit code is not a fault. */
export interface ShellFault extends Error {
  /** Distinguishes it from other errors. */
  readonly _tag: "ShellFault"
  /** Id of the command. */
  readonly commandId: string
  /** The fault that kept the command from running to its end. */
  readonly reason: RunFaultReason
  /** Text that was written to stdout before the fault. */
  readonly stdout: string
  /** Text that was written to stderr before the fault. */
  readonly stderr: string
  /** Bytes that were written to stdout. */
  readonly stdoutBytes: number
  /** Bytes that were written to stderr. */
  readonly stderrBytes: number
  /** Number of bytes of `stdoutBytes` that are not in `stdout`. */
  readonly stdoutBytesOmitted: number
  /** Number of bytes of `stderrBytes` that are not in `stderr`. */
  readonly stderrBytesOmitted: number
  /** The file of the program, if it is known. */
  readonly executable?: string
  /** The error of the runtime, as text. */
  readonly exception?: string
}

/**
 * A command ran and ended with an exit code or signal that is not accepted. `output` is its last event, with its
 * output.
 */
export interface ShellExitError extends Error {
  /** Distinguishes it from other errors. */
  readonly _tag: "ShellExitError"
  /** The last event of the command. */
  readonly output: RunEnd
  /** The command line, secrets as `<redacted>`. */
  readonly command?: string
  /** 0 to 255 (Windows: 32 bits); 128 + n when signal n ended it. */
  readonly exitCode: number
  /** Name of the signal that ended it. */
  readonly signal: string | undefined
  /** Text that was written to stdout. */
  readonly stdout: string
  /** Text that was written to stderr. */
  readonly stderr: string
  /** Milliseconds since the spawn. */
  readonly duration: number
}

/** A template that cannot be parsed as a command; `message` names the problem, its place and the fix. */
export interface TemplateError extends Error {
  /** Distinguishes it from other errors. */
  readonly _tag: "TemplateError"
  /** The problem of the template. */
  readonly reason: {
    readonly _tag: "UnsupportedSyntax" | "UnterminatedQuote" | "InvalidEscape" | "InvalidValue" | "Empty"
  }
}

/** A mistake in the options of a call; `option` names it, and `message` says what to write instead. */
export interface OptionError extends TypeError {
  /** Distinguishes it from other errors. */
  readonly _tag: "OptionError"
  /** The option's name. */
  readonly option: string
}

/** A class, for `instanceof`. */
export type ErrorClass<E extends Error> = abstract new (...args: never) => E

/**
 * Class of the errors of this type.
 *
 * @stability stable
 */
export const ShellFault: ErrorClass<ShellFault> = Fault
/**
 * Class of the errors of this type.
 *
 * @stability stable
 */
export const ShellExitError: ErrorClass<ShellExitError> = ExitError
/**
 * Class of the errors of this type.
 *
 * @stability stable
 */
export const TemplateError: ErrorClass<TemplateError> = NoTemplate
/**
 * Class of the errors of this type.
 *
 * @stability stable
 */
export const OptionError: ErrorClass<OptionError> = WrongOption
