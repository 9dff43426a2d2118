/** Finds the foreign-function interface of Deno or Bun. */
import { nodeProcess } from "./nodeProcess.ts"

export interface Ffi {
  readonly dlopen: (file: string, symbols: Readonly<Record<string, unknown>>) => { readonly symbols: unknown }
}

interface DenoFfi extends Ffi {
  readonly permissions: {
    readonly querySync: (query: { readonly name: "ffi"; readonly path?: string }) => { readonly state: string }
  }
  readonly build: { readonly os: string }
}

const hasDlopen = (u: unknown): u is Ffi =>
  typeof u === "object" && u !== null && "dlopen" in u && typeof u.dlopen === "function"

const isDenoFfi = (u: unknown): u is DenoFfi => hasDlopen(u) && "permissions" in u && "build" in u

/** Deno's, if the permission for `path`, or for every library, is granted; without prompting. */
export const denoFfi = (path?: string): DenoFfi | undefined => {
  const deno: unknown = Reflect.get(globalThis, "Deno")
  if (!isDenoFfi(deno)) return undefined
  const query = path === undefined ? { name: "ffi" } as const : { name: "ffi", path } as const
  return deno.permissions.querySync(query).state === "granted" ? deno : undefined
}

/** Bun's, found at run time: an import would prevent this module from loading elsewhere. */
export const bunFfi = (): Ffi | undefined => {
  const ffi: unknown = nodeProcess()?.getBuiltinModule("bun:ffi")
  return hasDlopen(ffi) ? ffi : undefined
}

export const hasFunctions = <Name extends string>(u: unknown, names: ReadonlyArray<Name>): u is Record<Name, unknown> =>
  typeof u === "object" && u !== null && names.every((name) => typeof Reflect.get(u, name) === "function")
