import { expect, it } from "@effect/vitest"
import { memory } from "../../../src/kernel/fs/memory.ts"
import { MemoryFolder } from "../../../src/kernel/fs/MemoryFolder.ts"
import type { Volume } from "../../../src/kernel/fs/Node.ts"
import { overlay, readOnly, union } from "../../../src/kernel/fs/overlay.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { FileFlag } from "../../../src/kernel/OpenFile.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { bytes, get, must, named, names, put, readAll, statOf, text, ticking, using } from "./support.ts"

/** A volume in memory, with files in it, and the file system that it can be looked at with. */
const filled = (
  files: Readonly<Record<string, string>>,
): { readonly volume: Volume; readonly fs: VirtualFileSystem } => {
  const fs = VirtualFileSystem.make({ now: ticking(1n) })
  for (const [path, content] of Object.entries(files)) {
    path.split("/").slice(1, -1).reduce((at, name) => {
      fs.makeDirectory(fs.root, `${at}/${name}`, 0o755)
      return `${at}/${name}`
    }, "")
    put(fs, path, content)
  }
  return { volume: () => fs.root, fs }
}

const over = (volume: Volume): VirtualFileSystem => VirtualFileSystem.make({ mounts: { "/": volume }, now: ticking() })

const lower = { "/a": "lower a", "/d/f": "lower f", "/d/g": "lower g", "/d/e/h": "lower h" }

/** Everything that can be read of a file system. */
const tree = (fs: VirtualFileSystem, path = ""): Record<string, string> =>
  Object.assign(
    {},
    ...must(fs.list(must(fs.directory(fs.root, path === "" ? "/" : path)))).map(({ name, type }) =>
      type === FileType.directory ? tree(fs, `${path}/${name}`) : { [`${path}/${name}`]: get(fs, `${path}/${name}`) }
    ),
  )

it("shows the lower volume, and does not change it", () => {
  const below = filled(lower)
  const fs = over(overlay(below.volume))
  expect(tree(fs)).toEqual(lower)
  put(fs, "/a", "upper a")
  put(fs, "/d/new", "new")
  fs.unlink(fs.root, "/d/f")
  fs.rename(fs.root, "/d/g", fs.root, "/g")
  fs.rename(fs.root, "/d/e", fs.root, "/e")
  fs.setMode(fs.root, "/d", 0o700)
  expect(tree(fs)).toEqual({ "/a": "upper a", "/d/new": "new", "/g": "lower g", "/e/h": "lower h" })
  expect(tree(below.fs)).toEqual(lower)
  expect(statOf(below.fs, "/d").mode).toBe(0o755)
})

it("copies a file when it is first written to: all of it, once, with its mode and its number", () => {
  const below = filled(lower)
  below.fs.setMode(below.fs.root, "/a", 0o640)
  const fs = over(overlay(below.volume))
  const before = statOf(fs, "/a")
  using(fs, "/a", { write: true, flags: FileFlag.append }, (file) => file.write(bytes("!")))
  expect(get(fs, "/a")).toBe("lower a!")
  expect(statOf(fs, "/a")).toMatchObject({ inode: before.inode, device: before.device, mode: 0o640 })
  expect(get(below.fs, "/a")).toBe("lower a")
})

it("shows writes after the copy to descriptors opened before it", () => {
  const fs = over(overlay(filled(lower).volume))
  using(fs, "/a", { read: true }, (reader) => {
    const part = new Uint8Array(5)
    expect(reader.read(part)).toBe(5)
    using(fs, "/a", { write: true }, (writer) => writer.write(bytes("LOWER A")))
    expect(text(must(readAll(reader)))).toBe(" A")
    return 0
  })
})

it("hides a removed name, and creates a new file under it", () => {
  const fs = over(overlay(filled(lower).volume))
  fs.unlink(fs.root, "/d/e/h")
  expect(fs.removeDirectory(fs.root, "/d/e")).toBe(0)
  expect(names(fs, "/d")).toBe("f g")
  expect(fs.makeDirectory(fs.root, "/d/e", 0o755)).toBe(0)
  expect(names(fs, "/d/e")).toBe("")
  expect(named(fs.removeDirectory(fs.root, "/d"))).toBe("ENOTEMPTY")
  fs.removeDirectory(fs.root, "/d/e")
  expect(get(fs, "/d/e/h")).toBe("ENOENT")
  fs.unlink(fs.root, "/d/f")
  fs.symlink("../a", fs.root, "/d/f")
  expect(get(fs, "/d/f")).toBe("lower a")
})

it("replaces a lower file by a rename", () => {
  const fs = over(overlay(filled(lower).volume))
  expect(fs.rename(fs.root, "/a", fs.root, "/d/f")).toBe(0)
  expect(get(fs, "/d/f")).toBe("lower a")
  expect(get(fs, "/a")).toBe("ENOENT")
  fs.unlink(fs.root, "/d/f")
  expect(get(fs, "/d/f")).toBe("ENOENT")
  fs.makeDirectory(fs.root, "/empty", 0o755)
  expect(named(fs.rename(fs.root, "/empty", fs.root, "/d"))).toBe("ENOTEMPTY")
  expect(fs.rename(fs.root, "/d", fs.root, "/empty")).toBe(0)
  expect(get(fs, "/empty/e/h")).toBe("lower h")
  put(fs, "/empty/e/h", "mine")
  expect(get(fs, "/empty/e/h")).toBe("mine")
})

it("shows changes of the lower volume until the name is changed here", () => {
  const below = filled(lower)
  const fs = over(overlay(below.volume))
  expect(get(fs, "/d/f")).toBe("lower f")
  put(below.fs, "/d/f", "other f")
  put(below.fs, "/d/n", "n")
  below.fs.unlink(below.fs.root, "/d/g")
  expect(names(fs, "/d")).toBe("e f n")
  expect(get(fs, "/d/f") + get(fs, "/d/n") + get(fs, "/d/g")).toBe("other fnENOENT")
  put(fs, "/d/f", "mine")
  below.fs.unlink(below.fs.root, "/d/f")
  expect(get(fs, "/d/f")).toBe("mine")
  expect(names(fs, "/d")).toBe("e f n")
})

it("counts only changes, and keeps a file unchanged if its copy does not fit", () => {
  const fs = over(overlay(filled({ "/big": "x".repeat(1000), "/a": "a" }).volume, { maxBytes: 500, maxFiles: 1 }))
  using(fs, "/big", { write: true, read: true }, (file) => {
    expect(named(file.write(bytes("y")))).toBe("ENOSPC")
    expect(named(file.truncate(600))).toBe("ENOSPC")
    expect(text(must(readAll(file)))).toBe("x".repeat(1000))
    expect(file.truncate(10)).toBe(0)
    return 0
  })
  expect(get(fs, "/big")).toBe("x".repeat(10))
  expect(put(fs, "/new", "n")).toBe(1)
  expect(named(put(fs, "/more", "n"))).toBe("ENOSPC")
  fs.unlink(fs.root, "/a")
  fs.unlink(fs.root, "/new")
  fs.unlink(fs.root, "/big")
  if (!(fs.root instanceof MemoryFolder)) throw new Error("the root is not in memory")
  expect({ bytes: fs.root.volume.bytes, names: fs.root.volume.names }).toEqual({ bytes: 0, names: 0 })
})

it("cuts a file without copying it first", () => {
  const fs = over(overlay(filled({ "/big": "x".repeat(1000) }).volume, { maxBytes: 10 }))
  expect(put(fs, "/big", "new")).toBe(3)
  expect(get(fs, "/big")).toBe("new")
})

it("checks the modes of lower files as their owner", () => {
  const below = filled(lower)
  below.fs.setMode(below.fs.root, "/a", 0o444)
  below.fs.setMode(below.fs.root, "/d", 0o555)
  const fs = over(overlay(below.volume))
  expect(named(put(fs, "/a", "x"))).toBe("EACCES")
  expect(named(put(fs, "/d/new", "x"))).toBe("EACCES")
  expect(named(fs.unlink(fs.root, "/d/f"))).toBe("EACCES")
  fs.setMode(fs.root, "/a", 0o644)
  expect(put(fs, "/a", "x")).toBe(1)
})

it("refuses each change of a read-only view with EROFS", () => {
  const below = filled(lower)
  const fs = over(readOnly(below.volume))
  expect(tree(fs)).toEqual(lower)
  const refused = [
    put(fs, "/a", "x"),
    put(fs, "/new", "x"),
    using(fs, "/a", { write: true }, () => 0),
    using(fs, "/a", { read: true, truncate: true }, () => 0),
    fs.makeDirectory(fs.root, "/new", 0o755),
    fs.unlink(fs.root, "/a"),
    fs.unlink(fs.root, "/d/f"),
    fs.rename(fs.root, "/a", fs.root, "/b"),
    fs.link(fs.root, "/a", fs.root, "/b"),
    fs.symlink("x", fs.root, "/b"),
    fs.setMode(fs.root, "/a", 0o600),
    fs.setMode(fs.root, "/d", 0o700),
    fs.setTimes(fs.root, "/a", 1n, 1n),
  ]
  expect(refused.map(named)).toEqual(refused.map(() => "EROFS"))
  below.fs.unlink(below.fs.root, "/d/e/h")
  expect(named(fs.removeDirectory(fs.root, "/d/e"))).toBe("EROFS")
  // What is there, is there; what is not, is not.
  expect(named(fs.makeDirectory(fs.root, "/d", 0o755))).toBe("EEXIST")
  expect(named(fs.unlink(fs.root, "/no"))).toBe("ENOENT")
  expect(using(fs, "/a", { read: true, create: true }, () => 0)).toBe(0)
})

it("merges folders of several volumes, and shows the files of the first volume", () => {
  const fs = over(union([
    filled({ "/bin/a": "first a", "/x": "file" }).volume,
    filled({ "/bin/a": "second a", "/bin/b": "second b", "/x/y": "hidden" }).volume,
    filled({ "/bin/c": "third c", "/lib/z": "z" }).volume,
  ]))
  expect(tree(fs)).toEqual({
    "/bin/a": "first a",
    "/bin/b": "second b",
    "/bin/c": "third c",
    "/lib/z": "z",
    "/x": "file",
  })
  expect(get(fs, "/x/y")).toBe("ENOTDIR")
  expect(named(put(fs, "/bin/b", ""))).toBe("EROFS")
})

it("hides a name that is removed over a union in all of its volumes", () => {
  const volumes = [filled({ "/bin/a": "1" }).volume, filled({ "/bin/a": "2" }).volume]
  const fs = over(overlay(volumes))
  fs.unlink(fs.root, "/bin/a")
  expect(get(fs, "/bin/a")).toBe("ENOENT")
  expect(fs.removeDirectory(fs.root, "/bin")).toBe(0)
  expect(names(fs, "/")).toBe("")
})

it("returns the errors of the lower volume", () => {
  const broken: Volume = () => -2
  expect(() => over(overlay(broken))).toThrow("file system: mounting /: Permission denied (EACCES)")
})

it("makes a new volume each time that it is mounted", () => {
  const volume = overlay(memory())
  const fs = VirtualFileSystem.make({ mounts: { "/a": volume, "/b": volume }, now: ticking() })
  put(fs, "/a/x", "")
  expect(names(fs, "/b")).toBe("")
  const devices = (["/", "/a", "/b"] as const).map((path) => statOf(fs, path).device)
  expect(new Set(devices).size).toBe(3)
})

it("lists every name with the inode number of its stat", () => {
  const fs = over(overlay(filled(lower).volume))
  put(fs, "/d/f", "changed")
  put(fs, "/d/new", "")
  for (const { inode, name } of must(fs.list(must(fs.directory(fs.root, "/d"))))) {
    expect(statOf(fs, `/d/${name}`).inode).toBe(inode)
  }
})
