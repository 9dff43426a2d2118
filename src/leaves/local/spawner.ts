/**
 * Provides layers of Effect's `ChildProcessSpawner` (`effect/process`) for Deno, Bun and Node; a program that is
 * written for Effect's Node spawner runs on them unchanged.
 *
 * Pipelines, further descriptors (`additionalFds`), sinks and streams as stdio, `unref`, `kill` with its options and
 * all errors work as in Effect's spawner. The differences:
 *
 * - **Whole trees end.** A process that is killed, or still runs when its scope closes, ends with all of its descendants,
 * even
 *   those in a session of their own (`setsid`). The first signal goes to the process group, so that all can end cleanly;
 *   processes that outlive the root by a second are killed. Without `forceKillAfter` the root itself has no time limit. When
 *   a process ends by itself its group ends too (at once if it failed, otherwise when the scope closes), but not a daemon in
 *   a session of its own.
 * - **Nothing is buffered.** An output is read as its stream is pulled, and a full pipe blocks the process; only an output
 *   without a reader is read ahead, up to 256 KiB, so that a process with a little remaining output can end.
 * - **An output can be read again**: the next run continues where the last one stopped.
 * - In a pipeline, a command that ends before its input does ends the previous one, as in a shell.
 * - Children have one more variable, `SLUICE_RUN`, which identifies their descendants.
 *
 * A process leads a session of its own unless `detached` is `false`, as with Effect's spawner. On Deno this takes some
 * milliseconds for each process.
 *
 * On Deno a program's own name (`argv[0]`) is its resolved path. Further descriptors use Deno's `node:child_process`, which
 * needs `--allow-env` in addition to `--allow-run` for the program. Without `--allow-run` for every program, Deno cannot
 * signal other processes: the shell does if it may be started (`--allow-run=sh`), otherwise only the process itself is ended,
 * and building the layer logs a warning.
 *
 * This is a separate subpath because `effect/process` takes long to load.
 *
 * @module
 * @stability stable
 */
import type * as Layer from "effect/Layer"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { findHost } from "../../host/findHost.ts"
import { findBunHost } from "../../host/runtimes/findBunHost.ts"
import { findDenoHost } from "../../host/runtimes/findDenoHost.ts"
import { findNodeHost } from "../../host/runtimes/nodeRuntimeHost.ts"
import { spawnerOfHost } from "./spawner/ChildProcessSpawner.ts"

/**
 * The spawner of the runtime that runs this program. A defect where no process can be started.
 *
 * @example
 * ```ts
 * import { layer } from "@sluice/shell/spawner"
 * import { Effect } from "effect"
 * import { ChildProcess, ChildProcessSpawner } from "effect/process"
 *
 * const program = Effect.gen(function* () {
 *   const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
 *   const words = ChildProcess.make("echo", ["a pipeline"])
 *   return yield* spawner.string(words.pipe(ChildProcess.pipeTo(ChildProcess.make("tr", ["a-z", "A-Z"]))))
 * })
 * const text = await Effect.runPromise(program.pipe(Effect.provide(layer)))
 * console.log(text) // A PIPELINE
 * ```
 *
 * @stability stable
 */
export const layer: Layer.Layer<ChildProcessSpawner> = spawnerOfHost("Deno, Bun or Node", findHost)

/**
 * The spawner on Deno. A defect on another runtime.
 *
 * @example
 * ```ts deno
 * import { layerDeno } from "@sluice/shell/spawner"
 * import { Effect } from "effect"
 * import { ChildProcess, ChildProcessSpawner } from "effect/process"
 *
 * const program = Effect.gen(function* () {
 *   const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
 *   return yield* spawner.string(ChildProcess.make("echo", ["hello"]))
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, layerDeno))) // hello
 * ```
 *
 * @stability stable
 */
export const layerDeno: Layer.Layer<ChildProcessSpawner> = spawnerOfHost("Deno", findDenoHost)

/**
 * The spawner on Bun. A defect on another runtime.
 *
 * @example
 * ```ts bun
 * import { layerBun } from "@sluice/shell/spawner"
 * import { Effect } from "effect"
 * import { ChildProcess, ChildProcessSpawner } from "effect/process"
 *
 * const program = Effect.gen(function* () {
 *   const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
 *   return yield* spawner.string(ChildProcess.make("echo", ["hello"]))
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, layerBun))) // hello
 * ```
 *
 * @stability stable
 */
export const layerBun: Layer.Layer<ChildProcessSpawner> = spawnerOfHost("Bun", findBunHost)

/**
 * The spawner over `node:child_process`, on Node and other runtimes that have it. A defect elsewhere.
 *
 * @example
 * ```ts node
 * import { layerNode } from "@sluice/shell/spawner"
 * import { Effect } from "effect"
 * import { ChildProcess, ChildProcessSpawner } from "effect/process"
 *
 * const program = Effect.gen(function* () {
 *   const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
 *   return yield* spawner.string(ChildProcess.make("echo", ["hello"]))
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, layerNode))) // hello
 * ```
 *
 * @stability stable
 */
export const layerNode: Layer.Layer<ChildProcessSpawner> = spawnerOfHost("Node", findNodeHost)
