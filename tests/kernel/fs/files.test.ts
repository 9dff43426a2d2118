import { expect, it } from "@effect/vitest"
import { makeFolders, readFile, writeFile } from "../../../src/kernel/fs/files.ts"
import { memory } from "../../../src/kernel/fs/memory.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { named, ticking } from "./support.ts"

const make = (bytes = 1000): VirtualFileSystem =>
  VirtualFileSystem.make({ mounts: { "/": memory({ maxBytes: bytes }) }, now: ticking() })

it("writes whole files with the folders on the way, and reads them", () => {
  const fs = make()
  expect(writeFile(fs, "/a/b/c.txt", "text")).toBe(0)
  expect(writeFile(fs, "d", new Uint8Array([1, 2, 3]))).toBe(0)
  expect(writeFile(fs, "/empty/folder/", "")).toBe(0)
  expect(readFile(fs, "/a/b/c.txt")).toEqual(new TextEncoder().encode("text"))
  expect(readFile(fs, "/d")).toEqual(new Uint8Array([1, 2, 3]))
  expect(typeof fs.directory(fs.root, "/empty/folder")).toBe("object")
})

it("returns the errno of a failure, and reads no more than its limit", () => {
  const fs = make()
  expect(writeFile(fs, "/a", "x")).toBe(0)
  expect(named(writeFile(fs, "/a/b", "y"))).toBe("ENOTDIR")
  expect(named(writeFile(fs, "/big", "x".repeat(2000)))).toBe("ENOSPC")
  expect(named(readFile(fs, "/no"))).toBe("ENOENT")
  expect(named(makeFolders(fs, "/a/b"))).toBe("ENOTDIR")
  expect(makeFolders(fs, "/")).toBe(0)
  expect(named(readFile(fs, "/big", 100))).toBe("EFBIG")
  expect(readFile(fs, "/a", 1)).toEqual(new Uint8Array([120]))
})
