/**
 * Declares `System`, the system calls that a program written in TypeScript makes; WASI programs make the same calls through
 * their imports. A call returns a plain value when it can, and a promise only when it has to wait. A negative number is an
 * errno (`-Errno.ENOENT`). When a process is killed while it waits, the promise is rejected with an error that only the kernel
 * catches.
 *
 * @module
 */
import type { OpenOptions, Resolution, VolumeUsage } from "./FileSystem.ts"
import type { HttpFailure, HttpRequest, HttpResponse } from "./network/HttpCall.ts"
import type { DirectoryEntry, Stat } from "./Stat.ts"

export type { HttpFailure, HttpFailureReason, HttpRequest, HttpRequestBody, HttpResponse } from "./network/HttpCall.ts"
export { linuxSignals as Signal } from "../command/signals.ts"

/** A value, or a promise of one. */
export type Later<A> = A | Promise<A>

/** A process id: 1 for the first process. */
export type Pid = number

/** The disposition of a signal in a process: default action, ignored, or a handler. SIGKILL always ends it. */
export type Disposition = "default" | "ignore" | (() => void)

/**
 * A program in TypeScript. It returns its exit code, 0 to 255.
 *
 * @stability stable
 */
export type Program = (system: System) => Later<number>

/** A process to start. */
export interface SpawnRequest {
  /** A name or path that the kernel looks up, or a program itself, which is how a shell starts subshells. */
  readonly program: string | Program
  /** All arguments, the program's name first. */
  readonly args: ReadonlyArray<string>
  /** The whole environment. Default: the parent's. */
  readonly env?: Iterable<readonly [string, string]> | undefined
  /** Working directory. Default: the parent's. */
  readonly cwd?: string | undefined
  /** Its descriptors: its own number and that of the parent, whose open file it shares. Default: 0, 1 and 2 of the parent. */
  readonly fds?: ReadonlyArray<readonly [child: number, parent: number]> | undefined
  /** Signals that it ignores from the start. Default: those that the parent ignores. */
  readonly ignore?: ReadonlyArray<number> | undefined
  /** Process group: a group's number, or 0 for a new group. Default: the parent's. */
  readonly group?: Pid | undefined
  /** Signal that it gets when its parent ends. Default: none. Source: prctl(2) `PR_SET_PDEATHSIG`. */
  readonly parentDeathSignal?: number | undefined
  /**
   * Whether only this process uses its stdin, so that it may read ahead. A shell sets it for a redirection or a pipe.
   * Default: `false`.
   */
  readonly ownsStdin?: boolean | undefined
}

/** The reason why the kernel itself ended a process. */
export type EndReason =
  /** The process exceeded a limit of the kernel. */
  | { readonly _tag: "Limit"; readonly limit: "timeout" | "outputBytes" | "memoryPages" | "spoolBytes" }
  /** The process failed: a WASM trap, an exception in TypeScript, a module that does not start. */
  | { readonly _tag: "Fault"; readonly message: string }
  /** The kernel was closed. */
  | { readonly _tag: "Closed" }

/** The exit code of a process, or the signal or reason that ended it. */
export interface WaitStatus {
  /** Its process id. */
  readonly pid: Pid
  /** 0 to 255; 128 + n when signal n ended it. */
  readonly exitCode: number
  /** The signal that ended it. */
  readonly signal?: number | undefined
  /** The reason, if the kernel itself ended it. */
  readonly reason?: EndReason | undefined
}

/** A process as other processes see it. */
export interface ProcessInfo {
  /** Its process id. */
  readonly pid: Pid
  /** Process id of its parent; 0 when that is the host or has ended. */
  readonly parent: Pid
  /** Its process group. */
  readonly group: Pid
  /** The first process of its job: the one that the host started. */
  readonly job: Pid
  /** Arguments, the program's name first. */
  readonly args: ReadonlyArray<string>
  /** When it started, in nanoseconds since 1970. */
  readonly started: bigint
  /** Its approximate CPU time in nanoseconds. */
  readonly cpuTime: bigint
  /** Whether it computes, waits, or has ended without having been waited for. */
  readonly state: "running" | "waiting" | "ended"
}

/** An event to wait for. */
export type Subscription =
  | { readonly _tag: "Readable"; readonly fd: number }
  | { readonly _tag: "Writable"; readonly fd: number }
  /** Milliseconds from now. */
  | { readonly _tag: "After"; readonly ms: number }

/** The system calls of one process. */
export interface System {
  /** Its process id. */
  readonly pid: Pid
  /** Process id of the parent; 0 when that is the host or has ended. */
  readonly parent: Pid
  /** Arguments, the program's name first. */
  readonly args: ReadonlyArray<string>
  /** Environment of this process; children get a copy. */
  readonly env: Map<string, string>
  /** The path of the working directory. */
  readonly cwd: string

  /** Reads. Returns the bytes read, 0 at the end. Waits for the first byte unless the file is non-blocking. */
  readonly read: (fd: number, into: Uint8Array) => Later<number>
  /** Writes. Returns the bytes written, at least one. Waits for room. A pipe without readers: SIGPIPE, EPIPE. */
  readonly write: (fd: number, from: Uint8Array) => Later<number>
  /** Writes all bytes. Returns 0 or an errno. */
  readonly writeAll: (fd: number, from: Uint8Array) => Later<number>
  /** Reads a file at an offset; the position stays, and the call never waits. A pipe: `-ESPIPE`. Source: pread(2). */
  readonly readAt: (fd: number, offset: number, into: Uint8Array) => number
  /** Writes a file at an offset; the position stays, and the call never waits. A pipe: `-ESPIPE`. Source: pwrite(2). */
  readonly writeAt: (fd: number, offset: number, from: Uint8Array) => number
  /** Moves the position of an open file and returns the new one. `whence` is one of `Whence`. Source: lseek(2). */
  readonly seek: (fd: number, offset: number, whence: number) => number
  /** Sets the size of an open file. Source: ftruncate(2). */
  readonly truncate: (fd: number, size: number) => number
  /** Writes buffered data of an open file to the disk. Source: fsync(2). */
  readonly sync: (fd: number) => number
  /** Closes a descriptor. Source: close(2). */
  readonly close: (fd: number) => number
  /** Duplicates a descriptor to the lowest free number from `from` (default 0) on. */
  readonly dup: (fd: number, from?: number) => number
  /** Duplicates a descriptor to `to`, which is closed first if it was open. */
  readonly dup2: (fd: number, to: number) => number
  /** Makes a pipe. Returns its reading and its writing descriptor. */
  readonly pipe: () => readonly [read: number, write: number] | number
  /** Returns the open descriptors, in order. */
  readonly descriptors: () => ReadonlyArray<number>

  /**
   * Opens a file or a folder as the lowest free descriptor. It does not wait: an end of a FIFO waits for the other end at its
   * first read or write, or in {@link System.opened}.
   */
  readonly open: (path: string, options: OpenOptions) => number
  /** Waits until the other end of a FIFO has been opened, as open(2) does. Returns 0, at once for other files, or `-EINTR`. */
  readonly opened: (fd: number) => Later<number>
  /** Returns the stat of the file at a path; with `follow: false` that of a link itself. Source: stat(2). */
  readonly stat: (path: string, options?: Resolution) => Stat | number
  /** Returns the stat of an open file. Source: fstat(2). */
  readonly fstat: (fd: number) => Stat | number
  /** Lists a folder by name, without `.` and `..`. */
  readonly list: (path: string) => ReadonlyArray<DirectoryEntry> | number
  /** Makes a folder; the umask is applied to the mode. Default mode: `0o777`. */
  readonly makeDirectory: (path: string, mode?: number) => number
  /** Makes a FIFO; the umask is applied to the mode. Default mode: `0o666`. Source: mkfifo(3). */
  readonly makeFifo: (path: string, mode?: number) => number
  /** Removes an empty folder. Source: rmdir(2). */
  readonly removeDirectory: (path: string) => number
  /** Removes one name of a file or a link. The file is freed with its last name and descriptor. Source: unlink(2). */
  readonly unlink: (path: string) => number
  /** Renames a file or a folder, replacing an existing target. Source: rename(2). */
  readonly rename: (from: string, to: string) => number
  /** Makes a hard link; a symbolic link in the last component is not followed. Source: link(2). */
  readonly link: (from: string, to: string) => number
  /** Makes a symbolic link; its target need not exist. Source: symlink(2). */
  readonly symlink: (target: string, path: string) => number
  /** Returns the target of a symbolic link. Source: readlink(2). */
  readonly readlink: (path: string) => string | number
  /** Sets permission bits. Source: chmod(2). */
  readonly setMode: (path: string, mode: number) => number
  /**
   * Sets times in nanoseconds since 1970; `undefined` keeps a time. With `follow: false` those of a link itself. Source:
   * utimensat(2).
   */
  readonly setTimes: (
    path: string,
    accessed: bigint | undefined,
    modified: bigint | undefined,
    options?: Resolution,
  ) => number
  /** Sets the working directory. Source: chdir(2). */
  readonly changeDirectory: (path: string) => number
  /** Sets the umask and returns the old one. Without an argument it only returns it. */
  readonly umask: (mask?: number) => number

  /** The limit of {@link System.holdLine}. */
  readonly maxLineBytes: number
  /**
   * Adds to the bytes of long lines that all processes hold together, or subtracts (negative). Returns 0, or `-ENOMEM`
   * without adding any if the total would exceed `maxLineBytes`. The bytes of a process are removed when it ends.
   */
  readonly holdLine: (bytes: number) => number
  /** The limit of {@link System.holdValues}. */
  readonly maxValueBytes: number
  /**
   * Sets the bytes of the values that the process holds. Returns 0, or `-ENOMEM` without a change if the total of all
   * processes would exceed `maxValueBytes`. The bytes are removed when the process ends.
   */
  readonly holdValues: (bytes: number) => number

  /** Starts a process and returns its pid. */
  readonly spawn: (request: SpawnRequest) => number
  /** Returns the path of the program that `spawn` would start for a name or path, or an errno. */
  readonly which: (program: string) => string | number
  /**
   * Waits until a child (any child if `pid` is -1) has ended, and removes it from the table. Returns `-ECHILD` if there
   * is none, `undefined` if `hang` is `false` and none has ended, `-EINTR` after a signal with a handler.
   */
  readonly wait: (pid: Pid, options?: { readonly hang?: boolean }) => Later<WaitStatus | number | undefined>
  /**
   * Calls back once when a process has ended, even if it is not a child or the caller has ended. Returns 0, or `-ESRCH`
   * if there is no such living process. Source: pidfd_open(2).
   */
  readonly watch: (pid: Pid, ended: (status: WaitStatus) => void) => number
  /**
   * Sends a signal; signal 0 only checks that the target exists. A negative `pid` means a group, 0 the own group, -1
   * every other process.
   */
  readonly kill: (pid: Pid, signal: number) => number
  /** Returns all processes of the kernel, in order of their ids. */
  readonly processes: () => ReadonlyArray<ProcessInfo>
  /** Returns the mounted volumes with their space, that of `/` first. Source: statfs(2). */
  readonly volumes: () => ReadonlyArray<VolumeUsage>
  /** Sets the disposition of a signal and returns the old one. Handlers run between calls, never within one. */
  readonly onSignal: (signal: number, disposition: Disposition) => Disposition
  /** Ends this process. */
  readonly exit: (code: number) => never

  /** Waits for the first of several events. Returns the indexes of those that are ready, or `-EINTR`. */
  readonly poll: (subscriptions: ReadonlyArray<Subscription>) => Later<ReadonlyArray<number> | number>
  /** Waits. Returns 0, or `-EINTR` after a signal with a handler. */
  readonly sleep: (ms: number) => Later<number>
  /**
   * Yields to other processes if the time slice is used up; call it between steps of a long computation. `cost` is the
   * length of the step in system calls; `Infinity` checks the clock. Default: 1.
   */
  readonly yield: (cost?: number) => Later<void>
  /** Returns the time in nanoseconds since 1970. */
  readonly now: () => bigint
  /** Returns the nanoseconds since the kernel started; it never goes back. */
  readonly monotonic: () => bigint
  /** Returns the approximate CPU time of this process in nanoseconds. */
  readonly cpuTime: () => bigint
  /** Fills an array with random bytes. */
  readonly random: (into: Uint8Array) => void
  /**
   * Sends an HTTP request if the kernel's network policy allows it, and waits for the head of the response, whose body is a
   * descriptor. A redirect is a response.
   */
  readonly request: (request: HttpRequest) => Promise<HttpResponse | HttpFailure>
}
