import { expect, it } from "@effect/vitest"
import { Errno, errnoName } from "../../../src/kernel/Errno.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { Right, rightsOf } from "../../../src/kernel/wasi/Rights.ts"
import type { Descriptor } from "../../../src/kernel/wasi/WasiProcess.ts"
import { Guest, name } from "../../support/wasiGuest.ts"

const [create, directory, exclusive, truncate] = [1, 2, 4, 8]
const outside = 0x7fff_0000
const all = 0x3fff_ffff

const rooted = () => {
  const guest = new Guest()
  const root = guest.giveRoot()
  const { wasi } = guest
  return {
    guest,
    wasi,
    root,
    touch: (path: string) => expect(guest.wasi.fd_close(guest.open(root, path, { how: create }))).toBe(0),
    mkdir: (path: string) => name(wasi.path_create_directory(root, ...guest.put(path))),
    symlink: (target: string, path: string) => name(wasi.path_symlink(...guest.put(target), root, ...guest.put(path))),
    unlink: (path: string) => name(wasi.path_unlink_file(root, ...guest.put(path))),
    rmdir: (path: string) => name(wasi.path_remove_directory(root, ...guest.put(path))),
    rename: (from: string, to: string) => name(wasi.path_rename(root, ...guest.put(from), root, ...guest.put(to))),
    link: (from: string, to: string, lookup = 0) =>
      name(wasi.path_link(root, lookup, ...guest.put(from), root, ...guest.put(to))),
    stat: (path: string, lookup = 1) => name(wasi.path_filestat_get(root, lookup, ...guest.put(path), guest.out)),
    /** An errno's name, or `SUCCESS`; what was opened is closed. */
    open: (path: string, options: Parameters<Guest["open"]>[2] = {}, from = root) => {
      const fd = guest.open(from, path, options)
      if (fd >= 0) wasi.fd_close(fd)
      return errnoName(Math.min(fd, 0))
    },
  }
}

it("opens an existing file, and creates a missing one only with the flag", () => {
  const { open, mkdir } = rooted()
  expect(open("new")).toBe("ENOENT")
  expect(open("new", { how: create })).toBe("SUCCESS")
  expect(open("new")).toBe("SUCCESS")
  expect(open("new", { how: create | exclusive })).toBe("EEXIST")
  expect(open("new", { how: directory })).toBe("ENOTDIR")
  expect(open("new/")).toBe("ENOTDIR")
  expect(mkdir("folder")).toBe("SUCCESS")
  expect(open("folder", { how: directory })).toBe("SUCCESS")
  expect(open("folder///")).toBe("SUCCESS")
  expect(open("folder", { rights: Right.fd_write })).toBe("EISDIR")
  expect(open("folder", { how: directory, rights: Right.fd_read | Right.fd_write })).toBe("EISDIR")
  expect(open("folder", { how: directory, rights: Right.fd_read })).toBe("SUCCESS")
  expect(open("folder", { how: truncate })).toBe("EISDIR")
  expect(open("missing/file", { how: create })).toBe("ENOENT")
  expect(open(".", { flags: 4 })).toBe("SUCCESS")
})

it("applies the umask to new names", () => {
  const { guest, root, mkdir, open } = rooted()
  mkdir("folder")
  open("file", { how: create })
  const { files } = guest.process
  expect(files.stat(files.root, "folder")).toMatchObject({ mode: 0o755 })
  expect(files.stat(files.root, "file")).toMatchObject({ mode: 0o644 })
  expect(root).toBe(0)
})

it("truncates with the right of the folder, whatever the rights of the descriptor", () => {
  const { guest, root, open } = rooted()
  const fd = guest.open(root, "file", { how: create, rights: Right.fd_write })
  guest.process.descriptor(fd)?.file.write(Uint8Array.of(1, 2, 3))
  expect(open("file", { how: truncate })).toBe("SUCCESS")
  expect(guest.process.descriptor(fd)?.file.stat()).toMatchObject({ size: 0 })
  const row = guest.process.descriptor(root)
  if (row !== undefined) row.rights &= ~Right.path_filestat_set_size
  expect(open("file", { how: truncate })).toBe("ENOTCAPABLE")
  expect(open("file")).toBe("SUCCESS")
})

it("passes on only rights that the folder may pass on", () => {
  const { guest, open } = rooted()
  const narrow = guest.giveRoot(all, Right.fd_read | Right.fd_seek)
  expect(open("file", { how: create, rights: Right.fd_read }, narrow)).toBe("SUCCESS")
  expect(open("file", { rights: Right.fd_write }, narrow)).toBe("ENOTCAPABLE")
  expect(open("file", { inheriting: Right.fd_tell }, narrow)).toBe("ENOTCAPABLE")
  expect(open("file", { flags: 2 }, narrow)).toBe("ENOTCAPABLE")
  expect(open("file", { flags: 16 }, narrow)).toBe("ENOTCAPABLE")
  expect(open("file", { flags: 1 | 4 }, narrow)).toBe("SUCCESS")
  const closed = guest.giveRoot(all & ~Right.path_open)
  expect(open("file", {}, closed)).toBe("ENOTCAPABLE")
  const frozen = guest.giveRoot(all & ~Right.path_create_file)
  expect(open("other", { how: create }, frozen)).toBe("ENOTCAPABLE")
})

it("gives a descriptor the requested rights that its type can have", () => {
  const { guest, root, touch } = rooted()
  touch("file")
  const fd = guest.open(root, "file", { rights: Right.fd_read | Right.path_unlink_file, inheriting: Right.fd_read })
  expect(guest.process.descriptor(fd)).toMatchObject({ rights: Right.fd_read, inheriting: Right.fd_read })
  expect(name(guest.wasi.fd_write(fd, ...guest.vectors([64, 1]), 72))).toBe("EBADF")
})

it("refuses bits that mean nothing, in every flag", () => {
  const { guest, wasi, root } = rooted()
  const path = guest.put("file")
  expect(name(wasi.path_open(root, 2, ...path, 0, 0n, 0n, 0, 64))).toBe("EINVAL")
  expect(name(wasi.path_open(root, 0, ...path, 16, 0n, 0n, 0, 64))).toBe("EINVAL")
  expect(name(wasi.path_open(root, 0, ...path, 0, 0n, 0n, 32, 64))).toBe("EINVAL")
  expect(name(wasi.path_open(root, 0, ...path, create | directory, 0n, 0n, 0, 64))).toBe("EINVAL")
  expect(name(wasi.path_filestat_get(root, -1, ...path, 64))).toBe("EINVAL")
  expect(name(wasi.path_filestat_set_times(root, 4, ...path, 0n, 0n, 0))).toBe("EINVAL")
  expect(name(wasi.path_filestat_set_times(root, 0, ...path, 0n, 0n, 3))).toBe("EINVAL")
  expect(name(wasi.path_link(root, 8, ...path, root, ...path))).toBe("EINVAL")
})

it("takes all bits for all the rights that there are", () => {
  const { guest, wasi, root } = rooted()
  expect(name(wasi.path_open(root, 0, ...guest.put("file"), create, -1n, -1n, 0, 64))).toBe("SUCCESS")
  const row = guest.process.descriptor(guest.u32())
  expect(row).toMatchObject({ rights: rightsOf(FileType.regularFile), inheriting: all })
  expect(name(wasi.fd_fdstat_set_rights(guest.u32(), -1n, 0n))).toBe("ENOTCAPABLE")
})

it("closes the file when no descriptor is free", () => {
  const { guest, open } = rooted()
  const refused: Array<Descriptor> = []
  guest.process.addDescriptor = (descriptor) => {
    refused.push(descriptor)
    return -Errno.EMFILE
  }
  expect(open("file", { how: create, rights: Right.fd_read })).toBe("EMFILE")
  expect(refused.map(({ file }) => file.references)).toEqual([0])
})

it("takes names of 1 to 4,096 bytes of UTF-8 without NUL, within the memory", () => {
  const { guest, wasi, root, open, mkdir, unlink } = rooted()
  expect(open("")).toBe("ENOENT")
  expect(mkdir("")).toBe("ENOENT")
  expect(open("a\0b", { how: create })).toBe("EINVAL")
  expect(unlink("dir/x\0")).toBe("EINVAL")
  expect(open("x".repeat(4097))).toBe("ENAMETOOLONG")
  const latin1 = guest.put(Uint8Array.of(0x66, 0xfc, 0x72))
  expect(name(wasi.path_open(root, 0, ...latin1, create, 0n, 0n, 0, 64))).toBe("EILSEQ")
  expect(name(wasi.path_unlink_file(root, ...latin1))).toBe("EILSEQ")
  expect(name(wasi.path_symlink(...latin1, root, ...guest.put("link")))).toBe("EILSEQ")
  expect(name(wasi.path_rename(root, ...latin1, root, ...guest.put("x")))).toBe("EILSEQ")
  expect(open("grün 🌳", { how: create })).toBe("SUCCESS")
  expect(open("\ufeffmark", { how: create })).toBe("SUCCESS")
  expect(open("mark")).toBe("ENOENT")
})

it("returns EFAULT for names and results outside the memory, without an effect", () => {
  const { guest, wasi, root, stat } = rooted()
  const path = guest.put("file")
  const calls = [
    wasi.path_create_directory(root, outside, 3),
    wasi.path_filestat_get(root, 0, outside, 3, 64),
    wasi.path_filestat_get(root, 0, ...path, outside),
    wasi.path_filestat_set_times(root, 0, outside, 3, 0n, 0n, 0),
    wasi.path_link(root, 0, ...path, root, outside, 3),
    wasi.path_open(root, 0, ...path, create, 0n, 0n, 0, outside),
    wasi.path_open(root, 0, 2 * 65536 - 2, 3, create, 0n, 0n, 0, 64),
    wasi.path_readlink(root, ...path, outside, 3, 64),
    wasi.path_readlink(root, ...path, 64, 3, outside),
    wasi.path_remove_directory(root, -2, 3),
    wasi.path_rename(root, outside, 3, root, ...path),
    wasi.path_symlink(outside, 3, root, ...path),
    wasi.path_unlink_file(root, outside, 3),
  ]
  expect(calls.map(name)).toEqual(calls.map(() => "EFAULT"))
  expect(stat("file")).toBe("ENOENT")
})

it("leads nowhere out of its folder", () => {
  const { guest, root, open, mkdir, symlink, touch, rename, link, stat, rmdir, unlink } = rooted()
  mkdir("jail")
  mkdir("jail/inner")
  touch("secret")
  symlink("../secret", "jail/out")
  symlink("inner/../../secret", "jail/deep")
  symlink("inner", "jail/in")
  const jail = guest.open(root, "jail", { how: directory, rights: all & ~0x40 & ~0x1 & ~0x100 & ~0x40_0000 })
  expect(open("/secret", {}, jail)).toBe("ENOTCAPABLE")
  expect(open("..", { how: directory }, jail)).toBe("ENOTCAPABLE")
  expect(open("inner/../../secret", {}, jail)).toBe("ENOTCAPABLE")
  expect(open("out", {}, jail)).toBe("ENOTCAPABLE")
  expect(open("deep", {}, jail)).toBe("ENOTCAPABLE")
  expect(open("inner/../in/./..//inner", { how: directory }, jail)).toBe("SUCCESS")
  expect(open("out/../inner", {}, jail)).toBe("ENOTCAPABLE")
  const inJail = (path: string) => [jail, ...guest.put(path)] as const
  const { wasi } = guest
  expect(name(wasi.path_create_directory(...inJail("../made")))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_unlink_file(...inJail("../secret")))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_remove_directory(...inJail("/jail")))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_rename(...inJail("../secret"), ...inJail("mine")))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_rename(...inJail("inner"), ...inJail("../outer")))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_link(jail, 0, ...guest.put("../secret"), ...inJail("mine")))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_link(jail, 1, ...guest.put("out"), ...inJail("mine")))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_symlink(...guest.put("x"), ...inJail("../x")))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_symlink(...guest.put("/secret"), ...inJail("x")))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_readlink(...inJail("../jail/out"), 64, 10, 72))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_filestat_get(jail, 1, ...guest.put("out"), 64))).toBe("ENOTCAPABLE")
  expect(name(wasi.path_filestat_set_times(jail, 1, ...guest.put("out"), 0n, 0n, 2))).toBe("ENOTCAPABLE")
  // Looking at the link itself leads nowhere.
  expect(name(wasi.path_filestat_get(jail, 0, ...guest.put("out"), 64))).toBe("SUCCESS")
  expect([stat("secret"), stat("jail/inner"), stat("made")]).toEqual(["SUCCESS", "SUCCESS", "ENOENT"])
  expect([rename("secret", "s"), link("s", "t"), unlink("s"), rmdir("jail/inner")]).toEqual(Array(4).fill("SUCCESS"))
})

it("follows a link in the last component only with the flag, and detects loops", () => {
  const { guest, wasi, root, open, mkdir, symlink, touch, stat, unlink } = rooted()
  mkdir("target")
  symlink("target", "link")
  symlink("loop", "loop")
  symlink("nowhere", "dangling")
  expect(open("link", { follow: false, how: directory })).toMatch(/ELOOP|ENOTDIR/)
  expect(open("link", { follow: false })).toBe("ELOOP")
  expect(open("link", { how: directory })).toBe("SUCCESS")
  expect(open("loop", { follow: false })).toBe("ELOOP")
  expect(open("loop")).toBe("ELOOP")
  expect(open("dangling")).toBe("ENOENT")
  expect(open("dangling", { follow: false })).toBe("ELOOP")
  expect(open("dangling", { how: create | exclusive })).toBe("EEXIST")
  expect(stat("link", 0)).toBe("SUCCESS")
  expect(guest.bytes[guest.out + 16]).toBe(FileType.symbolicLink)
  expect(stat("link", 1)).toBe("SUCCESS")
  expect(guest.bytes[guest.out + 16]).toBe(FileType.directory)
  expect([stat("loop", 1), stat("loop", 0), stat("dangling", 1)]).toEqual(["ELOOP", "SUCCESS", "ENOENT"])
  touch("file")
  symlink("file", "alias")
  expect(open("alias/")).toBe("ENOTDIR")
  expect(open("link/")).toBe("SUCCESS")
  const times = (path: string) => {
    expect(stat(path, 0)).toBe("SUCCESS")
    return guest.u64(guest.out + 48)
  }
  const before = times("file")
  expect(name(wasi.path_filestat_set_times(root, 0, ...guest.put("alias"), 0n, 77n, 4))).toBe("SUCCESS")
  expect([times("alias"), times("file")]).toEqual([77n, before])
  expect(name(wasi.path_filestat_set_times(root, 1, ...guest.put("alias"), 0n, 88n, 4))).toBe("SUCCESS")
  expect([times("alias"), times("file")]).toEqual([77n, 88n])
  expect(["link", "loop", "dangling", "alias"].map(unlink)).toEqual(Array(4).fill("SUCCESS"))
  expect([stat("target"), stat("file")]).toEqual(["SUCCESS", "SUCCESS"])
})

it("reads as much of a link as the buffer holds", () => {
  const { guest, wasi, root, symlink, touch } = rooted()
  symlink("tärget", "link")
  touch("file")
  const buffer = guest.room(16)
  guest.bytes.fill(0x2e, buffer, buffer + 16)
  expect(name(wasi.path_readlink(root, ...guest.put("link"), buffer, 10, 64))).toBe("SUCCESS")
  expect([guest.u32(), guest.text(buffer, 10)]).toEqual([7, "tärget..."])
  expect(name(wasi.path_readlink(root, ...guest.put("link"), buffer, 3, 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(3)
  expect(name(wasi.path_readlink(root, ...guest.put("link"), buffer, 0, 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(0)
  expect(name(wasi.path_readlink(root, ...guest.put("file"), buffer, 3, 64))).toBe("EINVAL")
  expect(name(wasi.path_readlink(root, ...guest.put("none"), buffer, 3, 64))).toBe("ENOENT")
})

it("makes and removes folders and files, each by its own call", () => {
  const { mkdir, rmdir, unlink, touch, symlink } = rooted()
  expect(mkdir("folder/")).toBe("SUCCESS")
  expect(mkdir("folder")).toBe("EEXIST")
  touch("folder/file")
  expect(mkdir("folder/file")).toBe("EEXIST")
  expect(mkdir("folder/file/x")).toBe("ENOTDIR")
  expect(rmdir("folder")).toBe("ENOTEMPTY")
  expect(rmdir("folder/file")).toBe("ENOTDIR")
  expect(rmdir("folder/file/")).toBe("ENOTDIR")
  expect(unlink("folder")).toBe("EISDIR")
  expect(unlink("folder/")).toBe("EISDIR")
  expect(unlink("folder/file/")).toBe("ENOTDIR")
  expect(unlink("folder/file")).toBe("SUCCESS")
  expect(unlink("folder/file")).toBe("ENOENT")
  symlink("folder", "link")
  expect(rmdir("link")).toBe("ENOTDIR")
  expect(rmdir("folder/")).toBe("SUCCESS")
  expect(rmdir("folder")).toBe("ENOENT")
})

it("renames as rename(2) does", () => {
  const { mkdir, rename, touch, open, stat } = rooted()
  mkdir("source")
  expect(rename("source", "target")).toBe("SUCCESS")
  expect(open("source")).toBe("ENOENT")
  mkdir("source")
  expect(rename("source", "target")).toBe("SUCCESS")
  expect(rename("target/", "source")).toBe("SUCCESS")
  expect(rename("source", "target/")).toBe("SUCCESS")
  expect(rename("target/", "source/")).toBe("SUCCESS")
  mkdir("target")
  touch("target/file")
  expect(rename("source", "target")).toBe("ENOTEMPTY")
  expect(rename("source", "target/file")).toBe("ENOTDIR")
  touch("file")
  expect(rename("file", "source")).toBe("EISDIR")
  expect(rename("file", "new/")).toMatch(/ENOTDIR|ENOENT/)
  expect(rename("file", "target/file")).toBe("SUCCESS")
  expect(stat("file")).toBe("ENOENT")
  expect(rename("target", "target/inner")).toBe("EINVAL")
  expect(rename("none", "x")).toBe("ENOENT")
})

it("links files, but not folders", () => {
  const { guest, wasi, root, link, mkdir, symlink, touch, stat, unlink } = rooted()
  touch("file")
  expect(link("file", "link")).toBe("SUCCESS")
  expect(stat("link")).toBe("SUCCESS")
  expect(guest.u64(guest.out + 24)).toBe(2n)
  const inode = guest.u64(guest.out + 8)
  stat("file")
  expect(guest.u64(guest.out + 8)).toBe(inode)
  expect(link("file", "link")).toBe("EEXIST")
  expect(link("file", "file")).toBe("EEXIST")
  mkdir("folder")
  expect(link("file", "folder")).toBe("EEXIST")
  expect(link("folder", "other")).toBe("EPERM")
  expect(link("file", "new/")).toBe("ENOENT")
  expect(link("none", "x")).toBe("ENOENT")
  symlink("nowhere", "dangling")
  expect(link("dangling", "same")).toBe("SUCCESS")
  expect(stat("same", 0)).toBe("SUCCESS")
  expect(guest.bytes[guest.out + 16]).toBe(FileType.symbolicLink)
  expect(link("file", "dangling")).toBe("EEXIST")
  expect(link("dangling", "x", 1)).toBe("ENOENT")
  symlink("file", "alias")
  expect(link("alias", "y", 1)).toBe("SUCCESS")
  expect(stat("y", 0)).toBe("SUCCESS")
  expect(guest.bytes[guest.out + 16]).toBe(FileType.regularFile)
  expect(unlink("y")).toBe("SUCCESS")
  const fd = guest.open(root, "folder", { how: directory, rights: Right.path_link_target })
  expect(name(wasi.path_link(root, 0, ...guest.put("file"), fd, ...guest.put("in")))).toBe("SUCCESS")
  expect(name(wasi.path_link(fd, 0, ...guest.put("in"), root, ...guest.put("z")))).toBe("ENOTCAPABLE")
})

it("makes links where nothing is", () => {
  const { symlink, mkdir, touch } = rooted()
  expect(symlink("source", "target/")).toBe("ENOENT")
  mkdir("folder")
  expect(symlink("source", "folder")).toBe("EEXIST")
  expect(symlink("source", "folder/")).toBe("EEXIST")
  touch("file")
  expect(symlink("source", "file")).toBe("EEXIST")
  expect(symlink("source", "file/")).toMatch(/ENOTDIR|EEXIST/)
  expect(symlink("", "empty")).toBe("ENOENT")
  expect(symlink("/", "absolute")).toBe("ENOTCAPABLE")
})

it("returns ENOTDIR for paths that start at a file, and ENOTCAPABLE without the right", () => {
  const { guest, root, touch } = rooted()
  touch("file")
  const file = guest.open(root, "file", { rights: Right.fd_read })
  const blind = guest.giveRoot(0)
  const calls = (fd: number) => {
    const { wasi } = guest
    const path = guest.put("file")
    return [
      wasi.path_create_directory(fd, ...path),
      wasi.path_filestat_get(fd, 0, ...path, 64),
      wasi.path_filestat_set_times(fd, 0, ...path, 0n, 0n, 0),
      wasi.path_link(fd, 0, ...path, root, ...path),
      wasi.path_link(root, 0, ...path, fd, ...path),
      wasi.path_open(fd, 0, ...path, create, 0n, 0n, 0, 64),
      wasi.path_readlink(fd, ...path, 64, 1, 64),
      wasi.path_remove_directory(fd, ...path),
      wasi.path_rename(fd, ...path, root, ...path),
      wasi.path_rename(root, ...path, fd, ...path),
      wasi.path_symlink(...path, fd, ...path),
      wasi.path_unlink_file(fd, ...path),
    ].map(name)
  }
  expect(calls(file)).toEqual(Array(12).fill("ENOTDIR"))
  expect(calls(blind)).toEqual(Array(12).fill("ENOTCAPABLE"))
})
