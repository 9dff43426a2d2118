import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as host from "node:fs"
import { dirname, join } from "node:path"
import { Errno } from "../../../src/kernel/Errno.ts"
import type { HostFiles } from "../../../src/kernel/fs/HostFiles.ts"
import { makeHostFolder } from "../../../src/kernel/fs/HostFolder.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { FileFlag } from "../../../src/kernel/OpenFile.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { hostFiles } from "../../../src/kernel/fs/nodeHostFiles.ts"
import { hostScratch } from "./scratch.ts"
import { bytes, get, must, named, names, put, readAll, statOf, text, ticking, using } from "./support.ts"

/** A folder with a secret beside it, and the file system over it. */
const beside = (test: (fs: VirtualFileSystem, root: string, outside: string) => void, files = hostFiles()): void =>
  hostScratch((root) => {
    const outside = join(dirname(root), "outside")
    host.mkdirSync(outside)
    host.writeFileSync(join(outside, "secret"), "secret")
    test(VirtualFileSystem.make({ mounts: { "/": makeHostFolder(files, root) }, now: ticking() }), root, outside)
    expect(host.readFileSync(join(outside, "secret"), "utf8")).toBe("secret")
    expect(host.readdirSync(outside)).toEqual(["secret"])
    expect(host.readdirSync(dirname(root)).sort()).toEqual(["outside", "root"])
  })

it("shows writes of the host, and writes to the host's folder", () => {
  beside((fs, root) => {
    put(fs, "/a", "from the sandbox")
    expect(host.readFileSync(join(root, "a"), "utf8")).toBe("from the sandbox")
    host.mkdirSync(join(root, "d"))
    host.writeFileSync(join(root, "d", "b"), "from the host")
    expect(get(fs, "/d/b")).toBe("from the host")
    expect(statOf(fs, "/d/b").modified / 1_000_000_000n).toBe(
      BigInt(Math.floor(host.statSync(join(root, "d", "b")).mtimeMs / 1000)),
    )
  })
})

it("keeps every path inside the host folder: with `..`, absolute, or with an odd name", () => {
  beside((fs) => {
    for (
      const path of [
        "../outside/secret",
        "/../../outside/secret",
        "a/../../outside/secret",
        "../../outside/secret",
        "/outside/secret",
        "..\\outside\\secret",
        "%2e%2e/outside/secret",
        "../outside/secret/",
        ".../outside",
      ]
    ) {
      expect([path, get(fs, path)]).toEqual([path, "ENOENT"])
      expect([path, named(put(fs, path, "overwritten"))]).toEqual([
        path,
        path.endsWith("/") ? "ENOENT" : path === "..\\outside\\secret" ? 11 : "ENOENT",
      ])
    }
    expect(get(fs, "../outside/secret\0")).toBe("EINVAL")
    expect(named(fs.rename(fs.root, "../outside/secret", fs.root, "x"))).toBe("ENOENT")
    expect(named(fs.removeDirectory(fs.root, "../outside"))).toBe("ENOENT")
  })
})

it("follows no link out of the host folder, relative or absolute", () => {
  beside((fs, root, outside) => {
    host.symlinkSync("../outside", join(root, "relative"))
    host.symlinkSync(outside, join(root, "absolute"))
    host.symlinkSync(join(outside, "secret"), join(root, "file"))
    host.symlinkSync("../outside/new", join(root, "dangling"))
    host.symlinkSync("/proc/self/root", join(root, "p"))
    fs.symlink(outside, fs.root, "/own")
    for (const name of ["relative/secret", "absolute/secret", "file", "own/secret", "p/etc/passwd"]) {
      expect([name, get(fs, name)]).toEqual([name, "ENOENT"])
      expect([name, named(fs.setMode(fs.root, name, 0o777))]).toEqual([name, "ENOENT"])
      expect([name, named(fs.link(fs.root, name, fs.root, "stolen"))]).toEqual([name, "ENOENT"])
    }
    for (const name of ["relative/new", "absolute/new", "own/new", "dangling"]) {
      expect([name, named(put(fs, name, "x"))]).toEqual([name, "ENOENT"])
      expect([name, named(fs.rename(fs.root, "file", fs.root, name === "dangling" ? "own/x" : name))]).toEqual([
        name,
        "ENOENT",
      ])
    }
    expect(named(fs.makeDirectory(fs.root, "relative/new", 0o755))).toBe("ENOENT")
    // They are seen as what they are, and go when they are removed, not what they lead to.
    expect(statOf(fs, "/relative", false).type).toBe(FileType.symbolicLink)
    expect(fs.readlink(fs.root, "/absolute")).toBe(outside)
    for (const name of ["relative", "absolute", "file", "dangling", "p", "own"]) {
      expect(fs.unlink(fs.root, name)).toBe(0)
    }
    expect(names(fs, "/")).toBe("")
  })
})

it("resolves an absolute link inside the sandbox", () => {
  beside((fs, root) => {
    host.mkdirSync(join(root, "etc"))
    host.writeFileSync(join(root, "etc", "passwd"), "of the sandbox")
    host.symlinkSync("/etc/passwd", join(root, "l"))
    expect(get(fs, "/l")).toBe("of the sandbox")
  })
})

/** The host's files, with a change by another process just before a call `within` a folder. */
const disturbed = (files: HostFiles, before: (folder: string) => void): HostFiles => {
  return {
    ...files,
    within: (folder, use) => {
      before(folder)
      return files.within(folder, use)
    },
  }
}

/** Folders are held, or compared before and after. */
const ways = [true, false].map((holdFolders) => hostFiles({ holdFolders }))

it("refuses a folder that is replaced by a link between check and use", () => {
  let armed = false
  const swap = (folder: string): void => {
    if (!armed || !folder.endsWith("/d")) return
    armed = false
    host.renameSync(folder, `${folder}.old`)
    host.symlinkSync("../outside", folder)
  }
  const calls: ReadonlyArray<readonly [string, (fs: VirtualFileSystem) => unknown]> = [
    ["read", (fs) => get(fs, "/d/secret")],
    ["write", (fs) => named(put(fs, "/d/secret", "x"))],
    ["create", (fs) => named(put(fs, "/d/new", "x"))],
    ["stat", (fs) => named(fs.stat(fs.root, "/d/secret"))],
    ["mkdir", (fs) => named(fs.makeDirectory(fs.root, "/d/new", 0o755))],
    ["unlink", (fs) => named(fs.unlink(fs.root, "/d/secret"))],
    ["rename", (fs) => named(fs.rename(fs.root, "/d/secret", fs.root, "/x"))],
    ["rename into", (fs) => named(fs.rename(fs.root, "/f", fs.root, "/d/new"))],
    ["link", (fs) => named(fs.link(fs.root, "/d/secret", fs.root, "/x"))],
    ["symlink", (fs) => named(fs.symlink("x", fs.root, "/d/new"))],
    ["chmod", (fs) => named(fs.setMode(fs.root, "/d/secret", 0o777))],
    ["utimes", (fs) => named(fs.setTimes(fs.root, "/d/secret", 0n, 0n))],
    ["list", (fs) => names(fs, "/d")],
    ["folder", (fs) => named(fs.setMode(fs.root, "/d", 0o777))],
  ]
  for (const [name, call, files] of ways.flatMap((files) => calls.map((each) => [...each, files] as const))) {
    beside((fs, root) => {
      host.mkdirSync(join(root, "d"))
      host.writeFileSync(join(root, "d", "secret"), "decoy")
      host.writeFileSync(join(root, "f"), "")
      armed = true
      const answer = call(fs)
      armed = false
      expect([name, answer]).toEqual([name, expect.stringMatching(/^(ENOTCAPABLE|ENOTDIR|ENOENT)$/)])
    }, disturbed(files, swap))
  }
})

it("refuses a parent folder that becomes a link, and one that always was a link", () => {
  for (const files of ways) {
    beside((fs, root, outside) => {
      host.mkdirSync(join(outside, "in"))
      host.mkdirSync(join(root, "a", "in"), { recursive: true })
      const inside = must(fs.directory(fs.root, "/a/in"))
      host.renameSync(join(root, "a"), join(root, "b"))
      host.symlinkSync("../outside", join(root, "a"))
      expect(named(fs.open(inside, "new", { write: true, create: true }))).toBe("ENOTCAPABLE")
      expect(named(fs.list(inside))).toBe("ENOTCAPABLE")
      expect(named(fs.directory(fs.root, "/a/in"))).toBe("ENOENT")
      host.rmdirSync(join(outside, "in"))
    }, files)
  }
})

it("opens no file that becomes a link at the last moment", () => {
  const files = hostFiles()
  let secret = ""
  const sly: HostFiles = {
    ...files,
    open: (path, options) => {
      if (options.create === undefined) {
        host.unlinkSync(path)
        host.symlinkSync(secret, path)
      }
      return files.open(path, options)
    },
  }
  beside((fs, root, outside) => {
    secret = join(outside, "secret")
    host.writeFileSync(join(root, "f"), "decoy")
    expect(get(fs, "/f")).toBe("ELOOP")
    host.unlinkSync(join(root, "f"))
    host.writeFileSync(join(root, "f"), "decoy")
    expect(named(using(fs, "/f", { write: true, truncate: true }, () => 0))).toBe("ELOOP")
  }, sly)
})

it("opens no pipes, sockets or devices, and waits for none", () => {
  beside((fs, root) => {
    execFileSync("mkfifo", [join(root, "pipe")])
    expect(statOf(fs, "/pipe").type).toBe(FileType.unknown)
    expect(get(fs, "/pipe")).toBe("ENXIO")
    expect(named(using(fs, "/pipe", { write: true }, () => 0))).toBe("ENXIO")
    // Even if it was a file when it was looked at.
    const files = hostFiles()
    expect(named(files.open(join(root, "pipe"), { read: true, write: false, append: false }))).toBe("ENXIO")
    expect(named(files.open(root, { read: true, write: false, append: false }))).toBe("EISDIR")
    expect(fs.unlink(fs.root, "/pipe")).toBe(0)
  })
})

it("does not set setuid or setgid", () => {
  beside((fs, root) => {
    put(fs, "/a", "#!/bin/sh", 0o6755)
    expect(host.statSync(join(root, "a")).mode & 0o7777).toBe(0o755)
    expect(fs.setMode(fs.root, "/a", 0o4711)).toBe(0)
    expect(host.statSync(join(root, "a")).mode & 0o7777).toBe(0o711)
    fs.makeDirectory(fs.root, "/d", 0o2777)
    expect(host.statSync(join(root, "d")).mode & 0o7777).toBe(0o777)
  })
})

it("appends together with others of the host", () => {
  beside((fs, root) => {
    put(fs, "/log", "1")
    using(fs, "/log", { write: true, flags: FileFlag.append }, (file) => {
      expect(file.write(bytes("2"))).toBe(1)
      host.appendFileSync(join(root, "log"), "3")
      expect(file.write(bytes("4"))).toBe(1)
      expect(file.seek(0, 1)).toBe(4)
      return 0
    })
    expect(get(fs, "/log")).toBe("1234")
  })
})

/** Which files of a folder this process has open: Linux tells; elsewhere there is nothing to look at. */
const openIn = (root: string): ReadonlyArray<string> =>
  (host.existsSync("/proc/self/fd") ? host.readdirSync("/proc/self/fd") : []).flatMap((handle) => {
    try {
      const path = host.readlinkSync(`/proc/self/fd/${handle}`)
      return path.startsWith(root) ? [path] : []
    } catch {
      return []
    }
  })

it("closes each handle of the host that it opens", () => {
  beside((fs, root) => {
    put(fs, "/a", "x")
    for (let i = 0; i < 50; i++) {
      get(fs, "/a")
      get(fs, "/a/b")
      names(fs, "/")
      fs.setMode(fs.root, "/a", 0o600)
      put(fs, "/b", "y")
      fs.rename(fs.root, "/b", fs.root, "/c")
      using(fs, "/c", { read: true, directory: true }, () => 0)
    }
    expect(openIn(root)).toEqual([])
    using(fs, "/a", { read: true }, () => {
      if (host.existsSync("/proc/self/fd")) expect(openIn(root)).toEqual([join(root, "a")])
      return 0
    })
  })
})

it("returns the errno of the host, and never throws", () => {
  const files = hostFiles()
  hostScratch((root) => {
    expect(named(files.realFolder(join(root, "no")))).toBe("ENOENT")
    host.writeFileSync(join(root, "f"), "")
    expect(named(files.realFolder(join(root, "f")))).toBe("ENOTDIR")
    expect(named(files.lstat(join(root, "x".repeat(300))))).toBe("ENAMETOOLONG")
    expect(named(files.lstat(join(root, "a\0b")))).toBe("EINVAL")
    expect(named(files.list(join(root, "f")))).toBe("ENOTDIR")
    expect(named(files.readlink(join(root, "f")))).toBe("EINVAL")
    expect(named(files.stat(12345))).toBe("EBADF")
    expect(named(files.read(12345, 0, new Uint8Array(1)))).toBe("EBADF")
    expect(named(files.setMode(join(root, "no"), 0o600))).toBe("ENOENT")
    expect(files.within(root, () => -Errno.EPERM)).toBe(-Errno.EPERM)
    expect(named(files.within(join(root, "no"), () => 0))).toBe("ENOENT")
    host.symlinkSync(".", join(root, "l"))
    expect(named(files.within(join(root, "l"), () => 0))).toMatch(/^ENOT(DIR|CAPABLE)$/)
    expect(named(files.within(join(root, "l", "l"), () => 0))).toMatch(/^ENOT(DIR|CAPABLE)$/)
  })
})

it("lists a folder without the stat of each name, except for what is not a file, folder or link", () => {
  const files = hostFiles()
  let looks = 0
  const counting: HostFiles = {
    ...files,
    lstat: (path) => {
      looks++
      return files.lstat(path)
    },
  }
  beside((fs, root) => {
    for (let i = 0; i < 100; i++) host.writeFileSync(join(root, `f${i}`), "")
    host.mkdirSync(join(root, "d"))
    host.symlinkSync("f1", join(root, "l"))
    const folder = must(fs.directory(fs.root, "/"))
    looks = 0
    const entries = must(fs.list(folder))
    expect(looks).toBe(0)
    const typeOf = (name: string): FileType | undefined => entries.find((entry) => entry.name === name)?.type
    expect([typeOf("f7"), typeOf("d"), typeOf("l")]).toEqual([
      FileType.regularFile,
      FileType.directory,
      FileType.symbolicLink,
    ])
    for (const { inode, name } of entries) {
      expect([name, inode]).toEqual([name, must(fs.stat(fs.root, `/${name}`, { follow: false })).inode])
    }
  }, counting)
})

it("keeps a file that is open, whatever the host does with its name", () => {
  beside((fs, root, outside) => {
    put(fs, "/a", "mine")
    using(fs, "/a", { read: true }, (file) => {
      host.unlinkSync(join(root, "a"))
      host.symlinkSync(join(outside, "secret"), join(root, "a"))
      expect(text(must(readAll(file)))).toBe("mine")
      expect(must(file.stat()).links).toBe(0)
      return 0
    })
  })
})

it("writes at the offset once the append flag is cleared", () => {
  beside((fs, root) => {
    const append = { write: true, read: true, create: true, flags: FileFlag.append }
    using(fs, "/log", append, (file) => {
      file.write(bytes("aaa"))
      host.appendFileSync(join(root, "log"), "bbb")
      expect(file.write(bytes("c"))).toBe(1)
      file.flags = 0
      expect(file.seek(0, 0)).toBe(0)
      expect(file.write(bytes("X"))).toBe(1)
      expect(file.writeAt(2, bytes("Y"))).toBe(1)
      expect(file.seek(0, 1)).toBe(1)
      file.flags = FileFlag.append
      expect(file.writeAt(0, bytes("d"))).toBe(1)
      return 0
    })
    expect(host.readFileSync(join(root, "log"), "utf8")).toBe("XaYbbbcd")
    // Where its name is another file's by now, it says so: nothing goes where it is not to go.
    using(fs, "/log", append, (file) => {
      host.renameSync(join(root, "log"), join(root, "old"))
      host.writeFileSync(join(root, "log"), "new")
      file.flags = 0
      expect(named(file.writeAt(0, bytes("Z")))).toBe("ESTALE")
      return 0
    })
    expect(["log", "old"].map((name) => host.readFileSync(join(root, name), "utf8"))).toEqual(["new", "XaYbbbcd"])
  })
})

it("returns the times that were set to the nanosecond, until another process sets others", () => {
  beside((fs, root) => {
    put(fs, "/a", "x")
    fs.symlink("a", fs.root, "/link")
    const [accessed, modified] = [1_700_000_000_123_456_789n, 1_600_000_000_987_654_321n]
    expect(fs.setTimes(fs.root, "/a", accessed, modified)).toBe(0)
    expect(statOf(fs, "/a")).toMatchObject({ accessed, modified })
    expect(fs.setTimes(fs.root, "/link", modified, accessed, { follow: false })).toBe(0)
    expect(statOf(fs, "/link", false)).toMatchObject({ accessed: modified, modified: accessed })
    expect(statOf(fs, "/a")).toMatchObject({ accessed, modified })
    using(fs, "/a", { write: true }, (file) => {
      expect(file.setTimes(undefined, modified - 100n)).toBe(0)
      expect(file.stat()).toMatchObject({ accessed, modified: modified - 100n })
      return 0
    })
    host.utimesSync(join(root, "a"), 1_000, 2_000)
    expect(statOf(fs, "/a")).toMatchObject({ accessed: 1_000_000_000_000n, modified: 2_000_000_000_000n })
  })
})

it("sees 128 levels of folders below its root: a lookup takes longer with each", () => {
  beside((fs, root) => {
    const deep = (levels: number): string => Array<string>(levels).fill("d").join("/")
    host.mkdirSync(join(root, deep(130)), { recursive: true })
    expect(statOf(fs, deep(128)).type).toBe(FileType.directory)
    expect(named(fs.stat(fs.root, deep(129)))).toBe("ENAMETOOLONG")
    expect(named(fs.makeDirectory(fs.root, `${deep(128)}/e`, 0o755))).toBe("ENAMETOOLONG")
    expect(named(put(fs, `${deep(128)}/f`, "x"))).toBe("ENAMETOOLONG")
    // Moved up, it is seen again.
    expect(fs.rename(fs.root, deep(100), fs.root, "e")).toBe(0)
    expect(statOf(fs, `e/${deep(30)}`).type).toBe(FileType.directory)
  })
})
