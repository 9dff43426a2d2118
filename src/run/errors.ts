/**
 * Error classes of running commands, with types that do not need Effect.
 *
 * @module
 */
import { OptionError as WrongOption } from "../base/OptionError.ts"
import { ShellFault as Fault } from "../command/ShellFault.ts"
import { TemplateError as NoTemplate } from "../command/template.ts"
import { ShellExitError as ExitError } from "../shell/failOnExit.ts"
import type { RunEnd } from "./RunResult.ts"

/**
 * Reason of a {@link ShellFault}; `_tag` names the kind.
 *
 * @stability stable
 */
export type RunFaultReason =
  | {
    readonly _tag: "NotFound"
    readonly what: "command" | "workingDirectory" | "interpreter"
    readonly path: string
    readonly code?: string
  }
  | { readonly _tag: "PermissionDenied"; readonly path: string; readonly code?: string }
  | { readonly _tag: "NotAllowed"; readonly policy: string; readonly value?: string }
  | { readonly _tag: "InvalidRequest"; readonly field: string; readonly code?: string }
  | { readonly _tag: "Timeout"; readonly kind: "total" | "idle" | "queue"; readonly afterMillis: number }
  | { readonly _tag: "Cancelled"; readonly by?: string }
  | { readonly _tag: "Throttled"; readonly concurrencyLimit: number; readonly queueLimit: number }
  | { readonly _tag: "ResourceExhausted"; readonly resource: string; readonly code?: string }
  | { readonly _tag: "HostLost"; readonly host?: string; readonly pid?: number; readonly ended?: number }
  | { readonly _tag: "JournalFailed"; readonly what: string; readonly code?: string }
  | { readonly _tag: "Unknown"; readonly code?: string }

/**
 * A command could not be executed to its end; contains its output so far. An exit code is not a fault.
 *
 * @stability stable
 */
export interface ShellFault extends Error {
  readonly _tag: "ShellFault"
  readonly commandId: string
  readonly reason: RunFaultReason
  readonly stdout: string
  readonly stderr: string
  readonly stdoutBytes: number
  readonly stderrBytes: number
  readonly stdoutBytesOmitted: number
  readonly stderrBytesOmitted: number
  readonly executable?: string
  readonly exception?: string
}

/**
 * A command ran and ended with an exit code or signal that is not accepted. `output` is its last event, with its
 * output.
 *
 * @stability stable
 */
export interface ShellExitError extends Error {
  readonly _tag: "ShellExitError"
  readonly output: RunEnd
  /** The command line, secrets as `<redacted>`. */
  readonly command?: string
  readonly exitCode: number
  readonly signal: string | undefined
  readonly stdout: string
  readonly stderr: string
  /** Milliseconds since the spawn. */
  readonly duration: number
}

/**
 * A template that cannot be parsed as a command; `message` names the problem, its place and the fix.
 *
 * @stability stable
 */
export interface TemplateError extends Error {
  readonly _tag: "TemplateError"
  readonly reason: {
    readonly _tag: "UnsupportedSyntax" | "UnterminatedQuote" | "InvalidEscape" | "InvalidValue" | "Empty"
  }
}

/**
 * A mistake in the options of a call; `option` names it, and `message` says what to write instead.
 *
 * @stability stable
 */
export interface OptionError extends TypeError {
  readonly _tag: "OptionError"
  readonly option: string
}

/**
 * A class, for `instanceof`.
 *
 * @stability stable
 */
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
