/**
 * Finds the global `process` of Deno, Bun and Node and checks that it loads built-in modules.
 *
 * @module
 */
import type { getBuiltinModule } from "node:process"

/** The parts of `process` that the three runtimes have in common. */
export interface HostProcess {
  readonly pid: number
  readonly platform: string
  readonly kill: (pid: number, signal: number) => unknown
  readonly getBuiltinModule: typeof getBuiltinModule
}

const isHostProcess = (u: unknown): u is HostProcess =>
  typeof u === "object" && u !== null && "getBuiltinModule" in u && typeof u.getBuiltinModule === "function"

/** Returns the runtime's `process`; `undefined` in a browser or an edge isolate. */
export const hostProcess = (): HostProcess | undefined => {
  const found: unknown = Reflect.get(globalThis, "process")
  return isHostProcess(found) ? found : undefined
}
