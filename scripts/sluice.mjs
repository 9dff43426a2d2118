#!/usr/bin/env node
/**
 * Starts the command line: in a checkout from its sources, in an installed package from what was bundled.
 *
 * It runs on Deno, Bun, or Node (22.19 or newer), whichever is there first; `SLUICE_RUNTIME=deno|bun|node` chooses. An
 * installed package prefers the runtime it was started by, which costs no second start. Signals go on to the command
 * line, and its exit is this program's exit.
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

/** The runtime this very program runs on, where it can run Sluice. */
const current = process.versions["deno"] !== undefined
  ? "deno"
  : process.versions["bun"] !== undefined
  ? "bun"
  : nodeIsNewEnough(process.version)
  ? "node"
  : undefined

/**
 * What a wrong start ends with: as any fault that is not the command's own.
 *
 * @param {string} why
 * @returns {never}
 */
const refuse = (why) => {
  process.stderr.write(`sluice: ${why}\n`)
  process.exit(125)
}

/**
 * Runs a program in place of this one, as far as Node can: same terminal, same signals, same exit.
 *
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 */
const become = (program, args) => {
  // Before the start: the other may be up, and somebody may have seen it, before this one gets to its next line.
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
 * Starts the command line with some arguments.
 *
 * @param {ReadonlyArray<string>} args
 */
export const sluice = async (args) => {
  const forced = process.env["SLUICE_RUNTIME"] ?? ""
  if (forced !== "" && !isRuntimeName(forced)) {
    refuse(`SLUICE_RUNTIME is "${forced}"; it can be ${runtimeNames.join(", ")}`)
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
      : `SLUICE_RUNTIME is "${forced}", and there is none here${forced === "node" ? " (of 22.19 or newer)" : ""}`,
  )
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  // In a checkout that nobody has installed yet. Whether it is up to date is asked by `npm start` and `npm test`.
  if (inCheckout && !existsSync(join(root, "node_modules"))) {
    const { ensureInstalled } = await import("./install.mjs")
    ensureInstalled(root)
  }
  await sluice(process.argv.slice(2))
}
