import { expect, it } from "@effect/vitest"
import type { Volume } from "../../../src/kernel/fs/Node.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { FileFlag, Whence } from "../../../src/kernel/OpenFile.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { bytes, get, must, named, names, put, readAll, statOf, text, ticking, using } from "./support.ts"

/** What not every volume can. */
export interface Flags {
  /** The file system itself asks modes; a host's root is asked nothing. */
  readonly asksModes: boolean
  /** Times are kept to the nanosecond. */
  readonly exactTimes: boolean
  /** `allocate` makes sure of the space, and holes cost nothing. */
  readonly reserves: boolean
}

/** Calls with an empty folder that is gone afterwards. */
export type Scratch = (use: (volume: Volume) => void) => void

/** What every volume that can be written to promises. */
export const contract = (kind: string, scratch: Scratch, flags: Flags): void => {
  const promise = (title: string, test: (fs: VirtualFileSystem) => void): void => {
    it(`${kind}: ${title}`, () =>
      scratch((volume) => test(VirtualFileSystem.make({ mounts: { "/": volume }, now: ticking() }))))
  }

  promise("returns the written bytes", (fs) => {
    expect(put(fs, "/a", "hello")).toBe(5)
    expect(get(fs, "/a")).toBe("hello")
    expect(statOf(fs, "/a")).toMatchObject({ type: FileType.regularFile, mode: 0o644, links: 1, size: 5 })
  })

  promise("returns ENOENT for a missing name, and ENOTDIR for a file within the path", (fs) => {
    put(fs, "/a", "x")
    expect(get(fs, "/b")).toBe("ENOENT")
    expect(get(fs, "/b/c")).toBe("ENOENT")
    expect(get(fs, "/a/c")).toBe("ENOTDIR")
    expect(get(fs, "/a/")).toBe("ENOTDIR")
    expect(named(fs.stat(fs.root, "/a/."))).toBe("ENOTDIR")
    expect(named(fs.directory(fs.root, "/a"))).toBe("ENOTDIR")
    expect(named(fs.readlink(fs.root, "/a"))).toBe("EINVAL")
  })

  promise("creates exclusively only a missing file", (fs) => {
    const exclusive = { write: true, create: true, exclusive: true }
    expect(using(fs, "/a", exclusive, () => 0)).toBe(0)
    expect(named(using(fs, "/a", exclusive, () => 0))).toBe("EEXIST")
    fs.symlink("missing", fs.root, "/l")
    expect(named(using(fs, "/l", exclusive, () => 0))).toBe("EEXIST")
    expect(using(fs, "/l", { write: true, create: true }, () => 0)).toBe(0)
    expect(names(fs, "/")).toBe("a l missing")
  })

  promise("opens folders only for reading, and never files as folders", (fs) => {
    fs.makeDirectory(fs.root, "/d", 0o755)
    put(fs, "/a", "")
    expect(named(using(fs, "/d", { write: true }, () => 0))).toBe("EISDIR")
    expect(named(using(fs, "/d", { create: true, read: true }, () => 0))).toBe("EISDIR")
    expect(named(using(fs, "/n/", { create: true, write: true }, () => 0))).toBe("EISDIR")
    expect(named(using(fs, "/n", { create: true, directory: true }, () => 0))).toBe("EINVAL")
    expect(named(using(fs, "/a", { read: true, directory: true }, () => 0))).toBe("ENOTDIR")
    expect(using(fs, "/d", { read: true, directory: true }, (file) => {
      expect(file.directory?.path).toBe("/d")
      expect(named(file.read(new Uint8Array(1)))).toBe("EISDIR")
      expect(named(file.write(new Uint8Array(1)))).toBe("EBADF")
      expect(must(file.stat()).type).toBe(FileType.directory)
      return 0
    })).toBe(0)
  })

  promise("reads and writes only as a file was opened", (fs) => {
    put(fs, "/a", "text")
    using(fs, "/a", { read: true }, (file) => {
      expect(named(file.write(bytes("x")))).toBe("EBADF")
      expect(named(file.writeAt(0, bytes("x")))).toBe("EBADF")
      expect(named(file.truncate(0))).toBe("EINVAL")
      expect(named(file.allocate(0, 1))).toBe("EBADF")
      return 0
    })
    using(fs, "/a", { write: true }, (file) => {
      expect(named(file.read(new Uint8Array(1)))).toBe("EBADF")
      expect(named(file.readAt(0, new Uint8Array(1)))).toBe("EBADF")
      return 0
    })
    using(fs, "/new", { read: true, create: true }, (file) => {
      expect(named(file.write(bytes("x")))).toBe("EBADF")
      return 0
    })
    expect(get(fs, "/a")).toBe("text")
  })

  promise("appends at the end, wherever the position is, and keeps offsets apart from the position", (fs) => {
    put(fs, "/a", "one")
    using(fs, "/a", { read: true, write: true, flags: FileFlag.append }, (file) => {
      expect(file.seek(0, Whence.set)).toBe(0)
      expect(file.write(bytes("two"))).toBe(3)
      expect(file.seek(0, Whence.current)).toBe(6)
      return 0
    })
    expect(get(fs, "/a")).toBe("onetwo")
    using(fs, "/a", { read: true, write: true }, (file) => {
      const part = new Uint8Array(3)
      expect(file.readAt(3, part)).toBe(3)
      expect(text(part)).toBe("two")
      expect(file.writeAt(1, bytes("NE"))).toBe(2)
      expect(text(must(readAll(file)))).toBe("oNEtwo")
      expect(named(file.readAt(-1, part))).toBe("EINVAL")
      expect(named(file.writeAt(-1, part))).toBe("EINVAL")
      return 0
    })
  })

  promise("seeks from the start, the position and the end, and never before the start", (fs) => {
    put(fs, "/a", "0123456789")
    using(fs, "/a", { read: true }, (file) => {
      expect(file.seek(-3, Whence.end)).toBe(7)
      expect(file.seek(2, Whence.current)).toBe(9)
      expect(named(file.seek(-10, Whence.current))).toBe("EINVAL")
      expect(named(file.seek(-1, Whence.set))).toBe("EINVAL")
      expect(named(file.seek(0, 9))).toBe("EINVAL")
      expect(file.seek(0, Whence.current)).toBe(9)
      expect(file.seek(100, Whence.set)).toBe(100)
      expect(file.read(new Uint8Array(1))).toBe(0)
      return 0
    })
  })

  promise("fills unwritten ranges with zeroes", (fs) => {
    using(fs, "/a", { read: true, write: true, create: true }, (file) => {
      expect(file.writeAt(200_000, bytes("end"))).toBe(3)
      expect(must(file.stat()).size).toBe(200_003)
      const part = new Uint8Array(70_000).fill(7)
      expect(file.readAt(100_000, part)).toBe(70_000)
      expect(part.every((byte) => byte === 0)).toBe(true)
      // Cut and made longer again: what was cut off does not come back.
      expect(file.truncate(200_001)).toBe(0)
      expect(file.truncate(200_003)).toBe(0)
      const end = new Uint8Array(3)
      expect(file.readAt(200_000, end)).toBe(3)
      expect(text(end)).toBe("e\0\0")
      expect(named(file.truncate(-1))).toBe("EINVAL")
      return 0
    })
  })

  promise("sets the length of a file without losing its content", (fs) => {
    put(fs, "/a", "abc")
    using(fs, "/a", { read: true, write: true }, (file) => {
      expect(file.allocate(1, 1)).toBe(0)
      expect(must(file.stat()).size).toBe(3)
      expect(file.allocate(2, 8)).toBe(0)
      expect(must(file.stat()).size).toBe(10)
      expect(text(must(readAll(file)))).toBe("abc\0\0\0\0\0\0\0")
      expect(named(file.allocate(0, 0))).toBe("EINVAL")
      expect(named(file.allocate(-1, 1))).toBe("EINVAL")
      return 0
    })
  })

  promise("keeps a file that is open when its name is gone", (fs) => {
    put(fs, "/a", "kept")
    using(fs, "/a", { read: true, write: true }, (file) => {
      expect(fs.unlink(fs.root, "/a")).toBe(0)
      expect(get(fs, "/a")).toBe("ENOENT")
      put(fs, "/a", "other")
      expect(text(must(readAll(file)))).toBe("kept")
      expect(file.write(bytes("!"))).toBe(1)
      expect(must(file.stat())).toMatchObject({ size: 5, links: 0 })
      return 0
    })
    expect(get(fs, "/a")).toBe("other")
  })

  promise("shows the same bytes through two open descriptors", (fs) => {
    put(fs, "/a", "old")
    using(fs, "/a", { read: true }, (reader) => {
      put(fs, "/a", "newer")
      expect(text(must(readAll(reader)))).toBe("newer")
      return 0
    })
  })

  promise("gives one file several names", (fs) => {
    put(fs, "/a", "1")
    expect(fs.link(fs.root, "/a", fs.root, "/b")).toBe(0)
    expect(statOf(fs, "/b").inode).toBe(statOf(fs, "/a").inode)
    expect(statOf(fs, "/a").links).toBe(2)
    put(fs, "/b", "22")
    expect(get(fs, "/a")).toBe("22")
    expect(fs.unlink(fs.root, "/a")).toBe(0)
    expect(statOf(fs, "/b").links).toBe(1)
    fs.makeDirectory(fs.root, "/d", 0o755)
    expect(named(fs.link(fs.root, "/d", fs.root, "/e"))).toBe("EPERM")
    expect(named(fs.link(fs.root, "/b", fs.root, "/d"))).toBe("EEXIST")
    expect(named(fs.link(fs.root, "/b", fs.root, "/x/"))).toBe("ENOENT")
    expect(named(fs.link(fs.root, "/no", fs.root, "/x"))).toBe("ENOENT")
  })

  promise("links to a symbolic link itself if it must not follow", (fs) => {
    put(fs, "/a", "x")
    fs.symlink("a", fs.root, "/l")
    expect(fs.link(fs.root, "/l", fs.root, "/m", { follow: false })).toBe(0)
    expect(fs.readlink(fs.root, "/m")).toBe("a")
    expect(fs.link(fs.root, "/l", fs.root, "/n")).toBe(0)
    expect(statOf(fs, "/n", false).type).toBe(FileType.regularFile)
  })

  promise("makes and removes folders, empty ones only", (fs) => {
    expect(fs.makeDirectory(fs.root, "/d", 0o750)).toBe(0)
    expect(statOf(fs, "/d")).toMatchObject({ type: FileType.directory, mode: 0o750 })
    expect(named(fs.makeDirectory(fs.root, "/d/", 0o755))).toBe("EEXIST")
    expect(named(fs.makeDirectory(fs.root, "/x/y", 0o755))).toBe("ENOENT")
    put(fs, "/d/f", "")
    expect(named(fs.removeDirectory(fs.root, "/d"))).toBe("ENOTEMPTY")
    expect(named(fs.removeDirectory(fs.root, "/d/f"))).toBe("ENOTDIR")
    expect(named(fs.unlink(fs.root, "/d"))).toBe("EISDIR")
    expect(named(fs.unlink(fs.root, "/d/f/"))).toBe("ENOTDIR")
    expect(named(fs.removeDirectory(fs.root, "/d/."))).toBe("EINVAL")
    expect(named(fs.removeDirectory(fs.root, "/d/.."))).toBe("ENOTEMPTY")
    expect(named(fs.removeDirectory(fs.root, "/"))).toBe("EBUSY")
    expect(fs.unlink(fs.root, "/d/f")).toBe(0)
    expect(fs.removeDirectory(fs.root, "/d/")).toBe(0)
    expect(named(fs.removeDirectory(fs.root, "/d"))).toBe("ENOENT")
  })

  promise("lists a folder in order, without . and ..", (fs) => {
    for (const name of ["b", "ä", "a", "B", "10", "9"]) put(fs, `/${name}`, "")
    fs.makeDirectory(fs.root, "/d", 0o755)
    fs.symlink("a", fs.root, "/l")
    const listed = must(fs.list(fs.root))
    expect(listed.map(({ name }) => name)).toEqual(["10", "9", "B", "a", "b", "d", "l", "ä"])
    for (const { inode, name, type } of listed) {
      expect(statOf(fs, `/${name}`, false)).toMatchObject({ inode, type })
    }
  })

  promise("renames: a name, over a name, a folder with what is in it", (fs) => {
    put(fs, "/a", "a")
    put(fs, "/b", "b")
    fs.makeDirectory(fs.root, "/d", 0o755)
    fs.makeDirectory(fs.root, "/e", 0o755)
    put(fs, "/d/x", "x")
    const { inode } = statOf(fs, "/a")
    expect(fs.rename(fs.root, "/a", fs.root, "/b")).toBe(0)
    expect(get(fs, "/b")).toBe("a")
    expect(statOf(fs, "/b").inode).toBe(inode)
    expect(fs.rename(fs.root, "/d", fs.root, "/e")).toBe(0)
    expect(get(fs, "/e/x")).toBe("x")
    expect(names(fs, "/")).toBe("b e")
  })

  promise("refuses the renames that POSIX refuses", (fs) => {
    put(fs, "/f", "")
    fs.makeDirectory(fs.root, "/d", 0o755)
    fs.makeDirectory(fs.root, "/d/e", 0o755)
    const rename = (from: string, to: string): unknown => named(fs.rename(fs.root, from, fs.root, to))
    expect(rename("/d", "/d/e/x")).toBe("EINVAL")
    expect(rename("/d/e", "/d")).toBe("ENOTEMPTY")
    expect(rename("/d", "/f")).toBe("ENOTDIR")
    expect(rename("/f", "/d/e")).toBe("EISDIR")
    expect(rename("/f", "/g/")).toBe("ENOTDIR")
    expect(rename("/f/", "/g")).toBe("ENOTDIR")
    expect(rename("/x", "/g")).toBe("ENOENT")
    expect(rename("/f", "/x/g")).toBe("ENOENT")
    expect(rename("/d/.", "/g")).toBe("EBUSY")
    expect(rename("/d/..", "/g")).toBe("EBUSY")
    fs.makeDirectory(fs.root, "/full", 0o755)
    put(fs, "/full/x", "")
    expect(rename("/d", "/full")).toBe("ENOTEMPTY")
    fs.link(fs.root, "/f", fs.root, "/same")
    expect(rename("/f", "/same")).toBe(0)
    expect(names(fs, "/")).toBe("d f full same")
  })

  promise(
    "keeps an open folder the same when it is moved, with its .. at the new place",
    (fs) => {
      for (const path of ["/a", "/a/b", "/z"]) fs.makeDirectory(fs.root, path, 0o755)
      const folder = must(fs.directory(fs.root, "/a/b"))
      expect(fs.rename(fs.root, "/a/b", fs.root, "/z/c")).toBe(0)
      expect(folder.path).toBe("/z/c")
      put(fs, "/z/mark", "found")
      const file = must(fs.open(folder, "../mark", { read: true }))
      expect(text(must(readAll(file)))).toBe("found")
      file.release()
      expect(fs.makeDirectory(folder, "in", 0o755)).toBe(0)
      expect(names(fs, "/z/c")).toBe("in")
    },
  )

  promise("creates nothing in a removed folder, even if another has its name", (fs) => {
    fs.makeDirectory(fs.root, "/d", 0o755)
    const folder = must(fs.directory(fs.root, "/d"))
    expect(fs.removeDirectory(fs.root, "/d")).toBe(0)
    fs.makeDirectory(fs.root, "/d", 0o755)
    expect(named(fs.open(folder, "x", { write: true, create: true }))).toBe("ENOENT")
    expect(named(fs.makeDirectory(folder, "x", 0o755))).toBe("ENOENT")
    expect(named(fs.symlink("t", folder, "x"))).toBe("ENOENT")
    expect(named(fs.list(folder))).toBe("ENOENT")
    expect(named(fs.rename(fs.root, "/d", folder, "x"))).toBe("ENOENT")
    expect(names(fs, "/d")).toBe("")
  })

  promise("follows symbolic links, also to missing names", (fs) => {
    fs.makeDirectory(fs.root, "/d", 0o755)
    put(fs, "/d/f", "f")
    expect(fs.symlink("d", fs.root, "/l")).toBe(0)
    expect(fs.symlink("../d/f", fs.root, "/d/up")).toBe(0)
    expect(fs.symlink("/d/f", fs.root, "/abs")).toBe(0)
    expect(get(fs, "/l/f") + get(fs, "/d/up") + get(fs, "/abs")).toBe("fff")
    expect(fs.readlink(fs.root, "/d/up")).toBe("../d/f")
    expect(statOf(fs, "/l", false)).toMatchObject({ type: FileType.symbolicLink, size: 1 })
    // A slash after it asks for what it leads to.
    expect(statOf(fs, "/l/", false).type).toBe(FileType.directory)
    expect(named(fs.stat(fs.root, "/abs/", { follow: false }))).toBe("ENOTDIR")
    expect(named(using(fs, "/abs", { read: true, follow: false }, () => 0))).toBe("ELOOP")
    expect(named(using(fs, "/l", { read: true, follow: false, directory: true }, () => 0))).toBe("ENOTDIR")
    expect(named(fs.removeDirectory(fs.root, "/l/"))).toBe("ENOTDIR")
    expect(named(fs.unlink(fs.root, "/l/"))).toBe("ENOTDIR")
    expect(named(fs.makeDirectory(fs.root, "/l", 0o755))).toBe("EEXIST")
    expect(named(fs.symlink("", fs.root, "/e"))).toBe("ENOENT")
    expect(named(fs.symlink("x", fs.root, "/l"))).toBe("EEXIST")
    expect(named(fs.symlink("x", fs.root, "/new/"))).toBe("ENOENT")
    expect(fs.unlink(fs.root, "/l")).toBe(0)
    expect(names(fs, "/d")).toBe("f up")
  })

  promise("follows forty links and not one more", (fs) => {
    put(fs, "/l0", "end")
    for (let i = 1; i <= 41; i++) fs.symlink(`l${i - 1}`, fs.root, `/l${i}`)
    expect(get(fs, "/l40")).toBe("end")
    expect(get(fs, "/l41")).toBe("ELOOP")
    fs.symlink("loop", fs.root, "/loop")
    expect(get(fs, "/loop")).toBe("ELOOP")
    expect(get(fs, "/loop/x")).toBe("ELOOP")
    expect(named(using(fs, "/loop", { write: true, create: true }, () => 0))).toBe("ELOOP")
  })

  promise("accepts names of 255 bytes and paths of 4095, and refuses invalid names", (fs) => {
    const long = "é".repeat(127)
    expect(put(fs, `/${long}x`, "long")).toBe(4)
    expect(get(fs, `/${long}x`)).toBe("long")
    expect(named(put(fs, `/${long}xy`, ""))).toBe("ENAMETOOLONG")
    expect(get(fs, `/missing/${long}xy`)).toBe("ENOENT")
    expect(get(fs, "/./".repeat(1365).slice(0, 4000) + "/".repeat(95 - long.length * 2 + 160) + `${long}x`)).toBe(
      "ENAMETOOLONG",
    )
    expect(named(fs.stat(fs.root, "/".repeat(4095)))).toMatchObject({ type: FileType.directory })
    expect(named(fs.stat(fs.root, "/".repeat(4096)))).toBe("ENAMETOOLONG")
    expect(named(fs.symlink("x".repeat(4096), fs.root, "/l"))).toBe("ENAMETOOLONG")
    expect(named(fs.stat(fs.root, ""))).toBe("ENOENT")
    expect(get(fs, "/a\0b")).toBe("EINVAL")
    expect(named(put(fs, "/a\0", ""))).toBe("EINVAL")
    expect(named(put(fs, "/\ud800", ""))).toBe("EILSEQ")
    expect(put(fs, "/😀 a\nb", "odd")).toBe(3)
    expect(get(fs, "/😀 a\nb")).toBe("odd")
  })

  promise("never resolves a path outside the folder it must stay beneath", (fs) => {
    for (const path of ["/in", "/in/a", "/in/a/b"]) fs.makeDirectory(fs.root, path, 0o755)
    put(fs, "/secret", "secret")
    put(fs, "/in/open", "open")
    fs.symlink("../../open", fs.root, "/in/a/b/inner")
    fs.symlink("../secret", fs.root, "/in/out")
    fs.symlink("/in/open", fs.root, "/in/absolute")
    fs.symlink("..", fs.root, "/in/a/up")
    const start = must(fs.directory(fs.root, "/in"))
    const stat = (path: string): unknown => {
      const found = fs.stat(start, path, { beneath: true })
      return typeof found === "number" ? named(found) : found.type
    }
    expect(stat("a/b/inner")).toBe(FileType.regularFile)
    expect(stat("a/../open")).toBe(FileType.regularFile)
    expect(stat("a/up/open")).toBe(FileType.regularFile)
    for (
      const path of [
        "..",
        "../in/open",
        "/in/open",
        "/",
        "out",
        "absolute",
        "a/../..",
        "a/up/..",
        "a/up/../secret",
        "./.././in",
        "a/b/inner/../../../..",
      ]
    ) expect([path, stat(path)]).toEqual([path, path.includes("inner/") ? "ENOTDIR" : "ENOTCAPABLE"])
    const beneath = { beneath: true }
    expect(named(fs.open(start, "out", { ...beneath, read: true }))).toBe("ENOTCAPABLE")
    expect(named(fs.open(start, "../new", { ...beneath, write: true, create: true }))).toBe("ENOTCAPABLE")
    expect(named(fs.makeDirectory(start, "/x", 0o755, beneath))).toBe("ENOTCAPABLE")
    expect(named(fs.unlink(start, "../secret", beneath))).toBe("ENOTCAPABLE")
    expect(named(fs.rename(start, "open", start, "../x", beneath))).toBe("ENOTCAPABLE")
    expect(named(fs.rename(start, "../secret", start, "x", beneath))).toBe("ENOTCAPABLE")
    expect(named(fs.link(start, "out", start, "x", beneath))).toBe("ENOTCAPABLE")
    expect(named(fs.symlink("x", start, "../x", beneath))).toBe("ENOTCAPABLE")
    expect(named(fs.removeDirectory(start, "a/../../in", beneath))).toBe("ENOTCAPABLE")
    expect(named(fs.setMode(start, "out", 0, beneath))).toBe("ENOTCAPABLE")
    expect(named(fs.setTimes(start, "absolute", 0n, 0n, beneath))).toBe("ENOTCAPABLE")
    expect(named(fs.directory(start, "..", beneath))).toBe("ENOTCAPABLE")
    // The link itself is inside, and may be read and removed.
    expect(fs.readlink(start, "out", beneath)).toBe("../secret")
    expect(fs.unlink(start, "out", beneath)).toBe(0)
    expect(get(fs, "/secret")).toBe("secret")
  })

  promise("stays at the root where .. goes no further", (fs) => {
    put(fs, "/a", "a")
    expect(get(fs, "/../../a")).toBe("a")
    expect(get(fs, "../a")).toBe("a")
  })

  promise("changes modes, of what a link leads to", (fs) => {
    put(fs, "/a", "")
    fs.symlink("a", fs.root, "/l")
    expect(fs.setMode(fs.root, "/l", 0o640)).toBe(0)
    expect(statOf(fs, "/a").mode).toBe(0o640)
    expect(named(fs.setMode(fs.root, "/l", 0o600, { follow: false }))).toBe("ENOTSUP")
    fs.makeDirectory(fs.root, "/d", 0o755)
    expect(fs.setMode(fs.root, "/d", 0o1700)).toBe(0)
    expect(statOf(fs, "/d").mode).toBe(0o1700)
    expect(named(fs.setMode(fs.root, "/no", 0o600))).toBe("ENOENT")
  })

  promise("sets times, each alone, of a link or of what it leads to, by path or when it is open", (fs) => {
    const second = 1_000_000_000n
    const near = (got: bigint, wanted: bigint): boolean =>
      flags.exactTimes ? got === wanted : got - wanted < 1_000_000n && wanted - got < 1_000_000n
    put(fs, "/a", "")
    fs.symlink("a", fs.root, "/l")
    const accessed = 1_234_567_890n * second + 123_456_789n
    const modified = 2_000_000_001n * second + 987_654_321n
    expect(fs.setTimes(fs.root, "/l", accessed, modified)).toBe(0)
    expect(near(statOf(fs, "/a").accessed, accessed) && near(statOf(fs, "/a").modified, modified)).toBe(true)
    expect(fs.setTimes(fs.root, "/a", undefined, 5n * second)).toBe(0)
    expect(near(statOf(fs, "/a").accessed, accessed) && near(statOf(fs, "/a").modified, 5n * second)).toBe(true)
    expect(fs.setTimes(fs.root, "/l", second, second, { follow: false })).toBe(0)
    expect(statOf(fs, "/l", false).modified).toBe(second)
    expect(near(statOf(fs, "/a").modified, 5n * second)).toBe(true)
    using(fs, "/a", { write: true }, (file) => file.setTimes(7n * second, 8n * second))
    expect([statOf(fs, "/a").accessed, statOf(fs, "/a").modified]).toEqual([7n * second, 8n * second])
    fs.makeDirectory(fs.root, "/d", 0o755)
    expect(fs.setTimes(fs.root, "/d", second, second)).toBe(0)
    expect(statOf(fs, "/d").modified).toBe(second)
    expect(named(fs.setTimes(fs.root, "/no", second, second))).toBe("ENOENT")
  })

  if (flags.reserves) {
    promise("charges nothing for a hole, and the full size of allocated space", (fs) => {
      using(fs, "/a", { write: true, create: true }, (file) => {
        expect(file.truncate(2 ** 39)).toBe(0)
        expect(must(file.stat()).size).toBe(2 ** 39)
        expect(named(file.allocate(0, 2 ** 39))).toBe("ENOSPC")
        expect(named(file.truncate(2 ** 41))).toBe("EFBIG")
        expect(named(file.allocate(2 ** 40, 1))).toBe("EFBIG")
        return 0
      })
    })
  }

  if (flags.asksModes) {
    promise("checks the owner's bits of files only when they are opened", (fs) => {
      put(fs, "/a", "text")
      using(fs, "/a", { write: true }, (file) => {
        fs.setMode(fs.root, "/a", 0o444)
        expect(file.write(bytes("TE"))).toBe(2)
        return 0
      })
      expect(named(using(fs, "/a", { write: true }, () => 0))).toBe("EACCES")
      expect(named(using(fs, "/a", { read: true, truncate: true }, () => 0))).toBe("EACCES")
      expect(get(fs, "/a")).toBe("TExt")
      fs.setMode(fs.root, "/a", 0o222)
      expect(get(fs, "/a")).toBe("EACCES")
      // What is new can be written by who made it, whatever its mode.
      expect(put(fs, "/b", "b", 0o400)).toBe(1)
      expect(get(fs, "/b")).toBe("b")
    })

    promise("checks the owner's bits of folders: x to enter, r to list, w and x to change", (fs) => {
      for (const path of ["/d", "/d/in"]) fs.makeDirectory(fs.root, path, 0o755)
      put(fs, "/d/f", "f")
      put(fs, "/g", "g")
      fs.setMode(fs.root, "/d", 0o600)
      expect(get(fs, "/d/f")).toBe("EACCES")
      expect(named(fs.directory(fs.root, "/d"))).toBe("EACCES")
      fs.setMode(fs.root, "/d", 0o300)
      expect(get(fs, "/d/f")).toBe("f")
      expect(names(fs, "/d")).toBe("EACCES")
      expect(named(using(fs, "/d", { read: true }, () => 0))).toBe("EACCES")
      fs.setMode(fs.root, "/d", 0o500)
      expect(named(put(fs, "/d/new", ""))).toBe("EACCES")
      expect(put(fs, "/d/f", "still")).toBe(5)
      expect(named(fs.unlink(fs.root, "/d/f"))).toBe("EACCES")
      expect(named(fs.removeDirectory(fs.root, "/d/in"))).toBe("EACCES")
      expect(named(fs.makeDirectory(fs.root, "/d/new", 0o755))).toBe("EACCES")
      expect(named(fs.symlink("x", fs.root, "/d/new"))).toBe("EACCES")
      expect(named(fs.link(fs.root, "/g", fs.root, "/d/new"))).toBe("EACCES")
      expect(named(fs.rename(fs.root, "/g", fs.root, "/d/new"))).toBe("EACCES")
      expect(named(fs.rename(fs.root, "/d/f", fs.root, "/new"))).toBe("EACCES")
      fs.setMode(fs.root, "/d", 0o755)
      expect(names(fs, "/d")).toBe("f in")
    })
  }
}
