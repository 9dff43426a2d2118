/**
 * The local leaf that runs nothing, and says what it would run.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Shell } from "../../shell/Shell.ts"
import { currentHost } from "./currentHost.ts"
import { makeDryRun } from "./dry-run/makeDryRun.ts"
import { type LocalShellOptions, settingsOf } from "./LocalShellOptions.ts"

/**
 * The leaf with the settings of the local leaf that it stands for.
 *
 * Each command answers at once with exit code 0, and on stdout with some lines for people: the program as it was found,
 * with its arguments quoted (for a POSIX shell; on Windows by the rules of its programs); the working directory; what is
 * changed of the environment; what comes on stdin; the timeouts; the limits. Secrets show as `<redacted>`. No process is
 * started, no input is read, and on Deno no `--allow-run` is needed.
 *
 * What can be known without starting anything is a fault as in a real run: a program, directory or interpreter that is
 * not there, a file that may not be executed, a command of which no process can be made, a limit that cannot be
 * enforced. What only the system can say (arguments that are too long, a program for another machine) is not.
 *
 * In a pipeline each stage tells what it would run; nothing goes from one to the next.
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
 * console.assert(exitCode === 0)
 * console.assert(stdout.includes("/sh deploy.sh 'it'\\''s new'\n  directory    /\n"))
 * console.assert(stdout.includes("TOKEN=<redacted>") && stdout.includes("10m"))
 * ```
 */
export const layerWith = (options: LocalShellOptions): Layer.Layer<Shell> =>
  Layer.effect(
    Shell,
    Effect.suspend(() => {
      const host = currentHost()
      return host === undefined
        ? Effect.die(
          new Error("This leaf needs Deno, Bun or Node: here no program can be looked for. Use another leaf."),
        )
        : Effect.succeed(makeDryRun(host, settingsOf(options)))
    }),
  )

/** The leaf with the default settings. */
export const layer: Layer.Layer<Shell> = layerWith({})
