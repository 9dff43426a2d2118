/**
 * Effect's own `ChildProcessSpawner` (`effect/process`) on Deno, Bun and Node: a program that is written for Effect's
 * Node spawner runs on it as it is.
 *
 * Pipelines, further descriptors (`additionalFds`), sinks and streams as stdio, `unref`, `kill` with its options and
 * all errors are as there. What is different, and why:
 *
 * - **Whole trees end.** A process that is killed, or still runs when its scope closes, ends with all that it has
 *   started, also with what went into a session of its own (`setsid`). The first signal goes to the process group, so
 *   that everybody may end in order; who then outlives the process by a second is killed. Without `forceKillAfter`
 *   the process itself may take as long as it likes. A process that ends by itself takes its group along (at once
 *   when it fails, else when the scope closes), but not a daemon in a session of its own.
 * - **Nothing is buffered.** An output is read as its stream is pulled, and a full pipe holds the process back; only
 *   what nobody reads is read ahead, up to 256 KiB, so that a process with a few last words can end.
 * - **An output can be read again**: the next run goes on where the last one stopped.
 * - In a pipeline, a command that ends before its input does ends the one before it, as in a shell.
 * - Children get one variable more, `SLUICE_RUN`, by which their descendants are found again.
 *
 * A process leads a session of its own unless it is told otherwise (`detached: false`), as with Effect's spawner. On
 * Deno that costs some milliseconds for each.
 *
 * On Deno a program is told the path it was found at as its own name (`argv[0]`). Further descriptors come from Deno's
 * `node:child_process`, which wants `--allow-env` beside `--allow-run` for the program. Without `--allow-run` for
 * every program, Deno lets nobody signal other processes: the shell does it where it may be started
 * (`--allow-run=sh`), else only the process itself is ended, and a warning says so when the layer is built.
 *
 * It is a module of its own because `effect/process` takes its time to load.
 *
 * @module
 */
import type * as Layer from "effect/Layer"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import { currentHost } from "./currentHost.ts"
import { findBunHost } from "./findBunHost.ts"
import { findDenoHost } from "./findDenoHost.ts"
import { findNodeHost } from "./findNodeHost.ts"
import { spawnerOfHost } from "./spawner/ChildProcessSpawner.ts"

/**
 * The spawner of the runtime that runs the program.
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
 * console.assert(text === "A PIPELINE\n")
 * ```
 */
export const layer: Layer.Layer<ChildProcessSpawner> = spawnerOfHost("Deno, Bun or Node", currentHost)

/** The spawner on Deno. A defect on another runtime. */
export const layerDeno: Layer.Layer<ChildProcessSpawner> = spawnerOfHost("Deno", findDenoHost)

/** The spawner on Bun. A defect on another runtime. */
export const layerBun: Layer.Layer<ChildProcessSpawner> = spawnerOfHost("Bun", findBunHost)

/** The spawner on `node:child_process`: on Node, and where another runtime has it too. A defect elsewhere. */
export const layerNode: Layer.Layer<ChildProcessSpawner> = spawnerOfHost("Node", findNodeHost)
