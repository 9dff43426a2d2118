/**
 * A sandbox: a kernel with a file system, a shell that stays, and the utilities that scripts expect.
 *
 * ```ts
 * import { Sandbox } from "@sluice/shell/kernel"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({ files: { "names.txt": "Ada\nGrace\nAda\n" } })
 *   return yield* sandbox.run("sort names.txt | uniq -c | sort -rn | head -1")
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(program))
 * console.assert(stdout.trim() === "2 Ada")
 * ```
 *
 * Nothing of the host is in it but what is mounted; nothing of it outlives its scope.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { makeSandbox } from "./sandbox/makeSandbox.ts"
import type { SandboxService } from "./sandbox/Sandbox.ts"
import type { SandboxError } from "./sandbox/SandboxError.ts"
import type { SandboxOptions } from "./sandbox/SandboxOptions.ts"
import { utilities } from "./utilities/Utilities.ts"

export { programClock } from "./sandbox/programClock.ts"
export * from "./sandbox/Run.ts"
export { type NewSessionOptions, SandboxService as Sandbox } from "./sandbox/Sandbox.ts"
export * from "./sandbox/SandboxError.ts"
export type { ReadFileOptions, RemoveOptions, WriteFileOptions } from "./sandbox/SandboxFiles.ts"
export type { SandboxFile, SandboxLimits, SandboxOptions } from "./sandbox/SandboxOptions.ts"
export { Session } from "./sandbox/Session.ts"

/**
 * Makes a sandbox with a shell and the utilities; it is closed, and everything in it killed, with the scope.
 *
 * @example
 * ```ts
 * import { memory, readOnly, Sandbox } from "@sluice/shell/kernel"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({
 *     env: { GREETING: "hello" },
 *     mounts: { "/data": readOnly(memory()) },
 *     programs: { shout: async (system) => system.writeAll(1, new TextEncoder().encode("HEY\n")) },
 *     limits: { processes: 64, fileBytes: 1_000_000 },
 *     timeout: "10 seconds",
 *   })
 *   const { stdout } = yield* sandbox.run("echo $GREETING; shout; touch /data/x || echo refused")
 *   return stdout
 * })
 * console.assert(await Effect.runPromise(Effect.scoped(program)) === "hello\nHEY\nrefused\n")
 * ```
 */
export const make = (options: SandboxOptions = {}): Effect.Effect<SandboxService, SandboxError, Scope.Scope> =>
  makeSandbox(utilities, options)

/**
 * The same without utilities: only the shell, and the programs that are given. A bundle of it has none of the others.
 *
 * @example
 * ```ts
 * import { Sandbox } from "@sluice/shell/kernel"
 * import { cat, wc } from "@sluice/shell/kernel/utilities"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.makeBare({ programs: { cat, wc } })
 *   return yield* sandbox.run("echo one two | cat | wc -w; sort || echo $?")
 * })
 * const { stdout } = await Effect.runPromise(Effect.scoped(program))
 * console.assert(stdout === "2\n127\n")
 * ```
 */
export const makeBare = (options: SandboxOptions = {}): Effect.Effect<SandboxService, SandboxError, Scope.Scope> =>
  makeSandbox({}, options)
