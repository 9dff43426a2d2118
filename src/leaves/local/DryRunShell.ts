/**
 * Makes the dry-run leaf, which answers each command with a description of what would run and starts nothing.
 *
 * @module
 */
import type * as Config from "effect/Config"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { OptionError } from "../../base/OptionError.ts"
import type { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { currentHost } from "../../host/currentHost.ts"
import { type LocalLeaf, localLeaf } from "./localLeaf.ts"
import type { LocalShellOptions } from "./LocalShellOptions.ts"
import { makeDryRun } from "./dry-run/makeDryRun.ts"

const leaf: LocalLeaf = /* @__PURE__ */ localLeaf("Deno, Bun or Node", currentHost, (host, settings) => ({
  shell: makeDryRun(host, settings),
  close: () => {},
}))

/**
 * Makes the dry run of the local leaf as a service. Fails with an `OptionError` for an invalid
 * option.
 *
 * @example
 * ```ts
 * import { DryRunShell, ShellExec } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const shell = yield* DryRunShell.make({ cwd: "/" })
 *   return yield* shell.exec(ShellExec.make`rm -rf build`).pipe(Stream.runCollect)
 * })
 * const [chunk] = await Effect.runPromise(Effect.scoped(program))
 * console.log(chunk?._tag === "ShellOutputChunk" && chunk.content.includes("rm -rf build")) // true
 * ```
 *
 * @stability stable
 */
export const make = (options?: LocalShellOptions): Effect.Effect<ShellService, OptionError, Scope.Scope> =>
  leaf.make(options)

/**
 * The dry run of the local leaf with the default options.
 *
 * @example
 * ```ts
 * import { DryRunShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const described = Shell.text(ShellExec.make`echo hello`).pipe(Effect.provide(DryRunShell.layer))
 * console.log((await Effect.runPromise(described)).includes("echo hello")) // true
 * ```
 *
 * @stability stable
 */
export const layer: Layer.Layer<Shell> = leaf.layer

/**
 * The dry run of the local leaf with options. Fails with an `OptionError` for an option that is unknown or invalid.
 *
 * Each command succeeds at once with exit code 0 and writes a description to stdout: the program as it was found, with its
 * arguments quoted (for a POSIX shell; on Windows by the rules of its programs); the working directory; changes to the
 * environment; the source of stdin; the timeouts; the limits. Secrets show as `<redacted>`. No process is started, no input
 * is read, and on Deno no `--allow-run` is needed.
 *
 * Faults that can be found without starting anything are those of a real run: a missing program, directory or interpreter, a
 * file that is not executable, an invalid command, a limit that cannot be enforced. Those that only the system can find
 * (arguments that are too long, a program for another machine) are not.
 *
 * In a pipeline each stage writes its description; nothing is passed from one to the next.
 *
 * @example
 * ```ts
 * import { DryRunShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect, Redacted } from "effect"
 *
 * const deploy = ShellExec.make("sh", ["deploy.sh", "it's new"], {
 *   env: { TOKEN: Redacted.make("hunter2") },
 *   timeout: "10 minutes",
 * })
 * const { exitCode, stdout } = await Effect.runPromise(
 *   Shell.run(deploy).pipe(Effect.provide(DryRunShell.layerWith({ cwd: "/" }))),
 * )
 * console.log(exitCode) // 0
 * console.log(stdout.includes("/sh deploy.sh 'it'\\''s new'\n  directory    /\n")) // true
 * console.log(stdout.includes("TOKEN=<redacted>") && stdout.includes("10m")) // true
 * ```
 *
 * @stability stable
 */
export const layerWith = (options: LocalShellOptions): Layer.Layer<Shell, OptionError> => leaf.layerWith(options)

/**
 * The dry run of the local leaf with options from `Config`: the same names as of `LocalShell.layerConfig`.
 *
 * @example
 * ```ts
 * import { DryRunShell, Shell, ShellExec } from "@sluice/shell"
 * import { ConfigProvider, Effect, Layer } from "effect"
 *
 * const shell = DryRunShell.layerConfig().pipe(
 *   Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ DEFAULT_TIMEOUT: "10 minutes" }))),
 * )
 * const described = Shell.text(ShellExec.make`echo hello`).pipe(Effect.provide(shell))
 * console.log((await Effect.runPromise(described)).includes("10m")) // true
 * ```
 *
 * @stability stable
 */
export const layerConfig = (
  config?: Config.Config<LocalShellOptions>,
): Layer.Layer<Shell, Config.ConfigError | OptionError> => leaf.layerConfig(config)
