/**
 * The Shell service: what every leaf gives, and the operators over it.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { OutputStream, ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { Chunking } from "./Chunking.ts"
import type { ShellCapabilities } from "./ShellCapabilities.ts"

/** Settings of one run that are not part of the value because they cannot be written down. */
export interface ExecOptions {
  /** Bytes for stdin, pulled as the child reads them, instead of the command's `input`. Default: none. */
  readonly stdin?: Stream.Stream<Uint8Array, unknown> | undefined
  /** Where output is cut. Default: whole lines, a partial line after 100 ms. */
  readonly chunking?: Chunking | undefined
  /** Ends the command when it is aborted: the fault is `Cancelled`. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Bytes as they were read. `bytes` is a view of a buffer that is used again: it holds until the next element is
 * asked for. Keep it with `bytes.slice()`.
 */
export interface ShellBytes {
  readonly _tag: "ShellBytes"
  readonly stream: OutputStream
  readonly bytes: Uint8Array
}

/** What a leaf gives. */
export interface ShellService {
  /** Runs one command. Elements arrive as the process writes; the last element is the {@link ShellOutput}. */
  readonly exec: (exec: ShellExec, options?: ExecOptions) => Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>
  /** The same without decoding: see {@link ShellBytes}. */
  readonly bytes: (exec: ShellExec, options?: ExecOptions) => Stream.Stream<ShellBytes | ShellOutput, ShellFault>
  /** What this leaf can do. */
  readonly capabilities: ShellCapabilities
}

const Base: Context.ServiceClass<Shell, "@sluice/shell/Shell", ShellService> = Context.Service<Shell, ShellService>()(
  "@sluice/shell/Shell",
)

/**
 * Runs commands. Where they run is the layer's business.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const events = Shell.exec(ShellExec.make("echo", ["hello"])).pipe(
 *   Stream.runCollect,
 *   Effect.provide(LocalShell.layer)
 * )
 * const [chunk, output] = await Effect.runPromise(events)
 * console.assert(chunk?._tag === "ShellOutputChunk" && chunk.content === "hello\n")
 * console.assert(output?._tag === "ShellOutput" && output.exitCode === 0)
 * ```
 */
export class Shell extends Base {
  /** Runs one command on the shell of the context: see {@link ShellService.exec}. */
  static exec(
    exec: ShellExec,
    options?: ExecOptions,
  ): Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault, Shell> {
    return Stream.unwrap(Effect.map(Shell, (shell) => shell.exec(exec, options)))
  }

  /** Runs one command on the shell of the context, without decoding: see {@link ShellService.bytes}. */
  static bytes(exec: ShellExec, options?: ExecOptions): Stream.Stream<ShellBytes | ShellOutput, ShellFault, Shell> {
    return Stream.unwrap(Effect.map(Shell, (shell) => shell.bytes(exec, options)))
  }
}
