/** Declares the rights of WASI descriptors, by the type and the use of a file. Source: WASI preview 1, `rights`. */
import { Errno } from "../Errno.ts"
import { type OpenFile, Whence } from "../OpenFile.ts"
import { FileType } from "../Stat.ts"

/** Each right by its name. There are 30, so a number holds any set of them. */
export const Right = {
  fd_datasync: 0x1,
  fd_read: 0x2,
  fd_seek: 0x4,
  fd_fdstat_set_flags: 0x8,
  fd_sync: 0x10,
  fd_tell: 0x20,
  fd_write: 0x40,
  fd_advise: 0x80,
  fd_allocate: 0x100,
  path_create_directory: 0x200,
  path_create_file: 0x400,
  path_link_source: 0x800,
  path_link_target: 0x1000,
  path_open: 0x2000,
  fd_readdir: 0x4000,
  path_readlink: 0x8000,
  path_rename_source: 0x1_0000,
  path_rename_target: 0x2_0000,
  path_filestat_get: 0x4_0000,
  path_filestat_set_size: 0x8_0000,
  path_filestat_set_times: 0x10_0000,
  fd_filestat_get: 0x20_0000,
  fd_filestat_set_size: 0x40_0000,
  fd_filestat_set_times: 0x80_0000,
  path_symlink: 0x100_0000,
  path_remove_directory: 0x200_0000,
  path_unlink_file: 0x400_0000,
  poll_fd_readwrite: 0x800_0000,
  sock_shutdown: 0x1000_0000,
  sock_accept: 0x2000_0000,
} as const

export const allRights = 0x3fff_ffff

/** Rights of files with bytes, which a folder never has. */
export const byteRights: number = Right.fd_datasync | Right.fd_read | Right.fd_seek | Right.fd_tell | Right.fd_write |
  Right.fd_advise | Right.fd_allocate | Right.fd_filestat_set_size

const socketRights = Right.sock_shutdown | Right.sock_accept

const commonRights = Right.fd_fdstat_set_flags | Right.fd_sync | Right.fd_filestat_get | Right.fd_filestat_set_times |
  Right.poll_fd_readwrite

/** Returns the rights that a file of a type can have; `path_open` grants no others. */
export const rightsOf = (type: FileType): number =>
  type === FileType.directory
    ? allRights & ~byteRights & ~socketRights
    : type === FileType.socketStream || type === FileType.socketDatagram
    ? commonRights | socketRights | Right.fd_read | Right.fd_write
    : commonRights | byteRights

const noBytes = new Uint8Array(0)

/**
 * Returns the rights that an open file can really exercise, for `fd_fdstat_get`. Programs derive from them how a file
 * is open (fcntl(2), `F_GETFL`) and whether it is a terminal: a character device without `fd_seek` (isatty(3)).
 */
export const usableRights = (file: OpenFile, rights: number): number => {
  if (file.type === FileType.directory) return rights
  const cannotRead = file.read(noBytes) === -Errno.EBADF ? Right.fd_read : 0
  const cannotWrite = file.write(noBytes) === -Errno.EBADF ? Right.fd_write : 0
  const cannotSeek = file.seek(0, Whence.current) < 0 ? Right.fd_seek | Right.fd_tell : 0
  return rights & ~(cannotRead | cannotWrite | cannotSeek)
}
