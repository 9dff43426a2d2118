/** Declares the options of a command. */
import type * as Redacted from "effect/Redacted"
import type { DurationInput } from "../base/duration.ts"
import type { CommandId } from "./CommandId.ts"
import type { CommandInput } from "./CommandInput.ts"
import type { CommandLimits } from "./CommandLimits.ts"

/** Options of a command in addition to its program and arguments; each has a default. */
export interface ShellExecOptions {
  /** Correlates the events to the request. Default: a UUIDv7. */
  readonly commandId?: CommandId | undefined
  /**
   * Directory to run in. Default: the leaf's base directory, else the process's own. On this machine it does not change which
   * program is meant: a relative path of one starts at the directory of the process.
   */
  readonly cwd?: string | undefined
  /** Entries added to or overriding the environment; `null` removes a variable. */
  readonly env?: Readonly<Record<string, string | Redacted.Redacted<string> | null>> | undefined
  /** Whether `env` extends the leaf's environment (`true`), or replaces it. Default: the leaf's option (`true`). */
  readonly extendEnv?: boolean | undefined
  /**
   * Maximum duration of the run, from the spawn; then the tree is ended and the fault is `Timeout`. Time in the queue of the
   * concurrency limit does not count, but a wait as long as the timeout is a `Timeout` too (`kind: "queue"`). Default: the
   * leaf's (none).
   */
  readonly timeout?: DurationInput | undefined
  /** Maximum silence on both outputs; then as `timeout`. Default: none. */
  readonly idleTimeout?: DurationInput | undefined
  /** Time between SIGTERM and SIGKILL. Default: the leaf's (5 s). */
  readonly grace?: DurationInput | undefined
  /** Chunks as they are written (`true`, the default), or the whole output in the last event (`false`). */
  readonly streamOutput?: boolean | undefined
  /** Hand `command` to the shell as a script. Use `ShellExec.shell`. Default: `false`. */
  readonly useShell?: boolean | undefined
  /**
   * The shell that runs a script: that of the leaf's machine (`"system"`, the default), or the one of this package
   * (`"portable"`), in which each program of the script is a command on the leaf. Only for scripts: with another command the
   * fault is `InvalidRequest`, as it is on a leaf that has no portable shell.
   */
  readonly shell?: "system" | "portable" | undefined
  /** Stderr into stdout's pipe, in the exact order of the writes, untagged. Default: `false`. */
  readonly mergeStreams?: boolean | undefined
  /** Put `node_modules/.bin` of the working directory and its parents first on PATH. Default: `false`. */
  readonly localBin?: boolean | undefined
  /** Encoding of the output: any label of `TextDecoder`. Default: `"utf-8"`. */
  readonly encoding?: string | undefined
  /** Input on stdin. Default: none; stdin is closed. */
  readonly input?: CommandInput | undefined
  /**
   * Maximum bytes of each output stream that are kept in memory; beyond it the middle is left out. Default: 64 MiB. For
   * a streamed command only the end is kept, for its fault; the default is then 64 KiB. A text is never longer than 511
   * MiB.
   */
  readonly maxOutputBytes?: number | undefined
  /** Limits that the operating system enforces. Default: none. */
  readonly limits?: CommandLimits | undefined
  /**
   * The fate of a command whose host process (a daemon) is lost. `"fault"`, the default: it ends with the fault
   * `HostLost`. `"rerun"`: it runs again from the start, however far it had come.
   */
  readonly onHostLoss?: "fault" | "rerun" | undefined
}
