/** The settings of the facts file: their names, their defaults, and what each does. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FileRead, Files, LocalFileSystem, MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import { leafFilesSettings } from "../../../src/leaves/files/LeafFilesOptions.ts"

const rootPath = mkdtempSync(join(tmpdir(), "sluice-settings-"))
afterAll(() => rmSync(rootPath, { recursive: true, force: true }))

const local = (options?: Partial<LocalFileSystem.LocalFileSystemOptions>) =>
  LocalFileSystem.layer({ rootPath, ...options })

describe("the settings of a leaf", () => {
  it("have the defaults of the specification", () => {
    expect(leafFilesSettings("test", {})).toEqual({
      allowWrite: true,
      allowDelete: true,
      chunkSize: 65_536,
      streamingThreshold: 1_048_576,
      quota: undefined,
    })
  })

  it("have the names of the specification, two more, and no others", async () => {
    const all: Required<LocalFileSystem.LocalFileSystemOptions> = {
      rootPath,
      allowWrite: true,
      allowDelete: true,
      chunkSize: 65_536,
      streamingThreshold: 1_048_576,
      followSymlinks: true,
      preservePermissions: false,
      useLongPaths: true,
      flush: true,
      maxBytes: Infinity,
      maxFiles: Infinity,
      // Further ones.
      writable: [rootPath],
      protected: [],
      protectedNames: false,
    }
    await Effect.runPromise(Effect.provide(Files.write("a", ""), LocalFileSystem.layer(all)))
    // @ts-expect-error it is called rootPath
    const error = await Effect.runPromise(Effect.flip(LocalFileSystem.make({ root: "/" })))
    expect(error).toMatchObject({ _tag: "OptionError", option: "root" })
  })

  it.each([
    ["chunkSize", 0],
    ["chunkSize", 1.5],
    ["streamingThreshold", -1],
    ["maxBytes", -1],
    ["maxFiles", Number.NaN],
    ["allowWrite", "false"],
    ["allowDelete", 0],
  ])("refuse %s: %s", async (option, value) => {
    const error = await Effect.runPromise(Effect.flip(MemoryFileSystem.make({ [option]: value })))
    expect(error).toMatchObject({ _tag: "OptionError", option })
    expect(error.message).toContain(String(value))
  })

  it("cut a read into chunks of chunkSize above streamingThreshold", async () => {
    const program = Effect.gen(function* () {
      yield* Files.write("large", new Uint8Array(1_001))
      const events = yield* Stream.runCollect(Files.request(FileRead.make({ path: "large" })))
      return events.map((event) => event._tag === "FileContentChunk" ? event.data.length : event._tag)
    })
    const sizes = (streamingThreshold: number) =>
      Effect.runPromise(Effect.provide(program, local({ chunkSize: 300, streamingThreshold })))
    expect(await sizes(1_000)).toEqual([300, 300, 300, 101])
    expect(await sizes(1_001)).toEqual(["FileContent"])
  })

  it.runIf(process.platform !== "win32" && process.getuid?.() === 0)(
    "keep the owner and the set-user-id bit of a replaced file with preservePermissions only",
    async () => {
      const path = join(rootPath, "owned")
      const prepare = () => {
        writeFileSync(path, "old")
        chownSync(path, 1_234, 1_234)
        chmodSync(path, 0o4750)
      }
      const replaced = async (preservePermissions: boolean) => {
        prepare()
        await Effect.runPromise(Effect.provide(Files.write("owned", "new"), local({ preservePermissions })))
        const { mode, uid } = statSync(path)
        return [uid, mode & 0o7777]
      }
      expect(await replaced(true)).toEqual([1_234, 0o4750])
      expect(await replaced(false)).toEqual([0, 0o750])
    },
  )
})
