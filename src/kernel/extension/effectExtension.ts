/** Makes extensions of Effects: their fibers are interrupted when their process ends. */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { awaitAtClose } from "./awaitedExtensions.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { OptionError } from "../../base/OptionError.ts"
import type {
  Extension,
  ExtensionContext,
  ExtensionExecOptions,
  ExtensionFiles,
  ExtensionOutput,
  ExtensionResult,
} from "../process/Extension.ts"
import { SandboxError } from "../sandbox/SandboxError.ts"
import type { ScriptExit, ScriptResult, ScriptText } from "../sandbox/Script.ts"

/** The files of an extension, as Effects: see {@link ExtensionFiles}. */
export type EffectExtensionFiles = {
  readonly [Name in keyof ExtensionFiles]: ExtensionFiles[Name] extends (...args: infer Args) => Promise<infer A>
    ? (...args: Args) => Effect.Effect<A, SandboxError | OptionError>
    : never
}

/** The call of an extension that is an Effect, with the capabilities of a program of the sandbox. */
export interface EffectExtensionContext extends Pick<ExtensionContext, "name" | "env" | "cwd"> {
  /** Its arguments, without its name. */
  readonly args: ReadonlyArray<string>
  /** Its stdin, pulled as it is read. */
  readonly stdin: Stream.Stream<Uint8Array, SandboxError>
  /** Reads all of stdin as text. More than `maxBytes` (default: 67,108,864) is an error. */
  readonly readStdin: (options?: { readonly maxBytes?: number | undefined }) => Effect.Effect<string, SandboxError>
  /** The files of the sandbox; relative paths start at `cwd`. */
  readonly files: EffectExtensionFiles
  /** Runs a command line to its end: see `exec` of {@link ExtensionContext}. Interruption ends it. */
  readonly exec: (
    command: string,
    options?: EffectExecOptions,
  ) => Effect.Effect<ScriptResult, SandboxError | OptionError>
  /** Runs a command line as a stream of its text, the exit last: see `events` of {@link ExtensionContext}. */
  readonly stream: (
    command: string,
    options?: EffectExecOptions,
  ) => Stream.Stream<ScriptText | ScriptExit, SandboxError | OptionError>
  /** Writes to stdout before it returns; waits while its reader is slow. */
  readonly write: (piece: string | Uint8Array) => Effect.Effect<void>
  /** Writes to stderr before it returns. */
  readonly writeError: (piece: string | Uint8Array) => Effect.Effect<void>
}

type EffectExecOptions = Omit<ExtensionExecOptions, "signal">

/** Output of an extension that is an Effect. A stream is pulled as fast as its reader reads. */
export type EffectExtensionOutput<R = never> = string | Uint8Array | Stream.Stream<string | Uint8Array, unknown, R>

/** Exit code and outputs of an extension that is an Effect. */
export interface EffectExtensionResult<R = never> {
  /** 0 to 255. Default: 0. */
  readonly exitCode?: number | undefined
  /** Default: nothing. */
  readonly stdout?: EffectExtensionOutput<R> | undefined
  /** Default: nothing. */
  readonly stderr?: EffectExtensionOutput<R> | undefined
}

/** A command of a script as an Effect. A failure writes its message to stderr, and the exit code is 1. */
export type EffectExtension<R = never> = (
  context: EffectExtensionContext,
) => Effect.Effect<EffectExtensionOutput<R> | EffectExtensionResult<R> | void, unknown, R>

const isExpected = (cause: unknown): cause is SandboxError | OptionError =>
  cause instanceof SandboxError || cause instanceof OptionError

/** Runs a promise of the context. When its process has ended, this fiber is interrupted as well. */
const fromPromise = <A>(
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<A>,
): Effect.Effect<A, SandboxError | OptionError> =>
  Effect.catch(
    Effect.tryPromise({ try: run, catch: (cause) => cause }),
    (cause) => isExpected(cause) ? Effect.fail(cause) : signal.aborted ? Effect.interrupt : Effect.die(cause),
  )

const stdinFailed = (cause: unknown): SandboxError => {
  const reason = { _tag: "FileFailed", operation: "read", path: "/dev/stdin", code: "EIO" } as const
  return SandboxError.because(reason, `cannot read stdin: ${errorMessage(cause)}`, "EIO")
}

const contextOf = (
  args: ReadonlyArray<string>,
  stdin: ReadableStream<Uint8Array>,
  context: ExtensionContext,
): EffectExtensionContext => {
  const { cwd, env, events, exec, files, name, readStdin, signal, stderr, stdout } = context
  const promised = <A>(run: (signal: AbortSignal) => Promise<A>) => fromPromise(signal, run)
  const written = (write: () => Promise<void>) => Effect.orDie(promised(write))
  return {
    name,
    args,
    env,
    cwd,
    stdin: Stream.fromReadableStream({ evaluate: () => stdin, onError: stdinFailed }),
    readStdin: (options) => Effect.tryPromise({ try: () => readStdin(options), catch: stdinFailed }),
    files: {
      readFile: (...args) => promised(() => files.readFile(...args)),
      readText: (...args) => promised(() => files.readText(...args)),
      writeFile: (...args) => promised(() => files.writeFile(...args)),
      exists: (...args) => promised(() => files.exists(...args)),
      list: (...args) => promised(() => files.list(...args)),
      stat: (...args) => promised(() => files.stat(...args)),
      makeFolder: (...args) => promised(() => files.makeFolder(...args)),
      remove: (...args) => promised(() => files.remove(...args)),
    },
    exec: (command, options) => promised((signal) => exec(command, { ...options, signal })),
    stream: (command, options) =>
      Stream.catch(
        Stream.fromAsyncIterable(events(command, options), (cause) => cause),
        (cause) => isExpected(cause) ? Stream.fail(cause) : Stream.die(cause),
      ),
    write: (piece) => written(() => stdout.write(piece)),
    writeError: (piece) => written(() => stderr.write(piece)),
  }
}

/**
 * Makes an extension of an Effect, with the services that it needs. Its fiber is interrupted when its command ends: by a
 * signal, a timeout, or the end of the sandbox, which waits up to five seconds for its finalizers.
 *
 * @example
 * ```ts
 * import { Extension, Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const count = yield* Extension.make(({ args: [path = ""], exec, files }) =>
 *     Effect.gen(function* () {
 *       const names: ReadonlyArray<string> = JSON.parse(yield* files.readText(path))
 *       const { stdout } = yield* exec("sort | uniq -c", { input: names.join("\n") })
 *       return stdout
 *     })
 *   )
 *   const sandbox = yield* Sandbox.make({ extensions: { count }, files: { "names.json": '["Ada", "Bob", "Ada"]' } })
 *   return yield* sandbox.run("count names.json | sort -rn | head -1")
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(program))
 * console.log(stdout.trim()) // 2 Ada
 * ```
 */
export const make = <R = never>(run: EffectExtension<R>): Effect.Effect<Extension, never, R> =>
  Effect.contextWith((services: Context.Context<R>) => {
    const output = (made: EffectExtensionOutput<R> | undefined): ExtensionOutput | undefined =>
      Stream.isStream(made) ? Stream.toAsyncIterableWith(made, services) : made
    const extension: Extension = async (args, stdin, context) => {
      const { signal } = context
      const effect = Effect.suspend(() => run(contextOf(args, stdin, context)))
      const exit = await Effect.runPromiseExitWith(services)(effect, { signal })
      if (Exit.isFailure(exit)) throw signal.aborted ? signal.reason : Cause.squash(exit.cause)
      const made = exit.value ?? ""
      if (typeof made === "string" || made instanceof Uint8Array || Stream.isStream(made)) return output(made)
      const result: ExtensionResult = { ...made, stdout: output(made.stdout), stderr: output(made.stderr) }
      return result
    }
    return Effect.succeed(awaitAtClose(extension))
  })
