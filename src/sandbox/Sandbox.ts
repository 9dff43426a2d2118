/**
 * Makes sandboxes, with or without the utilities, as scoped Effects, as layers of the `Sandbox` service, or as objects
 * with promises, and exports their types, errors and program clock.
 *
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({ files: { "names.txt": "Ada\nGrace\nAda\n" } })
 *   return yield* sandbox.run("sort names.txt | uniq -c | sort -rn | head -1")
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(program))
 * console.log(stdout.trim()) // 2 Ada
 * ```
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { runPromise } from "../base/stderrLogs.ts"
import { assumeValidOptions } from "../base/attemptOptions.ts"
import type { OptionError } from "../base/OptionError.ts"
import { makeSandbox } from "../kernel/sandbox/makeSandbox.ts"
import type { SandboxError } from "../kernel/sandbox/SandboxError.ts"
import type { SandboxOptions } from "../kernel/sandbox/SandboxOptions.ts"
import type { SandboxService } from "../kernel/sandbox/SandboxService.ts"
import { utilities } from "../kernel/utilities/Utilities.ts"
import { PromiseSandbox } from "./PromiseSandbox.ts"

export type { CommitDecision, CommitOptions, CommitOutcome, PendingChange } from "../kernel/changes/Commit.ts"
export type { DiffOptions, FileChange, FileVersion, SandboxDiff } from "../kernel/changes/FileChange.ts"
export { programClock } from "../kernel/sandbox/programClock.ts"
export { SandboxError } from "../kernel/sandbox/SandboxError.ts"
export type { ReadFileOptions, RemoveOptions, WriteFileOptions } from "../kernel/sandbox/SandboxFiles.ts"
export type { LazyFileContent, SandboxFile, SandboxLimits, SandboxOptions } from "../kernel/sandbox/SandboxOptions.ts"
export * as SandboxReason from "../kernel/sandbox/SandboxReason.ts"
export type { NewSessionOptions, SandboxService } from "../kernel/sandbox/SandboxService.ts"
export type {
  RunningScript,
  ScriptBytes,
  ScriptEnd,
  ScriptExit,
  ScriptInput,
  ScriptOptions,
  ScriptResult,
  ScriptText,
  SignalName,
} from "../kernel/sandbox/Script.ts"
export type { Session } from "../kernel/sandbox/Session.ts"
export type {
  PromiseCommitOptions,
  PromiseInput,
  PromisePendingChange,
  PromiseSandbox,
  PromiseScriptOptions,
} from "./PromiseSandbox.ts"

const Base: Context.ServiceClass<Sandbox, "@sluice/shell/Sandbox", SandboxService> = Context.Service<
  Sandbox,
  SandboxService
>()("@sluice/shell/Sandbox")

/**
 * The service of a sandbox: what {@link layer} and {@link layerWith} provide.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const countErrors = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.Sandbox
 *   return yield* sandbox.run("grep -c ERROR app.log")
 * })
 * const layer = Sandbox.layerWith({ files: { "app.log": "ok\nERROR disk\n" } })
 * const { stdout } = await Effect.runPromise(Effect.provide(countErrors, layer))
 * console.log(stdout) // 1
 * ```
 */
export class Sandbox extends Base {}

/**
 * Makes a sandbox with a shell and the utilities. Closing the scope kills everything in it.
 *
 * Fails with an `OptionError` for an option or a limit that is unknown or has an invalid value, and with a
 * `SandboxError` whose reason is `MountFailed` (a volume), `FileFailed` (one of `files`, or `cwd`) or `NotIsolable` (no
 * workers).
 *
 * @example
 * ```ts
 * import { memory, readOnly, Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({
 *     env: { GREETING: "hello" },
 *     mounts: { "/data": readOnly(memory()) },
 *     programs: { shout: async (system) => system.writeAll(1, new TextEncoder().encode("HEY\n")) },
 *     limits: { maxProcesses: 64, maxTotalFileBytes: 1_000_000 },
 *     timeout: "10 seconds",
 *   })
 *   const { stdout } = yield* sandbox.run("echo $GREETING; shout; touch /data/x || echo refused")
 *   return stdout
 * })
 * console.log(await Effect.runPromise(Effect.scoped(program)))
 * // hello
 * // HEY
 * // refused
 * ```
 */
export const make = (
  options: SandboxOptions = {},
): Effect.Effect<SandboxService, SandboxError | OptionError, Scope.Scope> => makeSandbox(utilities, options)

/**
 * Makes a sandbox without utilities: it has only the shell and the given programs, and a bundle contains no others.
 * Fails as {@link make}.
 *
 * @example
 * ```ts
 * import { Sandbox, Utilities } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.makeBare({ programs: { cat: Utilities.cat, wc: Utilities.wc } })
 *   return yield* sandbox.run("echo one two | cat | wc -w; sort || echo $?")
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(program))
 * console.log(stdout)
 * // 2
 * // 127
 * ```
 */
export const makeBare = (
  options: SandboxOptions = {},
): Effect.Effect<SandboxService, SandboxError | OptionError, Scope.Scope> => makeSandbox({}, options)

/**
 * The {@link Sandbox} service with options. Each build of the layer makes a sandbox of its own. Fails as {@link make}.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const program = Effect.flatMap(Sandbox.Sandbox, (sandbox) => sandbox.run("echo $NAME"))
 * const layer = Sandbox.layerWith({ env: { NAME: "Ada" } })
 * const { stdout } = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(stdout) // Ada
 * ```
 */
export const layerWith = (options: SandboxOptions): Layer.Layer<Sandbox, SandboxError | OptionError> =>
  Layer.effect(Sandbox, make(options))

/**
 * The {@link Sandbox} service with the default options.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const program = Effect.flatMap(Sandbox.Sandbox, (sandbox) => sandbox.run("seq 3 | tac"))
 * const { stdout } = await Effect.runPromise(Effect.provide(program, Sandbox.layer))
 * console.log(stdout)
 * // 3
 * // 2
 * // 1
 * ```
 */
export const layer: Layer.Layer<Sandbox, SandboxError> =
  /* @__PURE__ */ (() => Layer.effect(Sandbox, assumeValidOptions(make())))()

/**
 * Opens a sandbox whose methods return promises, for programs that do not use Effect. It lives until `close()` or the
 * end of its `await using` block. Rejects as {@link make} fails.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/sandbox"
 *
 * await using sandbox = await Sandbox.open({ files: { "names.txt": "Ada\nGrace\nAda\n" }, timeout: "10s" })
 * const { stdout } = await sandbox.run("sort -u names.txt")
 * console.log(stdout)
 * // Ada
 * // Grace
 *
 * const error = await sandbox.run("exit 3").catch((error) => error)
 * console.log(error._tag === "ShellExitError" && error.exitCode) // 3
 * ```
 */
export const open = async (options: SandboxOptions = {}): Promise<PromiseSandbox> => {
  const scope = Scope.makeUnsafe()
  try {
    return new PromiseSandbox(await runPromise(Scope.provide(make(options), scope)), scope)
  } catch (error) {
    await runPromise(Scope.close(scope, Exit.void))
    throw error
  }
}
