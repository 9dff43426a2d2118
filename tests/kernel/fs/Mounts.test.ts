import { expect, it } from "@effect/vitest"
import { devices } from "../../../src/kernel/fs/devices.ts"
import { makeHostFolder } from "../../../src/kernel/fs/HostFolder.ts"
import { memory } from "../../../src/kernel/fs/memory.ts"
import { overlay, readOnly } from "../../../src/kernel/fs/overlay.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { hostFiles } from "../../../src/kernel/fs/nodeHostFiles.ts"
import { hostScratch } from "./scratch.ts"
import { bytes, get, must, named, names, put, statOf, ticking, using } from "./support.ts"

const mounted = (): VirtualFileSystem =>
  VirtualFileSystem.make({ mounts: { "/": memory(), "/mnt/deep/a": memory(), "/b": memory() }, now: ticking() })

it("makes the folders on the way to a mount, and lists the mount among the others", () => {
  const fs = mounted()
  expect(names(fs, "/")).toBe("b mnt")
  expect(put(fs, "/mnt/deep/a/x", "x")).toBe(1)
  expect(get(fs, "/mnt/deep/../deep/a/./x")).toBe("x")
  expect(must(fs.directory(fs.root, "/mnt/deep/a")).path).toBe("/mnt/deep/a")
  expect(names(fs, "/mnt/deep/a/..")).toBe("a")
})

it("neither removes nor moves a mount point, nor a folder in which one is", () => {
  const fs = mounted()
  fs.makeDirectory(fs.root, "/d", 0o755)
  expect(named(fs.removeDirectory(fs.root, "/b"))).toBe("EBUSY")
  expect(named(fs.rename(fs.root, "/b", fs.root, "/c"))).toBe("EBUSY")
  expect(named(fs.rename(fs.root, "/d", fs.root, "/b"))).toBe("EBUSY")
  expect(named(fs.unlink(fs.root, "/b"))).toBe("EISDIR")
  expect(named(fs.removeDirectory(fs.root, "/mnt/deep"))).toBe("EBUSY")
  expect(named(fs.rename(fs.root, "/d", fs.root, "/mnt/deep"))).toBe("EBUSY")
  // A folder above it may go elsewhere, and takes it along.
  put(fs, "/mnt/deep/a/x", "x")
  expect(fs.rename(fs.root, "/mnt", fs.root, "/other")).toBe(0)
  expect(get(fs, "/other/deep/a/x")).toBe("x")
})

it("moves and links only within one volume", () => {
  const fs = mounted()
  put(fs, "/x", "x")
  expect(named(fs.rename(fs.root, "/x", fs.root, "/b/x"))).toBe("EXDEV")
  expect(named(fs.link(fs.root, "/x", fs.root, "/b/x"))).toBe("EXDEV")
  expect(named(fs.rename(fs.root, "/b/no", fs.root, "/y"))).toBe("EXDEV")
  expect(statOf(fs, "/x").device).not.toBe(statOf(fs, "/b").device)
})

it("follows links from one volume into another, and none out of the folder where it must stay", () => {
  const fs = mounted()
  put(fs, "/x", "x")
  fs.symlink("/x", fs.root, "/b/absolute")
  fs.symlink("../x", fs.root, "/b/relative")
  expect(get(fs, "/b/absolute") + get(fs, "/b/relative")).toBe("xx")
  const start = must(fs.directory(fs.root, "/b"))
  expect(named(fs.stat(start, "relative", { beneath: true }))).toBe("ENOTCAPABLE")
  expect(named(fs.stat(start, "..", { beneath: true }))).toBe("ENOTCAPABLE")
})

it("mounts on a volume that cannot be changed", () => {
  const fs = VirtualFileSystem.make({
    mounts: { "/": readOnly(memory()), "/tmp": memory(), "/var/cache/x": memory() },
    now: ticking(),
  })
  expect(names(fs, "/")).toBe("tmp var")
  expect(put(fs, "/tmp/x", "x")).toBe(1)
  expect(put(fs, "/var/cache/x/y", "y")).toBe(1)
  expect(get(fs, "/var/cache/x/y")).toBe("y")
})

it("keeps a mount in a host folder that is otherwise unused", () =>
  hostScratch((folder) => {
    const fs = VirtualFileSystem.make({
      mounts: { "/": makeHostFolder(hostFiles(), folder), "/a/b/m": memory() },
      now: ticking(),
    })
    put(fs, "/a/b/m/x", "x")
    for (let i = 0; i < 200; i++) {
      fs.makeDirectory(fs.root, `/a/b/${i}`, 0o755)
      names(fs, `/a/b/${i}`)
    }
    expect(get(fs, "/a/b/m/x")).toBe("x")
    expect(named(fs.removeDirectory(fs.root, "/a/b/m"))).toBe("EBUSY")
  }))

it("reports the path and errno of a mount that fails", () => {
  const make = (mounts: Parameters<typeof VirtualFileSystem.make>[0]["mounts"]) => (): VirtualFileSystem =>
    VirtualFileSystem.make({ mounts, now: ticking() })
  expect(make({ "/x": makeHostFolder(hostFiles(), "/no/such/folder") })).toThrow(
    "file system: mounting /x: No such file or directory (ENOENT)",
  )
  expect(make({ "/dev": devices(), "/dev/null/x": memory() })).toThrow(
    "file system: mounting /dev/null/x: Not a directory (ENOTDIR)",
  )
  const fs = mounted()
  expect(named(fs.mount("/", memory()))).toBe("EBUSY")
  expect(named(fs.mount("/b", memory()))).toBe("EBUSY")
  put(fs, "/file", "")
  expect(named(fs.mount("/file", memory()))).toBe("ENOTDIR")
  expect(fs.mount("/b/later", memory())).toBe(0)
  expect(names(fs, "/b")).toBe("later")
})

it("refuses a folder of another file system", () => {
  const fs = mounted()
  const stranger = { path: "/" }
  expect(named(fs.stat(stranger, "x"))).toBe("EBADF")
  expect(named(fs.list(stranger))).toBe("EBADF")
})

it("has devices: null, zero, full and random", () => {
  const fs = VirtualFileSystem.make({
    mounts: { "/": memory(), "/dev": devices({ random: (into) => into.fill(7) }) },
    now: ticking(),
  })
  const rw = { read: true, write: true }
  const part = new Uint8Array(3).fill(9)
  using(fs, "/dev/null", { ...rw, truncate: true, create: true }, (file) => {
    expect([file.write(bytes("gone")), file.read(part)]).toEqual([4, 0])
    expect(must(file.stat())).toMatchObject({ type: FileType.characterDevice, mode: 0o666 })
    expect(file.seek(100, 0)).toBe(0)
    return 0
  })
  using(fs, "/dev/zero", rw, (file) => {
    expect([file.write(bytes("gone")), file.read(part), ...part]).toEqual([4, 3, 0, 0, 0])
    return 0
  })
  using(fs, "/dev/full", rw, (file) => {
    expect([named(file.write(bytes("x"))), file.write(bytes("")), file.read(part)]).toEqual(["ENOSPC", 0, 3])
    return 0
  })
  using(fs, "/dev/urandom", { read: true }, (file) => {
    expect([file.read(part), ...part, named(file.write(part))]).toEqual([3, 7, 7, 7, "EBADF"])
    return 0
  })
  expect(names(fs, "/dev")).toBe("fd full null random urandom zero")
  expect(named(put(fs, "/dev/new", ""))).toBe("EROFS")
  expect(named(fs.unlink(fs.root, "/dev/null"))).toBe("EROFS")
})

it("has random bytes of its own, in any number, and devices that others bring", () => {
  const fs = VirtualFileSystem.make({
    mounts: { "/dev": overlay(devices({ others: { gone: () => -60 } })) },
    now: ticking(),
  })
  using(fs, "/dev/random", { read: true }, (file) => {
    const many = new Uint8Array(200_000)
    expect(file.read(many)).toBe(200_000)
    expect(new Set(many.subarray(150_000)).size).toBeGreaterThan(200)
    return 0
  })
  expect(named(using(fs, "/dev/gone", { read: true }, () => 0))).toBe("ENXIO")
  // Over an overlay a device can be hidden, as any name.
  expect(fs.unlink(fs.root, "/dev/gone")).toBe(0)
  expect(names(fs, "/dev")).toBe("fd full null random urandom zero")
})

it("shows each process its own descriptors in /dev/fd, and opens the same file again for it", () => {
  const fs = VirtualFileSystem.make({ mounts: { "/dev": devices() }, now: ticking() })
  put(fs, "/in", "input")
  fs.makeDirectory(fs.root, "/folder", 0o755)
  put(fs, "/folder/x", "x")
  const input = must(fs.open(fs.root, "/in", { read: true }))
  const folder = must(fs.open(fs.root, "/folder", { read: true }))
  const table = new Map([[0, input], [12, folder]])
  const process = fs.withDescriptors({ file: (fd) => table.get(fd), numbers: () => table.keys() })
  const other = fs.withDescriptors({ file: () => undefined, numbers: () => [] })
  expect(names(process, "/dev")).toBe("fd full null random stdin urandom zero")
  expect(names(process, "/dev/fd")).toBe("0 12")
  expect(statOf(process, "/dev/stdin").inode).toBe(statOf(fs, "/in").inode)
  expect(input.read(new Uint8Array(2))).toBe(2)
  // One open file: it goes on where the other stopped.
  expect(get(process, "/dev/fd/0")).toBe("put")
  expect(get(process, "/dev/stdin")).toBe("")
  expect(get(process, "/dev/fd/12/x")).toBe("x")
  const dev = must(process.directory(process.root, "/dev"))
  expect(named(process.stat(dev, "fd/0", { beneath: true }))).toMatchObject({ size: 5 })
  for (const path of ["/dev/fd/1", "/dev/fd/00", "/dev/fd/-0", "/dev/fd/x", "/dev/stdout", "/dev/fd/1e1"]) {
    expect([path, get(process, path)]).toEqual([path, "ENOENT"])
  }
  expect(named(process.unlink(process.root, "/dev/fd/0"))).toBe("EROFS")
  expect(input.references).toBe(1)
  for (const nobodys of [fs, other]) {
    expect(get(nobodys, "/dev/stdin")).toBe("ENOENT")
    expect(names(nobodys, "/dev/fd")).toBe("")
  }
  // What one mounts, all see.
  expect(other.mount("/later", memory())).toBe(0)
  expect(names(process, "/")).toBe("dev folder in later")
  input.release()
  folder.release()
})

it("does not lead out of a folder through the descriptors of a process", () => {
  const shared = VirtualFileSystem.make({ mounts: { "/work/dev": devices(), "/elsewhere": memory() }, now: ticking() })
  put(shared, "/elsewhere/in/file", "open")
  shared.makeDirectory(shared.root, "/elsewhere/in", 0o755)
  put(shared, "/elsewhere/in/file", "open")
  put(shared, "/secret", "secret")
  const open = must(shared.open(shared.root, "/elsewhere/in", { directory: true }))
  const fs = shared.withDescriptors({ file: (fd) => fd === 5 ? open : undefined, numbers: () => [5] })
  const work = must(fs.directory(fs.root, "/work"))
  const tried = (path: string) => {
    const file = fs.open(work, path, { read: true, beneath: true })
    if (typeof file === "number") return named(file)
    file.release()
    return "opened"
  }
  // What is open may be used; from there it goes no further up.
  expect(tried("dev/fd/5/file")).toBe("opened")
  expect(["dev/fd/5/..", "dev/fd/5/../../secret", "dev/fd/5/../../work/dev/null"].map(tried)).toEqual(
    ["ENOTCAPABLE", "ENOTCAPABLE", "ENOTCAPABLE"],
  )
  expect(["dev/fd/../null", "dev/../dev/null", "../secret"].map(tried)).toEqual(["opened", "opened", "ENOTCAPABLE"])
  open.release()
})
