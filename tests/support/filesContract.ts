/** Tests every leaf of the FileSystem branch, by one suite. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../../src/base/bytes.ts"
import { type FileFault, FileRead, Files, FileWrite } from "../../src/leaves/files/mod.ts"
import { differencesFromPage } from "./contract/record.ts"
import { startsEachOnce } from "./startsEachOnce.ts"

type Test = Effect.Effect<unknown, unknown, Files>

const kindOf = <A>(effect: Effect.Effect<A, FileFault, Files>): Effect.Effect<string, A, Files> =>
  Effect.map(Effect.flip(effect), ({ faultKind }) => faultKind)

const random = (size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(size, at + 65_536)))
  return bytes
}

const paths = (folder: string, options?: Parameters<typeof Files.list>[1]) =>
  Effect.map(Stream.runCollect(Files.list(folder, options)), (entries) => entries.map(({ path }) => path))

/** What a leaf's other side cannot, for a reason that its test gives. */
export interface FilesContractLimits {
  /** Names that it takes: any without a slash or a control character, or those of Windows. Default: `"any"`. */
  readonly names?: "any" | "windows"
  /** Bytes of the longest name. Default: 255. */
  readonly maxNameBytes?: number
  /** Files of the large folder; a page has 1,000. Default: 1,001. */
  readonly manyFiles?: number
  /** Whether `docs/leaves.md` shows this run; a part of a leaf is none. Default: `true`. */
  readonly isColumn?: boolean
  /** Why any of these is less, by its name: `docs/leaves.md` says it. */
  readonly because?: Readonly<Record<string, string>>
}

/** Puts the leaf on `docs/leaves.md`: its capabilities, and what it cannot. */
const declares = (leaf: string, empty: () => Layer.Layer<Files, unknown>, limits: FilesContractLimits): void => {
  const { because = {}, manyFiles = 1_001, maxNameBytes = 255, names = "any" } = limits
  const less = [
    ...(names === "any" ? [] : ["names"]),
    ...(maxNameBytes < 255 ? ["maxNameBytes"] : []),
    ...(manyFiles > 1_000 ? [] : ["manyFiles"]),
  ]
  expect(Object.keys(because).toSorted()).toEqual(less.toSorted())
  it("declares what docs/leaves.md says", async ({ task }) => {
    const { capabilities, findCandidates, watch } = await Effect.runPromise(Effect.provide(Files, empty()))
    const { caseSensitive, containment, leaf: own, ...others } = capabilities
    // A new capability is a new row.
    expect(others).toEqual({})
    const yes = (value: boolean) => value ? "yes" : "no"
    const declared = {
      leaf: own,
      containment,
      caseSensitive: yes(caseSensitive),
      findCandidates: yes(findCandidates !== undefined),
      watch: yes(watch !== undefined),
    }
    const record = { branch: "files", leaf, declared, leftOut: because } as const
    task.meta.leaf = record
    expect(differencesFromPage([record])).toEqual([])
  })
}

/** Names that Windows refuses, or opens as something else: devices, streams, short names, ends that it drops. */
const notOnWindows = [
  ...[
    "CON",
    "con .txt",
    "CONOUT$",
    "nul.txt",
    "com1",
    "COM\u00b9.log",
    "LPT9",
    "aux.tar.gz",
    "a:b",
    "file.txt:stream",
    "::$DATA",
    "PROGRA~1",
  ],
  ...[
    "LONGFI~2.TXT",
    "dot.",
    "dots...",
    "blank ",
    " .",
    "a*",
    "what?",
    'a"b',
    "a<b",
    "a>b",
    "a|b",
    "a\\b",
    "C:",
  ],
]

/** Each test has a file system of its own, which is empty. */
export const filesContract = (
  name: string,
  empty: () => Layer.Layer<Files, unknown>,
  limits: FilesContractLimits = {},
): void => {
  const { isColumn = true, manyFiles = 1_001, maxNameBytes = 255, names = "any" } = limits
  const test = (title: string, effect: () => Test) =>
    it(
      title,
      { meta: isColumn ? { contract: { branch: "files", leaf: name, part: title } } : {} },
      () => Effect.runPromise(Effect.provide(effect(), empty())),
    )

  describe(`${name}: the contract of file systems`, () => {
    if (isColumn) declares(name, empty, limits)

    test("returns the bytes that were written", () =>
      Effect.gen(function* () {
        const bytes = random(10_000)
        const written = yield* Files.write("a.bin", bytes)
        expect(written).toMatchObject({ _tag: "FileWritten", path: "a.bin", bytesWritten: 10_000 })
        expect(yield* Files.read("a.bin")).toEqual(bytes)
        expect(yield* Files.read("/a.bin")).toEqual(bytes)
        expect(yield* Files.read("./a.bin")).toEqual(bytes)
      }))

    test("writes whole bytes of any size", () =>
      Effect.gen(function* () {
        for (const size of [1_048_576, 1_048_577, 9_000_000]) {
          const bytes = new Uint8Array(size).fill(size % 251)
          const request = FileWrite.make({ path: "large", content: bytes, createMode: "CreateOrReplace" })
          const [written] = yield* Stream.runCollect(Files.request(request))
          expect(written).toMatchObject({
            _tag: "FileWritten",
            correlationId: request.correlationId,
            bytesWritten: size,
          })
          const read = yield* Files.read("large")
          expect([read.length, read.every((byte) => byte === size % 251)]).toEqual([size, true])
        }
      }))

    test("answers with the id of the request", () =>
      Effect.gen(function* () {
        yield* Files.write("a", "x")
        const [content] = yield* Stream.runCollect(Files.request(FileRead.make({ correlationId: "r1", path: "a" })))
        expect(content).toEqual({
          _tag: "FileContent",
          correlationId: "r1",
          content: encodeUtf8("x"),
          totalSize: 1,
          isPartial: false,
        })
        const missing = Stream.runDrain(Files.request(FileRead.make({ correlationId: "r2", path: "b" })))
        expect(yield* Effect.flip(missing)).toMatchObject({ correlationId: "r2", faultKind: "NotFound", path: "b" })
      }))

    test("refuses an option outside its range, and names it, its value and the range", () =>
      Effect.gen(function* () {
        yield* Files.write("a", "0123456789")
        const count = "it must be a whole number from 0 to 9007199254740991"
        // What plain JavaScript may pass.
        const text = JSON.parse('"5"')
        const cases: ReadonlyArray<readonly [message: string, effect: Effect.Effect<unknown, FileFault, Files>]> = [
          [`read a: offset is -1; ${count}`, Files.read("a", { offset: -1 })],
          [`read a: offset is 1.5; ${count}`, Files.readText("a", { offset: 1.5 })],
          [`read a: offset is "5"; ${count}`, Files.read("a", { offset: text })],
          [`read a: length is Infinity; ${count}; leave it out to read`, Files.read("a", { length: Infinity })],
          [`read a: length is NaN; ${count}`, Stream.runDrain(Files.stream("a", { length: NaN }))],
          [
            "read a: maxBytes is NaN; it must be a whole number from 0, or Infinity",
            Files.read("a", { maxBytes: NaN }),
          ],
          [
            "write a: permissions is 0o4755; it must be a whole number from 0 to 0o777",
            Files.write("a", "x", { permissions: 0o4755 }),
          ],
          ['write a: permissions is "5"; ', Files.write("a", "x", { permissions: text })],
          ['write a: createMode is "5"; it must be one of CreateNew, ', Files.write("a", "x", { createMode: text })],
          ["write a: content is 5; it must be a string, a Uint8Array, or", Files.write("a", JSON.parse("5"))],
          ["write a: content is null; ", Files.write("a", JSON.parse("null"))],
          [
            'list a: pattern is "{a,b}',
            Stream.runDrain(Files.list("a", { pattern: "{a,b}".repeat(5_000) })),
          ],
          ["list a: pattern is 5; it must be a glob", Stream.runDrain(Files.list("a", { pattern: JSON.parse("5") }))],
          ['list a: recursive is "5"; it must be true or false', Stream.runDrain(Files.list("a", { recursive: text }))],
          ['delete a: recursive is "5"; ', Files.delete("a", { recursive: text })],
          [
            `read a: offset is -2; ${count}`,
            Stream.runDrain(Files.request({ ...FileRead.make({ path: "a" }), offset: -2 })),
          ],
        ]
        for (const [message, effect] of cases) {
          const fault = yield* Effect.flip(effect)
          expect(fault).toMatchObject({ _tag: "FileFault", faultKind: "IoError", path: "a", code: "EINVAL" })
          expect(fault.message.slice(0, message.length)).toBe(message)
        }
        expect(yield* Effect.flip(Files.stat(JSON.parse("5")))).toMatchObject({ faultKind: "InvalidPath", path: "5" })
        expect(yield* Files.readText("a", { maxBytes: Infinity })).toBe("0123456789")
      }))

    test("makes a request each time that an operator runs", () =>
      Effect.gen(function* () {
        yield* Files.write("a", "1")
        const stat = Files.stat("a")
        const bytes = Stream.runCollect(Files.stream("a"))
        const list = paths("")
        expect([(yield* stat).size, (yield* bytes)[0]?.length, yield* list]).toEqual([1, 1, ["a"]])
        yield* Files.write("a", "22")
        yield* Files.write("b", "")
        expect([(yield* stat).size, (yield* bytes)[0]?.length, yield* list]).toEqual([2, 2, ["a", "b"]])
        const append = Files.write("b", "x", { createMode: "AppendExisting" })
        const ids = [yield* stat, yield* stat, yield* append, yield* append].map(({ correlationId }) => correlationId)
        expect(new Set(ids).size).toBe(4)
        expect(yield* Files.readText("b")).toBe("xx")
      }))

    test("reads ranges, also beyond the end", () =>
      Effect.gen(function* () {
        yield* Files.write("a", "0123456789")
        expect(yield* Files.readText("a", { offset: 3, length: 4 })).toBe("3456")
        expect(yield* Files.readText("a", { offset: 8, length: 100 })).toBe("89")
        expect(yield* Files.readText("a", { offset: 10 })).toBe("")
        expect(yield* Files.readText("a", { offset: 1_000 })).toBe("")
        expect(yield* Files.readText("a", { length: 0 })).toBe("")
        const [part] = yield* Stream.runCollect(Files.request(FileRead.make({ path: "a", offset: 3, length: 4 })))
        expect(part).toMatchObject({ totalSize: 10, isPartial: true })
      }))

    test("reads a large file in chunks of 64 KiB, in order, and a small one at once", () =>
      Effect.gen(function* () {
        const bytes = random(1_048_577)
        yield* Files.write("large", bytes)
        const events = yield* Stream.runCollect(Files.request(FileRead.make({ path: "large" })))
        const chunks = events.flatMap((event) => event._tag === "FileContentChunk" ? [event] : [])
        expect(chunks.length).toBe(events.length)
        expect(chunks.map(({ offset }) => offset)).toEqual(chunks.map((_, index) => index * 65_536))
        expect(chunks.map(({ isFinal }) => isFinal)).toEqual(chunks.map((_, index) => index === 16))
        expect(yield* Files.read("large")).toEqual(bytes)
        yield* Files.write("small", bytes.subarray(0, 1_048_576))
        const [whole] = yield* Stream.runCollect(Files.request(FileRead.make({ path: "small" })))
        expect(whole?._tag).toBe("FileContent")
      }))

    test("takes a write in chunks, and shows it only when it is whole", () =>
      Effect.gen(function* () {
        yield* Files.write("a", "old")
        const seen: Array<string> = []
        const content = Stream.make("new ", "content ", "here").pipe(
          Stream.tap(() => Effect.map(Files.readText("a"), (text) => void seen.push(text))),
          Stream.encodeText,
        )
        const files = yield* Files
        const context = Effect.succeed(files)
        yield* Files.write("a", Stream.provideServiceEffect(content, Files, context))
        expect(seen).toEqual(["old", "old", "old"])
        expect(yield* Files.readText("a")).toBe("new content here")
      }))

    test("leaves a file unchanged when its new content fails half way", () =>
      Effect.gen(function* () {
        yield* Files.write("a", "old")
        const broken = Stream.concat(Stream.make(encodeUtf8("half")), Stream.fail(new Error("the source broke")))
        const fault = yield* Effect.flip(Files.write("a", broken))
        expect(fault).toMatchObject({ faultKind: "IoError", path: "a" })
        expect(fault.message).toContain("the source broke")
        expect(yield* Files.readText("a")).toBe("old")
        expect(yield* Effect.flip(Files.write("b", broken, { createMode: "CreateNew" }))).toMatchObject({ path: "b" })
        expect(yield* paths("")).toEqual(["a"])
      }))

    test("respects the create modes", () =>
      Effect.gen(function* () {
        const write = (path: string, text: string, createMode: FileWrite["createMode"]) =>
          Files.write(path, text, { createMode })
        expect(yield* kindOf(write("a", "x", "ReplaceExisting"))).toBe("NotFound")
        expect(yield* kindOf(write("a", "x", "AppendExisting"))).toBe("NotFound")
        yield* write("a", "1", "CreateNew")
        expect(yield* kindOf(write("a", "2", "CreateNew"))).toBe("AlreadyExists")
        yield* write("a", "2", "AppendExisting")
        yield* write("a", "3", "CreateOrAppend")
        expect(yield* Files.readText("a")).toBe("123")
        yield* write("a", "4", "ReplaceExisting")
        yield* write("b", "5", "CreateOrAppend")
        yield* write("c", "6", "CreateOrReplace")
        yield* write("c", "7", "CreateOrReplace")
        expect(yield* Effect.all(["a", "b", "c"].map((path) => Files.readText(path)))).toEqual(["4", "5", "7"])
      }))

    test("gives a file the permissions of its write, and keeps them", () =>
      Effect.gen(function* () {
        yield* Files.write("a", "1", { permissions: 0o750 })
        const { permissions } = yield* Files.stat("a")
        // Windows has none but those of its owner.
        if (permissions === undefined || process.platform === "win32") return
        expect(permissions).toBe(0o750)
        yield* Files.write("a", "2")
        expect((yield* Files.stat("a")).permissions).toBe(0o750)
        yield* Files.write("a", "3", { createMode: "AppendExisting", permissions: 0o640 })
        expect((yield* Files.stat("a")).permissions).toBe(0o640)
        yield* Files.write("b", "", { createMode: "CreateNew", permissions: 0o600 })
        expect((yield* Files.stat("b")).permissions).toBe(0o600)
      }))

    test("makes missing folders for a new file", () =>
      Effect.gen(function* () {
        yield* Files.write("a/b/c.txt", "deep")
        expect(yield* Files.stat("a/b")).toMatchObject({ isDirectory: true, isSymlink: false })
        expect(yield* Files.readText("a/b/c.txt")).toBe("deep")
        expect(yield* kindOf(Files.write("x/y", "", { createMode: "ReplaceExisting" }))).toBe("NotFound")
        expect(yield* Files.exists("x")).toBe(false)
      }))

    test("returns the size and the time of a file", () =>
      Effect.gen(function* () {
        const before = Date.now() - 2_000
        yield* Files.write("a", "12345")
        const stat = yield* Files.stat("a")
        expect(stat).toMatchObject({ _tag: "FileMetadata", size: 5, isDirectory: false, isSymlink: false })
        expect(stat.modified).toBeGreaterThan(before)
        expect(stat.modified).toBeLessThan(Date.now() + 2_000)
        expect(yield* Files.stat("/")).toMatchObject({ isDirectory: true })
      }))

    test("lists folders in order, recursively and by pattern", () =>
      Effect.gen(function* () {
        for (const path of ["b.ts", "a.md", "src/z.ts", "src/lib/y.ts", "src/lib/x.md", "src/.hidden"]) {
          yield* Files.write(path, path)
        }
        expect(yield* paths("")).toEqual(["a.md", "b.ts", "src"])
        expect(yield* paths("/src")).toEqual([".hidden", "lib", "z.ts"])
        expect(yield* paths("src", { recursive: true })).toEqual([".hidden", "lib", "lib/x.md", "lib/y.ts", "z.ts"])
        expect(yield* paths("", { recursive: true, pattern: "*.ts" })).toEqual(["b.ts", "src/lib/y.ts", "src/z.ts"])
        expect(yield* paths("", { recursive: true, pattern: "src/*.ts" })).toEqual(["src/z.ts"])
        expect(yield* paths("", { recursive: true, pattern: "src/**/*.{md,ts}" })).toEqual([
          "src/lib/x.md",
          "src/lib/y.ts",
          "src/z.ts",
        ])
        const [entry] = yield* Stream.runCollect(Files.list("src", { pattern: "z*" }))
        expect(entry).toMatchObject({ path: "z.ts", size: 8, isDirectory: false, isSymlink: false })
      }))

    test("lists an empty folder, and a large one in several events", () =>
      Effect.gen(function* () {
        expect(yield* paths("")).toEqual([])
        const many = Array.from({ length: manyFiles }, (_, index) => String(index).padStart(4, "0"))
        yield* Effect.forEach(many, (name) => Files.write(`many/${name}`, ""), { concurrency: 16, discard: true })
        expect(yield* paths("many")).toEqual(many)
      }))

    test("acts once for each of many callers, started by Effect.forEach a few at a time", () =>
      Effect.gen(function* () {
        const all = yield* startsEachOnce(
          60,
          (n): Effect.Effect<unknown, unknown, Files> =>
            // Some fail at once, so that others that wait are resumed in their start.
            n % 5 === 4
              ? kindOf(Files.read("none"))
              : Files.write(`ran/${n}`, `${n}\n`, { createMode: "CreateOrAppend" }),
        )
        for (const n of all.filter((n) => n % 5 !== 4)) {
          expect(new TextDecoder().decode(yield* Files.read(`ran/${n}`))).toBe(`${n}\n`)
        }
      }))

    test("deletes files, empty folders, and with recursive whole trees, and counts them", () =>
      Effect.gen(function* () {
        for (const path of ["a", "d/x", "d/e/y", "d/e/z"]) yield* Files.write(path, "")
        expect(yield* Files.delete("a")).toMatchObject({ _tag: "FileDeleted", path: "a", deletedCount: 1 })
        expect(yield* kindOf(Files.delete("a"))).toBe("NotFound")
        expect(yield* kindOf(Files.delete("d"))).toBe("DirectoryNotEmpty")
        expect(yield* Files.delete("d", { recursive: true })).toMatchObject({ deletedCount: 5 })
        expect(yield* paths("")).toEqual([])
        yield* Files.write("f/g", "")
        yield* Files.delete("f/g")
        expect(yield* Files.delete("f")).toMatchObject({ deletedCount: 1 })
        expect(yield* kindOf(Files.delete("/"))).toBe("AccessDenied")
      }))

    test("has one kind of fault for each mistake", () =>
      Effect.gen(function* () {
        yield* Files.write("file", "")
        yield* Files.write("folder/x", "")
        expect(yield* kindOf(Files.read("none"))).toBe("NotFound")
        expect(yield* kindOf(Files.read("folder"))).toBe("NotAFile")
        expect(yield* kindOf(Files.write("folder", ""))).toBe("NotAFile")
        expect(yield* kindOf(Files.write("folder", "", { createMode: "CreateOrAppend" }))).toBe("NotAFile")
        expect(yield* kindOf(Files.write("/", ""))).toBe("NotAFile")
        expect(yield* kindOf(Files.read("file/x"))).toBe("NotADirectory")
        expect(yield* kindOf(Files.write("file/x", ""))).toBe("NotADirectory")
        expect(yield* kindOf(Files.stat("file/x"))).toBe("NotADirectory")
        expect(yield* kindOf(Stream.runDrain(Files.list("file")))).toBe("NotADirectory")
        expect(yield* kindOf(Stream.runDrain(Files.list("none")))).toBe("NotFound")
        const fault = yield* Effect.flip(Files.read("none"))
        expect(fault.message).toBe(
          "read none: there is nothing at this path; list its folder to see what it contains (ENOENT)",
        )
      }))

    test("refuses invalid paths before it touches anything", () =>
      Effect.gen(function* () {
        const invalid = [
          "../x",
          "a/../b",
          "a//b",
          "a/",
          "//",
          "a/./b",
          "a\0b",
          "a\nb",
          "\u007f",
          "..",
          "a/..",
          "\ud800",
        ]
        for (const path of invalid) {
          expect([path, yield* kindOf(Files.read(path))]).toEqual([path, "InvalidPath"])
          expect([path, yield* kindOf(Files.write(path, ""))]).toEqual([path, "InvalidPath"])
        }
        expect(yield* kindOf(Files.read("x".repeat(256)))).toBe("PathTooLong")
        expect(yield* kindOf(Files.read("é".repeat(128)))).toBe("PathTooLong")
        expect(yield* kindOf(Files.write("a/".repeat(2_100) + "b", ""))).toBe("PathTooLong")
        expect(yield* paths("")).toEqual([])
      }))

    test("accepts names of every language, and lookalikes", () =>
      Effect.gen(function* () {
        const usual = ["日本語", "naïve", " blank", "a'b", "$HOME", "-rf", "[x]", "emoji 🎉", "x".repeat(maxNameBytes)]
        const all = names === "any" ? [...usual, " blank ", "a'b\"c", "*"] : usual
        for (const name of all) yield* Files.write(name, name)
        for (const name of all) expect(yield* Files.readText(name)).toBe(name)
        expect((yield* paths("")).toSorted()).toEqual(all.toSorted())
      }))

    if (names === "windows") {
      test("refuses names that Windows interprets specially, anywhere in a path", () =>
        Effect.gen(function* () {
          for (const name of notOnWindows) {
            for (const path of [name, `${name}/x`, `x/${name}`]) {
              expect([path, yield* kindOf(Files.write(path, ""))]).toEqual([path, "InvalidPath"])
              expect([path, yield* kindOf(Files.read(path))]).toEqual([path, "InvalidPath"])
            }
          }
          expect(yield* paths("")).toEqual([])
        }))

      test("treats names that differ only in case as one, and keeps the first", () =>
        Effect.gen(function* () {
          yield* Files.write("Read.Me", "1")
          expect(yield* kindOf(Files.write("READ.ME", "2", { createMode: "CreateNew" }))).toBe("AlreadyExists")
          yield* Files.write("read.me", "3")
          expect([yield* Files.readText("rEAD.mE"), (yield* paths("")).length]).toEqual(["3", 1])
          yield* Files.write("Folder/a", "")
          yield* Files.write("FOLDER/b", "")
          expect(yield* paths("folder")).toEqual(["a", "b"])
        }))
    }

    test("reads no further than its reader wants", () =>
      Effect.gen(function* () {
        yield* Files.write("large", new Uint8Array(4_000_000))
        const [first] = yield* Files.stream("large").pipe(Stream.take(1), Stream.runCollect)
        expect(first?.length).toBe(65_536)
        const fault = yield* Effect.flip(Files.read("large", { maxBytes: 1_000_000 }))
        expect(fault).toMatchObject({ faultKind: "IoError", code: "EFBIG" })
      }))

    test("lets only one of many create a file", () =>
      Effect.gen(function* () {
        const tries = Array.from({ length: 20 }, (_, index) =>
          Effect.result(Files.write("a", String(index), { createMode: "CreateNew" })))
        const results = yield* Effect.all(tries, { concurrency: 20 })
        const winners = results.flatMap((result, index) =>
          result._tag === "Success" ? [String(index)] : []
        )
        expect(winners).toEqual([yield* Files.readText("a")])
        expect(yield* paths("")).toEqual(["a"])
      }))
  })
}
