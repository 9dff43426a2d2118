/** Makes the dry-run leaf, which answers each command with a description of what would run and starts nothing. */
import { findHost } from "../../host/findHost.ts"
import { makeDryRun } from "./dry-run/makeDryRun.ts"
import { type LocalLeaf, makeLocalLeaf } from "./LocalLeaf.ts"

/**
 * Describes commands instead of running them.
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
 */
export const DryRunShell: LocalLeaf = /* @__PURE__ */ makeLocalLeaf(
  "DryRunShell",
  "Deno, Bun or Node",
  findHost,
  (host, settings) => ({ shell: makeDryRun(host, settings), close: () => {} }),
)
