import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { encodeUtf8 } from "../../src/base/bytes.ts"
import { FileFault, Files, FileSearch, type FilesService, MemoryFileSystem } from "../../src/leaves/files/mod.ts"

type Tree = Readonly<Record<string, string | Uint8Array>>

const withFiles = <A, E>(tree: Tree, program: Effect.Effect<A, E, Files>, chunkSize = 65_536): Promise<A> =>
  Effect.runPromise(Effect.provide(
    Effect.andThen(Effect.forEach(Object.entries(tree), ([path, text]) => Files.write(path, text)), program),
    MemoryFileSystem.layerWith({ chunkSize, streamingThreshold: chunkSize }),
  ))

/** The matches as `path:line:column:text`, and the end. */
const grep = (pattern: string, options: FileSearch.SearchOptions = {}) =>
  Effect.map(Stream.runCollect(FileSearch.search(pattern, options)), (events) => ({
    lines: events.flatMap((event) =>
      event._tag === "FileMatch" ? [`${event.path}:${event.line}:${event.column}:${event.text}`] : []
    ),
    end: events.at(-1),
  }))

const found = (options: FileSearch.FindOptions = {}) =>
  Effect.map(Stream.runCollect(FileSearch.find(options)), (files) => files.map(({ path }) => path))

describe("a search by name", () => {
  const tree: Tree = {
    "b/x.ts": "",
    "b.ts": "",
    "a/lib/y.ts": "",
    "a/lib/y.md": "",
    ".hidden/z.ts": "",
    ".git/config": "",
    "a/.env": "",
  }

  it("finds files in the order of their paths, without hidden ones and .git", async () => {
    expect(await withFiles(tree, found())).toEqual(["a/lib/y.md", "a/lib/y.ts", "b/x.ts", "b.ts"])
    expect(await withFiles(tree, found({ hidden: true }))).toEqual([
      ".hidden/z.ts",
      "a/.env",
      "a/lib/y.md",
      "a/lib/y.ts",
      "b/x.ts",
      "b.ts",
    ])
  })

  it("matches globs below the folder, and leaves out matches of globs with an exclamation mark", async () => {
    expect(await withFiles(tree, found({ globs: ["*.ts"] }))).toEqual(["a/lib/y.ts", "b/x.ts", "b.ts"])
    expect(await withFiles(tree, found({ globs: ["*/*.ts", "*.md"] }))).toEqual(["a/lib/y.md", "b/x.ts"])
    expect(await withFiles(tree, found({ globs: ["!*.md"] }))).toEqual(["a/lib/y.ts", "b/x.ts", "b.ts"])
    expect(await withFiles(tree, found({ path: "a", globs: ["lib/*"] }))).toEqual(["a/lib/y.md", "a/lib/y.ts"])
    expect(await withFiles(tree, found({ path: "/a/lib/" }))).toEqual(["a/lib/y.md", "a/lib/y.ts"])
    expect(await withFiles(tree, found({ path: "b.ts" }))).toEqual(["b.ts"])
  })

  it("orders names by their code points", async () => {
    expect(await withFiles({ "\uff5e": "", "😀": "", "é": "", z: "" }, found())).toEqual(["z", "é", "\uff5e", "😀"])
  })

  it("fails where there is no such folder", async () => {
    expect(await withFiles(tree, Effect.flip(found({ path: "nope" })))).toMatchObject({ faultKind: "NotFound" })
  })
})

describe(".gitignore", () => {
  const ignored = (rules: Tree, ...files: ReadonlyArray<string>) =>
    withFiles({ ...rules, ...Object.fromEntries(files.map((file) => [file, ""])) }, found())

  it("leaves out files and folders, takes some in again, and is anchored by a slash", async () => {
    const rules = "# comment\n*.log\n!keep.log\n/build/\ndocs/*.tmp\n\\#odd\n"
    expect(
      await ignored(
        { ".gitignore": rules },
        "a.log",
        "keep.log",
        "build/x",
        "src/build/x",
        "docs/a.tmp",
        "x/docs/a.tmp",
        "#odd",
      ),
    )
      .toEqual(["keep.log", "src/build/x", "x/docs/a.tmp"])
  })

  it("of a deeper folder takes precedence over the files above, also for a folder that they leave out", async () => {
    const rules = { ".gitignore": "build/\n*.log\n", "pkg/.gitignore": "!build/\n!a.log\nlocal\n" }
    expect(
      await ignored(
        rules,
        "build/x",
        "pkg/build/x",
        "pkg/build/b.log",
        "pkg/a.log",
        "pkg/local",
        "local",
        "pkg/deep/build/y",
      ),
    )
      .toEqual(["local", "pkg/a.log", "pkg/build/x", "pkg/deep/build/y"])
  })

  it("above the searched folder applies in it, but the requested folder itself is searched", async () => {
    const tree: Tree = {
      ".gitignore": "*.log\nnode_modules\n",
      "src/a.log": "",
      "src/b": "",
      "node_modules/m/i.js": "",
    }
    expect(await withFiles(tree, found({ path: "src" }))).toEqual(["src/b"])
    expect(await withFiles(tree, found({ path: "node_modules/m" }))).toEqual(["node_modules/m/i.js"])
    expect(await withFiles(tree, found({ gitignore: false }))).toEqual(["node_modules/m/i.js", "src/a.log", "src/b"])
  })

  it("takes linear time, whatever its content", async () => {
    const rules = `${"**/a/".repeat(40)}b\n${"*a".repeat(100)}b\n`
    expect(await ignored({ ".gitignore": rules }, `${"a/".repeat(100)}c`, "a".repeat(200))).toHaveLength(2)
  })
})

describe("a search by content", () => {
  it("finds lines with their numbers and columns, file by file", async () => {
    const tree: Tree = { "b.ts": "one two\ntwo one\n", "a/x.ts": "\n\n  two", c: "three" }
    const { end, lines } = await withFiles(tree, grep("two"))
    expect(lines).toEqual(["a/x.ts:3:3:  two", "b.ts:1:5:one two", "b.ts:2:1:two one"])
    expect(end).toEqual({ _tag: "FileSearchEnd", matches: 3, files: 2 })
  })

  it("accepts regular expressions of RE2, and literal text", async () => {
    const tree: Tree = { a: "f(x)\nfoo\nFOO\nfx\n" }
    const lines = (pattern: string, options: FileSearch.SearchOptions = {}) =>
      Effect.runPromise(Effect.promise(() => withFiles(tree, grep(pattern, options)))).then(({ lines }) => lines)
    expect(await lines("^fo+$")).toEqual(["a:2:1:foo"])
    expect(await lines("f(x)")).toEqual(["a:4:1:fx"])
    expect(await lines("f(x)", { literal: true })).toEqual(["a:1:1:f(x)"])
    expect(await lines("F(X)", { literal: true, ignoreCase: true })).toEqual(["a:1:1:f(x)"])
    expect(await lines("foo", { ignoreCase: true })).toEqual(["a:2:1:foo", "a:3:1:FOO"])
    expect(await lines("\\Afx\\z")).toEqual(["a:4:1:fx"])
    expect(await lines("(?-m)^foo$")).toEqual(["a:2:1:foo"])
  })

  it("refuses a pattern that it cannot match in linear time, or within a line", async () => {
    const refused = async (pattern: string) => {
      const error = await withFiles({}, Effect.flip(grep(pattern)))
      return error._tag === "FileSearchError" ? [error.reason._tag, error.message] : []
    }
    expect(await refused("(?=a)")).toEqual([
      "InvalidPattern",
      "search: error parsing regexp: invalid or unsupported Perl syntax: `(?=`; use the syntax of RE2, or pass literal",
    ])
    expect((await refused("(a)\\1"))[0]).toBe("InvalidPattern")
    expect((await refused("(a{1000}){1000}"))[0]).toBe("InvalidPattern")
    expect((await refused("a\nb"))[0]).toBe("InvalidPattern")
    expect((await refused(""))[0]).toBe("InvalidPattern")
    expect(await withFiles({}, Effect.flip(grep("a", { maxMatches: 0 })))).toMatchObject({
      reason: { _tag: "InvalidOption" },
    })
    expect(await withFiles({}, Effect.flip(grep("a", { path: "x" })))).toMatchObject({ faultKind: "NotFound" })
    // What plain JavaScript may pass.
    expect(await refused(JSON.parse("5"))).toEqual(["InvalidPattern", "search: the pattern is 5, and not text"])
    for (const options of [{ timeout: NaN }, { timeout: JSON.parse('"soon"') }, { globs: JSON.parse('"*.ts"') }]) {
      expect(await withFiles({}, Effect.flip(grep("a", options)))).toMatchObject({ reason: { _tag: "InvalidOption" } })
    }
  })

  it("ends with a pattern on which backtracking engines hang", async () => {
    const { lines } = await withFiles({ a: `${"x".repeat(50_000)}\n` }, grep("(x+x+)+y"))
    expect(lines).toEqual([])
  })

  it("gives lines before and after, within the file", async () => {
    const tree: Tree = { a: "1\n2\n3x\n4x\n5\n6\n", b: "x" }
    const contexts = (context: number, chunkSize: number) =>
      withFiles(
        tree,
        Effect.map(Stream.runCollect(FileSearch.search("x", { context })), (events) =>
          events.flatMap((event) =>
            event._tag === "FileMatch" ? [[event.before, event.text, event.after]] : []
          )),
        chunkSize,
      )
    const two = [
      [["1", "2"], "3x", ["4x", "5"]],
      [["2", "3x"], "4x", ["5", "6"]],
      [[], "x", []],
    ]
    expect(await contexts(2, 65_536)).toEqual(two)
    expect(await contexts(2, 1)).toEqual(two)
    expect(await contexts(9, 3)).toEqual([
      [["1", "2"], "3x", ["4x", "5", "6"]],
      [["1", "2", "3x"], "4x", ["5", "6"]],
      [[], "x", []],
    ])
  })

  it("keeps the lines before a match that is in a later piece of the file", async () => {
    const text = `${Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).join("")}needle\nafter\n`
    const events = await withFiles({ a: text }, Stream.runCollect(FileSearch.search("needle", { context: 2 })), 1_000)
    expect(events[0]).toMatchObject({ line: 5_001, before: ["line 4998", "line 4999"], after: ["after"] })
  })

  it("leaves out binary files, and reads UTF-8 and UTF-16 with a byte order mark", async () => {
    const utf16 = new Uint8Array(Uint16Array.from("\ufeffab\u00e9x\n", (one) => one.charCodeAt(0)).buffer)
    const tree: Tree = {
      binary: Uint8Array.of(0x61, 0x62, 0),
      late: new Uint8Array([...encodeUtf8(`${"-\n".repeat(5_000)}ab\n`), 0]),
      latin: Uint8Array.of(0xe9, 0x61, 0x62, 0x0a),
      marked: new Uint8Array([0xef, 0xbb, 0xbf, ...encodeUtf8("ab\r\n")]),
      utf16,
    }
    for (const chunkSize of [65_536, 7]) {
      const { lines } = await withFiles(tree, grep("ab"), chunkSize)
      expect(lines).toEqual(["late:5001:1:ab", "latin:1:2:\ufffdab", "marked:1:1:ab", "utf16:1:1:ab\u00e9x"])
    }
    expect((await withFiles(tree, grep("^ab$"))).lines).toEqual(["late:5001:1:ab", "marked:1:1:ab"])
  })

  it("says which limit ended it", async () => {
    const tree: Tree = { a: "x\nx\n", b: "x\n", c: "x\n" }
    const limited = async (options: FileSearch.SearchOptions) => (await withFiles(tree, grep("x", options))).end
    expect(await limited({ maxMatches: 3 })).toEqual({ _tag: "FileSearchEnd", matches: 3, files: 2, limit: "matches" })
    expect(await limited({ maxMatches: 4 })).toEqual({ _tag: "FileSearchEnd", matches: 4, files: 3 })
    expect(await limited({ maxFiles: 2 })).toEqual({ _tag: "FileSearchEnd", matches: 3, files: 2, limit: "files" })
    expect(await limited({ maxFiles: 3 })).toEqual({ _tag: "FileSearchEnd", matches: 4, files: 3 })
  })

  it("searches and shows the beginning of a line that is too long", async () => {
    const tree: Tree = { a: `${"-".repeat(100)}needle\nneedle${"-".repeat(100)}\nneedle` }
    for (const chunkSize of [65_536, 10, 1]) {
      const events = await withFiles(
        tree,
        Stream.runCollect(FileSearch.search("needle", { maxLineLength: 10 })),
        chunkSize,
      )
      expect(events.slice(0, -1)).toMatchObject([
        { line: 2, text: "needle----", isCut: true },
        { line: 3, text: "needle", isCut: false },
      ])
    }
  })

  it("reads no file further than it needs to", () =>
    withFiles(
      { a: `x\n${"y\n".repeat(100_000)}`, b: "x" },
      Effect.gen(function* () {
        let reads = 0
        const counting = (files: FilesService): FilesService => ({
          ...files,
          request: (request, options) =>
            Stream.tap(files.request(request, options), (event) =>
              Effect.sync(() => {
                if (event._tag === "FileContentChunk") reads++
              })),
        })
        const first = Stream.runHead(FileSearch.search("x"))
        yield* Effect.updateService(first, Files, counting)
        expect(reads).toBeLessThan(20)
      }),
      1_000,
    ))

  it("leaves out files that cannot be read, and fails with other faults", () =>
    withFiles(
      { a: "x", b: "x" },
      Effect.gen(function* () {
        const failing = (faultKind: FileFault["faultKind"]) => (files: FilesService): FilesService => ({
          ...files,
          request: (request, options) =>
            request._tag === "FileRead" && request.path === "a"
              ? Stream.fail(
                new FileFault({ correlationId: request.correlationId, faultKind, path: "a", message: "no" }),
              )
              : files.request(request, options),
        })
        expect((yield* Effect.updateService(grep("x"), Files, failing("AccessDenied"))).lines).toEqual(["b:1:1:x"])
        const fault = yield* Effect.flip(Effect.updateService(grep("x"), Files, failing("IoError")))
        expect(fault).toMatchObject({ faultKind: "IoError" })
      }),
    ))
})

it.effect("a search ends when its time is up", () =>
  Effect.gen(function* () {
    yield* Files.write("a", "x")
    const stuck = (files: FilesService): FilesService => ({
      ...files,
      request: (request, options) => request._tag === "FileRead" ? Stream.never : files.request(request, options),
    })
    const fiber = yield* Effect.forkChild(
      Effect.updateService(grep("x", { gitignore: false, timeout: "5 seconds" }), Files, stuck),
    )
    yield* TestClock.adjust("6 seconds")
    const { end } = yield* Fiber.join(fiber)
    expect(end).toEqual({ _tag: "FileSearchEnd", matches: 0, files: 0, limit: "time" })
  }).pipe(Effect.provide(MemoryFileSystem.layer)))
