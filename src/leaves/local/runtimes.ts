/**
 * Public module with one local leaf for each runtime. A bundle that uses one of them is smaller than one with `LocalShell`,
 * which has the code of all runtimes.
 *
 * @module
 * @stability stable
 */
import { findBunHost } from "../../host/runtimes/findBunHost.ts"
import { findDenoHost } from "../../host/runtimes/findDenoHost.ts"
import { findNodeHost } from "../../host/runtimes/nodeRuntimeHost.ts"
import { type LocalLeaf, makeLocalLeaf } from "./LocalLeaf.ts"
import { makeLocalService } from "./makeLocalService.ts"

/**
 * `LocalShell` on Deno alone, which runs commands with `Deno.Command`.
 *
 * @example
 * ```ts deno
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { DenoShell } from "@sluice/shell/runtimes"
 * import { Effect } from "effect"
 *
 * const program = Effect.provide(Shell.run(ShellExec.make("echo", ["hello"])), DenoShell.layer)
 * console.log((await Effect.runPromise(program)).stdout) // hello
 * ```
 *
 * @stability stable
 */
export const DenoShell: LocalLeaf = /* @__PURE__ */ makeLocalLeaf("DenoShell", "Deno", findDenoHost, makeLocalService)

/**
 * `LocalShell` on Bun alone, which runs commands with `Bun.spawn`.
 *
 * @example
 * ```ts bun
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { BunShell } from "@sluice/shell/runtimes"
 * import { Effect } from "effect"
 *
 * const program = Effect.provide(Shell.run(ShellExec.make("echo", ["hello"])), BunShell.layer)
 * console.log((await Effect.runPromise(program)).stdout) // hello
 * ```
 *
 * @stability stable
 */
export const BunShell: LocalLeaf = /* @__PURE__ */ makeLocalLeaf("BunShell", "Bun", findBunHost, makeLocalService)

/**
 * `LocalShell` on Node alone, which runs commands with `node:child_process`.
 *
 * @example
 * ```ts node
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { NodeShell } from "@sluice/shell/runtimes"
 * import { Effect } from "effect"
 *
 * const program = Effect.provide(Shell.run(ShellExec.make("echo", ["hello"])), NodeShell.layer)
 * console.log((await Effect.runPromise(program)).stdout) // hello
 * ```
 *
 * @stability stable
 */
export const NodeShell: LocalLeaf = /* @__PURE__ */ makeLocalLeaf("NodeShell", "Node", findNodeHost, makeLocalService)
