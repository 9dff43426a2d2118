/** A process that swaps a folder with a link to one outside, in a loop, while files below the name are read and written. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { FilePatch, Files, FileSearch, LocalFileSystem } from "../../../src/leaves/files/mod.ts"
import { LocalShell } from "../../../src/leaves/local/LocalShell.ts"
import { makeHolder } from "../../../src/leaves/files/holdPath.ts"
import { hostBackend } from "../../../src/leaves/files/hostBackend.ts"
import { leafFilesSettings } from "../../../src/leaves/files/LeafFilesOptions.ts"
import { makeFiles } from "../../../src/leaves/files/makeFiles.ts"
import { posixRules } from "../../../src/leaves/files/PathRules.ts"
import { canSwap, swapAttack, untouched } from "../../support/swapAttack.ts"

type LocalLayer = (rootPath: string) => Layer.Layer<Files, unknown>

const localFiles: LocalLayer = (rootPath) => LocalFileSystem.layer({ rootPath })

const attack = (
  name: string,
  swapped: string,
  use: Effect.Effect<unknown, never, Files>,
  layer: LocalLayer = localFiles,
  isEnough?: () => boolean,
) => swapAttack(name, { swapped, use, layer, ...(isEnough === undefined ? {} : { isEnough }) })

describe.runIf(canSwap)("a folder that others swap with a link to one outside", () => {
  it("is not read through", async () => {
    const counts = new Map<string, number>()
    const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
    const read = Effect.forEach(
      ["a/f", "a/b/f"],
      (path) =>
        Effect.map(
          Effect.result(Files.readText(path)),
          (result) => count(Result.isSuccess(result) ? result.success : result.failure.faultKind),
        ),
    )
    const isEnough = () => counts.has("inside") && counts.has("AccessDenied")
    expect(await attack("read", "a", read, localFiles, isEnough)).toEqual(untouched)
    expect(counts.get("THE SECRET")).toBe(undefined)
    expect(counts.get("inside")).toBeGreaterThan(0)
    expect(counts.get("AccessDenied")).toBeGreaterThan(0)
  })

  it("is not read or appended through where paths can only be compared", async () => {
    const comparing: LocalLayer = (rootPath) => {
      const backend = hostBackend(fs, {
        root: fs.realpathSync(rootPath),
        rules: posixRules(true),
        // As on macOS, and on Deno without all permissions.
        holder: makeHolder(fs, "darwin", false),
        followSymlinks: true,
        preservePermissions: false,
        flush: false,
      })
      expect(backend.capabilities.containment).toBe("verify")
      return Layer.succeed(Files, makeFiles(backend, leafFilesSettings("LocalFileSystem", {})))
    }
    const counts = new Map<string, number>()
    const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
    const use = Effect.gen(function* () {
      for (const path of ["a/f", "a/b/f"]) {
        const read = yield* Effect.result(Files.readText(path))
        count(Result.isSuccess(read) ? read.success : read.failure.faultKind)
        yield* Effect.ignore(Files.write(path, "", { createMode: "AppendExisting" }))
        const stat = yield* Effect.result(Files.stat(path))
        if (Result.isSuccess(stat)) count(`${stat.success.size} bytes`)
      }
    })
    const isEnough = () => counts.has("inside") && counts.has("6 bytes")
    expect(await attack("compare", "a", use, comparing, isEnough)).toEqual(untouched)
    expect([...counts.keys()].filter((what) => what !== "AccessDenied").sort()).toEqual(["6 bytes", "inside"])
  })

  it("is not listed through", async () => {
    const sizes = new Set<number>()
    const list = Stream.runForEach(Files.list("a", { recursive: true }), ({ isDirectory, size }) =>
      Effect.sync(() => {
        if (!isDirectory) sizes.add(size)
      }))
    expect(await attack("list", "a", Effect.ignore(list), localFiles, () => sizes.size > 0)).toEqual(untouched)
    // "inside" and "THE SECRET" have the same size: what is outside differs in its names.
    expect([...sizes]).toEqual([6])
  })

  const ripgrep: LocalLayer = (rootPath) =>
    Layer.provide(LocalFileSystem.layerWithRipgrep({ rootPath }), LocalShell.layer)
  const engines = [["file by file", localFiles], ["with ripgrep", ripgrep]] as const
  it.each(engines)("is not searched through, %s", async (engine, layer) => {
    const texts = new Set<string>()
    const search = FileSearch.search("SECRET|inside").pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          if (event._tag === "FileMatch") texts.add(event.text)
        })
      ),
    )
    expect(await attack(`search ${engine}`, "a", Effect.ignore(search), layer, () => texts.size > 0)).toEqual(untouched)
    expect([...texts]).toEqual(["inside"])
  })

  it("is not patched through", async () => {
    const patch = (from: string, to: string) =>
      `*** Begin Patch\n*** Update File: a/f\n@@\n-${from}\n+${to}\n*** Update File: a/b/f\n@@\n-${from}\n+${to}\n*** End Patch`
    const both = Effect.forEach(
      [patch("THE SECRET", "changed"), patch("inside", "changed"), patch("changed", "inside")],
      (text) => Effect.ignore(FilePatch.apply(text)),
    )
    expect(await attack("patch", "a", both)).toEqual(untouched)
  })

  it("is not written through, replaced, appended or created", async () => {
    const write = Effect.forEach(
      ["CreateOrReplace", "CreateOrAppend", "CreateNew"] as const,
      (createMode) =>
        Effect.forEach(
          ["a/f", "a/b/f", "a/new", "a/b/deep/new"],
          (path) => Effect.ignore(Files.write(path, "written", { createMode })),
        ),
    )
    expect(await attack("write", "a", write)).toEqual(untouched)
  })

  it("is not deleted through", async () => {
    const remove = Effect.gen(function* () {
      yield* Effect.ignore(Files.write("a/b/x", ""))
      yield* Effect.ignore(Files.delete("a/b/f"))
      yield* Effect.ignore(Files.delete("a/b", { recursive: true }))
    })
    expect(await attack("delete", "a", remove)).toEqual(untouched)
  })

  it("resists all of these if the last folder is swapped", async () => {
    const all = Effect.gen(function* () {
      yield* Effect.ignore(Files.write("a/b/f", "written"))
      yield* Effect.ignore(Files.write("a/b/f", "more", { createMode: "AppendExisting" }))
      yield* Effect.ignore(Files.write("a/b/new", "new", { createMode: "CreateNew" }))
      yield* Effect.ignore(Files.delete("a/b/f"))
    })
    expect(await attack("last", "a/b", all)).toEqual(untouched)
  })
})
