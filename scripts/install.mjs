/**
 * Installs what package-lock.json asks for when node_modules is missing or is not that, and says nothing otherwise.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, realpathSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** @typedef {{ version?: string, optional?: boolean, devOptional?: boolean, peer?: boolean }} LockEntry */

/**
 * @param {string} file
 * @returns {Record<string, LockEntry> | undefined}
 */
const packagesOf = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages
  } catch {
    return undefined
  }
}

/**
 * Whether node_modules is what the lock file says: npm keeps a lock file of what it installed.
 *
 * @param {string} root
 */
export const isInstalled = (root) => {
  const wanted = packagesOf(join(root, "package-lock.json"))
  const there = packagesOf(join(root, "node_modules", ".package-lock.json"))
  if (wanted === undefined || there === undefined) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true
    const found = there[path]
    return found === undefined ? entry.optional === true : found.version === entry.version
  })
}

/**
 * Runs npm: its own script by this Node where we were started by npm, which needs no shell on Windows either.
 *
 * @param {ReadonlyArray<string>} args
 * @param {string} root
 */
const npm = (args, root) => {
  const script = process.env["npm_execpath"] ??
    join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js")
  /** @type {import("node:child_process").SpawnSyncOptions} */
  const options = { cwd: root, stdio: ["ignore", 2, 2] }
  const result = /npm-cli\.[cm]?js$/.test(script) && existsSync(script)
    ? spawnSync(process.execPath, [script, ...args], options)
    : spawnSync("npm", [...args], { ...options, shell: process.platform === "win32" })
  return result.status ?? 1
}

/**
 * The runtimes unpack themselves in an install script. Where npm does not run those (`ignore-scripts`, or a policy),
 * Deno and Bun work as they lie there; Node does not, so its script runs here, once.
 *
 * @param {string} root
 */
const unpackNode = (root) => {
  const folder = join(root, "node_modules", "node")
  if (!existsSync(folder) || existsSync(join(folder, "bin"))) return
  spawnSync(process.execPath, ["installArchSpecificPackage.js"], {
    cwd: folder,
    stdio: "ignore",
    env: { ...process.env, npm_config_loglevel: "silent" },
  })
}

/**
 * Makes node_modules what package-lock.json says. Progress goes to stderr, and only when there is something to do.
 *
 * @param {string} root the checkout
 */
export const ensureInstalled = (root) => {
  if (!isInstalled(root)) {
    process.stderr.write("Installing packages (once) ...\n")
    // `ci` wipes the folder first: right for the first time, rude to whatever else runs from it later.
    const fresh = !existsSync(join(root, "node_modules"))
    const quiet = ["--loglevel=error", "--no-audit", "--no-fund", "--no-progress"]
    const status = npm(fresh ? ["ci", ...quiet] : ["install", "--no-save", ...quiet], root)
    if (status !== 0) {
      process.stderr.write(`npm could not install the packages (exit ${status}).\n`)
      process.exit(1)
    }
  }
  unpackNode(root)
  // npm's script `dependencies` builds it too, where npm runs scripts.
  const build = join(root, "scripts", "console.mjs")
  if (!existsSync(build) || existsSync(join(root, "generated"))) return
  const { status } = spawnSync(process.execPath, [build], { stdio: ["ignore", 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  ensureInstalled(fileURLToPath(new URL("..", import.meta.url)))
}
