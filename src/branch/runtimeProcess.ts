/** Finds the `process` and `Deno` globals of this runtime, and checks Deno's permissions. */
import { type NodeBuiltins, nodeBuiltins } from "../base/nodeBuiltins.ts"
import { resultOrUndefined } from "../base/resultOrUndefined.ts"

export interface Deno {
  readonly Command: new (
    file: string,
    options: {
      readonly args: ReadonlyArray<string>
      readonly env: Readonly<Record<string, string>>
      readonly stdin: "null"
      readonly stdout: "piped"
      readonly stderr: "null"
      readonly signal: AbortSignal
    },
  ) => { readonly output: () => Promise<{ readonly stdout: Uint8Array }> }
  readonly permissions: {
    readonly querySync: (
      query: { readonly name: string; readonly [field: string]: string },
    ) => { readonly state: string }
  }
}

const isDeno = (u: unknown): u is Deno => typeof u === "object" && u !== null && "Command" in u && "permissions" in u

/** Whether a permission is granted, without a prompt; on other runtimes than Deno, always `true`. */
export const isGranted = (deno: Deno | undefined, name: string, of: Readonly<Record<string, string>>): boolean =>
  deno === undefined || resultOrUndefined(() => deno.permissions.querySync({ name, ...of }).state) === "granted"

export const findProcess = (): NodeBuiltins | undefined => {
  const process = nodeBuiltins()
  return process !== undefined && process.pid > 0 ? process : undefined
}

export const findDeno = (): Deno | undefined => {
  const deno: unknown = Reflect.get(globalThis, "Deno")
  return isDeno(deno) ? deno : undefined
}
