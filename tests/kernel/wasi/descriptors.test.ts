import { expect, it } from "@effect/vitest"
import { Errno } from "../../../src/kernel/Errno.ts"
import { NullFile } from "../../../src/kernel/process/NullFile.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { Right } from "../../../src/kernel/wasi/Rights.ts"
import { Guest, name, Queue } from "../../support/wasiGuest.ts"

const create = 1
const bytesRights = Right.fd_read | Right.fd_write | Right.fd_seek | Right.fd_tell | Right.fd_filestat_get |
  Right.fd_filestat_set_size | Right.fd_filestat_set_times | Right.fd_allocate | Right.fd_advise | Right.fd_sync |
  Right.fd_datasync | Right.fd_fdstat_set_flags

/** A program with `/` at 0 and a new file of ten bytes at 1. */
const opened = (rights: number = bytesRights, flags = 0) => {
  const guest = new Guest()
  const root = guest.giveRoot()
  const fd = guest.open(root, "file", { how: create, rights, flags })
  const row = guest.process.descriptor(fd)
  row?.file.write(new TextEncoder().encode("0123456789"))
  row?.file.seek(0, 0)
  return { guest, wasi: guest.wasi, root, fd }
}

const outside = 0x7fff_0000

it("returns EBADF for every call on a descriptor that is not open", () => {
  const { guest, wasi } = opened()
  const calls = [
    wasi.fd_advise(9, 0n, 0n, 0),
    wasi.fd_allocate(9, 0n, 1n),
    wasi.fd_close(9),
    wasi.fd_datasync(9),
    wasi.fd_fdstat_get(9, 64),
    wasi.fd_fdstat_set_flags(9, 0),
    wasi.fd_fdstat_set_rights(9, 0n, 0n),
    wasi.fd_filestat_get(9, 64),
    wasi.fd_filestat_set_size(9, 0n),
    wasi.fd_filestat_set_times(9, 0n, 0n, 0),
    wasi.fd_pread(9, 64, 0, 0n, 64),
    wasi.fd_prestat_get(9, 64),
    wasi.fd_prestat_dir_name(9, 64, 0),
    wasi.fd_pwrite(9, 64, 0, 0n, 64),
    wasi.fd_read(9, 64, 0, 64),
    wasi.fd_readdir(9, 64, 0, 0n, 64),
    wasi.fd_renumber(9, 0),
    wasi.fd_renumber(0, 9),
    wasi.fd_seek(9, 0n, 0, 64),
    wasi.fd_sync(9),
    wasi.fd_tell(9, 64),
    wasi.fd_write(9, 64, 0, 64),
    wasi.fd_close(-1),
    wasi.path_create_directory(9, ...guest.put("x")),
    wasi.sock_accept(9, 0, 64),
    wasi.sock_recv(9, 64, 0, 0, 64, 64),
    wasi.sock_send(9, 64, 0, 0, 64),
    wasi.sock_shutdown(9, 1),
  ]
  expect(calls.map(name)).toEqual(calls.map(() => "EBADF"))
})

it("returns ENOTCAPABLE for a missing right, EBADF for reads and writes, without an effect", () => {
  const { guest, wasi, fd } = opened()
  const row = guest.process.descriptor(fd)
  if (row !== undefined) row.rights = 0
  const calls = [
    wasi.fd_advise(fd, 0n, 0n, 0),
    wasi.fd_allocate(fd, 0n, 100n),
    wasi.fd_datasync(fd),
    wasi.fd_fdstat_set_flags(fd, 0),
    wasi.fd_filestat_get(fd, 64),
    wasi.fd_filestat_set_size(fd, 0n),
    wasi.fd_filestat_set_times(fd, 0n, 0n, 0),
    wasi.fd_seek(fd, 0n, 0, 64),
    wasi.fd_sync(fd),
    wasi.fd_tell(fd, 64),
  ]
  const transfers = [
    wasi.fd_pread(fd, 64, 0, 0n, 64),
    wasi.fd_pwrite(fd, 64, 0, 0n, 64),
    wasi.fd_read(fd, 64, 0, 64),
    wasi.fd_write(fd, 64, 0, 64),
  ]
  expect(calls.map(name)).toEqual(calls.map(() => "ENOTCAPABLE"))
  expect(transfers.map(name)).toEqual(transfers.map(() => "EBADF"))
  if (row !== undefined) row.rights = Right.fd_read | Right.fd_write
  expect([wasi.fd_pread(fd, 64, 0, 0n, 64), wasi.fd_pwrite(fd, 64, 0, 0n, 64)].map(name))
    .toEqual(["ENOTCAPABLE", "ENOTCAPABLE"])
  expect(row?.file.stat()).toMatchObject({ size: 10 })
})

it("returns EISDIR for byte operations on a folder", () => {
  const { wasi, root } = opened()
  const calls = [
    wasi.fd_read(root, 64, 0, 64),
    wasi.fd_write(root, 64, 0, 64),
    wasi.fd_pread(root, 64, 0, 0n, 64),
    wasi.fd_pwrite(root, 64, 0, 0n, 64),
    wasi.fd_seek(root, 0n, 0, 64),
    wasi.fd_tell(root, 64),
    wasi.fd_allocate(root, 0n, 1n),
    wasi.fd_filestat_set_size(root, 0n),
  ]
  expect(calls.map(name)).toEqual(calls.map(() => "EISDIR"))
})

it("returns EFAULT for a result outside the memory, without an effect", () => {
  const { wasi, root, fd, guest } = opened()
  const calls = [
    wasi.fd_fdstat_get(fd, outside),
    wasi.fd_filestat_get(fd, 2 * 65536 - 63),
    wasi.fd_prestat_get(root, -8),
    wasi.fd_prestat_dir_name(root, outside, 9),
    wasi.fd_seek(fd, 3n, 0, outside),
    wasi.fd_tell(fd, outside),
    wasi.fd_readdir(root, outside, 10, 0n, 64),
    wasi.fd_readdir(root, 64, 10, 0n, outside),
  ]
  expect(calls.map(name)).toEqual(calls.map(() => "EFAULT"))
  expect(guest.process.descriptor(fd)?.file.seek(0, 1)).toBe(0)
})

it("returns a file's type, flags and rights", () => {
  const { guest, wasi, fd } = opened(Right.fd_read | Right.fd_seek | Right.path_open, 1)
  expect(name(wasi.fd_fdstat_get(fd, 64))).toBe("SUCCESS")
  expect([guest.bytes[64], guest.bytes[65], guest.view.getUint16(66, true)]).toEqual([FileType.regularFile, 0, 1])
  // What makes no sense for a file was not given, though it was asked for.
  expect([guest.u64(72), guest.u64(80)]).toEqual([BigInt(Right.fd_read | Right.fd_seek), 0n])
})

it("shows in the rights how an inherited file is open, and none for bytes of a folder", () => {
  const { guest, wasi, root } = opened()
  const rightsOf = (fd: number) => {
    expect(name(wasi.fd_fdstat_get(fd, 64))).toBe("SUCCESS")
    return Number(guest.u64(72))
  }
  const readOnly = guest.process.files.open(guest.process.files.root, "file", { read: true })
  if (typeof readOnly === "number") throw new Error("no file")
  expect(rightsOf(guest.give(readOnly)) & (Right.fd_read | Right.fd_write | Right.fd_seek)).toBe(
    Right.fd_read | Right.fd_seek,
  )
  const terminal = rightsOf(guest.give(new Queue(FileType.characterDevice)))
  expect(terminal & (Right.fd_read | Right.fd_write | Right.fd_seek | Right.fd_tell)).toBe(
    Right.fd_read | Right.fd_write,
  )
  expect(rightsOf(root) & (Right.fd_read | Right.fd_seek | Right.fd_filestat_set_size)).toBe(0)
  expect(rightsOf(root) & Right.path_open).toBe(Right.path_open)
  expect(guest.u64(80)).toBe(0x3fff_ffffn)
})

it("sets the flags of a file for all its descriptors, and refuses unknown bits", () => {
  const { guest, wasi, fd } = opened()
  expect(name(wasi.fd_fdstat_set_flags(fd, 1 | 4))).toBe("SUCCESS")
  expect(guest.process.descriptor(fd)?.file.flags).toBe(5)
  expect(name(wasi.fd_fdstat_set_flags(fd, 32))).toBe("EINVAL")
  expect(name(wasi.fd_fdstat_set_flags(fd, -1))).toBe("EINVAL")
})

it("allows dropping rights, and never regaining them", () => {
  const { wasi, fd } = opened(Right.fd_read | Right.fd_write | Right.fd_seek)
  expect(name(wasi.fd_fdstat_set_rights(fd, BigInt(Right.fd_read | Right.fd_seek), 0n))).toBe("SUCCESS")
  expect(name(wasi.fd_write(fd, 64, 0, 64))).toBe("EBADF")
  expect(name(wasi.fd_fdstat_set_rights(fd, BigInt(Right.fd_read | Right.fd_write), 0n))).toBe("ENOTCAPABLE")
  expect(name(wasi.fd_fdstat_set_rights(fd, BigInt(Right.fd_read), 1n))).toBe("ENOTCAPABLE")
  expect(name(wasi.fd_fdstat_set_rights(fd, 1n << 40n, 0n))).toBe("ENOTCAPABLE")
  expect(name(wasi.fd_fdstat_set_rights(fd, -1n, 0n))).toBe("ENOTCAPABLE")
})

it("allows a folder to drop inheriting rights", () => {
  const { guest, wasi, root } = opened()
  const folder = BigInt(Right.path_open | Right.path_create_file)
  expect(name(wasi.fd_fdstat_set_rights(root, folder, BigInt(Right.fd_read)))).toBe("SUCCESS")
  expect(name(wasi.fd_fdstat_get(root, 64))).toBe("SUCCESS")
  expect([guest.u64(72), guest.u64(80)]).toEqual([folder, BigInt(Right.fd_read)])
  expect(guest.open(root, "x", { how: create, rights: Right.fd_write })).toBe(-Errno.ENOTCAPABLE)
  expect(guest.open(root, "x", { how: create, rights: Right.fd_read })).toBeGreaterThan(0)
})

it("returns the filestat of a file in 64 bytes", () => {
  const { guest, wasi } = opened()
  const fd = guest.give(new Queue())
  guest.bytes.fill(0xff, 64, 128)
  expect(name(wasi.fd_filestat_get(fd, 64))).toBe("SUCCESS")
  expect([0, 8, 16, 24, 32].map((at) => guest.u64(64 + at))).toEqual([9n, 77n, 0n, 1n, 0n])
})

it("cuts and lengthens files, and refuses impossible sizes", () => {
  const { guest, wasi, fd } = opened()
  const size = () => {
    const stat = guest.process.descriptor(fd)?.file.stat()
    return typeof stat === "object" ? stat.size : stat
  }
  expect(name(wasi.fd_filestat_set_size(fd, 4n))).toBe("SUCCESS")
  expect(size()).toBe(4)
  expect(name(wasi.fd_filestat_set_size(fd, 100n))).toBe("SUCCESS")
  expect(size()).toBe(100)
  expect(name(wasi.fd_filestat_set_size(fd, 1n << 60n))).toBe("EFBIG")
  expect(name(wasi.fd_filestat_set_size(fd, -1n))).toBe("EINVAL")
  expect(name(wasi.fd_allocate(fd, 50n, 60n))).toBe("SUCCESS")
  expect(size()).toBe(110)
  expect(name(wasi.fd_allocate(fd, 0n, 10n))).toBe("SUCCESS")
  expect(size()).toBe(110)
  expect(name(wasi.fd_allocate(fd, 0n, 0n))).toBe("EINVAL")
  expect(name(wasi.fd_allocate(fd, -1n, 1n))).toBe("EINVAL")
  expect(name(wasi.fd_allocate(fd, 1n << 62n, 1n << 61n))).toBe("EFBIG")
  expect(size()).toBe(110)
})

it("sets times: given ones, the clock's, or neither", () => {
  const { guest, wasi, fd } = opened()
  const times = () => {
    const stat = guest.process.descriptor(fd)?.file.stat()
    return typeof stat === "object" ? [stat.accessed, stat.modified] : stat
  }
  const now = guest.process.time
  expect(name(wasi.fd_filestat_set_times(fd, 5n, 7n, 1 | 4))).toBe("SUCCESS")
  expect(times()).toEqual([5n, 7n])
  expect(name(wasi.fd_filestat_set_times(fd, 1n, 9n, 4))).toBe("SUCCESS")
  expect(times()).toEqual([5n, 9n])
  expect(name(wasi.fd_filestat_set_times(fd, 1n, 1n, 2 | 8))).toBe("SUCCESS")
  expect(times()).toEqual([now, now])
  for (const wrong of [3, 12, 16, -1]) expect(name(wasi.fd_filestat_set_times(fd, 1n, 1n, wrong))).toBe("EINVAL")
  expect(times()).toEqual([now, now])
})

it("returns the preopens and their names", () => {
  const { guest, wasi, fd } = opened()
  const given = guest.giveRoot(undefined, undefined, "/wörk")
  guest.bytes.fill(0xff, 64, 72)
  expect(name(wasi.fd_prestat_get(given, 64))).toBe("SUCCESS")
  expect([guest.bytes[64], guest.u32(68)]).toEqual([0, 6])
  expect(name(wasi.fd_prestat_dir_name(given, 64, 5))).toBe("ENAMETOOLONG")
  expect(name(wasi.fd_prestat_dir_name(given, 64, 20))).toBe("SUCCESS")
  expect(guest.text(64, 6)).toBe("/wörk")
  const queue = guest.give(new Queue())
  expect(name(wasi.fd_prestat_get(queue, 64))).toBe("EBADF")
  expect(name(wasi.fd_prestat_dir_name(fd, 64, 20))).toBe("EBADF")
})

it("moves a descriptor to another number, whose file is closed", () => {
  const { guest, wasi, root, fd } = opened()
  const queue = new Queue()
  const other = guest.give(queue)
  const file = guest.process.descriptor(fd)?.file
  expect(name(wasi.fd_renumber(fd, other))).toBe("SUCCESS")
  expect([queue.references, guest.process.descriptor(other)?.file === file]).toEqual([0, true])
  expect(name(wasi.fd_close(fd))).toBe("EBADF")
  expect(name(wasi.fd_renumber(other, fd))).toBe("EBADF")
  expect(name(wasi.fd_renumber(other, root))).toBe("SUCCESS")
  expect(name(wasi.fd_renumber(root, root))).toBe("SUCCESS")
  expect(name(wasi.fd_close(root))).toBe("SUCCESS")
  expect(file?.references).toBe(0)
})

it("seeks from the start, the place and the end, in 64 bits", () => {
  const { guest, wasi, fd } = opened()
  const seek = (offset: bigint, whence: number) => {
    const errno = name(wasi.fd_seek(fd, offset, whence, 64))
    return errno === "SUCCESS" ? Number(guest.u64()) : errno
  }
  expect(seek(3n, 0)).toBe(3)
  expect(seek(2n, 1)).toBe(5)
  expect(seek(-1n, 2)).toBe(9)
  expect(seek(1n << 40n, 0)).toBe(2 ** 40)
  expect(name(wasi.fd_tell(fd, 64))).toBe("SUCCESS")
  expect(guest.u64()).toBe(1n << 40n)
  expect(seek(-1n, 0)).toBe("EINVAL")
  expect(seek(-20n, 2)).toBe("EINVAL")
  expect(seek(1n << 62n, 0)).toBe("EOVERFLOW")
  expect(seek(-(1n << 63n), 1)).toBe("EINVAL")
  expect(seek(0n, 3)).toBe("EINVAL")
  expect(seek(0n, -1)).toBe("EINVAL")
  expect(seek(0n, 1)).toBe(2 ** 40)
})

it("allows fd_tell without the right to seek", () => {
  const { wasi, fd } = opened(Right.fd_tell)
  expect(name(wasi.fd_tell(fd, 64))).toBe("SUCCESS")
  expect(name(wasi.fd_seek(fd, 0n, 1, 64))).toBe("SUCCESS")
  expect(name(wasi.fd_seek(fd, 0n, 0, 64))).toBe("ENOTCAPABLE")
  const seeker = opened(Right.fd_seek)
  expect(name(seeker.wasi.fd_tell(seeker.fd, 64))).toBe("SUCCESS")
})

it("returns ESPIPE for files that cannot seek", () => {
  const { guest, wasi } = opened()
  const fd = guest.give(new Queue())
  expect(name(wasi.fd_seek(fd, 0n, 0, 64))).toBe("ESPIPE")
  expect(name(wasi.fd_tell(fd, 64))).toBe("ESPIPE")
  expect(name(wasi.fd_advise(fd, 0n, 0n, 0))).toBe("ESPIPE")
  expect(name(wasi.fd_pread(fd, ...guest.vectors([64, 1]), 0n, 72))).toBe("ESPIPE")
  expect(name(wasi.fd_pwrite(fd, ...guest.vectors([64, 1]), 0n, 72))).toBe("ESPIPE")
})

it("takes advice of the six kinds that there are", () => {
  const { wasi, fd } = opened()
  expect([0, 1, 2, 3, 4, 5].map((advice) => name(wasi.fd_advise(fd, 0n, 10n, advice)))).toEqual(
    Array(6).fill("SUCCESS"),
  )
  expect(name(wasi.fd_advise(fd, 0n, 10n, 6))).toBe("EINVAL")
  expect(name(wasi.fd_advise(fd, -1n, 10n, 0))).toBe("EINVAL")
  expect(name(wasi.fd_advise(fd, 0n, -1n, 0))).toBe("EINVAL")
})

it("syncs files, and fails for those without a disk", () => {
  const { guest, wasi, root, fd } = opened()
  expect([wasi.fd_sync(fd), wasi.fd_datasync(fd), wasi.fd_sync(root)].map(name)).toEqual(Array(3).fill("SUCCESS"))
  expect(name(wasi.fd_sync(guest.give(new Queue())))).toBe("EINVAL")
})

it("returns ENOTSOCK for socket calls on other files", () => {
  const { wasi, fd } = opened()
  const calls = [
    wasi.sock_accept(fd, 0, 64),
    wasi.sock_recv(fd, 64, 0, 0, 64, 64),
    wasi.sock_send(fd, 64, 0, 0, 64),
    wasi.sock_shutdown(fd, 3),
  ]
  expect(calls.map(name)).toEqual(calls.map(() => "ENOTSOCK"))
})

it("lets programs find their preopens behind inherited descriptors", () => {
  const guest = new Guest()
  const inherited = guest.give(new Queue())
  const root = guest.giveRoot()
  expect(name(guest.wasi.fd_prestat_get(inherited, 64))).toBe("SUCCESS")
  // Of a kind that is no folder.
  expect(guest.bytes[64]).not.toBe(0)
  expect(name(guest.wasi.fd_prestat_get(root, 64))).toBe("SUCCESS")
  expect(guest.bytes[64]).toBe(0)
  expect(name(guest.wasi.fd_prestat_get(root + 1, 64))).toBe("EBADF")
  expect(name(guest.wasi.fd_prestat_dir_name(inherited, 64, 10))).toBe("EBADF")
})

it("reports /dev/null and an empty stdin as seekable: programs take other devices for a terminal", () => {
  const { guest, wasi } = opened()
  const fd = guest.give(new NullFile())
  expect(name(wasi.fd_fdstat_get(fd, 64))).toBe("SUCCESS")
  expect(guest.bytes[64]).toBe(FileType.characterDevice)
  expect(Number(guest.u64(72)) & (Right.fd_seek | Right.fd_tell)).toBe(Right.fd_seek | Right.fd_tell)
})
