/**
 * The system calls, as a program written in TypeScript makes them. A WASI program makes the same ones through its
 * imports: the kernel does not know which kind it serves.
 *
 * A call answers at once when it can, with a plain value, and with a promise only when it has to wait. Counts, handles
 * and 0 mean that it went well; a negative number is an errno (`-Errno.ENOENT`). A process that is killed while it waits
 * never comes back from the wait: its promise is rejected with what the kernel alone catches.
 *
 * @module
 */
import type { OpenOptions, Resolution } from "./FileSystem.ts"
import type { DirectoryEntry, Stat } from "./Stat.ts"

export { linuxSignals as Signal } from "../command/signals.ts"

/** A value at once, or later. */
export type Later<A> = A | Promise<A>

/** The number of a process: 1 for the first. */
export type Pid = number

/** What a process does when a signal comes. SIGKILL always ends it. */
export type Disposition = "default" | "ignore" | (() => void)

/** A program in TypeScript. What it answers is its exit code, 0 to 255. */
export type Program = (system: System) => Later<number>

/** Which process to start. */
export interface SpawnRequest {
  /** A name or a path that the kernel looks up, or a program itself (that is how a shell starts a subshell). */
  readonly program: string | Program
  /** All arguments, the program's name first. */
  readonly args: ReadonlyArray<string>
  /** The whole environment. Default: that of the parent. */
  readonly env?: Iterable<readonly [string, string]> | undefined
  /** Default: that of the parent. */
  readonly cwd?: string | undefined
  /**
   * Which descriptors it has: its own number, and the parent's. Each shares the parent's open file. Default: 0, 1 and 2
   * as the parent has them.
   */
  readonly fds?: ReadonlyArray<readonly [child: number, parent: number]> | undefined
  /** Signals that it ignores from its start. Default: those that the parent ignores. */
  readonly ignore?: ReadonlyArray<number> | undefined
  /** The process group: a group's number, or 0 for a new one of its own. Default: that of the parent. */
  readonly group?: Pid | undefined
  /** A signal that it gets when its parent ends. Default: none. Source: prctl(2) `PR_SET_PDEATHSIG`. */
  readonly parentDeathSignal?: number | undefined
}

/** Why the kernel itself ended a process. */
export type EndReason =
  /** It used more than a limit of the kernel allows. */
  | { readonly _tag: "Limit"; readonly limit: "wallTime" | "outputBytes" | "memoryPages" | "spoolBytes" }
  /** It broke: a trap of WASM, an exception in TypeScript, a module that does not start. */
  | { readonly _tag: "Fault"; readonly message: string }
  /** The kernel was closed. */
  | { readonly _tag: "Closed" }

/** How a process ended. */
export interface WaitStatus {
  /** Its number. */
  readonly pid: Pid
  /** 0 to 255; 128 and the signal's number when a signal ended it. */
  readonly exitCode: number
  /** The signal that ended it. */
  readonly signal?: number | undefined
  /** Why, when it was the kernel that sent the signal. */
  readonly reason?: EndReason | undefined
}

/** What to wait for: one of these. */
export type Subscription =
  | { readonly _tag: "Readable"; readonly fd: number }
  | { readonly _tag: "Writable"; readonly fd: number }
  /** Milliseconds from now. */
  | { readonly _tag: "After"; readonly ms: number }

/** What a process may ask of the kernel. */
export interface System {
  /** Its number. */
  readonly pid: Pid
  /** The number of the process that started it; 0 when that is the host, or has ended. */
  readonly parent: Pid
  /** The program's name first. */
  readonly args: ReadonlyArray<string>
  /** This process's own; children get a copy. */
  readonly env: Map<string, string>
  /** The path of the working directory. */
  readonly cwd: string

  /** Bytes read, 0 at the end. Waits while there are none, unless the file does not block. */
  readonly read: (fd: number, into: Uint8Array) => Later<number>
  /** Bytes taken, at least one unless there are none to take. Waits for room. A pipe without readers: SIGPIPE, EPIPE. */
  readonly write: (fd: number, from: Uint8Array) => Later<number>
  /** Writes all of it. 0, or an errno. */
  readonly writeAll: (fd: number, from: Uint8Array) => Later<number>
  /** Moves the position of an open file; answers with the new one. `whence` is one of `Whence`. Source: lseek(2). */
  readonly seek: (fd: number, offset: number, whence: number) => number
  /** Makes an open file so many bytes long. Source: ftruncate(2). */
  readonly truncate: (fd: number, size: number) => number
  /** Waits until an open file is on its disk. Source: fsync(2). */
  readonly sync: (fd: number) => number
  /** Gives a number back. Source: close(2). */
  readonly close: (fd: number) => number
  /** A second descriptor of the same open file: the lowest free number, not below `from` (default 0). */
  readonly dup: (fd: number, from?: number) => number
  /** Makes `to` a descriptor of the same open file; what `to` was is closed. */
  readonly dup2: (fd: number, to: number) => number
  /** Two descriptors: where to read and where to write. */
  readonly pipe: () => readonly [read: number, write: number] | number
  /** Which descriptors are open, in order. */
  readonly descriptors: () => ReadonlyArray<number>

  /** Opens a file or a folder: the lowest free number. */
  readonly open: (path: string, options: OpenOptions) => number
  /** What is known of the file at a path; of a link itself with `follow: false`. Source: stat(2). */
  readonly stat: (path: string, options?: Resolution) => Stat | number
  /** What is known of an open file. Source: fstat(2). */
  readonly fstat: (fd: number) => Stat | number
  /** What is in a folder, by name, without `.` and `..`. */
  readonly list: (path: string) => ReadonlyArray<DirectoryEntry> | number
  /** The umask is taken off. Default mode: `0o777`. */
  readonly makeDirectory: (path: string, mode?: number) => number
  /** Removes an empty folder. Source: rmdir(2). */
  readonly removeDirectory: (path: string) => number
  /** Removes a name of a file or a link; the file goes with its last name and descriptor. Source: unlink(2). */
  readonly unlink: (path: string) => number
  /** Gives a file or a folder another name, and replaces what has it. Source: rename(2). */
  readonly rename: (from: string, to: string) => number
  /** Gives a file one more name; a link in the last place is not followed. Source: link(2). */
  readonly link: (from: string, to: string) => number
  /** Makes a symbolic link, whatever it leads to. Source: symlink(2). */
  readonly symlink: (target: string, path: string) => number
  /** Where a symbolic link leads. Source: readlink(2). */
  readonly readlink: (path: string) => string | number
  /** Sets permission bits. Source: chmod(2). */
  readonly setMode: (path: string, mode: number) => number
  /** Sets times, in nanoseconds since 1970; `undefined` leaves one as it is. Source: utimensat(2). */
  readonly setTimes: (path: string, accessed: bigint | undefined, modified: bigint | undefined) => number
  /** Sets the working directory. Source: chdir(2). */
  readonly changeDirectory: (path: string) => number
  /** Sets the bits that new files lack; answers with the old ones. Without an argument: only answers. */
  readonly umask: (mask?: number) => number

  /** Starts a process; answers with its pid at once. */
  readonly spawn: (request: SpawnRequest) => number
  /** Whether a name or path would be found by `spawn`, and as what: its path, or an errno. */
  readonly which: (program: string) => string | number
  /**
   * Waits until a child has ended, any child when `pid` is -1, and forgets it. `-ECHILD` when there is none; `undefined`
   * when `hang` is `false` and none has ended; `-EINTR` when a signal with a handler came meanwhile.
   */
  readonly wait: (pid: Pid, options?: { readonly hang?: boolean }) => Later<WaitStatus | number | undefined>
  /**
   * Calls back once when a process has ended, whoever's child it is, also when the caller is no more by then. 0, or
   * `-ESRCH` when no such process lives. Source: pidfd_open(2).
   */
  readonly watch: (pid: Pid, ended: (status: WaitStatus) => void) => number
  /**
   * Sends a signal; 0 only asks whether it is there. To a group when `pid` is negative, to one's own when it is 0, to
   * every other process when it is -1.
   */
  readonly kill: (pid: Pid, signal: number) => number
  /** Answers with the disposition before. Handlers run between calls of the process, never within one. */
  readonly onSignal: (signal: number, disposition: Disposition) => Disposition
  /** Ends this process. */
  readonly exit: (code: number) => never

  /** Waits for the first of several things; answers with their indexes, or `-EINTR`. */
  readonly poll: (subscriptions: ReadonlyArray<Subscription>) => Later<ReadonlyArray<number> | number>
  /** Waits; 0, or `-EINTR` when a signal with a handler came meanwhile. */
  readonly sleep: (ms: number) => Later<number>
  /**
   * Lets everybody else run, when it is time: between steps of a long computation. `cost` says how long the step was, in
   * system calls; `Infinity` makes it look at the clock. Default: 1.
   */
  readonly breathe: (cost?: number) => Later<void>
  /** Nanoseconds since 1970. */
  readonly now: () => bigint
  /** Nanoseconds since the kernel started; it never goes back. */
  readonly monotonic: () => bigint
  /** Nanoseconds of computing of this process, about. */
  readonly cpuTime: () => bigint
  /** Fills an array with random bytes. */
  readonly random: (into: Uint8Array) => void
}
