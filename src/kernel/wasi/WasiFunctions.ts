/**
 * Declares the functions of `wasi_snapshot_preview1`, which return an errno, or a promise of one if the process has to
 * wait. Source: WASI preview 1, `typenames.witx` and `wasi_snapshot_preview1.witx`.
 */
import type { Later } from "../System.ts"

/** i32: a pointer, a length, a descriptor, an enum; passed as a signed number. */
type I32 = number
/** i64: an offset, a time, rights; passed as a signed bigint. */
type I64 = bigint
type Errno = number

export type EnvironmentFunctions = {
  readonly args_get: (argv: I32, buffer: I32) => Errno
  readonly args_sizes_get: (count: I32, size: I32) => Errno
  readonly environ_get: (environ: I32, buffer: I32) => Errno
  readonly environ_sizes_get: (count: I32, size: I32) => Errno
  readonly clock_res_get: (clock: I32, out: I32) => Errno
  readonly clock_time_get: (clock: I32, precision: I64, out: I32) => Errno
  readonly proc_exit: (code: I32) => never
  readonly proc_raise: (signal: I32) => Errno
  readonly random_get: (buffer: I32, length: I32) => Errno
  readonly sched_yield: () => Later<Errno>
}

export type DescriptorFunctions = {
  readonly fd_close: (fd: I32) => Errno
  readonly fd_fdstat_get: (fd: I32, out: I32) => Errno
  readonly fd_fdstat_set_flags: (fd: I32, flags: I32) => Errno
  readonly fd_fdstat_set_rights: (fd: I32, base: I64, inheriting: I64) => Errno
  readonly fd_prestat_get: (fd: I32, out: I32) => Errno
  readonly fd_prestat_dir_name: (fd: I32, path: I32, length: I32) => Errno
  readonly fd_renumber: (from: I32, to: I32) => Errno
}

export type ContentFunctions = {
  readonly fd_advise: (fd: I32, offset: I64, length: I64, advice: I32) => Errno
  readonly fd_allocate: (fd: I32, offset: I64, length: I64) => Errno
  readonly fd_datasync: (fd: I32) => Errno
  readonly fd_filestat_get: (fd: I32, out: I32) => Errno
  readonly fd_filestat_set_size: (fd: I32, size: I64) => Errno
  readonly fd_filestat_set_times: (fd: I32, accessed: I64, modified: I64, which: I32) => Errno
  readonly fd_seek: (fd: I32, offset: I64, whence: I32, out: I32) => Errno
  readonly fd_sync: (fd: I32) => Errno
  readonly fd_tell: (fd: I32, out: I32) => Errno
}

export type TransferFunctions = {
  readonly fd_pread: (fd: I32, vectors: I32, count: I32, offset: I64, out: I32) => Errno
  readonly fd_pwrite: (fd: I32, vectors: I32, count: I32, offset: I64, out: I32) => Errno
  readonly fd_read: (fd: I32, vectors: I32, count: I32, out: I32) => Later<Errno>
  readonly fd_write: (fd: I32, vectors: I32, count: I32, out: I32) => Later<Errno>
}

export type PathFunctions = {
  readonly path_create_directory: (fd: I32, path: I32, length: I32) => Errno
  readonly path_filestat_get: (fd: I32, lookup: I32, path: I32, length: I32, out: I32) => Errno
  readonly path_filestat_set_times: (
    fd: I32,
    lookup: I32,
    path: I32,
    length: I32,
    accessed: I64,
    modified: I64,
    which: I32,
  ) => Errno
  readonly path_link: (
    fd: I32,
    lookup: I32,
    path: I32,
    length: I32,
    toFd: I32,
    toPath: I32,
    toLength: I32,
  ) => Errno
  readonly path_readlink: (fd: I32, path: I32, length: I32, buffer: I32, size: I32, out: I32) => Errno
  readonly path_remove_directory: (fd: I32, path: I32, length: I32) => Errno
  readonly path_rename: (fd: I32, path: I32, length: I32, toFd: I32, toPath: I32, toLength: I32) => Errno
  readonly path_symlink: (target: I32, targetLength: I32, fd: I32, path: I32, length: I32) => Errno
  readonly path_unlink_file: (fd: I32, path: I32, length: I32) => Errno
}

export type SocketFunctions = {
  readonly sock_accept: (fd: I32, flags: I32, out: I32) => Errno
  readonly sock_recv: (fd: I32, vectors: I32, count: I32, flags: I32, out: I32, outFlags: I32) => Errno
  readonly sock_send: (fd: I32, vectors: I32, count: I32, flags: I32, out: I32) => Errno
  readonly sock_shutdown: (fd: I32, how: I32) => Errno
}

export type WasiFunctions =
  & EnvironmentFunctions
  & DescriptorFunctions
  & ContentFunctions
  & TransferFunctions
  & PathFunctions
  & SocketFunctions
  & {
    readonly fd_readdir: (fd: I32, buffer: I32, size: I32, cookie: I64, out: I32) => Errno
    readonly path_open: (
      fd: I32,
      lookup: I32,
      path: I32,
      length: I32,
      how: I32,
      base: I64,
      inheriting: I64,
      flags: I32,
      out: I32,
    ) => Errno
    readonly poll_oneoff: (subscriptions: I32, events: I32, count: I32, out: I32) => Later<Errno>
  }

/** The functions that can wait, which are suspending imports where the runtime has JSPI. */
export const suspendingWasiFunctions: ReadonlyArray<keyof WasiFunctions> = [
  "fd_read",
  "fd_write",
  "poll_oneoff",
  "sched_yield",
]
