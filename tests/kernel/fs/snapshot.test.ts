import { expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import * as host from "node:fs"
import { join } from "node:path"
import { concatBytes } from "../../../src/base/bytes.ts"
import { runCoroutineSync } from "../../../src/kernel/Coroutine.ts"
import { devices } from "../../../src/kernel/fs/devices.ts"
import { makeHostFolder } from "../../../src/kernel/fs/HostFolder.ts"
import { memory } from "../../../src/kernel/fs/memory.ts"
import { Folder } from "../../../src/kernel/fs/Node.ts"
import { overlay, readOnly } from "../../../src/kernel/fs/overlay.ts"
import { restore } from "../../../src/kernel/fs/restore.ts"
import { snapshot, snapshotParts } from "../../../src/kernel/fs/snapshot.ts"
import { unpackMembers } from "../../../src/kernel/fs/unpackMembers.ts"
import { padding } from "../../../src/kernel/fs/tar.ts"
import { readTar } from "../../../src/kernel/fs/tarReader.ts"
import { archiveEnd, memberHeader } from "../../../src/kernel/fs/tarWriter.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { hostFiles } from "../../../src/kernel/fs/nodeHostFiles.ts"
import { forSeeds } from "../../support/random.ts"
import { hostScratch } from "./scratch.ts"
import { bytes, get, must, named, names, put, readAll, statOf, ticking, using } from "./support.ts"

const unpack = (folder: Folder, archive: Uint8Array): void =>
  runCoroutineSync(unpackMembers(folder, readTar(archive).members))

/** All that is known of a file system but who its files are: paths, modes, times, links, bytes. */
const picture = (fs: VirtualFileSystem, path = "/"): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const inodes = new Map<string, string>()
  const look = (at: string): void => {
    for (const { name } of must(fs.list(must(fs.directory(fs.root, at))))) {
      const here = `${at === "/" ? "" : at}/${name}`
      const stat = statOf(fs, here, false)
      const who = `${stat.device} ${stat.inode}`
      const known = inodes.get(who)
      inodes.set(who, known ?? here)
      const what = `${here} ${stat.mode.toString(8)} ${stat.modified}`
      if (stat.type === FileType.directory) {
        lines.push(`${what} folder`)
        look(here)
      } else if (stat.type === FileType.symbolicLink) lines.push(`${what} -> ${fs.readlink(fs.root, here)}`)
      else if (stat.type === FileType.regularFile) {
        lines.push(`${what} ${known ?? stat.links} ${stat.size} ${hash(fs, here)}`)
      }
    }
  }
  look(path)
  return lines
}

const hash = (fs: VirtualFileSystem, path: string): number => {
  const read = using(fs, path, { read: true }, readAll)
  return typeof read === "number" ? read : read.reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, 0)
}

const make = (): VirtualFileSystem =>
  VirtualFileSystem.make({ mounts: { "/": memory(), "/dev": devices(), "/vol": memory() }, now: ticking() })

const fill = (fs: VirtualFileSystem): void => {
  for (const path of ["/d", "/d/e", "/d/empty", `/${"l".repeat(120)}`]) fs.makeDirectory(fs.root, path, 0o755)
  put(fs, "/d/f", "text", 0o640)
  put(fs, "/d/zero", "")
  put(fs, "/d/e/block", new Uint8Array(512).fill(1))
  put(fs, "/d/e/large", new Uint8Array(200_000).map((_, i) => i % 251))
  put(fs, `/${"l".repeat(120)}/ä 😀\n`, "odd")
  put(fs, "/vol/v", "in another volume")
  fs.link(fs.root, "/d/f", fs.root, "/other")
  fs.symlink("../d/f", fs.root, "/d/link")
  fs.symlink(`/${"t".repeat(300)}`, fs.root, "/d/long")
  fs.setTimes(fs.root, "/d/f", -250_000_000n, -1_750_000_001n)
  fs.setTimes(fs.root, "/d/e", 1n, 1_600_000_000_123_456_789n)
  fs.setMode(fs.root, "/d/empty", 0o500)
}

it("restores bytes, modes, times and links, and nothing else", () => {
  const fs = make()
  fill(fs)
  const before = picture(fs)
  const archive = snapshot(fs)
  put(fs, "/d/f", "changed")
  put(fs, "/new", "new")
  fs.rename(fs.root, "/d/e", fs.root, "/elsewhere")
  fs.unlink(fs.root, "/vol/v")
  restore(fs, archive)
  expect(picture(fs)).toEqual(before)
  const other = make()
  restore(other, archive)
  expect(snapshot(other)).toEqual(archive)
  expect(picture(other)).toEqual(before)
})

it("counts only the restored files after a restore", () => {
  const fs = VirtualFileSystem.make({ mounts: { "/": memory({ maxBytes: 1000, maxFiles: 4 }) }, now: ticking() })
  fs.makeDirectory(fs.root, "/d", 0o755)
  put(fs, "/d/a", new Uint8Array(900))
  fs.symlink("d", fs.root, "/l")
  const archive = snapshot(fs)
  for (let i = 0; i < 5; i++) restore(fs, archive)
  expect(put(fs, "/b", new Uint8Array(99))).toBe(99)
  expect(named(put(fs, "/c", ""))).toBe("ENOSPC")
  expect(statOf(fs, "/").links).toBe(3)
})

it("keeps files that are open through a restore, and takes their bytes off when they are closed", () => {
  const fs = VirtualFileSystem.make({ mounts: { "/": memory({ maxBytes: 1000 }) }, now: ticking() })
  const archive = snapshot(fs)
  put(fs, "/a", new Uint8Array(600).fill(1))
  using(fs, "/a", { read: true }, (file) => {
    restore(fs, archive)
    expect(get(fs, "/a")).toBe("ENOENT")
    expect(must(readAll(file))).toEqual(new Uint8Array(600).fill(1))
    return 0
  })
  expect(put(fs, "/a", new Uint8Array(1000))).toBe(1000)
})

it("keeps holes: a file of 512 GiB with three bytes in it fits into a few KiB", () => {
  const fs = make()
  using(fs, "/sparse", { write: true, create: true }, (file) => {
    file.writeAt(2 ** 30, bytes("mid"))
    file.writeAt(0, bytes("start"))
    return file.truncate(2 ** 39)
  })
  const archive = snapshot(fs)
  expect(archive.length).toBeLessThan(80_000)
  restore(fs, archive)
  expect(statOf(fs, "/sparse").size).toBe(2 ** 39)
  using(fs, "/sparse", { read: true }, (file) => {
    const part = new Uint8Array(7)
    file.readAt(2 ** 30 - 2, part)
    expect(Array.from(part)).toEqual([0, 0, ...bytes("mid"), 0, 0])
    file.readAt(0, part)
    expect(Array.from(part)).toEqual([...bytes("start"), 0, 0])
    return 0
  })
})

it("contains the changes of an overlay, including removed names", () => {
  hostScratch((folder) => {
    for (const name of ["keep", "change", "remove", "move", "touch"]) host.writeFileSync(join(folder, name), name)
    host.mkdirSync(join(folder, "d", "e"), { recursive: true })
    host.writeFileSync(join(folder, "d", "e", "deep"), "deep")
    host.mkdirSync(join(folder, "gone"))
    host.writeFileSync(join(folder, "gone", "x"), "x")
    const again = (): VirtualFileSystem =>
      VirtualFileSystem.make({ mounts: { "/": overlay(makeHostFolder(hostFiles(), folder)) }, now: ticking() })
    const fs = again()
    put(fs, "/change", "changed")
    fs.unlink(fs.root, "/remove")
    fs.rename(fs.root, "/move", fs.root, "/moved")
    fs.rename(fs.root, "/d/e", fs.root, "/e")
    fs.setMode(fs.root, "/touch", 0o600)
    put(fs, "/d/new", "new")
    fs.unlink(fs.root, "/gone/x")
    fs.removeDirectory(fs.root, "/gone")
    fs.makeDirectory(fs.root, "/gone", 0o755)
    get(fs, "/keep")
    const before = picture(fs)
    const archive = snapshot(fs)
    expect(readTar(archive).members.some(({ path }) => path === "keep")).toBe(false)
    const other = again()
    put(other, "/noise", "noise")
    fs.unlink(other.root, "/keep")
    restore(other, archive)
    expect(picture(other)).toEqual(before)
    expect(get(other, "/e/deep") + get(other, "/gone/x") + get(other, "/keep")).toBe("deepENOENTkeep")
    restore(other, snapshot(again()))
    expect(picture(other)).toEqual(picture(again()))
  })
})

it("keeps of an overlay the second name of a file or a link below, and the times that a link was given", () => {
  hostScratch((folder) => {
    host.writeFileSync(join(folder, "f"), "f")
    for (const name of ["l", "m"]) host.symlinkSync("f", join(folder, name))
    const volume = overlay(makeHostFolder(hostFiles(), folder))
    const fs = VirtualFileSystem.make({ mounts: { "/": volume }, now: ticking() })
    fs.link(fs.root, "/f", fs.root, "/f2")
    fs.link(fs.root, "/l", fs.root, "/l2", { follow: false })
    fs.setTimes(fs.root, "/m", 1n, 2n, { follow: false })
    const other = VirtualFileSystem.make({ mounts: { "/": volume }, now: ticking() })
    restore(other, snapshot(fs))
    expect(picture(other)).toEqual(picture(fs))
    expect([statOf(other, "/f").links, statOf(other, "/l", false).links, statOf(other, "/m", false).modified]).toEqual(
      [2, 2, 2n],
    )
  })
})

it("leaves folders of the host and read-only volumes out, and as they are", () => {
  hostScratch((folder) => {
    host.writeFileSync(join(folder, "theirs"), "theirs")
    host.chmodSync(folder, 0o700)
    const fs = VirtualFileSystem.make({
      mounts: {
        "/": memory(),
        "/work": makeHostFolder(hostFiles(), folder),
        "/ro": readOnly(makeHostFolder(hostFiles(), folder)),
      },
      now: ticking(),
    })
    put(fs, "/mine", "mine")
    const archive = snapshot(fs)
    expect(readTar(archive).members.map(({ path }) => path)).toEqual([".", "mine"])
    put(fs, "/work/theirs", "changed")
    restore(fs, archive)
    expect(get(fs, "/work/theirs")).toBe("changed")
    expect(host.statSync(folder).mode & 0o777).toBe(0o700)
    expect(names(fs, "/")).toBe("mine ro work")
  })
})

it("is an archive that tar unpacks, and unpacks what tar has packed", () => {
  hostScratch((folder) => {
    const fs = make()
    fill(fs)
    fs.setMode(fs.root, "/d/empty", 0o755)
    using(fs, "/sparse", { write: true, create: true }, (file) => file.writeAt(300_000, bytes("end")))
    host.writeFileSync(join(folder, "snapshot.tar"), snapshot(fs))
    host.mkdirSync(join(folder, "out"))
    execFileSync("tar", ["-xpf", "snapshot.tar", "-C", "out"], { cwd: folder, stdio: ["ignore", "ignore", "ignore"] })
    const theirs = VirtualFileSystem.make({
      mounts: { "/": makeHostFolder(hostFiles(), join(folder, "out")) },
      now: ticking(),
    })
    const plain = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
      lines.filter((line) => !line.startsWith("/dev")).map((line) => line.replace(/ -?\d{4,} /, " "))
    expect(plain(picture(theirs))).toEqual(plain(picture(fs)))
    // Before 1970 there are only pax and GNU.
    host.utimesSync(join(folder, "out", "d", "f"), 1, 1)
    for (const format of ["ustar", "pax", "gnu", "v7"]) {
      // The old formats have no long names.
      const what = format === "pax" || format === "gnu" ? ["."] : ["./d/e", "./d/f", "./other"]
      execFileSync("tar", [`--format=${format}`, "-cf", join(folder, "theirs.tar"), ...what], {
        cwd: join(folder, "out"),
      })
      const back = make()
      unpack(back.root, host.readFileSync(join(folder, "theirs.tar")))
      expect([format, get(back, "/d/f"), get(back, "/other"), statOf(back, "/d/e/large").size]).toEqual([
        format,
        "text",
        "text",
        200_000,
      ])
      expect(hash(back, "/d/e/large")).toBe(hash(fs, "/d/e/large"))
      if (what.length === 1) {
        expect(get(back, `/${"l".repeat(120)}/ä 😀\n`)).toBe("odd")
        expect(back.readlink(back.root, "/d/long")).toBe(`/${"t".repeat(300)}`)
      }
    }
  })
})

/** An archive of one member. */
const archiveOf = (path: string, type: "file" | "folder" | "link" | "hardLink", target = ""): Uint8Array =>
  concatBytes([
    ...memberHeader({ path, type, mode: 0o644, modified: 0n, target, size: 0, records: new Map() }),
    padding(0),
    archiveEnd(),
  ])

it("unpacks only inside the folder, without `..` and without following links", () => {
  const fs = make()
  fs.makeDirectory(fs.root, "/in", 0o755)
  put(fs, "/secret", "secret")
  fs.symlink("/", fs.root, "/in/out")
  const root = fs.root.lookup("in")
  if (!(root instanceof Folder)) throw new Error("it is no folder")
  const refused = (archive: Uint8Array, message: string): void => expect(() => unpack(root, archive)).toThrow(message)
  refused(archiveOf("../secret", "file"), "(ENOTCAPABLE)")
  refused(archiveOf("a/../../secret", "file"), "(ENOTCAPABLE)")
  refused(archiveOf("out/secret", "file"), "(ENOTDIR)")
  refused(archiveOf("out/d", "folder"), "(ENOTDIR)")
  refused(archiveOf("x", "hardLink", "out/secret"), "(ENOTDIR)")
  refused(archiveOf("x", "hardLink", "../secret"), "(ENOTCAPABLE)")
  refused(archiveOf("n".repeat(300), "file"), "(ENAMETOOLONG)")
  // An absolute path is one within the folder, as tar has it; a link in the last place is replaced.
  unpack(root, archiveOf("/absolute", "file"))
  unpack(root, archiveOf("out", "file"))
  expect(names(fs, "/in")).toBe("absolute out")
  expect(get(fs, "/secret")).toBe("secret")
})

it("refuses bytes that are not a snapshot, truncated or damaged, before it changes anything", () => {
  const fs = make()
  fill(fs)
  const archive = snapshot(fs)
  const before = picture(fs)
  expect(() => restore(fs, new Uint8Array(0))).toThrow("tar: the archive is empty")
  expect(() => restore(fs, bytes("no archive".repeat(100)))).toThrow("tar: ")
  expect(() => restore(fs, archiveOf("a", "file"))).toThrow("snapshot: this is not a snapshot of version 1")
  expect(() => restore(fs, archive.subarray(0, 100_000))).toThrow("tar: the archive is truncated")
  for (let cut = 512; cut < archive.length; cut += 512) {
    expect(() => restore(make(), archive.subarray(0, cut))).toThrow("tar: the archive is truncated")
  }
  forSeeds(300, ({ int }) => {
    const damaged = archive.slice()
    // In the first headers and records, where it counts.
    for (let i = 0; i < 3; i++) damaged[int(0, 8000)] = int(0, 255)
    const scratch = make()
    try {
      restore(scratch, damaged)
    } catch (error) {
      expect(error).toBeInstanceOf(Error)
      expect(String(error)).toMatch(/^Error: (tar|snapshot): /)
    }
  })
  expect(picture(fs)).toEqual(before)
})

it("is written in pieces of at most 64 KiB", () => {
  const fs = make()
  put(fs, "/large", new Uint8Array(1_000_000).fill(1))
  let total = 0
  for (const part of snapshotParts(fs)) {
    expect(part.length).toBeLessThanOrEqual(65_536)
    total += part.length
  }
  expect(total).toBe(snapshot(fs).length)
})

it("refuses records whose length is not theirs", () => {
  const entry = { path: "a", type: "file", mode: 0o644, modified: 0n, target: "", size: 0 } as const
  const archive = concatBytes([...memberHeader({ ...entry, records: new Map([["k", "v"]]) }), archiveEnd()])
  // The first record is in the block after the first header, with its length at its start.
  expect(new TextDecoder().decode(archive.subarray(512, 523))).toBe("11 mtime=0\n")
  expect(readTar(archive).members[0]?.records.get("k")).toBe("v")
  for (const length of ["00", "01", "02", "-9", "9x", "99", "1 "]) {
    archive.set(new TextEncoder().encode(length), 512)
    expect(() => readTar(archive), length).toThrow(/a pax record has/)
  }
})
