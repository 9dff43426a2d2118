import { expect, it } from "@effect/vitest"
import * as host from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { errnoName } from "../../../src/kernel/Errno.ts"
import { makeHostFolder } from "../../../src/kernel/fs/HostFolder.ts"
import { memory } from "../../../src/kernel/fs/memory.ts"
import type { Volume } from "../../../src/kernel/fs/Node.ts"
import { overlay } from "../../../src/kernel/fs/overlay.ts"
import { restore } from "../../../src/kernel/fs/restore.ts"
import { snapshot } from "../../../src/kernel/fs/snapshot.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { type Directory, FileFlag, type OpenFile } from "../../../src/kernel/OpenFile.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { hostFiles } from "../../../src/kernel/fs/nodeHostFiles.ts"
import { forSeeds, type Random } from "../../support/random.ts"
import { must, ticking } from "./support.ts"

/** Deep enough that no path and no chain of links climbs out of it. */
const depth = 60
const below = Array.from({ length: depth }, () => "deep").join("/")
const { O_APPEND, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = host.constants

/** Deno's `node:fs` refuses combinations of flags that the system allows. */
const deno = process.versions["deno"] !== undefined

/** The host takes it off by itself; ours is told what is left. */
const umask = process.umask()

/** What a call came to, in one form for both: `ok`, data, or the name of an errno. */
type Outcome = string

const ours = (result: unknown): Outcome =>
  typeof result === "number" && result < 0 ? errnoName(result) : typeof result === "object" ? "ok" : `${result}`

const theirs = (call: () => unknown): Outcome => {
  try {
    const result = call()
    return result === undefined ? "0" : typeof result === "object" ? "ok" : `${result}`
  } catch (error) {
    const code = error instanceof Error && "code" in error ? `${error.code}` : `${error}`
    return code === "EOPNOTSUPP" ? "ENOTSUP" : code
  }
}

interface Pair {
  readonly ours: OpenFile
  readonly theirs: number
}

/** Both sides of one run. */
class Twins {
  readonly fs: VirtualFileSystem
  readonly at: Directory
  readonly root: string
  readonly open: Array<Pair> = []
  readonly log: Array<string> = []

  constructor(fs: VirtualFileSystem, root: string) {
    this.fs = fs
    this.root = root
    this.at = must(fs.directory(fs.root, below))
  }

  path(name: string): string {
    return `${this.root}/${name}`
  }

  /** Does it on both sides, and holds that both say the same. */
  same(what: string, mine: () => unknown, other: () => unknown): Outcome {
    const left = ours(mine())
    const right = theirs(other)
    this.log.push(`${what} -> ${right}`)
    if (left !== right) {
      throw new Error(`${what}: ours says ${left}, the host ${right}; before: ${this.log.slice(-12).join("; ")}`)
    }
    return left
  }

  close(): void {
    for (const pair of this.open.splice(0)) {
      pair.ours.release()
      host.closeSync(pair.theirs)
    }
  }
}

const someNames = ["a", "b", "c", "d"]

const somePath = ({ int, pick }: Random): string => {
  const parts = Array.from({ length: int(1, 3) }, () => int(0, 9) === 0 ? pick([".", ".."]) : pick(someNames))
  return parts.join(int(0, 15) === 0 ? "//" : "/") + (int(0, 9) === 0 ? "/" : "")
}

const someTarget = ({ int, pick }: Random): string =>
  (int(0, 3) === 0 ? "../" : "") + Array.from({ length: int(1, 2) }, () => pick(someNames)).join("/") +
  (int(0, 9) === 0 ? "/" : "")

// Their owner may do everything: root, who may run this, could anyway.
const modes = [0o744, 0o755, 0o700, 0o777, 0o750]

const typeName = (stat: host.Stats): number =>
  stat.isDirectory() ? FileType.directory : stat.isSymbolicLink() ? FileType.symbolicLink : FileType.regularFile

/** What stat tells and both can know: a folder's size and link count are each system's own. */
const hostStat = (stat: host.Stats): string =>
  stat.isDirectory()
    ? `folder ${(stat.mode & 0o7777).toString(8)}`
    : `${typeName(stat)} ${(stat.mode & 0o7777).toString(8)} ${stat.nlink} ${stat.size}`

const openOne = (twins: Twins, random: Random): void => {
  const { int, pick } = random
  const path = somePath(random)
  const create = int(0, 1) === 0
  const access = pick(deno && create ? [O_WRONLY, O_RDWR] : [O_RDONLY, O_WRONLY, O_RDWR])
  const read = access !== O_WRONLY
  const write = access !== O_RDONLY
  const exclusive = create && int(0, 3) === 0
  const truncate = write && int(0, 3) === 0
  const append = !(deno && (truncate || !write)) && int(0, 4) === 0
  const follow = int(0, 4) !== 0
  const directory = !create && int(0, 9) === 0
  const mode = pick(modes)
  const flags = access | (create ? O_CREAT : 0) | (exclusive ? O_EXCL : 0) | (truncate ? O_TRUNC : 0) |
    (append ? O_APPEND : 0) | (follow ? 0 : O_NOFOLLOW) | (directory ? O_DIRECTORY : 0)
  const options = {
    read,
    write,
    create,
    exclusive,
    truncate,
    follow,
    directory,
    mode: mode & ~umask,
    flags: append ? FileFlag.append : 0,
  }
  let mine: OpenFile | number = -1
  let other = -1
  twins.same(
    `open ${path} ${JSON.stringify(options)}`,
    () => typeof (mine = twins.fs.open(twins.at, path, options)) === "number" ? mine : 0,
    () => void (other = host.openSync(twins.path(path), flags, mode)),
  )
  if (typeof mine === "number" || other < 0) return
  twins.open.push({ ours: mine, theirs: other })
  if (twins.open.length > 4) {
    const old = twins.open.shift()
    old?.ours.release()
    if (old !== undefined) host.closeSync(old.theirs)
  }
}

const some = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => 1 + ((i * 7 + seed) % 255))

const useOpen = (twins: Twins, random: Random): void => {
  const { int, pick } = random
  if (twins.open.length === 0) return
  const file = pick(twins.open)
  // node:fs answers 0 for no bytes without asking the system.
  const length = pick([1, 10, 1000, 70_000])
  const offset = pick([0, 0, 3, 500, 65_530, 200_000])
  switch (int(0, 5)) {
    case 0: {
      const from = some(length, int(0, 255))
      twins.same(
        `write ${length}`,
        () => file.ours.write(from),
        () => host.writeSync(file.theirs, from, 0, length, null),
      )
      return
    }
    case 1: {
      const mine = new Uint8Array(length)
      const other = new Uint8Array(length)
      const read = twins.same(
        `read ${length}`,
        () => file.ours.read(mine),
        () => host.readSync(file.theirs, other, 0, length, null),
      )
      if (Number(read) > 0) expect(Buffer.compare(mine, other), twins.log.slice(-12).join("; ")).toBe(0)
      return
    }
    case 2: {
      const from = some(length, int(0, 255))
      twins.same(
        `writeAt ${offset} ${length}`,
        () => file.ours.writeAt(offset, from),
        () => host.writeSync(file.theirs, from, 0, length, offset),
      )
      return
    }
    case 3: {
      const mine = new Uint8Array(length)
      const other = new Uint8Array(length)
      const read = twins.same(
        `readAt ${offset} ${length}`,
        () => file.ours.readAt(offset, mine),
        () => host.readSync(file.theirs, other, 0, length, offset),
      )
      if (Number(read) > 0) expect(Buffer.compare(mine, other), twins.log.slice(-12).join("; ")).toBe(0)
      return
    }
    case 4:
      twins.same(`ftruncate ${offset}`, () => file.ours.truncate(offset), () => host.ftruncateSync(file.theirs, offset))
      return
    default:
      twins.same("fstat", () => {
        const stat = must(file.ours.stat())
        return stat.type === FileType.directory
          ? `folder ${stat.mode.toString(8)}`
          : `${stat.type} ${stat.mode.toString(8)} ${stat.links} ${stat.size}`
      }, () => hostStat(host.fstatSync(file.theirs)))
  }
}

const isHostFolder = (path: string): boolean => {
  try {
    return host.lstatSync(path).isDirectory()
  } catch {
    return false
  }
}

const step = (twins: Twins, random: Random, hardLinks: boolean): void => {
  const { int, pick } = random
  const { at, fs } = twins
  const path = somePath(random)
  const other = somePath(random)
  const mode = pick(modes)
  switch (int(0, 15)) {
    case 0:
    case 1:
    case 2:
      return openOne(twins, random)
    case 3:
    case 4:
    case 5:
    case 6:
      return useOpen(twins, random)
    case 7:
      twins.same(
        `mkdir ${path}`,
        () => fs.makeDirectory(at, path, mode & ~umask),
        () => host.mkdirSync(twins.path(path), mode),
      )
      return
    case 8:
      twins.same(`rmdir ${path}`, () => fs.removeDirectory(at, path), () => host.rmdirSync(twins.path(path)))
      return
    case 9:
      // Deno's `unlink` removes a folder, too.
      if (deno && (/[/.]$/.test(path) || isHostFolder(twins.path(path)))) return
      twins.same(`unlink ${path}`, () => fs.unlink(at, path), () => host.unlinkSync(twins.path(path)))
      return
    case 10:
      twins.same(
        `rename ${path} ${other}`,
        () => fs.rename(at, path, at, other),
        () => host.renameSync(twins.path(path), twins.path(other)),
      )
      return
    case 11:
      if (!hardLinks) return
      twins.same(
        `link ${path} ${other}`,
        () => fs.link(at, path, at, other, { follow: false }),
        () => host.linkSync(twins.path(path), twins.path(other)),
      )
      return
    case 12: {
      const target = someTarget(random)
      twins.same(
        `symlink ${target} ${path}`,
        () => fs.symlink(target, at, path),
        () => host.symlinkSync(target, twins.path(path)),
      )
      return
    }
    case 13:
      twins.same(`readlink ${path}`, () => fs.readlink(at, path), () => host.readlinkSync(twins.path(path)))
      return
    case 14:
      twins.same(`chmod ${path}`, () => fs.setMode(at, path, mode), () => host.chmodSync(twins.path(path), mode))
      return
    default: {
      const follow = int(0, 1) === 0
      twins.same(`stat ${path} ${follow}`, () => {
        const stat = fs.stat(at, path, { follow })
        return typeof stat === "number"
          ? stat
          : stat.type === FileType.directory
          ? `folder ${stat.mode.toString(8)}`
          : `${stat.type} ${stat.mode.toString(8)} ${stat.links} ${stat.size}`
      }, () => hostStat(follow ? host.statSync(twins.path(path)) : host.lstatSync(twins.path(path))))
    }
  }
}

/** Everything below a folder: path, what it is, and its content. */
const ourTree = (fs: VirtualFileSystem, at: Directory, path = ""): ReadonlyArray<string> =>
  must(fs.list(at)).flatMap(({ name, type }) => {
    const here = `${path}/${name}`
    const stat = must(fs.stat(at, name, { follow: false }))
    expect(stat.type).toBe(type)
    if (type === FileType.directory) {
      return [`${here} folder ${stat.mode.toString(8)}`, ...ourTree(fs, must(fs.directory(at, name)), here)]
    }
    const line = `${here} ${stat.type} ${stat.mode.toString(8)} ${stat.links} ${stat.size}`
    if (type === FileType.symbolicLink) return [`${line} ${fs.readlink(at, name)}`]
    const file = must(fs.open(at, name, { read: true }))
    const content = new Uint8Array(stat.size)
    expect(file.readAt(0, content)).toBe(stat.size)
    file.release()
    return [`${line} ${digest(content)}`]
  })

const theirTree = (folder: string, path = ""): ReadonlyArray<string> =>
  host.readdirSync(folder).sort().flatMap((name) => {
    const here = `${path}/${name}`
    const stat = host.lstatSync(join(folder, name))
    const line = `${here} ${hostStat(stat)}`
    if (stat.isDirectory()) return [line, ...theirTree(join(folder, name), here)]
    if (stat.isSymbolicLink()) return [`${line} ${host.readlinkSync(join(folder, name))}`]
    return [`${line} ${digest(host.readFileSync(join(folder, name)))}`]
  })

const digest = (content: Uint8Array): number => content.reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, 0)

/** A folder of the test's own, with the same deep folder for ours and for theirs. */
const prepared = (use: (ours: string, theirs: string) => void): void => {
  const scratch = host.realpathSync(host.mkdtempSync(join(tmpdir(), "sluice-fs-")))
  try {
    for (const side of ["ours", "theirs"]) host.mkdirSync(join(scratch, side, below), { recursive: true })
    use(join(scratch, "ours"), join(scratch, "theirs", below))
  } finally {
    host.rmSync(scratch, { recursive: true, force: true })
  }
}

const make = (volume: Volume): VirtualFileSystem => VirtualFileSystem.make({ mounts: { "/": volume }, now: ticking() })

/** Random calls on both, and the same tree after them. */
const run = (fs: VirtualFileSystem, theirs: string, random: Random, steps: number, hardLinks = true): void => {
  const twins = new Twins(fs, theirs)
  for (let i = 0; i < steps; i++) step(twins, random, hardLinks)
  twins.close()
  expect(ourTree(fs, twins.at)).toEqual(theirTree(theirs))
}

it("behaves in memory as the host's file system, call by call", () => {
  forSeeds(6, (random) =>
    prepared((_, theirs) => {
      const fs = make(memory())
      for (let i = 1; i <= depth; i++) fs.makeDirectory(fs.root, below.slice(0, 5 * i - 1), 0o777 & ~umask)
      run(fs, theirs, random, 400)
      const before = ourTree(fs, fs.root)
      restore(fs, snapshot(fs))
      expect(ourTree(fs, fs.root)).toEqual(before)
    }))
})

it("behaves in a host folder as the host's file system", () => {
  forSeeds(3, (random) => prepared((ours, theirs) => run(make(makeHostFolder(hostFiles(), ours)), theirs, random, 250)))
})

it("behaves in an overlay as the host's file system, and keeps the lower volume unchanged", () => {
  forSeeds(3, (random) =>
    prepared((ours, theirs) => {
      const lower = makeHostFolder(hostFiles(), ours)
      // Two names of one file below are two files above, once one of them is written to.
      run(make(lower), theirs, random, 150, false)
      const before = theirTree(ours)
      const fs = make(overlay(lower))
      run(fs, theirs, random, 250)
      expect(theirTree(ours)).toEqual(before)
      const again = make(overlay(lower))
      restore(again, snapshot(fs))
      expect(ourTree(again, again.root)).toEqual(ourTree(fs, fs.root))
    }))
})
