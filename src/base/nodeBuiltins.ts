/** Finds the built-in modules of Node without importing them, so that a module loads where there are none. */
import type { getBuiltinModule } from "node:process"

/** A `process` with built-in modules: Node from 22.3, Bun, Deno. */
export interface NodeBuiltins {
  readonly pid: number
  readonly platform: string
  readonly arch: string
  readonly kill: (pid: number, signal: string | number) => unknown
  readonly getuid?: () => number
  readonly getgid?: () => number
  /** Deno throws without `--allow-sys`. */
  readonly umask?: () => number
  readonly getBuiltinModule: typeof getBuiltinModule
}

const hasBuiltins = (u: unknown): u is NodeBuiltins =>
  typeof u === "object" && u !== null && "getBuiltinModule" in u && typeof u.getBuiltinModule === "function"

/** Finds the runtime's built-in modules; `undefined` on an edge isolate. */
export const nodeBuiltins = (): NodeBuiltins | undefined => {
  const process: unknown = Reflect.get(globalThis, "process")
  return hasBuiltins(process) ? process : undefined
}
