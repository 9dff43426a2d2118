/** Implements a sandbox with promises and async iterables, for programs that do not use Effect. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { logContext, runPromise, runSync } from "../base/stderrLogs.ts"
import { aborted } from "../base/abort.ts"
import { streamOfPieces } from "../base/inputPieces.ts"
import { OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { CommandId } from "../command/CommandId.ts"
import type { CommitDecision, CommitOptions, CommitOutcome, PendingChange } from "../kernel/changes/Commit.ts"
import type { DiffOptions, SandboxDiff } from "../kernel/changes/FileChange.ts"
import { SandboxError } from "../kernel/sandbox/SandboxError.ts"
import type { ReadFileOptions, RemoveOptions, WriteFileOptions } from "../kernel/sandbox/SandboxFiles.ts"
import type { SandboxService } from "../kernel/sandbox/SandboxService.ts"
import type { ScriptExit, ScriptInput, ScriptOptions, ScriptResult, ScriptText } from "../kernel/sandbox/Script.ts"
import type { DirectoryEntry, Stat } from "../kernel/Stat.ts"
import { isAccepted, refusedExit } from "../shell/plain/exitCheck.ts"
import type { ShellExitError } from "../shell/plain/ShellExitError.ts"

/** Stdin of a script: a value, or bytes and text as they arrive. */
export type PromiseInput =
  | string
  | Uint8Array
  | ReadableStream<Uint8Array | string>
  | AsyncIterable<Uint8Array | string>
  | Iterable<Uint8Array | string>

/** Options of one run. The names are those of `run` in `@sluice/shell/run`. */
export interface PromiseScriptOptions extends Omit<ScriptOptions, "input"> {
  /** Stdin of the script. Default: nothing. */
  readonly input?: PromiseInput | undefined
  /** Exit codes that are a success: 0 (`true`), all and every signal (`false`), or those of a list. Default: `true`. */
  readonly check?: boolean | ReadonlyArray<number> | undefined
  /** Kills the script when it is aborted; the rejection is a `SandboxError` with `Cancelled`. */
  readonly signal?: AbortSignal | undefined
}

/** The exit is the last event, whatever its code. */
const eventOptionNames: Readonly<Record<Exclude<keyof PromiseScriptOptions, "check">, true>> = {
  args: true,
  input: true,
  maxOutputBytes: true,
  onStart: true,
  signal: true,
  timeout: true,
}

const optionNames: Readonly<Record<keyof PromiseScriptOptions, true>> = { ...eventOptionNames, check: true }

/** A change that a commit is about to make, with promises; see {@link PendingChange}. */
export interface PromisePendingChange extends Omit<PendingChange, "readAfter" | "readBefore" | "readPatch"> {
  /** Reads what would be replaced or removed. */
  readonly readBefore: () => Promise<Uint8Array>
  /** Reads what would be written. */
  readonly readAfter: () => Promise<Uint8Array>
  /** The change as a unified diff. */
  readonly readPatch: () => Promise<string>
}

/** Options of a commit. */
export interface PromiseCommitOptions extends Omit<CommitOptions, "approve"> {
  /** Decides about each change in the order of paths, before any is made. */
  readonly approve: (change: PromisePendingChange) => CommitDecision | Promise<CommitDecision>
}

const promiseChange = ({ readAfter, readBefore, readPatch, ...change }: PendingChange): PromisePendingChange => ({
  ...change,
  readAfter: () => runPromise(readAfter),
  readBefore: () => runPromise(readBefore),
  readPatch: () => runPromise(readPatch),
})

const readInput = (input: PromiseInput | undefined): ScriptInput | undefined => {
  if (input === undefined || typeof input === "string" || input instanceof Uint8Array) return input
  const stream = streamOfPieces(input)
  if (stream !== undefined) return stream
  throw new OptionError("input", "input: write text, bytes, an iterable of these or a ReadableStream")
}

const readOptions = ({ input, signal, ...rest }: Omit<PromiseScriptOptions, "check">): {
  readonly settings: ScriptOptions
  readonly signal: AbortSignal | undefined
} => ({ signal, settings: { ...rest, input: readInput(input) } })

/** The error of a script whose exit code is a failure, the same as for a command of `@sluice/shell/run`. */
const exitError = (script: string, result: ScriptResult, duration: number): ShellExitError => {
  const { exitCode, signal, stderr, stderrRaw, stdout, stdoutRaw } = result
  return refusedExit(script, {
    _tag: "ShellOutput",
    commandId: CommandId.make(),
    exitCode,
    ...defined({ signal }),
    stdout,
    stderr,
    duration,
    completed: Date.now(),
    drain: "eof",
    executable: "/bin/sh",
    stdoutBytes: stdoutRaw.length,
    stderrBytes: stderrRaw.length,
    stdoutBytesOmitted: 0,
    stderrBytesOmitted: 0,
  })
}

/** The error of a script that was killed for its output; it has what was kept. */
const overLimit = ({ stderr, stdout, stdoutRaw, stderrRaw }: ScriptResult): SandboxError => {
  const maxOutputBytes = stdoutRaw.length + stderrRaw.length
  const message = `the script wrote more than ${maxOutputBytes} bytes (maxOutputBytes) and was killed: ` +
    "raise the limit, or read it by events()"
  return SandboxError.because({ _tag: "OutputLimit", maxOutputBytes }, message, "OUTPUT_LIMIT", { stdout, stderr })
}

const cancelled = (): SandboxError =>
  SandboxError.because({ _tag: "Cancelled" }, "the script was cancelled by its AbortSignal and killed", "CANCELLED")

/**
 * A sandbox whose methods return promises; `Sandbox.open` makes one. Its runs follow each other in one shell session:
 * each starts with the variables, functions and working directory that the run before left.
 *
 * Methods reject with a `SandboxError`; its `reason` says why.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 *
 * await using sandbox = await Sandbox.open()
 * await sandbox.writeFile("in.txt", "b\na\n")
 * await sandbox.run("sort in.txt > out.txt; cd /tmp")
 * console.log([await sandbox.readText("/home/user/out.txt"), sandbox.cwd]) // [ 'a\nb\n', '/tmp' ]
 * for await (const event of sandbox.events("echo one; exit 2")) {
 *   console.log(event._tag === "ScriptText" ? event.text : event.exitCode)
 * }
 * // one
 * // 2
 * ```
 */
export class PromiseSandbox implements AsyncDisposable {
  /** The same sandbox with Effects. */
  readonly service: SandboxService
  readonly #scope: Scope.Closeable

  /** @internal */
  constructor(service: SandboxService, scope: Scope.Closeable) {
    this.service = service
    this.#scope = scope
  }

  /** The working directory, as the last run left it. */
  get cwd(): string {
    return runSync(this.service.cwd)
  }

  /** The environment of programs, as the last run left it. */
  get env(): Readonly<Record<string, string>> {
    return runSync(this.service.env)
  }

  /**
   * Runs a script to its end. Runs that are started at once wait for each other, in order.
   *
   * Rejects with a `ShellExitError` for an exit code that `check` does not accept, with a `SandboxError` (`Timeout`,
   * `OutputLimit`, `Cancelled`, `InputFailed`, `NotStarted`, `Closed`), or with an `OptionError`.
   */
  async run(script: string, options: PromiseScriptOptions = {}): Promise<ScriptResult> {
    refuseUnknownOptions("sandbox.run", options, optionNames)
    const { check, ...others } = options
    const { settings, signal } = readOptions(others)
    let started = performance.now()
    const ran = this.service.run(script, {
      ...settings,
      onStart: (running) => {
        // It may have waited for earlier runs.
        started = performance.now()
        settings.onStart?.(running)
      },
    })
    const result = await runPromise(
      signal === undefined
        ? ran
        : Effect.raceFirst(ran, Effect.flatMap(aborted(signal), () => Effect.fail(cancelled()))),
    )
    if (isAccepted(result, check)) return result
    throw result.truncated ? overLimit(result) : exitError(script, result, performance.now() - started)
  }

  /**
   * Runs a script and yields its text as it is written, the exit last, whatever its code. A slow consumer blocks the
   * processes; leaving the loop kills them.
   */
  events(script: string, options: Omit<PromiseScriptOptions, "check"> = {}): AsyncIterable<ScriptText | ScriptExit> {
    refuseUnknownOptions("sandbox.events", options, eventOptionNames)
    const { settings, signal } = readOptions(options)
    const events = this.service.stream(script, settings)
    if (signal === undefined) return Stream.toAsyncIterableWith(events, logContext)
    return Stream.toAsyncIterableWith(
      Stream.interruptWhen(events, Effect.flatMap(aborted(signal), () => Effect.fail(cancelled()))),
      logContext,
    )
  }

  /** Writes a file, text as UTF-8. Missing folders on the way are made. */
  writeFile(path: string, content: string | Uint8Array, options?: WriteFileOptions): Promise<void> {
    return runPromise(this.service.writeFile(path, content, options))
  }

  /** Reads the bytes of a file. */
  async readFile(path: string, options?: ReadFileOptions): Promise<Uint8Array> {
    return await runPromise(this.service.readFile(path, options))
  }

  /** Reads a file as text, decoded as UTF-8. */
  async readText(path: string, options?: ReadFileOptions): Promise<string> {
    return await runPromise(this.service.readText(path, options))
  }

  /** Lists a folder, by name. Default: the working directory. */
  list(path?: string): Promise<ReadonlyArray<DirectoryEntry>> {
    return runPromise(this.service.list(path))
  }

  /** Returns the type, size, mode and times of a file; a symbolic link is followed. */
  stat(path: string): Promise<Stat> {
    return runPromise(this.service.stat(path))
  }

  /** Makes a folder, and missing folders on the way. */
  makeFolder(path: string): Promise<void> {
    return runPromise(this.service.makeFolder(path))
  }

  /** Removes a file, a link, an empty folder, or with `recursive` a folder with everything in it. */
  remove(path: string, options?: RemoveOptions): Promise<void> {
    return runPromise(this.service.remove(path, options))
  }

  /**
   * Makes another sandbox with the files and the shell state of this one. The two share everything that neither
   * changes. The fork has to be closed as well. See {@link SandboxService.fork}.
   */
  async fork(): Promise<PromiseSandbox> {
    const scope = Scope.makeUnsafe()
    try {
      return new PromiseSandbox(await runPromise(Scope.provide(this.service.fork, scope)), scope)
    } catch (error) {
      await runPromise(Scope.close(scope, Exit.void))
      throw error
    }
  }

  /**
   * Returns the differences to another sandbox, such as the one that this was forked from, or to a snapshot: as data
   * and as a unified diff. See {@link SandboxService.diff}.
   */
  diff(against: PromiseSandbox | SandboxService | Uint8Array, options?: DiffOptions): Promise<SandboxDiff> {
    return runPromise(this.service.diff(against instanceof PromiseSandbox ? against.service : against, options))
  }

  /**
   * Writes those changes of overlays that `approve` accepts to the folders below them. If `approve` rejects, so does
   * this method, and nothing is written. See {@link SandboxService.commit}.
   */
  async commit({ approve, ...options }: PromiseCommitOptions): Promise<ReadonlyArray<CommitOutcome>> {
    const ask = (change: PendingChange): Effect.Effect<CommitDecision, unknown> =>
      Effect.tryPromise({ try: async () => await approve(promiseChange(change)), catch: (cause) => cause })
    return await runPromise(this.service.commit({ ...options, approve: ask }))
  }

  /** Returns the files that are kept in memory as a tar archive, with the state of the shell. */
  snapshot(): Promise<Uint8Array> {
    return runPromise(this.service.snapshot)
  }

  /** Replaces the files in memory and the state of the shell with those of a snapshot. */
  restore(archive: Uint8Array): Promise<void> {
    return runPromise(this.service.restore(archive))
  }

  /** Kills everything in the sandbox. Idempotent; later calls reject with `Closed`. */
  close(): Promise<void> {
    return runPromise(Scope.close(this.#scope, Exit.void))
  }

  /** See {@link close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
