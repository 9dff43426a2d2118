/** Loads an optional package on demand, hiding its name from bundlers and type checkers. */
import { nodeProcess } from "../nodeProcess.ts"

type Require = ReturnType<typeof import("node:module").createRequire>

const makeRequire = (): Require | undefined =>
  nodeProcess()?.getBuiltinModule("node:module").createRequire(import.meta.url)

/** Loads a package; `undefined` where it is not installed, does not load or may not be loaded. */
export const requirePackage = (specifier: string): unknown => {
  try {
    // Not loaded by an import, which Deno resolves only if the program itself names the package.
    return makeRequire()?.(specifier)
  } catch {
    return undefined
  }
}

/** Whether a package is installed. Loads nothing of it. */
export const hasPackage = (specifier: string): boolean => {
  try {
    return makeRequire()?.resolve(specifier) !== undefined
  } catch {
    return false
  }
}

/** Loads a binary of npm `@lydell/node-pty`; `undefined` where there is none for this system. */
export const requireBinary = (name: "pty.node" | "conpty.node"): unknown => {
  const module = requirePackage("@lydell/node-pty/requireBinary.js")
  if (typeof module !== "object" || module === null || !("requireBinary" in module)) return undefined
  try {
    return typeof module.requireBinary === "function" ? module.requireBinary(name) : undefined
  } catch {
    return undefined
  }
}
