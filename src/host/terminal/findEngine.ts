/** Finds the terminal engine of this runtime: its own, or one from an npm package. */
import { bunApi } from "../runtimes/bunApi.ts"
import { denoApi } from "../runtimes/denoApi.ts"
import type { Host } from "../Host.ts"
import { bunTerminalFlow, denoDescriptors } from "./libc.ts"
import { hasPackage } from "./requirePackage.ts"
import type { TerminalEngine } from "./TerminalEngine.ts"

interface EngineSource {
  /** The npm package that it needs. */
  readonly package?: "@lydell/node-pty" | "zigpty"
  readonly load: () => Promise<TerminalEngine | undefined>
}

/** Whether Deno may load a native add-on; other runtimes always may. */
const mayLoadAddons = (): boolean => {
  const deno = denoApi()
  return deno === undefined || deno.permissions.querySync({ name: "ffi" }).state === "granted"
}

/**
 * The only engine that works on a runtime, which is loaded when a terminal is opened. On Bun node-pty crashes, and writes to
 * the descriptor of zigpty block. On Node the commands of node-pty would inherit the terminals of others: it leaves descriptors
 * open in its children, which Node cannot mark close-on-exec, and zigpty closes them.
 */
const sourceFor = ({ os, runtime }: Host): EngineSource | undefined => {
  if (os === "other") return undefined
  if (os === "windows") {
    const load = async () => (await import("./loadConPty.ts")).loadConPty()
    return mayLoadAddons() ? { package: "@lydell/node-pty", load } : undefined
  }
  switch (runtime) {
    case "bun":
      return os === "linux" && bunApi() !== undefined && bunTerminalFlow() !== undefined
        ? { load: async () => (await import("./findBunTerminal.ts")).findBunTerminal() }
        : undefined
    case "deno":
      // Writing to a descriptor needs the foreign-function interface.
      return denoDescriptors() === undefined
        ? undefined
        : { package: "@lydell/node-pty", load: async () => (await import("./loadNodePty.ts")).loadNodePty() }
    case "node":
      return { package: "zigpty", load: async () => (await import("./loadZigpty.ts")).loadZigpty() }
  }
}

/** Whether a command can have a terminal on this runtime. Loads no package. */
export const hasEngine = (host: Host): boolean => {
  const source = sourceFor(host)
  return source !== undefined && (source.package === undefined || hasPackage(source.package))
}

let found: Promise<TerminalEngine | undefined> | undefined

/** The engine of this runtime, which is loaded once; `undefined` where there is none, or its package is not installed. */
export const findEngine = (host: Host): Promise<TerminalEngine | undefined> => {
  const source = sourceFor(host)
  return source === undefined ? Promise.resolve(undefined) : found ??= source.load()
}
