/** Keeps the compiled code of the command line between starts on Node, in the user's own cache directory. */
import type { NodeProcess } from "../host/nodeProcess.ts"

// Imports only types: otherwise a bundle would load the code that it shares with the command line, and all of Effect,
// before the cache is on.
const isNode = (u: unknown): u is NodeProcess => typeof u === "object" && u !== null && "getBuiltinModule" in u

/**
 * Turns on Node's compile cache for the modules that are loaded afterwards. Compiling is a quarter of a start. Deno and Bun
 * have caches of their own, or none.
 *
 * Node's default directory is in `/tmp`, which other users share; code is only loaded from directories that this user owns
 * and no other may write to.
 */
export const enableCompileCache = (): void => {
  if ("Deno" in globalThis || "Bun" in globalThis) return
  const process: unknown = Reflect.get(globalThis, "process")
  if (!isNode(process) || process.getuid === undefined) return
  const home = process.env["HOME"] ?? ""
  if (home === "") return
  const named = process.env["XDG_CACHE_HOME"] ?? ""
  // The XDG Base Directory Specification ignores relative paths.
  const cache = named.startsWith("/") ? named : `${home}/.cache`
  try {
    const fs = process.getBuiltinModule("node:fs")
    const isSafe = (path: string): boolean => {
      const { mode, uid } = fs.statSync(path)
      return uid === process.getuid?.() && (mode & 0o022) === 0
    }
    if (!isSafe(home) || !isSafe(cache)) return
    const own = `${cache}/sluice`
    if (!fs.existsSync(own)) fs.mkdirSync(own, { mode: 0o700 })
    if (isSafe(own)) process.getBuiltinModule("node:module").enableCompileCache(`${own}/node`)
  } catch {
    // There is no such directory; without the cache the start is only slower.
  }
}
