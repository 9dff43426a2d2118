import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { FileFault, FilePatch, Files, type FilesService, LocalFileSystem } from "../../src/leaves/files/mod.ts"

const withFolder = async <A, E>(use: (root: string) => Effect.Effect<A, E, Files>): Promise<A> => {
  const root = mkdtempSync(join(tmpdir(), "sluice-patch-"))
  try {
    return await Effect.runPromise(Effect.provide(use(root), LocalFileSystem.layer({ rootPath: root })))
  } finally {
    rmSync(root, { recursive: true })
  }
}

const v4a = (...lines: ReadonlyArray<string>) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")

describe.runIf(process.platform !== "win32")("a patch of files of this machine", () => {
  it("changes nothing where a link gives one file two names", () =>
    withFolder((root) =>
      Effect.gen(function* () {
        mkdirSync(join(root, "d"))
        writeFileSync(join(root, "d/x"), "one\ntwo\n")
        symlinkSync("d", join(root, "l"))
        const patch = v4a("*** Update File: d/x", "-one", "+1", "*** Update File: l/x", "-two", "+2")
        expect(yield* Effect.flip(FilePatch.apply(patch))).toMatchObject({ reason: { _tag: "Changed" }, path: "l/x" })
        expect(readFileSync(join(root, "d/x"), "utf8")).toBe("one\ntwo\n")
      })
    ))

  it("keeps the permissions of a file that is moved, and of one whose deletion is undone", () =>
    withFolder((root) =>
      Effect.gen(function* () {
        for (const name of ["a", "b"]) {
          writeFileSync(join(root, name), "#!/bin/sh\n")
          chmodSync(join(root, name), 0o4755)
        }
        const mode = (name: string) => statSync(join(root, name)).mode & 0o777
        let deletions = 0
        const failing = (files: FilesService): FilesService => ({
          ...files,
          request: (request, options) => {
            const { _tag, correlationId, path } = request
            return _tag === "FileDelete" && ++deletions === 2
              ? Stream.fail(new FileFault({ correlationId, faultKind: "IoError", path, message: "failed" }))
              : files.request(request, options)
          },
        })
        const patch = v4a("*** Delete File: a", "*** Delete File: b")
        yield* Effect.flip(Effect.updateService(FilePatch.apply(patch), Files, failing))
        expect([mode("a"), mode("b")]).toEqual([0o755, 0o755])
        yield* FilePatch.apply(v4a("*** Update File: a", "*** Move to: bin/a", "*** Delete File: b"))
        expect(mode("bin/a")).toBe(0o755)
      })
    ))

  it("changes a file that is larger than is read without asking", () =>
    withFolder((root) =>
      Effect.gen(function* () {
        writeFileSync(join(root, "f"), `${`${"x".repeat(1_000_000)}\n`.repeat(70)}end\n`)
        yield* FilePatch.apply(v4a("*** Update File: f", "-end", "+End"))
        expect(statSync(join(root, "f")).size).toBe(70_000_074)
      })
    ))
})
