import { expect, it } from "@effect/vitest"
import { filesIn, makeFolders, pathsIn, readFile, readText, writeFile } from "../../../src/kernel/fs/files.ts"
import { memory } from "../../../src/kernel/fs/memory.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { named, ticking } from "./support.ts"

const make = (bytes = 1000): VirtualFileSystem =>
  VirtualFileSystem.make({ mounts: { "/": memory({ bytes }) }, now: ticking() })

it("puts files in by their paths, and lists and reads them", () => {
  const fs = make()
  expect(filesIn(fs, { "/a/b/c.txt": "text", "d": new Uint8Array([1, 2, 3]), "/empty/folder/": "" })).toBe(0)
  expect(pathsIn(fs)).toEqual(["/a/", "/a/b/", "/a/b/c.txt", "/d", "/empty/", "/empty/folder/"])
  expect(pathsIn(fs, "/a/b")).toEqual(["/a/b/c.txt"])
  expect(readText(fs, "/a/b/c.txt")).toBe("text")
  expect(readFile(fs, "/d")).toEqual(new Uint8Array([1, 2, 3]))
})

it("says what went wrong, and reads no more than it may", () => {
  const fs = make()
  expect(named(filesIn(fs, { "/a": "x", "/a/b": "y" }))).toBe("ENOTDIR")
  expect(named(writeFile(fs, "/big", "x".repeat(2000)))).toBe("ENOSPC")
  expect(named(readFile(fs, "/no"))).toBe("ENOENT")
  expect(named(pathsIn(fs, "/no"))).toBe("ENOENT")
  expect(named(makeFolders(fs, "/a/b"))).toBe("ENOTDIR")
  expect(makeFolders(fs, "/")).toBe(0)
  expect(named(readText(fs, "/big", 100))).toBe("EFBIG")
  expect(readFile(fs, "/a", 1)).toEqual(new Uint8Array([120]))
})
