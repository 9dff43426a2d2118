/**
 * What a runtime gives the local leaf: the whole of the contact with Deno, Bun and Node.
 *
 * @module
 */
import type { FileKind } from "./resolve.ts"
import type { ByteReader, ByteWriter, ExitStatus } from "../../shell/SpawnedProcess.ts"

/** A process to start, all decided: no lookup, no shell, no inheritance beyond what is said. */
export interface SpawnRequest {
  /** A full path, or a name where the leaf may not look at the file system. */
  readonly file: string
  /** Arguments without the program's own name. */
  readonly args: ReadonlyArray<string>
  readonly cwd: string | undefined
  /** The environment: what is added to the inherited one, or with `clear` all of it. */
  readonly env: { readonly clear: boolean; readonly set: Readonly<Record<string, string>> } | undefined
  readonly stdin: "null" | "piped" | "inherit"
  readonly stderr: "piped" | "inherit" | "null"
  readonly stdout: "piped" | "inherit" | "null"
  /** Leader of its own session and group (setsid(2)). */
  readonly detached: boolean
  /** Windows: `args` is already quoted. */
  readonly verbatim: boolean
  /** The name that the program is told (argv[0]). Default: `file`; Deno always tells that. */
  readonly argv0?: string | undefined
  /** Windows: in a job object of its own, where the host has {@link Host.jobObjects}. Default: `false`. */
  readonly job?: boolean | undefined
  /** Windows: no console window. Default: `true`. Deno has no such option. */
  readonly hide?: boolean | undefined
  /** Descriptors 3, 4, …: a pipe in both directions, or none. Default: none. */
  readonly extra?: ReadonlyArray<"piped" | "null"> | undefined
}

/** A descriptor of {@link SpawnRequest.extra}: both ends of it that are the parent's. */
export interface HostPipe {
  readonly reader: ByteReader
  readonly writer: ByteWriter
  /** What broke it, if anything did. */
  readonly failure: () => unknown
}

/** A process's job object (Windows): it and all that it starts. */
export interface ProcessJob {
  /** How many of them live. */
  readonly active: number
  /** The exit code of the process itself, all 32 bits, once it has ended. */
  readonly exitCode: number | undefined
  /** Ends them all, at once. */
  readonly terminate: () => void
  /** Whether those who live end when this program does, however it ends. They do until this is said. */
  readonly endWithProgram: (ends: boolean) => void
  /** Lets those go that live. Idempotent. */
  readonly release: () => void
  /** Whether it was released: then nobody is in it any more. */
  readonly isReleased: boolean
}

/** A process that runs. */
export interface HostProcess {
  readonly pid: number
  readonly stdout: ByteReader | undefined
  readonly stderr: ByteReader | undefined
  readonly stdin: ByteWriter | undefined
  /** By number, those that were asked for. */
  readonly extra?: ReadonlyMap<number, HostPipe> | undefined
  /** Its job object, if it has one; whoever asked for it releases it. */
  readonly job?: ProcessJob | undefined
  /** Calls `done` once, when it has been reaped. */
  readonly onExit: (done: (status: ExitStatus) => void) => void
  /** Signals this process alone; harmless when it is gone. */
  readonly kill: (signal: string) => void
  /** Whether the runtime waits for it before it ends. */
  readonly setRef: (ref: boolean) => void
}

/** A directory that is open. */
export interface HeldDirectory {
  /** A path that leads to this very directory while it is open. */
  readonly path: string
  /** Its canonical path. */
  readonly file: string
  /** What tells it from any other, as {@link Host.identity}. */
  readonly identity: string
  readonly release: () => void
}

/** The contact with one runtime. Functions throw what the runtime throws. */
export interface Host {
  readonly runtime: "deno" | "bun" | "node"
  readonly os: "linux" | "darwin" | "windows" | "other"
  /** The id of this process. */
  readonly pid: number
  /** Whether what is called a pipe is a pair of sockets (Node and Bun, except on Windows). */
  readonly pipesAreSockets: boolean
  /** Windows: whether processes can be put into job objects. Default: `false`. */
  readonly jobObjects?: boolean | undefined
  /** Whether what a reader gives is the taker's own, so that nobody has to copy it to keep it. Default: `false`. */
  readonly givesBuffers?: boolean | undefined
  /** Starts a process. */
  readonly spawn: (request: SpawnRequest) => HostProcess | Promise<HostProcess>
  /** The environment of this process; `undefined` when it may not be read. */
  readonly environment: () => Readonly<Record<string, string>> | undefined
  /** One variable of it. */
  readonly variable: (name: string) => string | undefined
  readonly cwd: () => string | undefined
  readonly fileKind: (path: string) => FileKind
  /** The errno name of a look at a path (`"ENOTDIR"`); `undefined` when something is there. */
  readonly errorAt: (path: string) => string | undefined
  /** The canonical path (realpath(3)), or `undefined`. */
  readonly realPath: (path: string) => string | undefined
  /**
   * What tells the file or directory at a path from any other: device and inode, of a file also its size and the time
   * it was changed; `undefined` where nobody could look.
   */
  readonly identity: (path: string) => string | undefined
  /** Opens a directory, so that it stays the same whatever becomes of its path. Linux, where `/proc` can be read. */
  readonly hold?: ((path: string) => HeldDirectory | undefined) | undefined
  /** Whether `/proc` can be read. */
  readonly readsProc: boolean
  /** The first bytes of a file. */
  readonly readHead: (path: string, length: number) => Uint8Array | undefined
  readonly readText: (path: string) => string | undefined
  readonly readNames: (path: string) => ReadonlyArray<string>
  /**
   * Signals any process, or a whole group by its negative number: `"sent"`, `"gone"` or `"denied"`. Signal 0 only
   * asks whether it is there. `undefined` where the runtime may not.
   */
  readonly signal: ((pid: number, signal: string | 0) => "sent" | "gone" | "denied") | undefined
  /** Whether other programs (`kill`, `sh`) may be started. */
  readonly mayRun: (program: string) => boolean
  /** Whether this process runs as root; `undefined` when it cannot be told. */
  readonly isRoot: () => boolean | undefined
}
