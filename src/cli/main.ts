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
import { enableCompileCache } from "./enableCompileCache.ts"
import { denoProcess } from "./denoProcess.ts"
import { nodeProcess } from "./nodeProcess.ts"

/**
 * Loads modules while the global `process` is hidden. When it is loaded, Effect looks for `AsyncResource` there, which
 * keeps `AsyncLocalStorage` across the suspensions of a fiber. On Deno that first access adds 30 ms to the start, each
 * suspension costs 5 to 7 µs, and its memory is never released. This command line has no `AsyncLocalStorage`; a library
 * must not do this to the programs that use it.
 */
const withoutAsyncHooks = async <A>(load: () => Promise<A>): Promise<A> => {
  const process = Object.getOwnPropertyDescriptor(globalThis, "process")
  if (process?.configurable !== true) return await load()
  Object.defineProperty(globalThis, "process", { value: undefined, configurable: true, writable: true })
  try {
    return await load()
  } finally {
    Object.defineProperty(globalThis, "process", process)
  }
}

const cli = denoProcess() ?? nodeProcess()
if (cli === undefined) throw new Error("sluice needs Deno, Bun or Node")
enableCompileCache()
const { runCli } = await withoutAsyncHooks(() => import("./runCli.ts"))
runCli(cli)
