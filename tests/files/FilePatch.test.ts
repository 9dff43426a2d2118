import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { concatBytes, encodeUtf8 } from "../../src/base/bytes.ts"
import { FileFault, FilePatch, Files, type FilesService, MemoryFileSystem } from "../../src/leaves/files/mod.ts"

type Tree = Readonly<Record<string, string | Uint8Array>>

/** Runs a program on a tree of files in memory. */
const withFiles = <A, E>(tree: Tree, program: Effect.Effect<A, E, Files>): Promise<A> =>
  Effect.runPromise(Effect.provide(
    Effect.andThen(Effect.forEach(Object.entries(tree), ([path, text]) => Files.write(path, text)), program),
    MemoryFileSystem.layer,
  ))

/** All files by path. */
const snapshot: Effect.Effect<Record<string, string>, FileFault, Files> = Effect.gen(function* () {
  const entries = yield* Stream.runCollect(Files.list("", { recursive: true }))
  const texts: Record<string, string> = {}
  for (const { isDirectory, path } of entries) {
    texts[isDirectory ? `${path}/` : path] = isDirectory ? "" : yield* Files.readText(path)
  }
  return texts
})

/** The files after a patch. */
const patched = (tree: Tree, patch: string) => withFiles(tree, Effect.andThen(FilePatch.apply(patch), snapshot))

/** The error of a patch, and whether the files are as they were. */
const refused = (tree: Tree, patch: string) =>
  withFiles(
    tree,
    Effect.gen(function* () {
      const before = yield* snapshot
      const error = yield* Effect.flip(FilePatch.apply(patch))
      expect(yield* snapshot).toEqual(before)
      return error._tag === "FileFault"
        ? { reason: { _tag: error.faultKind }, line: 0, message: error.message }
        : { reason: error.reason, line: error.line, message: error.message }
    }),
  )

const v4a = (...lines: ReadonlyArray<string>) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n")

describe("a V4A patch", () => {
  it("adds, updates, moves and deletes files, and says how many lines of each", () =>
    withFiles(
      {
        "src/a.py": "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 1\n",
        "old.txt": "x\ny\n",
      },
      Effect.gen(function* () {
        const { dryRun, files } = yield* FilePatch.apply(v4a(
          "*** Add File: docs/new.md",
          "+# New",
          "+",
          "*** Update File: src/a.py",
          "*** Move to: src/b.py",
          "@@ class A:",
          "@@     def g(self):",
          "-        return 1",
          "+        return 2",
          "*** Delete File: old.txt",
        ))
        expect(dryRun).toBe(false)
        expect(files).toEqual([
          { change: "added", path: "docs/new.md", addedLines: 2, removedLines: 0, fuzz: 0 },
          { change: "moved", path: "src/a.py", movedTo: "src/b.py", addedLines: 1, removedLines: 1, fuzz: 0 },
          { change: "deleted", path: "old.txt", addedLines: 0, removedLines: 2, fuzz: 0 },
        ])
        expect(yield* snapshot).toEqual({
          "docs/": "",
          "docs/new.md": "# New\n\n",
          "src/": "",
          "src/b.py": "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n",
        })
      }),
    ))

  it("finds sections without white space at line ends, then without indentation, as the reference does", () =>
    withFiles(
      { a: "one  \n  two\nthree\n" },
      Effect.gen(function* () {
        const fuzzOf = (...lines: ReadonlyArray<string>) =>
          Effect.map(
            FilePatch.apply(v4a("*** Update File: a", ...lines), { dryRun: true }),
            ({ files }) => files[0]?.fuzz,
          )
        expect(yield* fuzzOf(" one  ", "-  two", "+2")).toBe(0)
        expect(yield* fuzzOf(" one", "-  two", "+2")).toBe(1)
        expect(yield* fuzzOf(" one", "-two", "+2")).toBe(100)
        expect(yield* fuzzOf("@@ two", "-three", "+3")).toBe(1)
        expect(yield* fuzzOf("-  two", "+2", "*** End of File")).toBe(10_000)
        expect(yield* fuzzOf("-three", "+3", "*** End of File")).toBe(0)
      }),
    ))

  it("keeps the file's own lines where they were found with fuzz", async () => {
    const patch = v4a("*** Update File: a", " one", "-two", "+  2", " three")
    expect(await patched({ a: "one  \n  two\n\tthree\n" }, patch)).toEqual({ a: "one  \n  2\n\tthree\n" })
  })

  it("inserts after its anchor, at the beginning, and at the end", async () => {
    expect(await patched({ a: "x\ny\n" }, v4a("*** Update File: a", "@@ x", "+new"))).toEqual({ a: "x\nnew\ny\n" })
    expect(await patched({ a: "x\ny\n" }, v4a("*** Update File: a", "@@", "+new"))).toEqual({ a: "new\nx\ny\n" })
    const atEnd = v4a("*** Update File: a", "@@", "+new", "*** End of File")
    expect(await patched({ a: "x\ny\n" }, atEnd)).toEqual({ a: "x\ny\nnew\n" })
    expect(await patched({ a: "x\ny" }, atEnd)).toEqual({ a: "x\ny\nnew" })
    expect(await patched({ a: "" }, atEnd)).toEqual({ a: "new\n" })
  })

  it("keeps line ends, a missing newline at the end, byte order mark and bytes that are not UTF-8", async () => {
    const patch = v4a("*** Update File: a", " x", "-y", "+z", "+w")
    expect(await patched({ a: "x\r\ny" }, patch)).toEqual({ a: "x\r\nz\r\nw" })
    expect(await patched({ a: "x\r\ny\r\n" }, patch.replaceAll("\n", "\r\n"))).toEqual({ a: "x\r\nz\r\nw\r\n" })
    expect(await patched({ a: "x\ny\n" }, patch.replaceAll("\n", "\r\n"))).toEqual({ a: "x\nz\nw\n" })
    const strange = Uint8Array.of(0xef, 0xbb, 0xbf, 0x78, 0x0a, 0x79, 0x0a, 0xff, 0x0a)
    const bytes = await withFiles({ a: strange }, Effect.andThen(FilePatch.apply(patch), Files.read("a")))
    expect(bytes).toEqual(Uint8Array.of(0xef, 0xbb, 0xbf, 0x78, 0x0a, 0x7a, 0x0a, 0x77, 0x0a, 0xff, 0x0a))
    const utf16 = (text: string) =>
      concatBytes([
        Uint8Array.of(0xff, 0xfe),
        new Uint8Array(Uint16Array.from(text, (one) => one.charCodeAt(0)).buffer),
      ])
    const wide = await withFiles({ a: utf16("x\ny\n") }, Effect.andThen(FilePatch.apply(patch), Files.read("a")))
    expect(wide).toEqual(utf16("x\nz\nw\n"))
  })

  it("says which line of it is wrong", async () => {
    const error = (lines: ReadonlyArray<string>) => refused({ a: "x\n" }, lines.join("\n"))
    const wrong = async (...lines: ReadonlyArray<string>) => {
      const { line, reason } = await error(lines)
      return [reason._tag, line]
    }
    expect(await error(["*** Begin Patch", "*** Update File: a", "@@", "-x", "+y"])).toEqual({
      reason: { _tag: "Syntax" },
      line: 6,
      message: 'patch (line 6): the last line is "*** End Patch", which is missing',
    })
    expect(await error(["*** Begin Patch", "*** Update File: a", "@@", "?x", "*** End Patch"])).toEqual({
      reason: { _tag: "Syntax" },
      line: 4,
      message: 'patch a (line 4): a line begins with " ", "-" or "+", not as "?x"',
    })
    expect(await wrong("*** Begin Patch", "*** Change File: a", "*** End Patch")).toEqual(["Syntax", 2])
    expect(await wrong("*** Begin Patch", "*** Update File: a", "*** End Patch")).toEqual(["Syntax", 2])
    expect(await wrong("*** Begin Patch", "*** Add File: b", "x", "*** End Patch")).toEqual(["Syntax", 3])
    expect(await wrong("*** Begin Patch", "*** Delete File: a", "-x", "*** End Patch")).toEqual(["Syntax", 3])
    expect(await wrong("*** Begin Patch", "*** End Patch")).toEqual(["Syntax", 1])
    expect(await wrong("*** Begin Patch", "*** Delete File: a", "*** Delete File: a", "*** End Patch"))
      .toEqual(["Syntax", 3])
    expect(await wrong("*** Begin Patch", "*** Update File: a", "@@", "-x", "+y", "*** End Patch", "more"))
      .toEqual(["Syntax", 7])
  })

  it("says which section is not in the file", async () => {
    const update = (...lines: ReadonlyArray<string>) => v4a("*** Update File: a", ...lines)
    expect(await refused({ a: "x\ny\n" }, update("@@", "-x", "+z", "@@", "-nope", "+z"))).toEqual({
      reason: { _tag: "Conflict" },
      line: 6,
      message: 'patch a (line 6): its line "nope" is not in the file after line 1; read it again',
    })
    expect(await refused({ a: "x\ny\n" }, update("@@ class B", "-x", "+z"))).toMatchObject({
      reason: { _tag: "Conflict" },
      line: 3,
    })
  })
})

describe("a unified diff", () => {
  it("changes files of one or more headers, with and without the prefixes of git", async () => {
    const diff = "--- a.txt\t2026-01-01\n+++ a.txt\t2026-01-02\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" +
      "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1,2 @@\n x\n+y\n"
    expect(await patched({ "a.txt": "one\ntwo\n", "b.txt": "x\n" }, diff)).toEqual({
      "a.txt": "one\n2\n",
      "b.txt": "x\ny\n",
    })
  })

  it("keeps blanks at both ends of a name, and does not mistake lines of a hunk for names", async () => {
    const diff = "diff --git a/end  b/end \n--- a/end \t\n+++ b/end \t\n@@ -1,2 +1,2 @@\n--- x \t\n+++ y \t\n one\n" +
      "---  lead\t2026-01-01\n+++  lead\t2026-01-02\n@@ -1 +1,2 @@\n x\n+y\n" +
      'diff --git a/q"\\  b/q"\\ \nnew file mode 100644\n--- /dev/null\n+++ "b/q\\"\\\\ "\t\n@@ -0,0 +1 @@\n+q\n'
    expect(await patched({ "end ": "-- x \t\none\n", " lead": "x\n" }, diff)).toEqual({
      "end ": "++ y \t\none\n",
      " lead": "x\ny\n",
      'q"\\ ': "q\n",
    })
    const crlf = "--- a/end \t\n+++ b/end \t\n@@ -1 +1 @@\n-1\n+2\n".replaceAll("\n", "\r\n")
    expect(await patched({ "end ": "1\n" }, crlf)).toEqual({ "end ": "2\n" })
  })

  it("adds, deletes, moves and copies as git does, also empty files", async () => {
    const diff = "diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+hi\n" +
      "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n" +
      "diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n" +
      "diff --git a/from b/dir/to\nsimilarity index 100%\nrename from from\nrename to dir/to\n" +
      "diff --git a/base b/copy\nsimilarity index 50%\ncopy from base\ncopy to copy\n--- a/base\n+++ b/copy\n@@ -1 +1 @@\n-1\n+2\n"
    expect(await patched({ gone: "bye\n", from: "moved\n", base: "1\n" }, diff)).toEqual({
      base: "1\n",
      copy: "2\n",
      "dir/": "",
      "dir/to": "moved\n",
      empty: "",
      new: "hi\n",
    })
  })

  it("keeps CRLF, and a newline at the end as the patch or the file has it", async () => {
    const diff = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"
    expect(await patched({ a: "x\r\ny\r\n" }, diff)).toEqual({ a: "x\r\nz\r\n" })
    expect(await patched({ a: "x\r\ny" }, diff)).toEqual({ a: "x\r\nz" })
    expect(await patched({ a: "x\ny" }, diff)).toEqual({ a: "x\nz" })
    expect(await patched({ a: "x\ny\n" }, diff.replaceAll("\n", "\r\n"))).toEqual({ a: "x\nz\n" })
    const open = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n\\ No newline at end of file\n"
    expect(await patched({ a: "x\ny\n" }, open)).toEqual({ a: "x\nz" })
    const toUnix = "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\r\n-y\r\n+x\n+y\n"
    expect(await patched({ a: "x\r\ny\r\n" }, toUnix)).toEqual({ a: "x\ny\n" })
  })

  it("takes the mail that git format-patch writes", async () => {
    const mail = "From 1 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n---\n a | 2 +-\n\n" +
      "diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n-- \n2.39.5\n\n"
    expect(await patched({ a: "x\n" }, mail)).toEqual({ a: "y\n" })
  })

  it("applies hunks in any order, and repeats no line of the file", async () => {
    const hunks = ["@@ -1,2 +1,2 @@\n-1\n+one\n 2\n", "@@ -5,2 +5,2 @@\n 5\n-6\n\\ No newline at end of file\n+six\n"]
    const diff = (order: ReadonlyArray<string>) => `--- a/n\n+++ b/n\n${order.join("")}`
    const after = { n: "one\n2\n3\n4\n5\nsix\n" }
    expect(await patched({ n: "1\n2\n3\n4\n5\n6" }, diff(hunks))).toEqual(after)
    expect(await patched({ n: "1\n2\n3\n4\n5\n6" }, diff(hunks.toReversed()))).toEqual(after)
    const alike = hunks.map((hunk) => hunk.replace(/^@@.*@@/, "@@ -1,2 +1,2 @@"))
    expect(await patched({ n: "1\n2\n3\n4\n5\n6" }, diff(alike))).toEqual(after)
    const wrong = diff(["@@ -5,2 +5,2 @@\n 5\n-six\n+6\n", "@@ -1,2 +1,2 @@\n-1\n+one\n 2\n"])
    expect(await refused({ n: "1\n2\n3\n4\n5\n6" }, wrong)).toMatchObject({ reason: { _tag: "Conflict" }, line: 3 })
    const overlapping = diff(["@@ -1,2 +1,2 @@\n-1\n+one\n 2\n", "@@ -1,2 +1,2 @@\n-1\n+uno\n 2\n"])
    expect(await refused({ n: "1\n2\n3\n" }, overlapping)).toMatchObject({ reason: { _tag: "Conflict" }, line: 7 })
  })

  it("moves and copies files as they were before the patch", async () => {
    const header = (how: string, from: string, to: string) =>
      `diff --git a/${from} b/${to}\nsimilarity index 100%\n${how} from ${from}\n${how} to ${to}\n`
    const update = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n"
    expect(await patched({ a: "1\n" }, update + header("copy", "a", "c"))).toEqual({ a: "2\n", c: "1\n" })
    expect(await patched({ a: "1\n" }, header("copy", "a", "c") + update)).toEqual({ a: "2\n", c: "1\n" })
  })

  it("has the byte order mark in its first line, as git has, or leaves it out", async () => {
    const diff = (old: string, now: string) => `--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-${old}\n+${now}\n two\n`
    const after = (text: string, patch: string) =>
      withFiles({ f: text }, Effect.andThen(FilePatch.apply(patch), Files.read("f")))
    const marked = "\ufeffone\ntwo\n"
    expect(await after(marked, diff("\ufeffone", "\ufeff1"))).toEqual(encodeUtf8("\ufeff1\ntwo\n"))
    expect(await after(marked, diff("\ufeffone", "1"))).toEqual(encodeUtf8("1\ntwo\n"))
    expect(await after(marked, diff("one", "1"))).toEqual(encodeUtf8("\ufeff1\ntwo\n"))
    expect(await after("one\ntwo\n", diff("one", "\ufeff1"))).toEqual(encodeUtf8("\ufeff1\ntwo\n"))
  })

  it("removes a line that looks like the signature of a mail", async () => {
    const diff = "--- a/f\n+++ b/f\n@@ -1,3 +1 @@\n one\n-- \n-two\n"
    expect(await patched({ f: "one\n- \ntwo\n" }, diff)).toEqual({ f: "one\n" })
  })

  it("names the line of the hunk that is wrong, or does not fit", async () => {
    const header = "--- a/a\n+++ b/a\n"
    expect(await refused({ a: "x\n" }, `${header}@@ -1,3 +1,3 @@\n-x\n+y\n`)).toMatchObject({
      reason: { _tag: "Syntax" },
      line: 3,
    })
    const second = "@@ -1,1 +1,1 @@\n-x\n+y\n@@ -9,1 +9,1 @@\n-nope\n+y\n"
    expect(await refused({ a: "x\n" }, header + second)).toEqual({
      reason: { _tag: "Conflict" },
      line: 6,
      message: "patch a (line 6): hunk 2 of 2 does not fit: its lines are not in the file; read it again",
    })
    expect(await refused({}, "hello")).toMatchObject({ reason: { _tag: "Syntax" } })
    expect(await refused({}, "@@ -1 +1 @@\n-x\n+y\n")).toMatchObject({ reason: { _tag: "Syntax" }, line: 1 })
    expect(await refused({ a: "x\ny\n" }, "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")).toMatchObject({
      reason: { _tag: "Conflict" },
    })
  })

  it("refuses unsupported patches", async () => {
    const git = "diff --git a/a b/a\n"
    const unsupported = { reason: { _tag: "Unsupported" } }
    expect(await refused({ a: "x" }, `${git}old mode 100644\nnew mode 100755\n`)).toMatchObject(unsupported)
    expect(await refused({ a: "x" }, `${git}index 1..2 100644\nBinary files a/a and b/a differ\n`)).toMatchObject(
      unsupported,
    )
    expect(await refused({ a: "x" }, `${git}index 1..2 100644\nGIT binary patch\nliteral 0\n`)).toMatchObject(
      unsupported,
    )
    const link =
      "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n"
    expect(await refused({}, link)).toMatchObject(unsupported)
  })
})

describe("a patch of several files", () => {
  const both = v4a("*** Update File: a", "@@", "-1", "+2", "*** Update File: dir/b", "@@", "-1", "+2")

  it("changes none if one does not apply, is missing, or exists already", async () => {
    expect(await refused({ a: "1\n", "dir/b": "0\n" }, both)).toMatchObject({ reason: { _tag: "Conflict" } })
    expect(await refused({ a: "1\n" }, both)).toMatchObject({ reason: { _tag: "Missing" } })
    expect(await refused({ a: "1\n", c: "" }, v4a("*** Update File: a", "@@", "-1", "+2", "*** Add File: c", "+x")))
      .toMatchObject({ reason: { _tag: "Exists" } })
    const move = v4a("*** Update File: a", "*** Move to: c", "@@", "-1", "+2")
    expect(await refused({ a: "1\n", c: "" }, move)).toMatchObject({ reason: { _tag: "Exists" } })
    expect(await refused({ a: "1\n" }, v4a("*** Update File: ../a", "@@", "-1", "+2"))).toMatchObject({
      reason: { _tag: "InvalidPath" },
    })
  })

  it("changes none in a dry run", () =>
    withFiles(
      { a: "1\n", "dir/b": "1\n" },
      Effect.gen(function* () {
        const before = yield* snapshot
        const { dryRun, files } = yield* FilePatch.apply(both, { dryRun: true })
        expect([dryRun, files.map(({ path }) => path)]).toEqual([true, ["a", "dir/b"]])
        expect(yield* snapshot).toEqual(before)
      }),
    ))

  it("holds no more bytes than its limit", async () => {
    const program = Effect.flip(FilePatch.apply(both, { maxBytes: 6 }))
    expect(await withFiles({ a: "1\n", "dir/b": "1\n" }, program)).toMatchObject({
      reason: { _tag: "TooLarge" },
      path: "dir/b",
    })
  })

  /** Fails the requests that change files from the `from`th to the `to`th. */
  const failing = (from: number, to: number) => (files: FilesService): FilesService => {
    let changes = 0
    return {
      ...files,
      request: (request, options) => {
        const isChange = request._tag === "FileWrite" || request._tag === "FileDelete"
        if (!isChange || ++changes < from || changes > to) return files.request(request, options)
        const { correlationId, path } = request
        return Stream.fail(new FileFault({ correlationId, faultKind: "DiskFull", path, message: "full" }))
      },
    }
  }

  const many = v4a(
    "*** Update File: a",
    "@@",
    "-1",
    "+2",
    "*** Add File: new/deep/c",
    "+x",
    "*** Delete File: dir/b",
    "*** Update File: m",
    "*** Move to: new/n",
  )
  const tree: Tree = { a: "1\n", "dir/b": "1\n", m: "m\n" }

  it.each([1, 2, 3, 4, 5])("undoes all when change %i fails", (failed) =>
    withFiles(
      tree,
      Effect.gen(function* () {
        const before = yield* snapshot
        const fault = yield* Effect.flip(Effect.updateService(FilePatch.apply(many), Files, failing(failed, failed)))
        expect(fault).toMatchObject({ _tag: "FileFault", faultKind: "DiskFull" })
        expect(yield* snapshot).toEqual(before)
      }),
    ))

  it("names the files that could not be put back", () =>
    withFiles(
      tree,
      Effect.gen(function* () {
        const error = yield* Effect.flip(Effect.updateService(FilePatch.apply(many), Files, failing(2, 100)))
        expect(error).toMatchObject({ reason: { _tag: "NotRestored" }, path: "new/deep/c" })
        expect(error.message).toContain(": a")
      }),
    ))

  it("is refused when another changes a file between the check and the write", () =>
    withFiles(
      tree,
      Effect.gen(function* () {
        let reads = 0
        const racing = (files: FilesService): FilesService => ({
          ...files,
          request: (request, options) => {
            const isSecond = request._tag === "FileRead" && request.path === "a" && ++reads === 2
            const change = Effect.provideService(Files.write("a", "other\n"), Files, files)
            return isSecond
              ? Stream.unwrap(Effect.as(change, files.request(request, options)))
              : files.request(request, options)
          },
        })
        const error = yield* Effect.flip(Effect.updateService(FilePatch.apply(many), Files, racing))
        expect(error).toMatchObject({ reason: { _tag: "Changed" }, path: "a" })
        expect(yield* Files.readText("a")).toBe("other\n")
        expect(yield* Files.exists("new")).toBe(false)
      }),
    ))

  it("changes a file of many lines in many places", async () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index}\n`)
    const sections = Array.from({ length: 1_000 }, (_, index) => ["@@", `-line ${index * 150}`, "+changed"]).flat()
    const { a } = await patched({ a: lines.join("") }, v4a("*** Update File: a", ...sections))
    expect(a?.match(/^changed$/gm)).toHaveLength(1_000)
    expect(a?.length).toBeGreaterThan(2_000_000)
  })

  it("ends soon in a file whose lines are all equal", async () => {
    const alike = { a: "x\n".repeat(200_000) }
    const context = (lines: number) => Array.from({ length: lines }, () => " x")
    const sections = v4a("*** Update File: a", ...context(20_000), "-y", "+z")
    expect(await refused(alike, sections)).toMatchObject({ reason: { _tag: "Conflict" }, line: 3 })
    const many = Array.from({ length: 50_000 }, () => "@@\n-x\n+x").join("\n")
    const fuzzy = v4a("*** Update File: a", many, "@@", "- y", "+z")
    expect(await refused({ a: "  x\n".repeat(200_000) }, fuzzy)).toMatchObject({ reason: { _tag: "TooLarge" } })
    const diff = ["--- a/a", "+++ b/a", "@@ -1,20001 +1,20001 @@", ...context(20_000), "-y", "+z", ""].join("\n")
    expect(await refused(alike, diff)).toMatchObject({ reason: { _tag: "TooLarge" } })
  })

  it("is parsed without files", () => {
    const changes = Result.getOrThrow(FilePatch.parse(many))
    expect(changes.map(({ change, line, movedTo, path }) => [change, path, movedTo, line])).toEqual([
      ["updated", "a", undefined, 2],
      ["added", "new/deep/c", undefined, 6],
      ["deleted", "dir/b", undefined, 8],
      ["moved", "m", "new/n", 9],
    ])
    const { reason } = Result.getOrThrow(Result.flip(FilePatch.parse(" ".repeat(9_000_000))))
    expect(reason._tag).toBe("TooLarge")
  })
})
