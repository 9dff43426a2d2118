import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { concatBytes, encodeUtf8 } from "../../src/base/bytes.ts"
import { FileEdit, Files, MemoryFileSystem } from "../../src/leaves/files/mod.ts"

const has = (program: string): boolean => process.platform !== "win32" && spawnSync(program, ["--version"]).status === 0

const edited = (text: string, ...replacements: ReadonlyArray<FileEdit.Replacement>) =>
  Result.getOrThrow(FileEdit.editText("f", text, replacements)).text

const refused = (text: string, ...replacements: ReadonlyArray<FileEdit.Replacement>) => {
  const error = Result.getOrThrow(Result.flip(FileEdit.editText("f", text, replacements)))
  return { reason: error.reason, index: error.index, lines: error.lines, message: error.message }
}

describe("replacements in a text", () => {
  it("are made one after the other", () => {
    expect(edited("a b c", { oldText: "a", newText: "x" }, { oldText: "x b", newText: "y" })).toBe("y c")
  })

  it("take the text literally, also the patterns of String.replace", () => {
    expect(edited("price", { oldText: "price", newText: "$& $1 $$" })).toBe("$& $1 $$")
    expect(edited("a.c abc", { oldText: "a.c", newText: "" })).toBe(" abc")
  })

  it("are refused if the text occurs more than once, with its lines", () => {
    expect(refused("x\ny\nx\n", { oldText: "x", newText: "z" })).toEqual({
      reason: { _tag: "Ambiguous" },
      index: 0,
      lines: [1, 3],
      message: "edit f: replacement 1: oldText occurs 2 times, in lines 1, 3; add lines around it, or set replaceAll",
    })
    expect(edited("x\ny\nx\n", { oldText: "x", newText: "z", replaceAll: true })).toBe("z\ny\nz\n")
  })

  it("are refused where the text overlaps itself, soon and with a bounded message", () => {
    expect(refused("aaa", { oldText: "aa", newText: "b" })).toMatchObject({
      reason: { _tag: "Ambiguous" },
      lines: [1, 1],
    })
    expect(edited("aaa", { oldText: "aa", newText: "b", replaceAll: true })).toBe("ba")
    const { lines, message } = refused("a".repeat(1_000_000), { oldText: "a".repeat(500_000), newText: "b" })
    expect(lines).toHaveLength(20)
    expect(message).toContain("occurs more than 20 times")
  })

  it("find text of several lines with either line end in a text that has both", () => {
    expect(edited("a\r\nb\nc\nd\n", { oldText: "a\nb", newText: "x\ny" })).toBe("x\r\ny\nc\nd\n")
    const both = "a\nb\r\nc\r\n"
    const text = Result.getOrThrow(FileEdit.editText("f", both, [{ oldText: "a\nb", newText: "x\ny" }], "\r\n")).text
    expect(text).toBe("x\ny\r\nc\r\n")
  })

  it("are refused if the text does not occur, with the nearest line", () => {
    expect(refused("if (a) {\n\treturn\n}\n", { oldText: "  return\n}", newText: "" })).toMatchObject({
      reason: { _tag: "NotFound" },
      lines: [2],
    })
    expect(refused("a", { oldText: "b", newText: "c" }).message).toBe(
      "edit f: replacement 1: oldText is not in the file; read the file again",
    )
    expect(refused("a", { oldText: "a", newText: "b" }, { oldText: "a", newText: "c" })).toMatchObject({ index: 1 })
    expect(refused("a", { oldText: "", newText: "b" }).reason._tag).toBe("Empty")
    expect(refused("a", { oldText: "a", newText: "a" }).reason._tag).toBe("NoChange")
  })

  it("come with a unified diff", () => {
    const lines = Array.from({ length: 9 }, (_, index) => `${index + 1}\n`).join("")
    const { diff } = Result.getOrThrow(FileEdit.editText("n.txt", lines, [{ oldText: "5\n", newText: "five\n" }]))
    expect(diff).toBe("--- a/n.txt\n+++ b/n.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n")
  })
})

it.runIf(has("git") && has("patch"))("the diff of an edit is taken by git and by patch", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-edit-"))
  const before = "\ufeffone\r\n- \r\n\u2028\rtwo\f\n\\ three"
  for (const name of ["f", "a b", "é.txt", 'quo"te', "back\\slash"]) {
    const { diff, text } = Result.getOrThrow(
      FileEdit.editText(name, before, [{ oldText: "t", newText: "T", replaceAll: true }]),
    )
    for (const [program, ...words] of [["git", "apply", "-"], ["patch", "-p1", "--binary"]] as const) {
      writeFileSync(join(folder, name), before)
      const env = { ...process.env, GIT_DIR: "/dev/null" }
      const { status } = spawnSync(program, words, { cwd: folder, input: diff, env })
      expect([program, name, status]).toEqual([program, name, 0])
      expect(readFileSync(join(folder, name), "utf8")).toBe(text)
    }
  }
  rmSync(folder, { recursive: true })
})

describe("replacements in a file", () => {
  const editFile = (bytes: Uint8Array, ...replacements: ReadonlyArray<FileEdit.Replacement>) =>
    Effect.runPromise(Effect.provide(
      Effect.gen(function* () {
        yield* Files.write("f", bytes)
        yield* FileEdit.edit("f", replacements)
        return yield* Files.read("f")
      }),
      MemoryFileSystem.layer,
    ))

  it("keep CRLF, though the replacement has LF", async () => {
    const bytes = await editFile(encodeUtf8("a\r\nb\r\nc\r\n"), { oldText: "a\nb", newText: "x\ny" })
    expect(new TextDecoder().decode(bytes)).toBe("x\r\ny\r\nc\r\n")
  })

  it("keep the byte order mark, and bytes that are not UTF-8", async () => {
    const head = Uint8Array.of(0xef, 0xbb, 0xbf, 0xff, 0x80)
    const bytes = await editFile(concatBytes([head, encodeUtf8(" é a")]), { oldText: "a", newText: "b" })
    expect(bytes).toEqual(concatBytes([head, encodeUtf8(" é b")]))
  })

  it("keep UTF-16, of either byte order", async () => {
    const little = Uint8Array.of(0xff, 0xfe, 0x61, 0, 0x62, 0)
    expect(await editFile(little, { oldText: "a", newText: "é" })).toEqual(Uint8Array.of(0xff, 0xfe, 0xe9, 0, 0x62, 0))
    const big = Uint8Array.of(0xfe, 0xff, 0, 0x61, 0, 0x62)
    expect(await editFile(big, { oldText: "b", newText: "c" })).toEqual(Uint8Array.of(0xfe, 0xff, 0, 0x61, 0, 0x63))
  })

  it("keep invalid UTF-16: lone surrogates, and half a unit at the end", async () => {
    const file = (letter: number) => Uint8Array.of(0xff, 0xfe, 0, 0xd8, letter, 0, 1, 0xdc, 0x7a)
    expect(await editFile(file(0x61), { oldText: "a", newText: "b" })).toEqual(file(0x62))
  })

  it("come with a diff that has the byte order mark, as git's has", async () => {
    const program = Effect.gen(function* () {
      yield* Files.write("f", "\ufeffa\n")
      return (yield* FileEdit.edit("f", [{ oldText: "a", newText: "b" }])).diff
    })
    const diff = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
    expect(diff).toBe("--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-\ufeffa\n+\ufeffb\n")
  })

  it("are made only in a file of at most maxBytes", async () => {
    const program = Effect.gen(function* () {
      yield* Files.write("f", "a b")
      const edit = [{ oldText: "a", newText: "xyz" }]
      expect(yield* Effect.flip(FileEdit.edit("f", edit, { maxBytes: 2 }))).toMatchObject({ code: "EFBIG" })
      yield* FileEdit.edit("f", edit, { maxBytes: 3 })
      expect(yield* Files.readText("f")).toBe("xyz b")
    })
    await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
  })

  it("are all made or none", async () => {
    const program = Effect.gen(function* () {
      yield* Files.write("f", "a b")
      const wrong = FileEdit.edit("f", [{ oldText: "a", newText: "x" }, { oldText: "c", newText: "y" }])
      expect(yield* Effect.flip(wrong)).toMatchObject({ _tag: "FileEditError", index: 1 })
      expect(yield* Files.readText("f")).toBe("a b")
      expect(yield* Effect.flip(FileEdit.edit("none", []))).toMatchObject({ faultKind: "NotFound" })
    })
    await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
  })
})
