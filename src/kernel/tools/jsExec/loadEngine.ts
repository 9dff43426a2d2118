/** Loads the WASM module of `quickjs-wasi`, an optional npm package, and compiles it with counted loops, once. */
import { nodeBuiltins } from "../../../base/nodeBuiltins.ts"
import { UtilityExit } from "../../utilities/shared/UtilityExit.ts"
import { MeterError, meterWasm } from "./meterWasm.ts"

const file = "quickjs-wasi/quickjs.wasm"

const readModule = async (): Promise<Uint8Array> => {
  const builtins = nodeBuiltins()
  if (builtins === undefined) {
    throw new UtilityExit(
      127,
      `the file ${file} could not be read: this runtime has no file system; use Deno, Bun or Node`,
    )
  }
  try {
    const path = builtins.getBuiltinModule("node:module").createRequire(import.meta.url).resolve(file)
    return await builtins.getBuiltinModule("node:fs").promises.readFile(path)
  } catch {
    throw new UtilityExit(127, "the npm package quickjs-wasi could not be loaded; install it: npm install quickjs-wasi")
  }
}

const compile = async (): Promise<WebAssembly.Module> => {
  const bytes = await readModule()
  try {
    return await WebAssembly.compile(meterWasm(bytes, { check: "host_interrupt", wait: "fd_close" }))
  } catch (cause) {
    if (!(cause instanceof MeterError || cause instanceof WebAssembly.CompileError)) throw cause
    throw new UtilityExit(127, `the npm package quickjs-wasi has another form than version 3.7: ${cause.message}`)
  }
}

let compiled: Promise<WebAssembly.Module> | undefined

/** Returns the compiled module. A failure is not kept: the package may be installed meanwhile. */
export const loadEngine = (): Promise<WebAssembly.Module> =>
  compiled ??= compile().catch((cause: unknown) => {
    compiled = undefined
    throw cause
  })
