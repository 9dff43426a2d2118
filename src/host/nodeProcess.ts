/** Finds Node's `process` with its built-in modules, without importing them. */
import type * as NodeAsyncHooks from "node:async_hooks"
import type * as NodeChildProcess from "node:child_process"
import type * as NodeCrypto from "node:crypto"
import type * as NodeFs from "node:fs"
import type * as NodeModule from "node:module"
import type * as NodeNet from "node:net"
import type * as NodeTty from "node:tty"

/** The part of `process` that the leaf uses. */
export interface NodeProcess {
  readonly platform: string
  readonly pid: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: () => string
  readonly kill: (pid: number, signal: string | 0) => boolean
  readonly on: (event: string, listener: () => void) => unknown
  readonly off: (event: string, listener: () => void) => unknown
  readonly listenerCount: (event: string) => number
  readonly getuid?: () => number
  readonly getBuiltinModule: {
    (id: "node:async_hooks"): typeof NodeAsyncHooks
    (id: "node:child_process"): typeof NodeChildProcess
    (id: "node:crypto"): typeof NodeCrypto
    (id: "node:fs"): typeof NodeFs
    (id: "node:module"): typeof NodeModule
    (id: "node:net"): typeof NodeNet
    (id: "node:tty"): typeof NodeTty
    /** Only on Bun. */
    (id: "bun:ffi"): unknown
  }
}

const isNodeProcess = (u: unknown): u is NodeProcess =>
  typeof u === "object" && u !== null && "getBuiltinModule" in u && "env" in u && "kill" in u

/** Finds `process`, if it has built-in modules (Node from 22.3, Bun, Deno). */
export const nodeProcess = (): NodeProcess | undefined => {
  const found: unknown = Reflect.get(globalThis, "process")
  return isNodeProcess(found) ? found : undefined
}
