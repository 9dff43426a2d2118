#!/usr/bin/env node
/**
 * Starts the command line `sluice` on Deno, Bun or Node: from its sources in a checkout, from the bundle in an installed
 * package.
 *
 * Takes the first installed runtime of Deno, Bun and Node (22.19 or newer), or the one that
 * `SLUICE_RUNTIME=deno|bun|node` names. An installed package prefers the runtime that runs this script, which saves a
 * second start. Passes signals on to the command line, and exits with its status.
 *
 * @module
 */
import { spawn } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { constants } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { findRuntime, isRuntimeName, nodeIsNewEnough, runtimeNames } from "./runtimes.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const source = join(root, "src", "cli", "main.ts")
const inCheckout = existsSync(source)
const main = inCheckout ? source : join(root, "dist", "cli", "main.js")

/** The runtime that runs this script; `undefined` if it cannot run Sluice. */
const current = process.versions["deno"] !== undefined
  ? "deno"
  : process.versions["bun"] !== undefined
  ? "bun"
  : nodeIsNewEnough(process.version)
  ? "node"
  : undefined

/**
 * Writes a message to stderr and exits with 125, the status of a failure of sluice itself.
 *
 * @param {string} why
 * @returns {never}
 */
const refuse = (why) => {
  process.stderr.write(`sluice: ${why}\n`)
  process.exit(125)
}

/**
 * Runs a program in place of this one, as far as Node can: with the same terminal, signals and exit status.
 *
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 */
const become = (program, args) => {
  // Registered before the start: a signal may arrive as soon as the other program is running.
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"])) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole foreground group: the child has it already.
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal)
    })
  }
  const child = spawn(program, args, { stdio: "inherit" })
  child.on("error", (error) => refuse(`cannot start ${program}: ${error.message}`))
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 125)
    if (process.platform === "win32") process.exit(128 + constants.signals[signal])
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/**
 * Runs the command line with these arguments.
 *
 * @param {ReadonlyArray<string>} args
 */
export const sluice = async (args) => {
  const forced = process.env["SLUICE_RUNTIME"] ?? ""
  if (forced !== "" && !isRuntimeName(forced)) {
    refuse(`SLUICE_RUNTIME is "${forced}"; write one of ${runtimeNames.join(", ")}`)
  }
  /** @type {ReadonlyArray<import("./runtimes.mjs").RuntimeName>} */
  const wanted = isRuntimeName(forced)
    ? [forced]
    : inCheckout || current === undefined
    ? runtimeNames
    : [current, ...runtimeNames]
  for (const name of wanted) {
    if (name === current) {
      process.argv = [process.argv[0] ?? name, main, ...args]
      await import(pathToFileURL(main).href)
      return
    }
    const program = findRuntime(name, root)
    if (program !== undefined) {
      const before = name === "deno" ? ["run", "-A", "--quiet"] : name === "node" ? ["--no-warnings"] : []
      return become(program, [...before, main, ...args])
    }
  }
  refuse(
    forced === ""
      ? "needs Deno, Bun, or Node 22.19 or newer"
      : `SLUICE_RUNTIME is "${forced}", which is not installed${forced === "node" ? " in version 22.19 or newer" : ""}`,
  )
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  // A fresh checkout. `npm start` and `npm test` also check whether the installation is up to date.
  if (inCheckout && !existsSync(join(root, "node_modules"))) {
    const { ensureInstalled } = await import("./install.mjs")
    ensureInstalled(root)
  }
  await sluice(process.argv.slice(2))
}
