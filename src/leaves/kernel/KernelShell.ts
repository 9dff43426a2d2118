/**
 * Makes the `Shell` service of an existing sandbox, or a layer with a sandbox of its own: commands run as processes of
 * a kernel inside this program, on every runtime and the edge.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { assumeValidOptions, attemptOptions } from "../../base/attemptOptions.ts"
import type { OptionError } from "../../base/OptionError.ts"
import { makeSandbox } from "../../kernel/sandbox/makeSandbox.ts"
import type { SandboxError } from "../../kernel/sandbox/SandboxError.ts"
import type { SandboxService } from "../../kernel/sandbox/SandboxService.ts"
import { utilities } from "../../kernel/utilities/Utilities.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { type KernelCommandOptions, kernelShellOptionNames, type KernelShellOptions } from "./KernelShellOptions.ts"
import { makeKernelShell } from "./makeKernelShell.ts"

export type { KernelCommandOptions, KernelShellOptions } from "./KernelShellOptions.ts"

/**
 * Makes the shell of an existing sandbox: its commands see the files of the sandbox's own runs, and run in parallel
 * with them. Fails with an `OptionError` for an option that is no time span.
 *
 * @example
 * ```ts
 * import { cmd } from "@sluice/shell"
 * import { KernelShell, Sandbox } from "@sluice/shell/sandbox"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({ files: { "a.txt": "from the sandbox\n" } })
 *   const shell = yield* KernelShell.make(sandbox)
 *   return yield* Stream.runCollect(shell.exec(cmd`cat a.txt`))
 * })
 * const [chunk] = await Effect.runPromise(Effect.scoped(program))
 * console.log(chunk?._tag === "ShellOutputChunk" && chunk.content) // from the sandbox
 * ```
 */
export const make = (
  sandbox: SandboxService,
  options: KernelCommandOptions = {},
): Effect.Effect<ShellService, OptionError> => attemptOptions(() => makeKernelShell(sandbox, options))

const makeOwn = (
  options: KernelShellOptions,
): Effect.Effect<ShellService, SandboxError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    // The timeout applies to commands, because the sandbox itself runs no scripts.
    const sandboxOptions = { ...options, timeout: undefined }
    const sandbox = yield* makeSandbox(utilities, sandboxOptions, "KernelShell", kernelShellOptionNames)
    return yield* attemptOptions(() => makeKernelShell(sandbox, options, options.sequential))
  })

/**
 * A shell over a sandbox of its own: programs by name, `useShell` for scripts. Closing the layer kills everything in
 * it. Fails with an `OptionError` for an option that is unknown or no time span, and with a `SandboxError` as
 * `Sandbox.make`.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const layer = KernelShell.layerWith({ files: { "log.txt": "ok\nERROR disk\nok\n" } })
 * const program = Shell.run(ShellExec.make("grep", ["-c", "ERROR", "log.txt"]))
 * const { exitCode, stdout } = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(exitCode, stdout) // 0 1
 * ```
 */
export const layerWith = (options: KernelShellOptions): Layer.Layer<Shell, SandboxError | OptionError> =>
  Layer.effect(Shell, makeOwn(options))

/**
 * A shell over a sandbox of its own, with the default options.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { Effect } from "effect"
 *
 * const program = Shell.run(ShellExec.shell("seq 3 | tac"))
 * const { stdout } = await Effect.runPromise(Effect.provide(program, KernelShell.layer))
 * console.log(stdout)
 * // 3
 * // 2
 * // 1
 * ```
 */
export const layer: Layer.Layer<Shell, SandboxError> =
  /* @__PURE__ */ (() => Layer.effect(Shell, assumeValidOptions(makeOwn({}))))()
