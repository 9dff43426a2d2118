import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { concatBytes, encodeUtf8 } from "../../src/base/bytes.ts"
import { FileEdit, Files, MemoryFileSystem } from "../../src/leaves/files/mod.ts"

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

  it("take the text as it is, also what means something to String.replace", () => {
    expect(edited("price", { oldText: "price", newText: "$& $1 $$" })).toBe("$& $1 $$")
    expect(edited("a.c abc", { oldText: "a.c", newText: "" })).toBe(" abc")
  })

  it("are refused where the text is there more than once, with its places", () => {
    expect(refused("x\ny\nx\n", { oldText: "x", newText: "z" })).toEqual({
      reason: "Ambiguous",
      index: 0,
      lines: [1, 3],
      message: "edit f: replacement 1: oldText is there 2 times, in lines 1, 3; add lines around it, or set replaceAll",
    })
    expect(edited("x\ny\nx\n", { oldText: "x", newText: "z", replaceAll: true })).toBe("z\ny\nz\n")
  })

  it("are refused where the text is not there, with the line that comes nearest", () => {
    expect(refused("if (a) {\n\treturn\n}\n", { oldText: "  return\n}", newText: "" })).toMatchObject({
      reason: "NotFound",
      lines: [2],
    })
    expect(refused("a", { oldText: "b", newText: "c" }).message).toBe(
      "edit f: replacement 1: oldText is not in the file; read the file again",
    )
    expect(refused("a", { oldText: "a", newText: "b" }, { oldText: "a", newText: "c" })).toMatchObject({ index: 1 })
    expect(refused("a", { oldText: "", newText: "b" }).reason).toBe("Empty")
    expect(refused("a", { oldText: "a", newText: "a" }).reason).toBe("NoChange")
  })

  it("come with a unified diff", () => {
    const lines = Array.from({ length: 9 }, (_, index) => `${index + 1}\n`).join("")
    const { diff } = Result.getOrThrow(FileEdit.editText("n.txt", lines, [{ oldText: "5\n", newText: "five\n" }]))
    expect(diff).toBe("--- a/n.txt\n+++ b/n.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n")
  })
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
