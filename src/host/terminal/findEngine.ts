/** Finds the engine of terminals on this machine: the runtime's own, an npm package, or `python3`. */
import { bunApi } from "../runtimes/bunApi.ts"
import { denoApi } from "../runtimes/denoApi.ts"
import type { Host } from "../Host.ts"
import { nodeProcess } from "../nodeProcess.ts"
import { findPython } from "./findPython.ts"
import { bunTerminalFlow, denoDescriptors } from "./libc.ts"
import type { TerminalEngine } from "./TerminalEngine.ts"

type Package = "@lydell/node-pty" | "zigpty"

/** Whether Deno may load a native add-on; other runtimes always may. */
const mayLoadAddons = (): boolean => {
  const deno = denoApi()
  return deno === undefined || deno.permissions.querySync({ name: "ffi" }).state === "granted"
}

/**
 * Packages that work on a runtime, the better one first. On Bun node-pty crashes, and writes to the descriptor of zigpty block.
 * On Node the commands of node-pty would inherit the terminals of others: it leaves descriptors open in its children, which
 * Node cannot mark close-on-exec, and zigpty closes them.
 */
const packagesFor = ({ os, runtime }: Host): ReadonlyArray<Package> => {
  if (os === "other") return []
  if (os === "windows") return mayLoadAddons() ? ["@lydell/node-pty"] : []
  // Writing to a descriptor needs the foreign-function interface on Deno.
  if (runtime === "deno") return denoDescriptors() === undefined ? [] : ["@lydell/node-pty", "zigpty"]
  return runtime === "bun" ? [] : ["zigpty"]
}

// The engines are a sixth of the local leaf, and few programs open a terminal.
const loaders: Readonly<Record<Package, (host: Host) => Promise<TerminalEngine | undefined>>> = {
  "@lydell/node-pty": async ({ os }) =>
    os === "windows" ? (await import("./conPty.ts")).loadConPty() : (await import("./nodePty.ts")).loadNodePty(),
  zigpty: async () => (await import("./zigpty.ts")).loadZigpty(),
}

const findBunTerminal = async (): Promise<TerminalEngine | undefined> =>
  (await import("./bunTerminal.ts")).findBunTerminal()

const findPythonTerminal = async (host: Host): Promise<TerminalEngine | undefined> =>
  (await import("./pythonTerminal.ts")).findPythonTerminal(host)

const isInstalled = (name: Package): boolean => {
  try {
    return nodeProcess()?.getBuiltinModule("node:module").createRequire(import.meta.url).resolve(name) !== undefined
  } catch {
    return false
  }
}

const hasBunTerminals = ({ os }: Host): boolean =>
  os === "linux" && bunApi() !== undefined && bunTerminalFlow() !== undefined

/** Whether a command can have a terminal here. Loads no package. */
export const hasEngine = (host: Host): boolean =>
  hasBunTerminals(host) || packagesFor(host).some(isInstalled) || findPython(host) !== undefined

/** The engines that work here, the best one first. */
export const findEngines = async (host: Host): Promise<ReadonlyArray<TerminalEngine>> => {
  const own = hasBunTerminals(host) ? await findBunTerminal() : undefined
  const packages: Array<TerminalEngine | undefined> = []
  for (const name of packagesFor(host)) packages.push(await loaders[name](host))
  return [own, ...packages, await findPythonTerminal(host)].filter((each) => each !== undefined)
}

let found: Promise<TerminalEngine | undefined> | undefined

const findFirst = async (host: Host): Promise<TerminalEngine | undefined> => {
  const own = hasBunTerminals(host) ? await findBunTerminal() : undefined
  if (own !== undefined) return own
  for (const name of packagesFor(host)) {
    const engine = await loaders[name](host)
    if (engine !== undefined) return engine
  }
  return undefined
}

/** The best engine of this runtime; packages are loaded once. */
export const findEngine = async (host: Host): Promise<TerminalEngine | undefined> =>
  await (found ??= findFirst(host)) ?? await findPythonTerminal(host)
