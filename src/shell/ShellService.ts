/** Declares the types of the `Shell` service. */
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
import type { Terminal, TerminalSize } from "../command/Terminal.ts"

/** Options of one run that are not part of the command, because they cannot be encoded. */
export interface ShellRunOptions {
  /** Bytes for stdin, pulled as the process reads them, instead of the command's `input`. Default: none. */
  readonly stdin?: Stream.Stream<Uint8Array, unknown> | undefined
  /** The rule by which output is cut into chunks. Default: whole lines; a partial line after 100 ms. */
  readonly chunking?: Chunking | undefined
  /** Ends the command when it aborts: the fault is `Cancelled`. */
  readonly signal?: AbortSignal | undefined
  /** Called when the process has been started. */
  readonly onSpawn?: ((process: StartedProcess) => void) | undefined
}

/** Options of one run that leaves, and shells around a leaf, pass to each other. */
export interface LeafRunOptions extends ShellRunOptions {
  /**
   * The writer that receives stdout instead of the stream. The next bytes are read when `write` resolves. When it resolves with
   * `false` the pipe is closed, and the command gets EPIPE (SIGPIPE).
   */
  readonly stdout?: ByteWriter | undefined
  /**
   * Kills the command at once when it aborts, even during its grace period; the fault is `Cancelled`. Leaves that start no
   * processes end it by `signal`, which the caller aborts too.
   */
  readonly kill?: AbortSignal | undefined
  /**
   * Name of the token of the HTTP request that asked for the command. Only a journaled shell records it. Default: none.
   */
  readonly requestedBy?: string | undefined
  /** Called with the journal position of the request once it has been appended. Only a journaled shell calls it. */
  readonly onRecorded?: ((position: number) => void) | undefined
  /**
   * Whether a command with `streamOutput: false` also emits its output as it arrives, besides keeping it for its last
   * event. For a consumer that records output; a leaf may ignore this option. Default: `false`.
   */
  readonly emitsChunks?: boolean | undefined
  /** Whether the command counts toward the concurrency limit. Default: `true`. */
  readonly admission?: boolean | undefined
  /**
   * A terminal instead of pipes; typed input comes by `stdin`, and {@link StartedProcess.resize} changes its size. Only for
   * a leaf with `capabilities.pty`. Default: pipes.
   */
  readonly terminal?: Terminal | undefined
  /** The slot that the command shares with the other stages of its pipeline. Default: one of its own. */
  readonly slot?: SharedSlot | undefined
  /**
   * Files that an access policy has checked and that must be unchanged at the spawn. A leaf with {@link ShellService.files}
   * enforces it; others ignore it. Default: none.
   */
  readonly constraints?: SpawnConstraints | undefined
  /**
   * The answer of the same shell's {@link ShellService.resolve} for this command, so that the command need not be
   * planned again. Ignored by a leaf or a guard that did not make it. Default: none.
   */
  readonly resolved?: ResolvedCommand | undefined
}

/** A process that was started. */
export interface StartedProcess {
  /** Its process id, where the leaf has one. */
  readonly pid: number | undefined
  /** The executed file, if it is known. */
  readonly executable: string
  /**
   * Signals the command. SIGTERM goes to the whole tree, followed by SIGKILL after the grace period; SIGKILL kills the whole
   * tree at once. Any other signal goes to the process itself. Missing where the leaf has no signals.
   */
  readonly kill?: ((signal: string) => void) | undefined
  /** Changes the size of its terminal; the command gets SIGWINCH. Missing without a terminal. */
  readonly resize?: ((size: TerminalSize) => void) | undefined
  /** Calls `done` once, when the process has been reaped; its output may not have been read yet. */
  readonly onExit?: ((done: () => void) => void) | undefined
}

/**
 * Bytes as they were read. From {@link ShellService.bytes}, `bytes` is a view of a reused buffer, valid until the next element
 * is pulled: copy it with `bytes.slice()` to keep it. From `Shell.bytes` it is a copy.
 */
export interface ShellBytes {
  /** Distinguishes it from the last event. */
  readonly _tag: "ShellBytes"
  /** The stream that they were written to. */
  readonly stream: OutputStream
  /** The bytes; a view from {@link ShellService.bytes}, valid until the next element. */
  readonly bytes: Uint8Array
}

/** The result of ending the remaining processes of a command. */
export interface OrphanReport {
  /** Number of processes that were found and ended. */
  readonly ended: number
  /** Their process ids. */
  readonly pids: ReadonlyArray<number>
  /** Processes that were found and could not be ended: they may not be signalled, or hang in the kernel. Nearly always none. */
  readonly survivors: ReadonlyArray<number>
}

/** Options of ending the remaining processes of a command. */
export interface EndOrphansOptions {
  /** Time between SIGTERM and SIGKILL. Default: the leaf's (5 s). */
  readonly grace?: DurationInput | undefined
  /**
   * The process id of the lost host: only processes that it started are ended. Ids that callers choose may also be those of
   * commands of other hosts. Default: all processes of the command, whichever host started them.
   */
  readonly hostPid?: number | undefined
}

/** The program and the directory of a command on a leaf; missing where they are unknown. */
export interface ResolvedCommand {
  /** The canonical absolute path of the program that would run. */
  readonly executable?: string | undefined
  /** The canonical absolute path of its working directory. */
  readonly workingDirectory?: string | undefined
}

/** The members of a {@link ShellService} that a leaf has to give to `Shell.make`; the others are optional. */
export interface ShellImplementation extends Omit<ShellService, "capabilities"> {
  /** The capabilities of the leaf. Default: none. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}

/** A leaf, or a shell around one, as a service. */
export interface ShellService {
  /** Runs one command. Elements arrive as the process writes; the last element is the {@link ShellOutput}. */
  readonly exec: (
    exec: ShellExec,
    options?: LeafRunOptions,
  ) => Stream.Stream<ShellOutputChunk | ShellOutput, ShellFault>
  /** The same without decoding: see {@link ShellBytes}. */
  readonly bytes: (exec: ShellExec, options?: LeafRunOptions) => Stream.Stream<ShellBytes | ShellOutput, ShellFault>
  /**
   * Ends the remaining processes of a command whose host, the process that ran it, was lost: SIGTERM to all, the grace period,
   * SIGKILL. It needs only the command's id, and completes even if it is interrupted.
   *
   * Only for a command that no host runs any more, since all of its processes are ended. Runs of this process are left
   * alone, even a run with the same id. Fails with `NotAllowed` if this process is itself one of the command's.
   *
   * Missing where `capabilities.orphans` is `false`.
   */
  readonly endOrphans?:
    | ((commandId: CommandId, options?: EndOrphansOptions) => Effect.Effect<OrphanReport, ShellFault>)
    | undefined
  /**
   * Resolves the program and the directory of a command without starting it. `undefined` for a command that would be
   * refused. Missing where both are unknown: commands run elsewhere, or are not programs of a file system.
   */
  readonly resolve?:
    | ((exec: ShellExec, options?: Pick<LeafRunOptions, "constraints">) => Effect.Effect<ResolvedCommand | undefined>)
    | undefined
  /**
   * Registers a synchronous action for the end of this program, after its running commands were ended: by
   * `process.exit`, an uncaught error, or a signal that the program does not handle. Returns a function that
   * unregisters it. Missing where the leaf does not listen for the end of this program.
   */
  readonly atProgramEnd?: ((action: () => void) => () => void) | undefined
  /** The leaf's files, for an access policy. Missing where commands are not programs of a file system. */
  readonly files?: LeafFiles | undefined
  /** The capabilities of this leaf. */
  readonly capabilities: ShellCapabilities
}
