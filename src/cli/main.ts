/**
 * Entry point of `sluice`: runs the command line of this process and exits with its status. Importing this module runs
 * it.
 *
 * ```sh
 * sluice run --window lines:50,silence:100 -- git log --stat
 * sluice serve --port 8787
 * ```
 *
 * Runs on Deno, Bun and Node. See `sluice --help`.
 *
 * @stability stable
 *
 * @module
 */
import { enableCompileCache } from "./compileCache.ts"
import { denoProcess } from "./denoProcess.ts"
import { nodeProcess } from "./nodeProcess.ts"
import { withoutAsyncHooks } from "./withoutAsyncHooks.ts"

const cli = denoProcess() ?? nodeProcess()
if (cli === undefined) throw new Error("sluice needs Deno, Bun or Node")
enableCompileCache()
const { runCli } = await withoutAsyncHooks(() => import("./runCli.ts"))
runCli(cli)
