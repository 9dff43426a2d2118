/**
 * Swaps `AGENTS.md` around `npm pack` and `npm publish`: the package ships `AGENTS.npm.md`, for those who use it, under
 * that name; the repository's own is for those who work on it.
 *
 * @module
 */
import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs"
import { fileURLToPath } from "node:url"

const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url))

const kept = path(".cache/AGENTS.md")
if (process.argv[2] === "package") {
  mkdirSync(path(".cache"), { recursive: true })
  // One that is kept already is from a pack that was interrupted.
  if (!existsSync(kept)) renameSync(path("AGENTS.md"), kept)
  copyFileSync(path("AGENTS.npm.md"), path("AGENTS.md"))
} else if (existsSync(kept)) {
  renameSync(kept, path("AGENTS.md"))
}
