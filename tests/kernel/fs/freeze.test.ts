import { expect, it } from "@effect/vitest"
import { memory } from "../../../src/kernel/fs/memory.ts"
import { overlay, readOnly } from "../../../src/kernel/fs/overlay.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import type { MemoryFolder } from "../../../src/kernel/fs/MemoryFolder.ts"
import type { Folder, Volume } from "../../../src/kernel/fs/Node.ts"
import type { Directory } from "../../../src/kernel/OpenFile.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { forSeeds, type Random } from "../../support/random.ts"
import { must, put, readAll, using } from "./support.ts"

/** A volume with files below an overlay, made anew for each file system. */
const filled: Volume = (context) => {
  const files = VirtualFileSystem.make({ mounts: { "/": memory() }, now: context.now })
  for (const path of ["/a", "/b", "/d"]) files.makeDirectory(files.root, path, 0o755)
  for (const path of ["/f", "/a/f", "/a/g", "/d/f"]) put(files, path, `below ${path}`)
  files.symlink("a/f", files.root, "/l")
  return files.root as Folder
}

const make = (): VirtualFileSystem =>
  VirtualFileSystem.make({
    mounts: { "/": memory({ maxBytes: 3_000_000 }), "/over": overlay(filled), "/ro": readOnly(filled) },
    now: () => 0n,
  })

type Change = (files: VirtualFileSystem) => unknown

const folders = ["", "/a", "/b", "/a/b", "/over", "/over/a", "/over/d", "/over/b", "/ro"]
const names = ["a", "b", "d", "f", "g", "l"]

const randomPath = ({ pick }: Random): string => `${pick(folders)}/${pick(names)}`

const randomChange = (random: Random): Change => {
  const [path, other] = [randomPath(random), randomPath(random)]
  const length = random.pick([1, 10, 5_000, 70_000])
  const offset = random.pick([0, 5, 65_530, 130_000])
  const mode = random.pick([0o600, 0o755])
  const content = new Uint8Array(length).fill(random.int(1, 250))
  return random.pick<Change>([
    (files) => put(files, path, content),
    (files) => put(files, path, content),
    (files) => using(files, path, { write: true, create: true }, (file) => file.writeAt(offset, content)),
    (files) => using(files, path, { write: true }, (file) => file.truncate(offset)),
    (files) => files.makeDirectory(files.root, path, 0o755),
    (files) => files.symlink(other, files.root, path),
    (files) => files.link(files.root, path, files.root, other),
    (files) => files.rename(files.root, path, files.root, other),
    (files) => files.unlink(files.root, path),
    (files) => files.removeDirectory(files.root, path),
    (files) => files.setMode(files.root, path, mode),
    (files) => files.list(must(files.directory(files.root, "/over"))),
  ])
}

/** Everything that a program can see of the tree but inode numbers: hard links are groups of paths. */
const describe = (files: VirtualFileSystem): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const inodes = new Map<string, string>()
  const visit = (path: string): void => {
    const folder = files.directory(files.root, path === "" ? "/" : path)
    if (typeof folder === "number") return
    for (const { name } of must(files.list(folder))) {
      const here = `${path}/${name}`
      const stat = must(files.stat(files.root, here, { follow: false }))
      const key = `${stat.device}:${stat.inode}`
      const first = inodes.get(key) ?? here
      inodes.set(key, first)
      const content = stat.type === FileType.symbolicLink
        ? files.readlink(files.root, here)
        : stat.type === FileType.regularFile
        ? using(files, here, { read: true }, (file) => {
          const bytes = readAll(file)
          return typeof bytes === "number" ? bytes : digestOf(bytes)
        })
        : ""
      lines.push(`${here} ${stat.type} ${stat.mode.toString(8)} ${stat.links} ${stat.size} ${first} ${content}`)
      if (stat.type === FileType.directory) visit(here)
    }
  }
  visit("")
  return lines
}

const digestOf = (bytes: Uint8Array): string => {
  let hash = 7
  for (const byte of bytes) hash = (Math.imul(hash, 31) + byte) | 0
  return `${hash}`
}

const usageOf = (files: VirtualFileSystem): ReadonlyArray<number> => {
  const { bytes, names } = (files.root as MemoryFolder).volume
  return [bytes, names]
}

it("a fork and its original change independently, like two separate trees", () => {
  forSeeds(200, (random) => {
    const changes = (count: number): ReadonlyArray<Change> => Array.from({ length: count }, () => randomChange(random))
    const before = changes(random.int(0, 30))
    const mine = changes(random.int(0, 12))
    const theirs = changes(random.int(0, 12))
    const apart = (...parts: ReadonlyArray<ReadonlyArray<Change>>): VirtualFileSystem => {
      const files = make()
      for (const change of parts.flat()) change(files)
      return files
    }
    const files = apart(before)
    const fork = files.fork()
    for (let at = 0; at < Math.max(mine.length, theirs.length); at++) {
      mine[at]?.(files)
      theirs[at]?.(fork)
    }
    const further = changes(4)
    const second = fork.fork()
    for (const change of further) change(second)
    const expected = [apart(before, mine), apart(before, theirs), apart(before, theirs, further)]
    expect([files, fork, second].map(usageOf)).toEqual(expected.map(usageOf))
    expect([files, fork, second].map(describe)).toEqual(expected.map(describe))
  })
})

it("does not count the bytes of a file that is open and has no name any more", () => {
  const files = make()
  const file = must(files.open(files.root, "/gone", { write: true, create: true }))
  file.write(new Uint8Array(1000))
  files.unlink(files.root, "/gone")
  expect([usageOf(files)[0], usageOf(files.fork())[0]]).toEqual([1000, 0])
  file.release()
  expect(usageOf(files)[0]).toBe(0)
})

it("a very deep tree is forked", () => {
  const files = make()
  let at: Directory = files.root
  for (let depth = 0; depth < 20_000; depth++) {
    files.makeDirectory(at, "d", 0o755)
    at = must(files.directory(at, "d"))
  }
  let fork = files.fork().root as Folder
  let depth = 0
  for (let next = fork.lookup("d"); typeof next !== "number"; next = fork.lookup("d")) {
    fork = next as Folder
    depth++
  }
  expect(depth).toBe(20_000)
})
