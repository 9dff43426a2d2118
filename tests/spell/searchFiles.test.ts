import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Files, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { applyPatch, searchFiles, Spellbook } from "../../src/spell/mod.ts"

const book = Spellbook.make(searchFiles, applyPatch)

const cast = (tree: Readonly<Record<string, string>>, name: string, input: Schema.Json) =>
  Effect.runPromise(Effect.provide(
    Effect.andThen(
      Effect.forEach(Object.entries(tree), ([path, text]) => Files.write(path, text)),
      Effect.result(Spellbook.cast(book, name, input)),
    ),
    MemoryFileSystem.layer,
  ))

const search = async (tree: Readonly<Record<string, string>>, input: Schema.Json) =>
  Result.getOrThrow(await cast(tree, "search_files", input))

const source = { "src/a.ts": "one\ntwo x\nthree\nfour x\nfive\nsix\nseven\neight x\n", "src/b.md": "x\n" }

describe("search_files", () => {
  it("answers with lines below the path of their file", async () => {
    expect(await search(source, { pattern: "\\bx$" })).toEqual({
      text: "src/a.ts\n2:two x\n4:four x\n8:eight x\n\nsrc/b.md\n1:x",
      matches: 4,
      files: 2,
    })
    expect(await search(source, { pattern: "x", globs: ["*.md"], path: "src" })).toMatchObject({
      text: "src/b.md\n1:x",
    })
  })

  it("shows each line of the context once, and as a match where it is one", async () => {
    const { text } = Object(await search(source, { pattern: " x", context: 1 }))
    expect(text).toBe("src/a.ts\n1-one\n2:two x\n3-three\n4:four x\n5-five\n7-seven\n8:eight x")
    const wide = Object(await search(source, { pattern: " x", context: 3 }))
    expect(wide.text).toBe("src/a.ts\n1-one\n2:two x\n3-three\n4:four x\n5-five\n6-six\n7-seven\n8:eight x")
  })

  it("lists files without a pattern", async () => {
    const tree = { ...source, ".gitignore": "*.md\n" }
    expect(await search(tree, {})).toEqual({ text: "src/a.ts", matches: 1, files: 1 })
    expect(await search(tree, { hidden: true, globs: [".*"] })).toMatchObject({ text: ".gitignore" })
  })

  it("says that there is more", async () => {
    const many = { a: "x\n".repeat(500) }
    expect(await search(many, { pattern: "x", maxMatches: 3 })).toEqual({
      text: "a\n1:x\n2:x\n3:x",
      matches: 3,
      files: 1,
      hasMore: "there are more matches; search a folder below, or with a narrower pattern",
    })
    expect(await search(many, { pattern: "x" })).toMatchObject({ matches: 200 })
    const folder = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`f${index}`, ""]))
    expect(await search(folder, {})).toMatchObject({ matches: 1_000, hasMore: expect.stringContaining("more files") })
  })

  it("keeps within its budget, and shows of a long line the part with the match", async () => {
    const long = { a: `${"-".repeat(5_000)}needle${"-".repeat(5_000)}\n`, b: `${"needle ".repeat(60)}\n`.repeat(1_000) }
    const { hasMore, text } = Object(await search(long, { pattern: "needle", maxMatches: 1_000 }))
    expect(text.split("\n")[1]).toMatch(/^1:…-+needle-+…$/)
    expect(text.split("\n")[1].length).toBeLessThan(420)
    expect(text.length).toBeLessThanOrEqual(48_000)
    expect(text.length).toBeGreaterThan(40_000)
    expect(hasMore).toContain("more matches")
  })

  it("tells a model how to fix its pattern", async () => {
    const fault = Result.getOrThrow(Result.flip(await cast({}, "search_files", { pattern: "a(?=b)" })))
    expect(fault).toMatchObject({
      faultKind: "Failed",
      failure: { _tag: "FileSearchError", reason: { _tag: "InvalidPattern" } },
    })
    expect(fault.message).toContain("use the syntax of RE2, or pass literal")
  })
})

describe("apply_patch", () => {
  const patch =
    "*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/c.ts\n@@ one\n-two x\n+2\n*** Add File: d\n+d\n*** End Patch"

  it("changes files, and reports the change of each", async () => {
    expect(Result.getOrThrow(await cast(source, "apply_patch", { patch }))).toEqual({
      files: [
        { change: "moved", path: "src/a.ts", movedTo: "src/c.ts", addedLines: 1, removedLines: 1, fuzz: 0 },
        { change: "added", path: "d", addedLines: 1, removedLines: 0, fuzz: 0 },
      ],
    })
  })

  it("tells a model which line does not apply", async () => {
    const fault = Result.getOrThrow(Result.flip(await cast({ "src/a.ts": "one\n" }, "apply_patch", { patch })))
    expect(fault).toMatchObject({
      faultKind: "Failed",
      failure: { reason: { _tag: "Conflict" }, path: "src/a.ts", line: 4 },
    })
  })

  it("names every file that it would touch, for approval", () => {
    expect(Result.getOrThrow(applyPatch.inspect({ patch })).targets).toEqual([
      { _tag: "Path", path: "src/a.ts" },
      { _tag: "Path", path: "src/c.ts" },
      { _tag: "Path", path: "d" },
    ])
  })
})
