/** Tests the file calls while other programs change folders, at chosen moments. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FileList } from "../../../src/files/FileRequest.ts"
import { canReadProc } from "../../../src/leaves/files/canReadProc.ts"
import { deleteTree } from "../../../src/leaves/files/deleteTree.ts"
import { BackendError, type FileBackend } from "../../../src/leaves/files/FileBackend.ts"
import { makeHolder } from "../../../src/leaves/files/holdPath.ts"
import { hostBackend } from "../../../src/leaves/files/hostBackend.ts"
import { Files, LocalFileSystem } from "../../../src/leaves/files/mod.ts"
import { listTree } from "../../../src/leaves/files/listTree.ts"
import { posixRules } from "../../../src/leaves/files/PathRules.ts"

const roots: Array<string> = []
const makeRoot = (): string => {
  const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "sluice-host-")))
  roots.push(root)
  return root
}
afterAll(() => roots.forEach((root) => fs.rmSync(root, { recursive: true, force: true })))

const backendOf = (root: string, calls: typeof fs = fs): FileBackend =>
  hostBackend(calls, {
    root,
    rules: posixRules(true),
    holder: makeHolder(fs, process.platform, canReadProc(fs)),
    followSymlinks: true,
    preservePermissions: false,
    flush: true,
  })

describe.skipIf(process.platform === "win32")("the file calls of a folder of this machine", () => {
  it("delete nothing through a link that others put in place of a folder which is being deleted", async () => {
    const root = makeRoot()
    for (const folder of ["t/a/b", "keep/b"]) fs.mkdirSync(join(root, folder), { recursive: true })
    for (const path of ["a/1", "a/b/2"]) fs.writeFileSync(join(root, "t", path), "")
    for (const path of ["1", "b/2"]) fs.writeFileSync(join(root, "keep", path), "precious")
    const backend = backendOf(root)
    const swapped: FileBackend = {
      ...backend,
      list: (names, ...rest) =>
        Effect.tap(backend.list(names, ...rest), () =>
          Effect.sync(() => {
            if (names.join("/") !== "t/a/b") return
            fs.renameSync(join(root, "t/a"), join(root, "moved"))
            fs.symlinkSync(join(root, "keep"), join(root, "t/a"))
          })),
    }
    expect(await Effect.runPromise(deleteTree(swapped, ["t"], true))).toBe(2)
    expect(fs.readdirSync(join(root, "keep"), { recursive: true }).map(String).sort()).toEqual(["1", "b", "b/2"])
    expect(fs.existsSync(join(root, "t"))).toBe(false)
  })

  it("fail to list a folder that may be read and not entered", async () => {
    const root = makeRoot()
    fs.writeFileSync(join(root, "x"), "")
    // Root may enter every folder.
    const calls = new Proxy(fs, {
      get: (all, name, receiver) =>
        name === "lstatSync"
          ? () => {
            throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" })
          }
          : Reflect.get(all, name, receiver),
    })
    const error = await Effect.runPromise(Effect.flip(backendOf(root, calls).list([], true)))
    expect(error).toEqual(new BackendError("EACCES"))
  })

  it.runIf(process.platform === "linux")("say that a folder of a listing lies too deep", async () => {
    const root = makeRoot()
    const [upper, lower] = ["upper", "lower"].map((name) => join(root, name, ...Array(15).fill("d".repeat(200))))
    for (const folder of [upper, lower]) fs.mkdirSync(folder ?? "", { recursive: true })
    fs.writeFileSync(join(lower ?? "", "deep"), "")
    const [from, to] = [join(root, "lower"), join(upper ?? "", "lower")]
    fs.renameSync(from, to)
    try {
      const files = LocalFileSystem.layer({ rootPath: root })
      const list = (recursive: boolean) => Stream.runCollect(Files.list("upper", { recursive }))
      const fault = await Effect.runPromise(Effect.provide(Effect.flip(list(true)), files))
      expect(fault).toMatchObject({ faultKind: "PathTooLong", path: "upper", code: "ENAMETOOLONG" })
      expect(fault.message).toMatch(
        /^list upper: a folder below it is deeper .* \(\d+ names, from d+\/?d* on\).* without recursive \(/,
      )
      expect(await Effect.runPromise(Effect.provide(list(false), files))).toHaveLength(1)
    } finally {
      fs.renameSync(to, from)
    }
  })

  it("delete a folder that a link on its way leads to", async () => {
    const root = makeRoot()
    fs.mkdirSync(join(root, "real/t/a"), { recursive: true })
    fs.writeFileSync(join(root, "real/t/a/1"), "")
    fs.symlinkSync("real", join(root, "link"))
    expect(await Effect.runPromise(deleteTree(backendOf(root), ["link", "t"], true))).toBe(3)
    expect(fs.readdirSync(join(root, "real"))).toEqual([])
  })

  it("let no other user open a staged file before it has its permissions", async () => {
    const root = makeRoot()
    fs.writeFileSync(join(root, "secret"), "old", { mode: 0o600 })
    const modes: Array<unknown> = []
    const openSync: typeof fs.openSync = (path, flags, mode) => {
      if (mode !== undefined) modes.push(mode)
      return fs.openSync(path, flags, mode)
    }
    const open = new Proxy(fs.open, {
      apply: (target, self, call: ReadonlyArray<unknown>) => {
        modes.push(call[2])
        return Reflect.apply(target, self, call)
      },
    })
    const backend = backendOf(root, { ...fs, open, openSync })
    const writers = [
      backend.replace(["secret"], true),
      backend.create(["new"], 0o600),
      backend.append(["log"], true, 0o600),
    ]
    for (const open of writers) {
      await Effect.runPromise(Effect.scoped(Effect.flatMap(open, ({ commit }) => commit)))
    }
    expect(modes).toEqual([0o600, 0o600, 0o600])
    expect(["secret", "new", "log"].map((name) => fs.statSync(join(root, name)).mode & 0o777)).toEqual(modes)
  })
})

describe("the entries below a folder", () => {
  it("are not left out where the system failed: the listing fails", async () => {
    const root = makeRoot()
    fs.mkdirSync(join(root, "a"))
    const backend = backendOf(root)
    const failing = (code: string): FileBackend => ({
      ...backend,
      list: (names, ...rest) => names.length > 0 ? Effect.fail(new BackendError(code)) : backend.list(names, ...rest),
    })
    const list = (code: string) =>
      Stream.runCollect(listTree(failing(code), FileList.make({ path: "", recursive: true }), []))
    expect(await Effect.runPromise(Effect.flip(list("EMFILE")))).toMatchObject({ code: "EMFILE" })
    const [event] = await Effect.runPromise(list("EACCES"))
    expect(event).toMatchObject({ _tag: "FileListing", entries: [{ path: "a" }] })
  })
})
