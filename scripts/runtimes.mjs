/**
 * Finds the runtimes that can run Sluice: those that npm brought, then those on PATH.
 *
 * Plain JavaScript that runs on Node 20 and needs no package: it runs before anything is installed.
 *
 * @module
 */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

/** @typedef {"deno" | "bun" | "node"} RuntimeName */

/** In the order they are taken when nothing says which. */
export const runtimeNames = /** @type {const} */ (["deno", "bun", "node"])

/**
 * Whether a text names a runtime.
 *
 * @param {string} name
 * @returns {name is RuntimeName}
 */
export const isRuntimeName = (name) => runtimeNames.some((known) => known === name)

const windows = process.platform === "win32"
const exe = windows ? ".exe" : ""
const arch = process.arch === "arm64" ? "aarch64" : "x64"
const bunSystem = windows ? "windows" : process.platform

/**
 * The programs as the packages of npm ship them, best first. The real binaries go before what `.bin` links to: Deno's
 * link starts a Node first where install scripts did not run, and Bun's does nothing at all there.
 */
const shipped = {
  deno: [
    `@deno/linux-${process.arch}-glibc/deno`,
    `@deno/${process.platform}-${process.arch}/deno${exe}`,
    `deno/deno${exe}`,
  ],
  bun: [
    `@oven/bun-${bunSystem}-${arch}/bin/bun${exe}`,
    `@oven/bun-${bunSystem}-${arch}-musl/bin/bun${exe}`,
    // Where its install script moves the binary; until that ran, a text lies here.
    "bun/bin/bun.exe",
  ],
  node: [`node/bin/node${exe}`],
}

/**
 * Whether a version of Node can run Sluice: 22.19 or newer, which is what Effect needs.
 *
 * @param {string} version as `process.version` says it
 */
export const nodeIsNewEnough = (version) => {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number)
  return major > 22 || (major === 22 && minor >= 19)
}

/** @param {string} program */
const nodeVersionOf = (program) => {
  try {
    return execFileSync(program, ["-p", "process.versions.bun ? '' : process.version"], { encoding: "utf8" }).trim()
  } catch {
    return ""
  }
}

/**
 * @param {RuntimeName} name
 * @param {string} root
 */
const onPath = (name, root) =>
  (process.env["PATH"] ?? "").split(delimiter)
    // npm puts `.bin` first on PATH; what is behind its links has been looked at already, or does not work.
    .filter((folder) => folder !== "" && folder !== join(root, "node_modules", ".bin"))
    .map((folder) => join(folder, name + exe))
    .filter((file) => existsSync(file))

/**
 * The full path of a runtime, or `undefined` where it is not to be had.
 *
 * @param {RuntimeName} name
 * @param {string} root the folder that has `node_modules`
 * @returns {string | undefined}
 */
export const findRuntime = (name, root) => {
  for (const file of shipped[name]) {
    const path = join(root, "node_modules", file)
    if (existsSync(path)) return path
  }
  if (name !== "node") return onPath(name, root)[0]
  if (process.versions["bun"] === undefined && process.versions["deno"] === undefined) {
    if (nodeIsNewEnough(process.version)) return process.execPath
  }
  return onPath(name, root).find((path) => nodeIsNewEnough(nodeVersionOf(path)))
}
