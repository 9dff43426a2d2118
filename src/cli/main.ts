/**
 * The command line: `sluice run` and `sluice serve`. Importing this module runs it.
 *
 * ```sh
 * sluice run --window lines:50,silence:100 -- git log --stat
 * sluice serve --port 8787
 * ```
 *
 * It starts on Deno, Bun and Node; `sluice --help` tells the rest.
 *
 * @module
 */
import { denoProcess } from "./denoProcess.ts"
import { nodeProcess } from "./nodeProcess.ts"
import { withoutAsyncHooks } from "./withoutAsyncHooks.ts"

const own = denoProcess() ?? nodeProcess()
if (own === undefined) throw new Error("sluice needs Deno, Bun or Node")
const { runCli: start } = await withoutAsyncHooks(() => import("./runCli.ts"))
start(own)
