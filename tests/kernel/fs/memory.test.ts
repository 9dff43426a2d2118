import { expect, it } from "@effect/vitest"
import { memory, type MemoryOptions } from "../../../src/kernel/fs/memory.ts"
import { MemoryFolder } from "../../../src/kernel/fs/MemoryFolder.ts"
import { overlay } from "../../../src/kernel/fs/overlay.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { FileFlag } from "../../../src/kernel/OpenFile.ts"
import { bytes, get, must, named, names, put, statOf, ticking, using } from "./support.ts"

const make = (options: MemoryOptions = {}): VirtualFileSystem =>
  VirtualFileSystem.make({ mounts: { "/": memory(options) }, now: ticking() })

/** What the volume at the root holds. */
const use = (fs: VirtualFileSystem): { readonly bytes: number; readonly names: number } => {
  if (!(fs.root instanceof MemoryFolder)) throw new Error("the root is not in memory")
  return { bytes: fs.root.volume.bytes, names: fs.root.volume.names }
}

it("writes exactly as many bytes as the limit allows, the last write in part, and then fails with ENOSPC", () => {
  const fs = make({ maxBytes: 100_000 })
  using(fs, "/a", { write: true, create: true }, (file) => {
    expect(file.write(new Uint8Array(99_999))).toBe(99_999)
    expect(file.write(bytes("xyz"))).toBe(1)
    expect(named(file.write(bytes("x")))).toBe("ENOSPC")
    expect(must(file.stat()).size).toBe(100_000)
    // What is there can be written over.
    expect(file.writeAt(0, bytes("over"))).toBe(4)
    return 0
  })
  expect(named(put(fs, "/b", "x"))).toBe("ENOSPC")
  expect(fs.unlink(fs.root, "/a")).toBe(0)
  expect(use(fs).bytes).toBe(0)
  expect(put(fs, "/b", "x")).toBe(1)
})

it("frees bytes when a file is truncated, removed, replaced, or closed by its last descriptor", () => {
  const fs = make({ maxBytes: 1_000_000 })
  const full = new Uint8Array(300_000).fill(1)
  put(fs, "/a", full)
  expect(use(fs).bytes).toBe(300_000)
  using(fs, "/a", { write: true }, (file) => file.truncate(70_000))
  expect(use(fs).bytes).toBe(70_000)
  put(fs, "/b", full)
  expect(fs.rename(fs.root, "/b", fs.root, "/a")).toBe(0)
  expect(use(fs).bytes).toBe(300_000)
  fs.link(fs.root, "/a", fs.root, "/c")
  fs.unlink(fs.root, "/a")
  expect(use(fs).bytes).toBe(300_000)
  using(fs, "/c", { read: true }, () => {
    fs.unlink(fs.root, "/c")
    expect(use(fs).bytes).toBe(300_000)
    return 0
  })
  expect(use(fs)).toEqual({ bytes: 0, names: 0 })
})

it("ends a write of 4 GiB at the limits of the file and of the volume, and holds none of it", () => {
  const fs = make({ maxBytes: 1_000_000, maxFileBytes: 2 ** 32 })
  using(fs, "/a", { write: true, create: true }, (file) => {
    expect(file.writeAt(2 ** 32 - 2, bytes("abc"))).toBe(2)
    expect(named(file.writeAt(2 ** 32, bytes("c")))).toBe("EFBIG")
    expect(named(file.truncate(2 ** 32 + 1))).toBe("EFBIG")
    expect(named(file.allocate(0, 2 ** 32))).toBe("ENOSPC")
    expect(use(fs).bytes).toBeLessThanOrEqual(65_536)
    expect(file.truncate(0)).toBe(0)
    const part = new Uint8Array(65_536)
    let written = 0
    let last = 0
    while (written < 2 ** 32 && (last = file.write(part)) > 0) written += last
    expect(named(last)).toBe("ENOSPC")
    expect(written).toBe(1_000_000)
    return 0
  })
})

it("charges nothing for a write or an allocation that does not fit, and keeps the file unchanged", () => {
  const fs = make({ maxBytes: 200_000 })
  using(fs, "/a", { read: true, write: true, create: true }, (file) => {
    const content = new Uint8Array(100_000).fill(7)
    expect(file.write(content)).toBe(100_000)
    expect(named(file.allocate(150_000, 140_000))).toBe("ENOSPC")
    expect(use(fs).bytes).toBe(100_000)
    expect(named(file.allocate(50_000, 200_000))).toBe("ENOSPC")
    expect(use(fs).bytes).toBe(100_000)
    expect(must(file.stat()).size).toBe(100_000)
    const back = new Uint8Array(100_000)
    expect(file.readAt(0, back)).toBe(100_000)
    expect(back).toEqual(content)
    expect(file.truncate(300_000)).toBe(0)
    expect(named(file.allocate(0, 250_000))).toBe("ENOSPC")
    expect(must(file.stat()).size).toBe(300_000)
    expect(file.readAt(0, back)).toBe(100_000)
    expect(back).toEqual(content)
    return 0
  })
  const small = make({ maxBytes: 100 })
  using(small, "/a", { write: true, create: true }, (file) => {
    expect(named(file.writeAt(200, bytes("x")))).toBe("ENOSPC")
    expect(use(small).bytes).toBe(0)
    expect(file.writeAt(99, bytes("x"))).toBe(1)
    return 0
  })
})

it("charges scattered bytes of a sparse file with more than one byte each", () => {
  const fs = make({ maxBytes: 1_000_000 })
  using(fs, "/a", { write: true, create: true }, (file) => {
    let count = 0
    while (file.writeAt(count * 65_536, bytes("x")) === 1) count++
    expect(count).toBeLessThan(5000)
    expect(count).toBeGreaterThan(1000)
    return 0
  })
})

it("refuses more names than the limit: files, folders, links, and hard links", () => {
  const fs = make({ maxFiles: 5 })
  put(fs, "/a", "")
  fs.makeDirectory(fs.root, "/d", 0o755)
  fs.symlink("a", fs.root, "/l")
  fs.link(fs.root, "/a", fs.root, "/b")
  expect(put(fs, "/d/c", "")).toBe(0)
  expect(named(put(fs, "/e", ""))).toBe("ENOSPC")
  expect(named(fs.makeDirectory(fs.root, "/e", 0o755))).toBe("ENOSPC")
  expect(named(fs.symlink("a", fs.root, "/e"))).toBe("ENOSPC")
  expect(named(fs.link(fs.root, "/a", fs.root, "/e"))).toBe("ENOSPC")
  expect(fs.rename(fs.root, "/a", fs.root, "/e")).toBe(0)
  expect(fs.rename(fs.root, "/e", fs.root, "/l")).toBe(0)
  expect(use(fs).names).toBe(4)
  expect(put(fs, "/f", "")).toBe(0)
})

it("counts the text of a symbolic link, as long as it has a name", () => {
  const fs = make({ maxBytes: 10 })
  expect(fs.symlink("12345678", fs.root, "/l")).toBe(0)
  expect(named(fs.symlink("123", fs.root, "/m"))).toBe("ENOSPC")
  fs.unlink(fs.root, "/l")
  expect(fs.symlink("123", fs.root, "/m")).toBe(0)
})

it("allows at most 65,000 names of a file", () => {
  const fs = make()
  put(fs, "/a", "")
  let made = 0
  let last = 0
  while (made < 70_000 && (last = fs.link(fs.root, "/a", fs.root, `/n${made}`)) === 0) made++
  expect([made, named(last)]).toEqual([64_999, "EMLINK"])
})

it("appends to a large file piece by piece without copying it", () => {
  const fs = make({ maxBytes: 2 ** 28 })
  using(fs, "/a", { read: true, write: true, create: true, flags: FileFlag.append }, (file) => {
    const part = new Uint8Array(10_007).map((_, i) => i % 251)
    for (let i = 0; i < 20_000; i++) expect(file.write(part)).toBe(part.length)
    const back = new Uint8Array(part.length)
    for (const i of [0, 1, 9_999, 19_999]) {
      expect(file.readAt(i * part.length, back)).toBe(part.length)
      expect(back).toEqual(part)
    }
    return 0
  })
})

it("takes times of creation, writes, reads and changes from the given clock", () => {
  let now = 100n
  const fs = VirtualFileSystem.make({ now: () => now })
  const at = (time: bigint, step: () => void): void => {
    now = time
    step()
  }
  const times = (path: string): ReadonlyArray<bigint> => {
    const { accessed, changed, modified } = statOf(fs, path)
    return [accessed, modified, changed]
  }
  at(100n, () => put(fs, "/a", "1"))
  expect(times("/a")).toEqual([100n, 100n, 100n])
  at(200n, () => get(fs, "/a"))
  expect(times("/a")).toEqual([200n, 100n, 100n])
  // Read again: noted when it has been written since, not each time.
  at(300n, () => get(fs, "/a"))
  expect(times("/a")).toEqual([200n, 100n, 100n])
  at(400n, () => put(fs, "/a", "2"))
  at(500n, () => get(fs, "/a"))
  expect(times("/a")).toEqual([500n, 400n, 400n])
  at(600n, () => fs.setMode(fs.root, "/a", 0o600))
  expect(times("/a")).toEqual([500n, 400n, 600n])
  at(700n, () => fs.setTimes(fs.root, "/a", 1n, 2n))
  expect(times("/a")).toEqual([1n, 2n, 700n])
  at(800n, () => fs.link(fs.root, "/a", fs.root, "/b"))
  expect(times("/a")).toEqual([1n, 2n, 800n])
  expect(times("/")).toEqual([100n, 800n, 800n])
  at(900n, () => fs.rename(fs.root, "/b", fs.root, "/c"))
  expect(times("/").slice(1)).toEqual([900n, 900n])
  expect(times("/c")).toEqual([1n, 2n, 900n])
})

it("counts a folder's links: its name, its dot, and the .. of each folder in it", () => {
  const fs = make()
  for (const path of ["/d", "/d/a", "/d/b", "/e"]) fs.makeDirectory(fs.root, path, 0o755)
  expect(statOf(fs, "/d").links).toBe(4)
  fs.rename(fs.root, "/d/a", fs.root, "/e/a")
  expect([statOf(fs, "/d").links, statOf(fs, "/e").links]).toEqual([3, 3])
  fs.removeDirectory(fs.root, "/d/b")
  expect(statOf(fs, "/d").links).toBe(2)
})

it("never reuses an inode number, and never changes that of a file", () => {
  const fs = make()
  put(fs, "/a", "")
  const first = statOf(fs, "/a").inode
  put(fs, "/a", "more")
  fs.rename(fs.root, "/a", fs.root, "/b")
  expect(statOf(fs, "/b").inode).toBe(first)
  fs.unlink(fs.root, "/b")
  put(fs, "/b", "")
  expect(statOf(fs, "/b").inode).not.toBe(first)
})

it("nests a hundred thousand folders", () => {
  const fs = make()
  let at = must(fs.directory(fs.root, "/"))
  for (let i = 0; i < 100_000; i++) {
    expect(fs.makeDirectory(at, "d", 0o755)).toBe(0)
    at = must(fs.directory(at, "d"))
  }
  expect(at.path.length).toBe(200_000)
  expect(named(fs.rename(fs.root, "/d", at, "x"))).toBe("EINVAL")
  expect(names(fs, "/")).toBe("d")
})

it("records the time of a read, but not of an empty one", () => {
  const fs = make()
  put(fs, "/a", "x")
  const before = statOf(fs, "/a").accessed
  using(fs, "/a", { read: true }, (file) => file.read(new Uint8Array(0)) + file.readAt(0, new Uint8Array(0)))
  expect(statOf(fs, "/a").accessed).toBe(before)
  using(fs, "/a", { read: true }, (file) => file.read(new Uint8Array(1)))
  expect(statOf(fs, "/a").accessed).toBeGreaterThan(before)
})

it("refuses limits that are unknown or not whole numbers, when the volume is described", () => {
  const untyped = (options: object): MemoryOptions => Object.fromEntries(Object.entries(options))
  expect(() => memory(untyped({ maxBytes: NaN }))).toThrow(
    "memory: maxBytes must be a whole number from 0 or Infinity, got NaN",
  )
  expect(() => memory(untyped({ maxFiles: "9" }))).toThrow('got "9"')
  expect(() => memory(untyped({ maxSize: 1 }))).toThrow('memory: unknown option "maxSize"')
  expect(() => overlay(memory(), untyped({ maxFileBytes: -1 }))).toThrow("overlay: maxFileBytes must be a whole number")
  expect(() => overlay(memory(), untyped({ mode: 0o700 }))).toThrow('overlay: unknown option "mode"')
  expect(() => VirtualFileSystem.make({ maxHostGrowthBytes: 0.5, now: ticking() })).toThrow("maxHostGrowthBytes")
})
