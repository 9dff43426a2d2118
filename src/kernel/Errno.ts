/** Declares the error numbers of WASI preview 1 with their POSIX names and messages. System calls return them negated. */

/**
 * Each error number by its POSIX name.
 *
 * @example
 * ```ts
 * import { Errno, errnoName, FileSystem } from "@sluice/shell/kernel"
 *
 * const files = FileSystem.VirtualFileSystem.make({ now: () => 0n })
 * const file = files.open(files.root, "/missing", { read: true })
 * console.log(file === -Errno.ENOENT && errnoName(-Errno.ENOENT)) // ENOENT
 * ```
 */
export const Errno = {
  SUCCESS: 0,
  E2BIG: 1,
  EACCES: 2,
  EADDRINUSE: 3,
  EADDRNOTAVAIL: 4,
  EAFNOSUPPORT: 5,
  EAGAIN: 6,
  EALREADY: 7,
  EBADF: 8,
  EBADMSG: 9,
  EBUSY: 10,
  ECANCELED: 11,
  ECHILD: 12,
  ECONNABORTED: 13,
  ECONNREFUSED: 14,
  ECONNRESET: 15,
  EDEADLK: 16,
  EDESTADDRREQ: 17,
  EDOM: 18,
  EDQUOT: 19,
  EEXIST: 20,
  EFAULT: 21,
  EFBIG: 22,
  EHOSTUNREACH: 23,
  EIDRM: 24,
  EILSEQ: 25,
  EINPROGRESS: 26,
  EINTR: 27,
  EINVAL: 28,
  EIO: 29,
  EISCONN: 30,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  EMLINK: 34,
  EMSGSIZE: 35,
  EMULTIHOP: 36,
  ENAMETOOLONG: 37,
  ENETDOWN: 38,
  ENETRESET: 39,
  ENETUNREACH: 40,
  ENFILE: 41,
  ENOBUFS: 42,
  ENODEV: 43,
  ENOENT: 44,
  ENOEXEC: 45,
  ENOLCK: 46,
  ENOLINK: 47,
  ENOMEM: 48,
  ENOMSG: 49,
  ENOPROTOOPT: 50,
  ENOSPC: 51,
  ENOSYS: 52,
  ENOTCONN: 53,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  ENOTRECOVERABLE: 56,
  ENOTSOCK: 57,
  ENOTSUP: 58,
  ENOTTY: 59,
  ENXIO: 60,
  EOVERFLOW: 61,
  EOWNERDEAD: 62,
  EPERM: 63,
  EPIPE: 64,
  EPROTO: 65,
  EPROTONOSUPPORT: 66,
  EPROTOTYPE: 67,
  ERANGE: 68,
  EROFS: 69,
  ESPIPE: 70,
  ESRCH: 71,
  ESTALE: 72,
  ETIMEDOUT: 73,
  ETXTBSY: 74,
  EXDEV: 75,
  ENOTCAPABLE: 76,
} as const

/**
 * The POSIX name of an error number.
 *
 * @stability experimental
 */

const names: ReadonlyMap<number, string> = new Map(Object.entries(Errno).map(([name, number]) => [number, name]))

/**
 * Returns the name of an error number, positive or negative: `errnoName(-44)` is `"ENOENT"`.
 *
 * @example
 * ```ts
 * import { Errno, errnoName } from "@sluice/shell/kernel"
 *
 * console.log(errnoName(-44), errnoName(Errno.EAGAIN)) // ENOENT EAGAIN
 * ```
 */
export const errnoName = (errno: number): string => names.get(Math.abs(errno)) ?? `errno ${Math.abs(errno)}`

const texts: Readonly<Record<string, string>> = {
  E2BIG: "Argument list too long",
  EACCES: "Permission denied",
  EAGAIN: "Resource temporarily unavailable",
  EBADF: "Bad file descriptor",
  EBUSY: "Device or resource busy",
  ECHILD: "No child processes",
  EEXIST: "File exists",
  EFBIG: "File too large",
  EINTR: "Interrupted system call",
  EINVAL: "Invalid argument",
  EIO: "Input/output error",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  EMFILE: "Too many open files",
  EMLINK: "Too many links",
  ENAMETOOLONG: "File name too long",
  ENFILE: "Too many open files in system",
  ENOENT: "No such file or directory",
  ENOEXEC: "Exec format error",
  ENOMEM: "Cannot allocate memory",
  ENOSPC: "No space left on device",
  ENOSYS: "Function not implemented",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  ENOTSUP: "Operation not supported",
  ENOTTY: "Inappropriate ioctl for device",
  EPERM: "Operation not permitted",
  EPIPE: "Broken pipe",
  EROFS: "Read-only file system",
  ESPIPE: "Illegal seek",
  ESRCH: "No such process",
  EXDEV: "Invalid cross-device link",
  ENOTCAPABLE: "Capabilities insufficient",
}

/**
 * Returns the text of an error number, as strerror(3): `errnoText(-44)` is `"No such file or directory"`.
 *
 * @stability experimental
 */
export const errnoText = (errno: number): string => {
  const name = errnoName(errno)
  return texts[name] ?? name
}
