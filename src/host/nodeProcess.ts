/** Finds Node's `process` with its built-in modules, without importing them. */
import { type NodeBuiltins, nodeBuiltins } from "../base/nodeBuiltins.ts"

/** The part of `process` that the leaf uses. */
export interface NodeProcess extends NodeBuiltins {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: () => string
  readonly on: (event: string, listener: () => void) => unknown
  readonly off: (event: string, listener: () => void) => unknown
  readonly listenerCount: (event: string) => number
}

const isNodeProcess = (u: NodeBuiltins | undefined): u is NodeProcess => u !== undefined && "env" in u && "kill" in u

/** Finds `process`, if it has built-in modules (Node from 22.3, Bun, Deno). */
export const nodeProcess = (): NodeProcess | undefined => {
  const found = nodeBuiltins()
  return isNodeProcess(found) ? found : undefined
}
