/** Declares the operations of a runtime (Deno, Bun, Node): processes, files, held directories, environment, signals. */
import type { FileKind } from "./resolveExecutable.ts"
import type { ByteReader, ByteWriter, ExitStatus } from "../shell/SpawnedProcess.ts"
import type { TerminalSize } from "../command/Terminal.ts"

/** A process to start. The host decides nothing: it looks up no program, uses no shell and inherits only what is listed. */
export interface SpawnRequest {
  /** A full path, or a name where the leaf may not look at the file system. */
  readonly file: string
  /** Arguments without the program's own name. */
  readonly args: ReadonlyArray<string>
  readonly cwd: string | undefined
  /** Variables to add to the inherited environment, or with `clear` the whole environment. */
  readonly env: { readonly clear: boolean; readonly set: Readonly<Record<string, string>> } | undefined
  readonly stdin: "null" | "piped" | "inherit"
  readonly stderr: "piped" | "inherit" | "null"
  readonly stdout: "piped" | "inherit" | "null"
  /** Leader of its own session and group (setsid(2)). */
  readonly detached: boolean
  /** Windows: `args` is already quoted. */
  readonly verbatim: boolean
  /** The program's own name (argv[0]). Default: `file`; Deno ignores this option. */
  readonly argv0?: string | undefined
  /** Windows: puts the process into a job object of its own, if the host has {@link Host.jobObjects}. Default: `false`. */
  readonly job?: boolean | undefined
  /** Windows: hides the console window. Default: `true`. Deno has no such option. */
  readonly hide?: boolean | undefined
  /** The id of the command, for an enclosure that keeps state for each command. Default: none. */
  readonly commandId?: string | undefined
  /** A terminal of this size instead of pipes. Default: pipes. */
  readonly terminal?: TerminalSize | undefined
  /** Descriptors 3, 4, …: a pipe in both directions, or none. Default: none. */
  readonly extra?: ReadonlyArray<"piped" | "null"> | undefined
}

/** The parent's ends of a descriptor of {@link SpawnRequest.extra}. */
export interface HostPipe {
  readonly reader: ByteReader
  readonly writer: ByteWriter
  /** The error that broke the pipe, if any. */
  readonly failure: () => unknown
}

/** The job object of a process (Windows), which contains it and its descendants. */
export interface ProcessJob {
  readonly active: number
  /** The exit code of the process itself, all 32 bits, once it has ended. */
  readonly exitCode: number | undefined
  /** Ends all of its processes at once. */
  readonly terminate: () => void
  /** Sets whether its processes end with this program, however the program ends. Default: `true`. */
  readonly endWithProgram: (ends: boolean) => void
  /** Closes it without ending its processes. Idempotent. */
  readonly release: () => void
  readonly isReleased: boolean
}

export interface HostProcess {
  readonly pid: number
  readonly stdout: ByteReader | undefined
  readonly stderr: ByteReader | undefined
  readonly stdin: ByteWriter | undefined
  /** The requested further descriptors by number. */
  readonly extra?: ReadonlyMap<number, HostPipe> | undefined
  /** Its job object, if requested; the caller releases it. */
  readonly job?: ProcessJob | undefined
  /** Calls `done` once, when it has been reaped. */
  readonly onExit: (done: (status: ExitStatus) => void) => void
  /** Signals this process alone; no effect after its exit. */
  readonly kill: (signal: string) => void
  /** Changes the size of its terminal. Missing where it has pipes. */
  readonly resize?: ((size: TerminalSize) => void) | undefined
  /** Sets whether the runtime waits for the process before it exits. */
  readonly setRef: (ref: boolean) => void
}

export interface HeldDirectory {
  /** A path that leads to this directory while it is open. */
  readonly path: string
  /** Its canonical path. */
  readonly file: string
  /** Its identity, as returned by {@link Host.identity}. */
  readonly identity: string
  readonly release: () => void
}

/** The operations of one runtime. Functions throw the runtime's errors. */
export interface Host {
  readonly runtime: "deno" | "bun" | "node"
  readonly os: "linux" | "darwin" | "windows" | "other"
  /** The id of this process. */
  readonly pid: number
  /** Whether pipes are socket pairs (Node and Bun, except on Windows). */
  readonly pipesAreSockets: boolean
  /** Windows: whether processes can be put into job objects. Default: `false`. */
  readonly jobObjects?: boolean | undefined
  /** Whether the bytes of readers, once kept, are never reused, so that the consumer need not copy them. Default: `false`. */
  readonly givesBuffers?: boolean | undefined
  readonly spawn: (request: SpawnRequest) => HostProcess | Promise<HostProcess>
  /** The environment of this process; `undefined` when it may not be read. */
  readonly environment: () => Readonly<Record<string, string>> | undefined
  readonly variable: (name: string) => string | undefined
  readonly cwd: () => string | undefined
  readonly fileKind: (path: string) => FileKind
  /** The errno name of a stat(2) of a path (`"ENOTDIR"`); `undefined` if it succeeds. */
  readonly errorAt: (path: string) => string | undefined
  /** The canonical path (realpath(3)), or `undefined`. */
  readonly realPath: (path: string) => string | undefined
  /** Whether a path is a symbolic link itself, wherever it leads. */
  readonly isLink: (path: string) => boolean
  /**
   * Identity of the file or directory at a path: device and inode, for a file also size and modification time; `undefined`
   * if it cannot be read.
   */
  readonly identity: (path: string) => string | undefined
  /** Opens a directory, so that a change of its path has no effect. Linux only, where `/proc` can be read. */
  readonly hold?: ((path: string) => HeldDirectory | undefined) | undefined
  /** Whether `/proc` can be read. */
  readonly readsProc: boolean
  /** Reads the first bytes of a file. */
  readonly readHead: (path: string, length: number) => Uint8Array | undefined
  readonly readText: (path: string) => string | undefined
  readonly readNames: (path: string) => ReadonlyArray<string>
  /**
   * Signals any process, or a whole group by its negative number: `"sent"`, `"gone"` or `"denied"`. Signal 0 only checks
   * whether it exists. `undefined` where the runtime has no permission.
   */
  readonly signal: ((pid: number, signal: string | 0) => "sent" | "gone" | "denied") | undefined
  /** Whether a program (`kill`, `sh`) may be started. */
  readonly mayRun: (program: string) => boolean
  /** Whether this process runs as root; `undefined` if unknown. */
  readonly isRoot: () => boolean | undefined
}
