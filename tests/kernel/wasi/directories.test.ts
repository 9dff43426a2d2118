import { expect, it } from "@effect/vitest"
import { FileType } from "../../../src/kernel/Stat.ts"
import { Right } from "../../../src/kernel/wasi/Rights.ts"
import { Guest, name } from "../../support/wasiGuest.ts"

interface Entry {
  readonly next: bigint
  readonly inode: bigint
  readonly type: number
  readonly name: string
}

const create = 1

const fill = (guest: Guest, root: number, names: ReadonlyArray<string>) => {
  for (const file of names) guest.wasi.fd_close(guest.open(root, file, { how: create }))
}

/** One call: the whole entries, and how many bytes were used. */
const list = (guest: Guest, fd: number, size: number, cookie: bigint): readonly [ReadonlyArray<Entry>, number] => {
  const buffer = guest.room(size)
  expect(name(guest.wasi.fd_readdir(fd, buffer, size, cookie, guest.out))).toBe("SUCCESS")
  const used = guest.u32()
  const entries: Array<Entry> = []
  for (let at = buffer; at + 24 <= buffer + used;) {
    const length = guest.u32(at + 16)
    if (at + 24 + length > buffer + used) break
    entries.push({
      next: guest.u64(at),
      inode: guest.u64(at + 8),
      type: guest.u32(at + 20),
      name: guest.text(at + 24, length),
    })
    at += 24 + length
  }
  return [entries, used]
}

const listAll = (guest: Guest, fd: number, size: number, each: (entry: Entry) => void = () => {}) => {
  const names: Array<string> = []
  for (let cookie = 0n;;) {
    const [entries, used] = list(guest, fd, size, cookie)
    for (const entry of entries) {
      names.push(entry.name)
      each(entry)
    }
    if (used < size) return names
    cookie = entries.at(-1)?.next ?? cookie
  }
}

it("lists a folder with . and .., their inodes and types", () => {
  const guest = new Guest()
  const root = guest.giveRoot()
  fill(guest, root, ["ä"])
  guest.wasi.path_create_directory(root, ...guest.put("folder"))
  guest.wasi.path_symlink(...guest.put("ä"), root, ...guest.put("link"))
  const [entries, used] = list(guest, root, 500, 0n)
  expect(entries.map((entry) => [entry.name, entry.type]).sort()).toEqual([
    [".", FileType.directory],
    ["..", FileType.directory],
    ["folder", FileType.directory],
    ["link", FileType.symbolicLink],
    ["ä", FileType.regularFile],
  ])
  expect(used).toBe(5 * 24 + 1 + 2 + 6 + 4 + 2)
  const inode = (path: string) => {
    expect(name(guest.wasi.path_filestat_get(root, 0, ...guest.put(path), guest.out))).toBe("SUCCESS")
    return guest.u64(guest.out + 8)
  }
  for (const entry of entries.filter((other) => other.name !== "..")) expect(entry.inode).toBe(inode(entry.name))
})

it("truncates the last entry when the buffer is full, and continues from any cookie", () => {
  const guest = new Guest()
  const root = guest.giveRoot()
  const files = Array.from({ length: 300 }, (_, index) => `file.${index}`)
  fill(guest, root, files)
  for (const size of [64, 256, 4096]) {
    expect(listAll(guest, root, size).sort()).toEqual([".", "..", ...files].sort())
  }
  const [first] = list(guest, root, 256, 0n)
  const [again] = list(guest, root, 256, first[1]?.next ?? 0n)
  expect(again[0]?.name).toBe(first[2]?.name)
  const [, used] = list(guest, root, 30, 0n)
  expect(used).toBe(30)
})

it("lists every file exactly once while files are removed", () => {
  const guest = new Guest()
  const root = guest.giveRoot()
  const files = Array.from({ length: 100 }, (_, index) => `f${index}`)
  fill(guest, root, files)
  const seen = listAll(guest, root, 128, (entry) => {
    if (entry.name.startsWith("f")) {
      expect(name(guest.wasi.path_unlink_file(root, ...guest.put(entry.name)))).toBe("SUCCESS")
    }
  })
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toHaveLength(102)
  expect(listAll(guest, root, 128)).toEqual([".", ".."])
})

it("shows new files when the listing begins afresh", () => {
  const guest = new Guest()
  const root = guest.giveRoot()
  expect(listAll(guest, root, 100)).toEqual([".", ".."])
  fill(guest, root, ["new"])
  expect(listAll(guest, root, 100)).toEqual([".", "..", "new"])
})

it("has nothing beyond the end, and nothing for an empty buffer", () => {
  const guest = new Guest()
  const root = guest.giveRoot()
  for (const cookie of [2n, 100n, 1n << 60n, -1n]) expect(list(guest, root, 100, cookie)).toEqual([[], 0])
  expect(list(guest, root, 0, 0n)).toEqual([[], 0])
})

it("lists only folders, and only with the right to", () => {
  const guest = new Guest()
  const root = guest.giveRoot()
  const file = guest.open(root, "file", { how: create, rights: Right.fd_readdir })
  expect(name(guest.wasi.fd_readdir(file, 64, 100, 0n, 64))).toBe("ENOTDIR")
  const blind = guest.open(root, ".", { how: 2, rights: Right.path_open })
  expect(name(guest.wasi.fd_readdir(blind, 64, 100, 0n, 64))).toBe("ENOTCAPABLE")
})
