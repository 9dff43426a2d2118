/** Searches with ripgrep, compared with those that read every file. */
import { afterAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { RE2JS } from "re2js"
import { Files, FileSearch, type FilesService, LocalFileSystem } from "../../../src/leaves/files/mod.ts"
import { ripgrepArguments, toRipgrepPattern } from "../../../src/leaves/files/searchRipgrep.ts"
import { LocalShell } from "../../../src/leaves/local/LocalShell.ts"
import * as KernelShell from "../../../src/leaves/kernel/KernelShell.ts"
import { forSeeds, type Random } from "../../support/random.ts"
import { rounds } from "../../support/rounds.ts"

const hasRipgrep = spawnSync("rg", ["--version"]).status === 0

const folders: Array<string> = []
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

const makeTree = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const root = mkdtempSync(join(tmpdir(), "sluice-search-"))
  folders.push(root)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return root
}

const withRipgrep = (rootPath: string): Layer.Layer<Files, unknown> =>
  Layer.provide(LocalFileSystem.layerWithRipgrep({ rootPath }), LocalShell.layer)

const results = (files: Layer.Layer<Files, unknown>, pattern: string, options: FileSearch.SearchOptions) =>
  Effect.runPromise(Effect.provide(Stream.runCollect(FileSearch.search(pattern, options)), files))

const names = ["a.ts", "b.js", "c.log", ".env", "lib", "build", "node_modules", ".github", "x y", "é", "Z"]
const lines = [
  "foo",
  "  foo bar",
  "FOO",
  "f(x)",
  "",
  "a-b",
  "été",
  "naïve foo",
  "12345",
  "\tx",
  "foo\r",
  "K ſ",
  "[a&&b]",
  "~~",
]
const ignores = [
  "*.log",
  "build",
  "build/",
  "/lib",
  "!build/",
  "!*.log",
  "lib/*.ts",
  "**/Z",
  "a.*",
  "!a.ts",
  "*.js\n!b.js",
  "node_modules/",
  "*.{ts,js}",
  "?}",
  "# {}",
  "a.ts\t",
  "*.log ",
  "lib\t \r",
]
const patterns = [
  "foo",
  "^foo",
  "foo$",
  "fo+",
  "\\bfoo\\b",
  "\\w+-\\w",
  "[^a]oo",
  ".oo",
  "é",
  "[^x]t",
  "\\d{3}",
  "\\Dx",
  "f\\(x\\)",
  "^$",
  "\\s",
  "(foo|bar)$",
  "(?:a|b)",
  "[\\w-]+b",
  "k",
  "s",
  "[[]a",
  "[a&&b]",
  "~~",
  "[]a]",
  "\\S\\s\\S",
  "x|",
  "\\W",
  "[^\\w]t",
  "a{0,2}",
  "(?i)FOO",
  "\\x66oo",
  "\\pL",
  ".",
]
const globs = ["*.ts", "*.{ts,js}", "lib/**", "**/*.log", "!*.log", "*", "?.ts"]

const randomTree = ({ int, next, pick }: Random): Readonly<Record<string, string | Uint8Array>> => {
  const files: Record<string, string | Uint8Array> = {}
  const folders = ["", "lib/", "build/", "lib/build/", "node_modules/m/", ".github/", "é/x y/", ".git/", "lib/.git/"]
  for (let file = int(3, 25); file > 0; file--) {
    const text = Array.from({ length: int(0, 6) }, () => pick(lines)).join("\n") + (next() < 0.7 ? "\n" : "")
    const bytes = new TextEncoder().encode(text)
    const kind = next()
    const content = kind < 0.05
      ? new Uint8Array([...bytes, 0, ...bytes])
      : kind < 0.1
      ? new Uint8Array([...bytes, 0xff, ...bytes])
      : kind < 0.15
      ? new Uint8Array([0xef, 0xbb, 0xbf, ...bytes])
      : kind < 0.2
      ? new Uint8Array(Uint16Array.from(`\ufeff${text}`, (one) => one.charCodeAt(0)).buffer)
      : text
    files[`${pick(folders)}f${int(0, 3)}${pick(names)}`] = content
  }
  for (const folder of ["", "lib/", "lib/build/"]) {
    if (next() < 0.6) files[`${folder}.gitignore`] = Array.from({ length: int(0, 4) }, () => pick(ignores)).join("\n")
  }
  return files
}

describe.runIf(hasRipgrep)("a search with ripgrep", () => {
  it(
    "finds the same lines as a search that reads every file, in the same order, in random trees",
    { timeout: 300_000 },
    async () => {
      const cases: Array<readonly [string, ReadonlyArray<readonly [string, FileSearch.SearchOptions]>]> = []
      forSeeds(10, (random) => {
        const { int, next, pick } = random
        const searches = Array.from({ length: 8 }, () =>
          [pick(patterns), {
            literal: next() < 0.2,
            ignoreCase: next() < 0.3,
            hidden: next() < 0.3,
            gitignore: next() < 0.8,
            context: int(0, 2),
            maxMatches: pick([3, 1_000]),
            ...(next() < 0.3 ? { globs: [pick(globs)] } : undefined),
          }] as const)
        cases.push([makeTree(randomTree(random)), searches])
      })
      let matches = 0
      for (const [root, searches] of cases) {
        const [plain, fast] = [LocalFileSystem.layer({ rootPath: root }), withRipgrep(root)]
        for (const [pattern, options] of searches) {
          const expected = await results(plain, pattern, options)
          expect(await results(fast, pattern, options), `${root} ${pattern} ${JSON.stringify(options)}`).toEqual(
            expected,
          )
          matches += expected.length - 1
        }
      }
      expect(matches).toBeGreaterThan(rounds(300))
    },
  )

  it("finds a character that stands for several bytes which are not UTF-8", async () => {
    const root = makeTree({ a: Uint8Array.of(0x61, 0xf0, 0x9f, 0x98, 0x62) })
    for (const pattern of ["a.b", "a\\Wb", "a[^x]b"]) {
      expect(await results(withRipgrep(root), pattern, {}), pattern).toHaveLength(2)
    }
  })

  it.skipIf(process.platform === "win32")("leaves out files and folders whose names no path may have", async () => {
    const root = makeTree({ a: "needle", "b\nc": "needle", "d\te/f": "needle" })
    for (const layer of [withRipgrep(root), LocalFileSystem.layer({ rootPath: root })]) {
      const found = await results(layer, "needle", {})
      expect(found.flatMap((event) => event._tag === "FileMatch" ? [event.path] : [])).toEqual(["a"])
    }
  })

  it("reads rules as git does, where ripgrep does not", async () => {
    const paths = ["a", "b", "{a,b}", "tab"]
    for (const rules of ["{a,b}\n", "tab\t\n", "tab \n", "a\t \r\nb\r\n", "#{\nb\n"]) {
      const root = makeTree({
        ...Object.fromEntries(paths.map((path) => [path, "needle"])),
        "d/.gitignore": rules,
        "d/a": "needle",
        "d/tab": "needle",
      })
      writeFileSync(join(root, ".gitignore"), rules)
      const expected = await results(LocalFileSystem.layer({ rootPath: root }), "needle", {})
      expect(await results(withRipgrep(root), "needle", {}), JSON.stringify(rules)).toEqual(expected)
    }
  })

  it.skipIf(process.platform === "win32")("follows no .gitignore that is a link, as git does not", async () => {
    const root = makeTree({ rules: "a\n", a: "needle", "d/a": "needle", "d/b": "needle" })
    symlinkSync("rules", join(root, ".gitignore"))
    symlinkSync("../rules", join(root, "d/.gitignore"))
    for (const path of ["", "d"]) {
      const found = await results(withRipgrep(root), "needle", { path })
      expect(found).toEqual(await results(LocalFileSystem.layer({ rootPath: root }), "needle", { path }))
      expect(found.at(-1)).toMatchObject({ files: path === "" ? 3 : 2 })
    }
  })

  it.skipIf(process.platform === "win32")(
    "does not wait for ripgrep to read large binary files, which are not searched",
    async () => {
      const head = new Uint8Array(8_000).fill(97)
      const root = makeTree({
        a: "needle\n",
        "big {a} *!": new Uint8Array(1),
        "big !a\\[": new Uint8Array([...head, 10, 0, ...new TextEncoder().encode("\nneedle\n")]),
      })
      // The one is binary; the other has its first NUL after what is looked at.
      truncateSync(join(root, "big {a} *!"), 5_000_000_000)
      // A name that no path may have.
      writeFileSync(join(root, "big\n{"), "")
      truncateSync(join(root, "big\n{"), 5_000_000_000)
      truncateSync(join(root, "big !a\\["), 20_000_000)
      const found = await results(withRipgrep(root), "needle", {})
      expect(found.map((event) => event._tag === "FileMatch" ? [event.path, event.line] : event.limit)).toEqual([
        ["a", 1],
        ["big !a\\[", 3],
        undefined,
      ])
    },
  )

  it("obeys the rules above the searched folder, and no others", async () => {
    const root = makeTree({
      ".gitignore": "*.log\nnode_modules\n",
      ".ignore": "b",
      ".rgignore": "b",
      ".git/info/exclude": "b",
      "src/a.log": "x",
      "src/b": "x",
      "node_modules/m/i.js": "x",
    })
    const inner = makeTree({ "a": "x" })
    for (const [rootPath, path] of [[root, "src"], [root, "node_modules/m"], [root, ""], [inner, ""]] as const) {
      expect(await results(withRipgrep(rootPath), "x", { path }))
        .toEqual(await results(LocalFileSystem.layer({ rootPath }), "x", { path }))
    }
  })

  it("chooses the files with ripgrep, and reads no others", async () => {
    const root = makeTree(
      Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, index === 7 ? "needle" : "-"])),
    )
    const reads: Array<string> = []
    const counting = (files: FilesService): FilesService => ({
      ...files,
      request: (request, options) => {
        if (request._tag === "FileRead" && !request.path.endsWith(".gitignore")) reads.push(request.path)
        return files.request(request, options)
      },
    })
    const search = Stream.runCollect(FileSearch.search("needle"))
    await Effect.runPromise(Effect.provide(Effect.updateService(search, Files, counting), withRipgrep(root)))
    expect(reads).toEqual(["f7"])
  })

  it("is not misled by names, patterns and folders that look like options", async () => {
    const root = makeTree({ "-e/--pre": "--files\n-x\n", "--hidden": "-x" })
    for (const pattern of ["-x", "--files", "--pre=sh"]) {
      for (const path of ["", "-e"]) {
        expect(await results(withRipgrep(root), pattern, { path, literal: true }))
          .toEqual(await results(LocalFileSystem.layer({ rootPath: root }), pattern, { path, literal: true }))
      }
    }
  })

  it.skipIf(process.platform === "win32")("shows nothing of what links lead to, in or out of the root", async () => {
    const outside = makeTree({ "secret": "needle", "root/a": "needle" })
    const root = join(outside, "root")
    symlinkSync("../secret", join(root, "out"))
    symlinkSync("..", join(root, "up"))
    symlinkSync("a", join(root, "in"))
    const found = await results(withRipgrep(root), "needle", {})
    expect(found.flatMap((event) => event._tag === "FileMatch" ? [event.path] : [])).toEqual(["a"])
    const through = results(withRipgrep(root), "needle", { path: "up" })
    await expect(through).rejects.toThrow(/outside the root/)
  })

  it("reads every file where the shell is of another machine", async () => {
    const root = makeTree({ a: "needle" })
    const kernel = Layer.provide(LocalFileSystem.layerWithRipgrep({ rootPath: root }), KernelShell.layer)
    const service = await Effect.runPromise(Effect.provide(Files, kernel))
    expect(service.findCandidates).toBeUndefined()
    expect(await results(kernel, "needle", {})).toHaveLength(2)
  })
})

describe("a pattern for ripgrep", () => {
  it("has RE2's classes in ASCII, and matches bytes that are not UTF-8 where any character may be", () => {
    expect(toRipgrepPattern("\\d\\b")).toBe("[0-9](?-u:\\b)")
    expect(toRipgrepPattern("[^a]")).toBe("(?:[^a]|(?-u:[\\x80-\\xff]{1,3}))")
    expect(toRipgrepPattern("[a&&b[]")).toBe("[a\\&\\&b\\[]")
    expect(toRipgrepPattern("f\\(\\.")).toBe("f\\(\\.")
  })

  it("is not used where the two may differ", () => {
    for (
      const pattern of [
        "(?i)a",
        "\\pL",
        "\\x66",
        "\\Qa",
        "\\A",
        "[[:alpha:]]",
        "[\\D]",
        "(?P<n>a)",
        "[a--b]",
        "$^",
        "a$\\b",
      ]
    ) {
      expect(toRipgrepPattern(pattern), pattern).toBeUndefined()
    }
    const query = { folder: "", gitignore: true, globs: [], ignoreCase: false, literal: true }
    expect(ripgrepArguments({ ...query, pattern: "\ufffd" })).toBeUndefined()
  })

  it("is one for every pattern of the tests that RE2 takes, or none", () => {
    for (const pattern of patterns) {
      expect(() => RE2JS.compile(pattern)).not.toThrow()
      expect(typeof toRipgrepPattern(pattern)).toMatch(/string|undefined/)
    }
  })
})
