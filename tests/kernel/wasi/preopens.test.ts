import { expect, it } from "@effect/vitest"
import { Errno, errnoName } from "../../../src/kernel/Errno.ts"
import { FileType } from "../../../src/kernel/Stat.ts"
import { Right } from "../../../src/kernel/wasi/Rights.ts"
import { firstPreopen, folderDescriptor, rootDescriptor } from "../../../src/kernel/wasi/preopens.ts"
import { Guest, LoneProcess, name, Queue } from "../../support/wasiGuest.ts"

/** A program that was started in a folder, with `/work`, `/work/lib/own`, `/lib/common`, `/lib/own`, `/tmp`, `/top`. */
const startedIn = (folder: string) => {
  const process = new LoneProcess()
  const { files } = process
  for (const path of ["work", "work/lib", "lib", "tmp"]) files.makeDirectory(files.root, path, 0o755)
  const texts = { "work/lib/own": "work", "lib/own": "root", "lib/common": "common", top: "top", "work/only": "only" }
  for (const [path, text] of Object.entries(texts)) {
    const file = files.open(files.root, path, { create: true, write: true })
    if (typeof file === "number") throw new Error(errnoName(file))
    file.write(new TextEncoder().encode(text))
    file.release()
  }
  const guest = new Guest(process)
  for (let fd = 0; fd < firstPreopen; fd++) guest.give(new Queue())
  const root = rootDescriptor(files, folder)
  if (typeof root === "number") throw new Error(errnoName(root))
  expect(process.addDescriptor(root)).toBe(firstPreopen)
  const read = (path: string) => {
    const fd = guest.open(firstPreopen, path, { rights: Right.fd_read })
    if (fd < 0) return errnoName(fd)
    const buffer = guest.room(10)
    expect(name(guest.wasi.fd_read(fd, ...guest.vectors([buffer, 10]), 64))).toBe("SUCCESS")
    return guest.text(buffer, guest.u32())
  }
  const make = (path: string) => {
    expect(guest.open(firstPreopen, path, { how: 1 })).toBeGreaterThan(firstPreopen)
    return (inFiles: string) => typeof files.stat(files.root, inFiles) === "object"
  }
  return { guest, read, make }
}

it("gives a program the tree as /", () => {
  const { guest, read } = startedIn("/")
  expect(name(guest.wasi.fd_prestat_get(firstPreopen, 64))).toBe("SUCCESS")
  expect(guest.u32(68)).toBe(1)
  expect(["lib/own", "top", "only", "work/only"].map(read)).toEqual(["root", "top", "ENOENT", "only"])
})

it("looks up names in the working directory first, then from the root", () => {
  const { read } = startedIn("/work")
  expect(["only", "lib/own", "lib/common", "top", "work/only", "../top", "../lib/own", "./only", "none"].map(read))
    .toEqual(["only", "work", "common", "top", "only", "top", "root", "only", "ENOENT"])
})

it("makes new files in the working directory, unless only the root has a folder for them", () => {
  const { make } = startedIn("/work")
  expect(make("new")("work/new")).toBe(true)
  expect(make("lib/new")("work/lib/new")).toBe(true)
  expect(make("tmp/new")("tmp/new")).toBe(true)
})

it("creates a name in the working directory even if the root has a folder of that name", () => {
  const { guest, make } = startedIn("/work")
  const { files } = guest.process
  const isFolder = (path: string) => {
    const stat = files.stat(files.root, path)
    return typeof stat !== "number" && stat.type === FileType.directory
  }
  const [tmp, etc] = [guest.put("tmp"), guest.put("etc")]
  expect(name(guest.wasi.path_create_directory(firstPreopen, ...tmp))).toBe("SUCCESS")
  expect(isFolder("work/tmp")).toBe(true)
  files.makeDirectory(files.root, "etc", 0o755)
  expect(make("etc")("work/etc")).toBe(true)
  expect(name(guest.wasi.path_unlink_file(firstPreopen, ...etc))).toBe("SUCCESS")
  expect(name(guest.wasi.path_rename(firstPreopen, ...tmp, firstPreopen, ...etc))).toBe("SUCCESS")
  expect([isFolder("work/etc"), isFolder("work/tmp"), isFolder("etc"), isFolder("tmp")]).toEqual([
    true,
    false,
    true,
    true,
  ])
  // What has been moved away is looked for from the root again.
  expect(name(guest.wasi.path_create_directory(firstPreopen, ...guest.put("tmp/below")))).toBe("SUCCESS")
  expect(isFolder("tmp/below")).toBe(true)
})

it("leads nowhere above the root", () => {
  const { read } = startedIn("/work")
  expect(read("../../top")).toBe("ENOTCAPABLE")
  expect(read("/top")).toBe("ENOTCAPABLE")
})

it("preopens a folder by another name, and nothing above it", () => {
  const { guest } = startedIn("/")
  const folder = folderDescriptor(guest.process.files, "/work", "mine")
  if (typeof folder === "number") throw new Error(errnoName(folder))
  const fd = guest.process.addDescriptor(folder)
  expect(name(guest.wasi.fd_prestat_get(fd, 64))).toBe("SUCCESS")
  expect(name(guest.wasi.fd_prestat_dir_name(fd, 64, 4))).toBe("SUCCESS")
  expect(guest.text(64, 4)).toBe("mine")
  expect(guest.open(fd, "lib/own")).toBeGreaterThan(fd)
  expect(errnoName(guest.open(fd, "../top"))).toBe("ENOTCAPABLE")
  expect(folderDescriptor(guest.process.files, "/none", "none")).toBe(-Errno.ENOENT)
  expect(folderDescriptor(guest.process.files, "/top", "file")).toBe(-Errno.ENOTDIR)
})
