/**
 * The kernel leaf: commands run as processes of a kernel inside this program. No process of the host is started, so it
 * runs wherever JavaScript does.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { refuseUnknownOptions } from "../../base/OptionError.ts"
import { make as makeSandbox, type Sandbox, type SandboxError } from "../../kernel/Sandbox.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { kernelShellOptionNames, type KernelShellOptions, type KernelCommandOptions } from "./KernelShellOptions.ts"
import { makeKernelShell } from "./makeKernelShell.ts"

export type { LeafOptions } from "../../shell/LeafOptions.ts"
export type { KernelShellOptions, KernelCommandOptions as KernelShellSettings } from "./KernelShellOptions.ts"

/**
 * The shell of a sandbox that you have: its commands see the files of the sandbox's own runs, and run beside them.
 *
 * @example
 * ```ts
 * import { sh } from "@sluice/shell"
 * import { KernelShell, Sandbox } from "@sluice/shell/kernel"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const sandbox = yield* Sandbox.make({ files: { "a.txt": "from the sandbox\n" } })
 *   const shell = KernelShell.make(sandbox)
 *   return yield* Stream.runCollect(shell.exec(sh`cat a.txt`))
 * })
 * const [chunk] = await Effect.runPromise(Effect.scoped(program))
 * console.assert(chunk?._tag === "ShellOutputChunk" && chunk.content === "from the sandbox\n")
 * ```
 */
export const make = (sandbox: Sandbox, settings: KernelCommandOptions = {}): ShellService =>
  makeKernelShell(sandbox, settings)

/**
 * A shell over a sandbox of its own: programs by name, `useShell` for scripts. Everything in it is killed with the layer.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { KernelShell } from "@sluice/shell/kernel"
 * import { Effect } from "effect"
 *
 * const layer = KernelShell.layer({ files: { "log.txt": "ok\nERROR disk\nok\n" } })
 * const program = Shell.run(ShellExec.make("grep", ["-c", "ERROR", "log.txt"]))
 * const { exitCode, stdout } = await Effect.runPromise(Effect.provide(program, layer))
 * console.assert(exitCode === 0 && stdout === "1\n")
 * ```
 */
export const layer = (options: KernelShellOptions = {}): Layer.Layer<Shell, SandboxError> =>
  Layer.effect(
    Shell,
    Effect.suspend(() => {
      refuseUnknownOptions("KernelShell", options, kernelShellOptionNames)
      return Effect.map(makeSandbox(options), (sandbox) => makeKernelShell(sandbox, options, options.sequential))
    }),
  )
