/** Sets options for all commands of a function and of the functions that it calls. */
import type { AsyncLocalStorage } from "node:async_hooks"
import { defined } from "../base/defined.ts"
import { OptionError } from "../base/OptionError.ts"
import { toAbsolute } from "../host/paths.ts"
import { findHost } from "../host/findHost.ts"
import { nodeProcess } from "../host/nodeProcess.ts"
import { checkSharedOptions } from "./checkOptions.ts"
import type { RunOptions, SharedRunOptions } from "./RunOptions.ts"
import { pathText } from "./argumentWords.ts"

let storage: AsyncLocalStorage<SharedRunOptions> | undefined

/**
 * Merges options of an inner level into those of an outer one: entries of `env` are added, a relative `cwd` is resolved
 * against the outer one, other options replace the outer ones.
 */
export const nestOptions = <A extends RunOptions>(outer: SharedRunOptions, inner: A): A & SharedRunOptions => {
  const given: A = { ...inner }
  for (const [name, value] of Object.entries(inner)) if (value === undefined) Reflect.deleteProperty(given, name)
  const env = outer.env === undefined && inner.env === undefined ? undefined : { ...outer.env, ...inner.env }
  const cwd = inner.cwd === undefined || outer.cwd === undefined
    ? inner.cwd ?? outer.cwd
    : toAbsolute(findHost()?.os === "windows" ? "windows" : "posix", pathText(outer.cwd), pathText(inner.cwd))
  return {
    ...outer,
    ...given,
    ...defined({ env, cwd }),
  }
}

export const enclosingOptions = (): SharedRunOptions => storage?.getStore() ?? {}

/**
 * Calls a function with options for all of its commands, including those that it starts later and those of the functions
 * that it calls. Levels nest: `env` is added, and a relative `cwd` is resolved against the outer one. Options of a command
 * take precedence. Needs `AsyncLocalStorage`, which Deno, Bun and Node have.
 *
 * @throws {OptionError} for an unknown option or an invalid value; `TypeError` on runtimes without `AsyncLocalStorage`.
 *
 * @example
 * ```ts
 * import { $, within } from "@sluice/shell/run"
 *
 * const seen = await within({ cwd: "/", env: { COLOR: "teal" } }, async () => {
 *   return await $`sh -c ${"pwd; echo $COLOR"}`.text()
 * })
 * console.log(seen)
 * // /
 * // teal
 * ```
 */
export const within = <A>(options: SharedRunOptions, action: () => A): A => {
  checkSharedOptions("within", options)
  if (typeof action !== "function") {
    throw new OptionError("action", "within: write a function, as in within({ cwd }, () => …)")
  }
  const hooks = nodeProcess()?.getBuiltinModule("node:async_hooks")
  if (hooks === undefined) throw new TypeError("within needs AsyncLocalStorage, which this runtime does not have")
  storage ??= new hooks.AsyncLocalStorage()
  const from: SharedRunOptions = { cwd: findHost()?.cwd(), ...enclosingOptions() }
  return storage.run(nestOptions(options.cwd === undefined ? enclosingOptions() : from, options), action)
}
