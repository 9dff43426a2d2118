/**
 * Types of the `Shell` service: its runs, their options, and the processes they start.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { DurationInput } from "../base/duration.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { OutputStream, ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { LeafFiles, SpawnConstraints } from "./LeafFiles.ts"
import type { Chunking } from "./Chunking.ts"
import type { SharedSlot } from "./SharedSlot.ts"
import type { ShellCapabilities } from "./ShellCapabilities.ts"
import type { ByteWriter } from "./SpawnedProcess.ts"

/**
 * Options of one run that are not part of the command, because they cannot be encoded.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const stdin = Stream.make("hel", "lo").pipe(Stream.encodeText)
 * const echoed = Shell.text(ShellExec.make`cat`, { stdin, signal: new AbortController().signal })
 * console.assert((await Effect.runPromise(Effect.provide(echoed, LocalShell.layer))) === "hello")
 * ```
 *
 * @stability stable
 */
export interface ShellRunOptions {
  /** Bytes for stdin, pulled as the process reads them, instead of the command's `input`. Default: none. */
  readonly stdin?: Stream.Stream<Uint8Array, unknown> | undefined
  /** Where output is cut into chunks. Default: whole lines, a partial line after 100 ms. */
  readonly chunking?: Chunking | undefined
  /** Ends the command when it aborts: the fault is `Cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** Called when the process has been started. */
  readonly onSpawn?: ((process: StartedProcess) => void) | undefined
}

/**
 * Options of one run that leaves, and shells around a leaf, pass to each other.
 *
 * @stability experimental
 */
export interface LeafRunOptions extends ShellRunOptions {
  /**
   * Where stdout goes instead of the stream: pulled on by the answers of `write`, ended with the pipe. After an
   * answer of `false` the pipe is closed, and the command gets EPIPE (SIGPIPE) as from a reader that went away.
   */
  readonly stdout?: ByteWriter | undefined
  /**
   * Kills the command at once when it is aborted, also one that has been told to end and has its grace: the fault is
   * `Cancelled`. Leaves that start no processes end it by `signal`, which the caller aborts too.
   */
  readonly kill?: AbortSignal | undefined
  /** Called when the request is in the journal. Only a journaled shell calls it. */
  readonly onRecorded?: (() => void) | undefined
  /** Whether the command takes a place among those that may run at once. Default: `true`. */
  readonly admission?: boolean | undefined
  /** The place that the command shares with the other stages of its pipeline. Default: one of its own. */
  readonly slot?: SharedSlot | undefined
  /**
   * What an access policy has checked, and must still be so at the spawn. A leaf with {@link ShellService.files} keeps to
   * it; others do not know it. Default: nothing.
   */
  readonly constraints?: SpawnConstraints | undefined
}

/**
 * A process that was started.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const run = Shell.run(ShellExec.make`sleep 60`, { onSpawn: (process) => process.kill?.("SIGKILL") })
 * const output = await Effect.runPromise(Effect.provide(run, LocalShell.layer))
 * console.assert(output.signal === "SIGKILL")
 * ```
 *
 * @stability stable
 */
export interface StartedProcess {
  /** Its process id, where the leaf has one. */
  readonly pid: number | undefined
  /** The file that runs, as far as it is known. */
  readonly executable: string
  /**
   * Signals the command. SIGTERM ends the whole tree: it is asked, and killed after the grace; SIGKILL kills the whole
   * tree at once. Any other signal goes to the process itself. Missing where the leaf has no signals.
   */
  readonly kill?: ((signal: string) => void) | undefined
  /** Calls `done` once, when the process has been reaped: its output may still be on its way. */
  readonly onExit?: ((done: () => void) => void) | undefined
}

/**
 * Bytes as they were read. `bytes` is a view of a buffer that is used again: it holds until the next element is
 * asked for. Keep it with `bytes.slice()`.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Effect, Stream } from "effect"
 *
 * const size = Shell.bytes(ShellExec.make`echo hello`).pipe(
 *   Stream.runFold(() => 0, (sum, event) => event._tag === "ShellBytes" ? sum + event.bytes.length : sum),
 * )
 * console.assert((await Effect.runPromise(Effect.provide(size, LocalShell.layer))) === 6)
 * ```
 *
 * @stability stable
 */
export interface ShellBytes {
  /** Tells it from the last event. */
  readonly _tag: "ShellBytes"
  /** The stream that they were written to. */
  readonly stream: OutputStream
  /** The bytes, valid until the next element. */
  readonly bytes: Uint8Array
}

/**
 * What became of the processes that were left of a command.
 *
 * @example
 * ```ts
 * import type { OrphanReport } from "@sluice/shell"
 *
 * const summary = ({ ended, survivors }: OrphanReport): string => `${ended} ended, ${survivors.length} left`
 * console.assert(summary({ ended: 2, pids: [41, 42], survivors: [] }) === "2 ended, 0 left")
 * ```
 *
 * @stability stable
 */
export interface OrphanReport {
  /** How many were found, and are dead now. */
  readonly ended: number
  /** Their process ids. */
  readonly pids: ReadonlyArray<number>
  /** Those that were found and live on: they may not be signalled, or hang in the kernel. Nearly always none. */
  readonly survivors: ReadonlyArray<number>
}

/**
 * Settings of ending what is left of a command.
 *
 * @example
 * ```ts
 * import { type EndOrphansOptions, LocalShell, Shell } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const options: EndOrphansOptions = { grace: "1 second" }
 * const program = Effect.gen(function* () {
 *   const { endOrphans } = yield* Shell
 *   return endOrphans === undefined ? undefined : yield* endOrphans("no-such-command", options)
 * })
 * const report = await Effect.runPromise(Effect.provide(program, LocalShell.layer))
 * console.assert((report?.ended ?? 0) === 0)
 * ```
 *
 * @stability stable
 */
export interface EndOrphansOptions {
  /** Time between SIGTERM and SIGKILL. Default: the leaf's (5 s). */
  readonly grace?: DurationInput | undefined
  /**
   * The process id of the host that was lost: only what it has started ends. Ids that callers choose may be those of
   * commands of other hosts, too. Default: all of the command, whichever host started it.
   */
  readonly hostPid?: number | undefined
}

/**
 * What a command means on a leaf. What cannot be told is missing.
 *
 * @example
 * ```ts
 * import { LocalShell, type ResolvedCommand, Shell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { resolve } = yield* Shell
 *   return resolve?.(ShellExec.make`git --version`)
 * })
 * const resolved: ResolvedCommand | undefined = await Effect.runPromise(Effect.provide(program, LocalShell.layer))
 * console.assert(resolved?.executable === undefined || resolved.executable.includes("git"))
 * ```
 *
 * @stability stable
 */
export interface ResolvedCommand {
  /** The canonical absolute path of the program that would run. */
  readonly executable?: string | undefined
  /** The canonical absolute path of the directory that it would run in. */
  readonly workingDirectory?: string | undefined
}

/**
 * The members of a {@link ShellService} that a leaf has to give to `Shell.make`; the others are optional.
 *
 * @stability experimental
 */
export interface ShellImplementation extends Omit<ShellService, "capabilities"> {
  /** What the leaf can do. Default: nothing. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}

/**
 * A leaf, or a shell around one, as a service.
 *
 * @example
 * ```ts
 * import { LocalShell, ShellExec } from "@sluice/shell"
 * import { Effect } from "effect"
 *
 * const shell = await Effect.runPromise(Effect.scoped(LocalShell.make({ cwd: "/" })))
 * console.assert(shell.resolve?.(ShellExec.make`sh`)?.workingDirectory === "/")
 * ```
 *
 * @stability stable
 */
export interface ShellService {
  /** Runs one command. Elements arrive as the process writes; the last element is the {@link ShellOutput}. */
  readonly exec: (
    exec: ShellExec,
    options?: LeafRunOptions,
  ) => Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>
  /** The same without decoding: see {@link ShellBytes}. */
  readonly bytes: (exec: ShellExec, options?: LeafRunOptions) => Stream.Stream<ShellBytes | ShellOutput, ShellFault>
  /**
   * Ends whatever is left of a command whose host, the process that ran it, was lost: SIGTERM to all, the grace,
   * SIGKILL. It needs nothing of that host but the command's id, and goes to its end also when it is interrupted.
   *
   * Only for a command that no host runs any more: all its processes end. Runs of this very process
   * are left alone, also one with the same id. It fails with `NotAllowed` where this process is itself one of the
   * command's.
   *
   * Missing where `capabilities.orphans` is `false`.
   */
  readonly endOrphans?:
    | ((commandId: CommandId, options?: EndOrphansOptions) => Effect.Effect<OrphanReport, ShellFault>)
    | undefined
  /**
   * Which program a command means now, and which directory; nothing is started. `undefined` for a command that would be
   * refused. Missing where the leaf cannot tell: commands run elsewhere, or are not programs of a file system.
   */
  readonly resolve?:
    | ((exec: ShellExec, options?: Pick<LeafRunOptions, "constraints">) => ResolvedCommand | undefined)
    | undefined
  /** The leaf's files, for an access policy. Missing where commands are not programs of a file system. */
  readonly files?: LeafFiles | undefined
  /** What this leaf can do. */
  readonly capabilities: ShellCapabilities
}
