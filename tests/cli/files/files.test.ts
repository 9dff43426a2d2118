import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { encodeUtf8 } from "../../../src/base/bytes.ts"
import { listen } from "../../../src/cli/listen.ts"
import { fileRoutes } from "../../../src/http/mod.ts"
import { MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import { eventually } from "../../support/eventually.ts"
import { workshop } from "../../support/workshop.ts"
import { fakeProcess, runFakeProcess, startSluice } from "../support.ts"

interface Circumstances {
  readonly input?: string
  readonly terminal?: boolean
  readonly token?: string
}

/** What `sluice files` says, in this process. */
const runFiles = (args: ReadonlyArray<string>, { input, terminal = false, token }: Circumstances = {}) => {
  let rest = input === undefined || input === "" ? undefined : encodeUtf8(input)
  return runFakeProcess({
    ...fakeProcess(["files", ...args]),
    variable: (name) => name === "SLUICE_TOKEN" ? token : undefined,
    hasInput: () => input !== undefined,
    isTerminal: () => terminal,
    openInput: (source) => {
      if (source !== "-") return Promise.reject(new Error(`no ${source}`))
      return Promise.resolve({
        read: () => {
          const bytes = rest
          rest = undefined
          return Promise.resolve(bytes)
        },
        close: () => {},
      })
    },
  })
}

/** A folder with files, and what `sluice files` says of it. */
const folderWith = (tree: Readonly<Record<string, string>>) =>
  Effect.map(workshop, ({ directory }) => {
    for (const [path, text] of Object.entries(tree)) {
      mkdirSync(join(directory, dirname(path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    const run = (args: ReadonlyArray<string>, input?: string, terminal = false) =>
      runFiles([...args, "--root", directory], { terminal, ...(input === undefined ? undefined : { input }) })
    return {
      directory,
      run,
      says: (...args: ReadonlyArray<string>) => run(args),
      text: (path: string) => readFileSync(join(directory, path), "utf8"),
    }
  })

const ok = (stdout: string) => ({ status: 0, stdout, stderr: "" })

describe("sluice files", () => {
  it.effect("reads files and ranges, and writes stdin", () =>
    Effect.gen(function* () {
      const { run, says, text } = yield* folderWith({ a: "0123456789" })
      expect(yield* says("read", "a")).toEqual(ok("0123456789"))
      expect(yield* says("read", "--offset", "2", "--length", "3", "a")).toEqual(ok("234"))
      expect(JSON.parse((yield* says("read", "--json", "a")).stdout)).toMatchObject({
        _tag: "FileContent",
        content: btoa("0123456789"),
        totalSize: 10,
      })
      expect(yield* run(["write", "dir/b"], "hello\n")).toEqual(ok(""))
      expect(yield* run(["write", "--append", "dir/b"], "more\n")).toEqual(ok(""))
      expect(text("dir/b")).toBe("hello\nmore\n")
      expect(JSON.parse((yield* run(["write", "--json", "c"], "x")).stdout)).toMatchObject({
        path: "c",
        bytesWritten: 1,
      })
      expect(yield* run(["write", "--new", "dir/b"], "no")).toMatchObject({ status: 125, stdout: "" })
      expect(yield* run(["write", "--existing", "nope"], "no")).toMatchObject({ status: 127 })
      expect(yield* run(["write", "--new", "--append", "x"], "no")).toMatchObject({ status: 125 })
      const empty = yield* says("write", "x")
      expect(empty).toMatchObject({ status: 125, stderr: expect.stringContaining("nothing to write") })
      expect(text("dir/b")).toBe("hello\nmore\n")
    }))

  it.effect("lists, stats and deletes", () =>
    Effect.gen(function* () {
      const { says } = yield* folderWith({ "src/a.ts": "1", "src/lib/b.ts": "22", "c.md": "" })
      expect(yield* says("ls")).toEqual(ok("c.md\nsrc/\n"))
      expect(yield* says("ls", "-r", "--pattern", "*.ts", "src")).toEqual(ok("a.ts\nlib/b.ts\n"))
      const { stdout } = yield* says("ls", "--json", "src")
      expect(stdout.trim().split("\n").map((line) => JSON.parse(line))).toMatchObject([
        { path: "a.ts", size: 1, isDirectory: false },
        { path: "lib", isDirectory: true },
      ])
      expect((yield* says("ls", "--long", "src")).stdout).toMatch(/ {2}folder {2}lib\/\n$/)
      expect((yield* says("stat", "src/lib/b.ts")).stdout).toMatch(/^type {9}file\nsize {9}2\nmodified {5}\d{4}-/)
      expect(JSON.parse((yield* says("stat", "--json", "src")).stdout)).toMatchObject({ isDirectory: true })
      expect(yield* says("rm", "src")).toMatchObject({
        status: 125,
        stderr: expect.stringContaining("add --recursive"),
      })
      expect(yield* says("rm", "-r", "src", "c.md")).toEqual(ok(""))
      expect(yield* says("ls")).toEqual(ok(""))
      expect(yield* says("rm", "src")).toMatchObject({ status: 127 })
    }))

  it.effect("edits a file, and prints the diff", () =>
    Effect.gen(function* () {
      const { run, says, text } = yield* folderWith({ a: "let a\nlet b\n" })
      const { status, stdout } = yield* says("edit", "--old", "let a", "--new", "const a", "a")
      expect([status, stdout]).toEqual([0, "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-let a\n+const a\n let b\n"])
      expect(yield* says("edit", "--old", "nowhere", "--new", "x", "a")).toMatchObject({ status: 1, stdout: "" })
      const edits = JSON.stringify([{ oldText: "const", newText: "var" }, { oldText: "b", newText: "c" }])
      expect(yield* run(["edit", "--edits", "-", "--json", "a"], edits)).toMatchObject({ status: 0 })
      expect(text("a")).toBe("var a\nlet c\n")
      expect(yield* run(["edit", "--edits", "-", "a"], '[{"oldText":1}]')).toMatchObject({ status: 125 })
      expect(yield* says("edit", "a")).toMatchObject({ status: 125 })
      expect(yield* says("edit", "--old", "a", "a")).toMatchObject({ status: 125 })
    }))

  it.effect("applies a patch from stdin, or checks it", () =>
    Effect.gen(function* () {
      const { run, says, text } = yield* folderWith({ a: "1\n" })
      const patch = "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** Add File: d/b\n+x\n*** End Patch\n"
      const done = ok("updated  a  +1 -1\nadded    d/b  +1 -0\n")
      expect(yield* run(["patch", "--dry-run"], patch)).toEqual(done)
      expect(text("a")).toBe("1\n")
      expect(yield* run(["patch"], patch)).toEqual(done)
      expect([text("a"), text("d/b")]).toEqual(["2\n", "x\n"])
      const again = yield* run(["patch"], patch)
      expect(again).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining("patch a (line 3)") })
      expect(yield* run(["patch"], "hello")).toMatchObject({ status: 125 })
      expect(yield* says("patch")).toMatchObject({ status: 125, stderr: expect.stringContaining("no patch") })
    }))

  it.effect("searches by content and name", () =>
    Effect.gen(function* () {
      const help = yield* runFiles(["search", "--help"])
      expect(help.stdout).toContain("sluice files search [flags] [<PATTERN>] [<PATH>]\n")
      expect(yield* runFiles(["search", "a", "b", "c"])).toMatchObject({ status: 125 })
      const { run, says } = yield* folderWith({
        "a.ts": "one\nx two\nthree\nfour\nfive\nsix x\n",
        "b.md": "x\n",
        ".gitignore": "*.md",
      })
      expect(yield* says("search", "^x \\w")).toEqual(ok("a.ts:2:1:x two\n"))
      expect(yield* says("search", "-C", "1", "\\bx\\b")).toEqual(
        ok("a.ts-1-one\na.ts:2:1:x two\na.ts-3-three\n--\na.ts-5-five\na.ts:6:5:six x\n"),
      )
      expect(yield* says("search", "-C", "2", "--no-ignore", "\\bx\\b")).toEqual(
        ok("a.ts-1-one\na.ts:2:1:x two\na.ts-3-three\na.ts-4-four\na.ts-5-five\na.ts:6:5:six x\n--\nb.md:1:1:x\n"),
      )
      expect(yield* says("search", "nope")).toEqual({ status: 1, stdout: "", stderr: "" })
      expect(yield* says("search", "--files")).toEqual(ok("a.ts\n"))
      expect(yield* says("search", "--files", "--no-ignore", "--glob", "!*.ts")).toEqual(ok("b.md\n"))
      const { stdout } = yield* says("search", "--json", "x", "a.ts")
      expect(stdout.trim().split("\n").map((line) => JSON.parse(line)._tag)).toEqual([
        "FileMatch",
        "FileMatch",
        "FileSearchEnd",
      ])
      const limited = yield* says("search", "--max-matches", "1", "x")
      expect(limited).toMatchObject({ status: 0, stderr: expect.stringContaining("raise --max-matches") })
      expect(yield* says("search", "(")).toMatchObject({ status: 125, stderr: expect.stringContaining("RE2") })
      expect(yield* says("search")).toMatchObject({ status: 125 })
      expect(yield* run(["search", "-F", "x", "nope"])).toMatchObject({ status: 127 })
    }))

  it.effect("shows a terminal no control characters of files", () =>
    Effect.gen(function* () {
      const { run, says } = yield* folderWith({ a: "x \u001b[2J\ty\n" })
      expect((yield* run(["search", "x"], undefined, true)).stdout).toBe("a:1:1:x \\u001b[2J\ty\n")
      expect((yield* says("search", "x")).stdout).toBe("a:1:1:x \u001b[2J\ty\n")
    }))

  it.effect.skipIf(process.platform === "win32")("never leaves its root", () =>
    Effect.gen(function* () {
      const { directory, says } = yield* folderWith({ a: "" })
      symlinkSync("/etc", join(directory, "out"))
      expect(yield* says("read", "../x")).toMatchObject({ status: 125, stdout: "" })
      expect(yield* says("read", "out/passwd")).toMatchObject({ status: 126, stdout: "" })
      expect(yield* says("search", "root", "out")).toMatchObject({ status: 126, stdout: "" })
    }))

  it.effect("refuses a root that is not a folder, and a root together with a server", () =>
    Effect.gen(function* () {
      const says = (...args: ReadonlyArray<string>) => runFiles(args)
      expect(yield* says("ls", "--root", "/no/such")).toMatchObject({
        status: 125,
        stderr: expect.stringContaining("ENOENT"),
      })
      expect(yield* says("ls", "--root", ".", "--url", "http://x")).toMatchObject({ status: 125 })
      expect(yield* says("ls", "--url", "ftp://x")).toMatchObject({ status: 125 })
      expect(yield* says("ls", "--token", "t")).toMatchObject({ status: 125, stderr: expect.stringContaining("--url") })
    }))

  it.effect("names its own flags in refusals", () =>
    Effect.gen(function* () {
      const { directory, run, says } = yield* folderWith({ "a.txt": "one\none\n", "full/b.txt": "" })
      const problem = (result: { readonly stderr: string }) => result.stderr.replace(/^sluice: /, "").trim()
      expect(problem(yield* run(["write", "--new", "a.txt"], "x"))).toBe(
        "write a.txt: the file already exists; leave --new out to replace it, or use --append (EEXIST)",
      )
      expect(problem(yield* says("rm", "full"))).toBe(
        "delete full: the folder is not empty; add --recursive to delete all that is in it (ENOTEMPTY)",
      )
      expect(problem(yield* says("edit", "a.txt", "--old", "one", "--new", "two"))).toBe(
        "edit a.txt: the text of --old occurs 2 times, in lines 1, 2; add lines around it, or add --all",
      )
      expect(problem(yield* says("edit", "a.txt", "--old", "two", "--new", "one"))).toMatch(
        /^edit a\.txt: the text of --old is not in the file; /,
      )
      const edits = yield* run(["edit", "a.txt", "--edits", "-"], JSON.stringify([{ oldText: "one", newText: "two" }]))
      expect(problem(edits)).toMatch(/replacement 1: oldText occurs 2 times.*, or set replaceAll$/)
      expect(problem(yield* says("search", "(("))).toMatch(/, or add --literal$/)
      expect(problem(yield* runFiles(["ls", "--root", join(directory, "none")]))).toMatch(
        /^--root: ".*none" cannot be opened \(ENOENT\); name a folder that exists$/,
      )
    }))

  it.effect("works on the files of a server", () =>
    Effect.gen(function* () {
      const routes = fileRoutes({ layer: MemoryFileSystem.layer, token: "s3cret" })
      yield* Effect.addFinalizer(() => Effect.promise(() => routes.dispose()))
      const address = { host: "127.0.0.1", port: 0 }
      const { port } = yield* Effect.acquireRelease(
        Effect.promise(() => listen(address, async (request) => await routes.fetch(request))),
        (listener) => Effect.promise(() => listener.closeNow()),
      )
      const run = (args: ReadonlyArray<string>, input = "", token = "s3cret") =>
        runFiles([...args, "--url", `http://127.0.0.1:${port}`], { input, token })
      expect(yield* run(["write", "a/b"], "one\ntwo\n")).toEqual(ok(""))
      expect(yield* run(["read", "a/b"])).toEqual(ok("one\ntwo\n"))
      expect(yield* run(["search", "t.o"])).toEqual(ok("a/b:2:1:two\n"))
      expect(yield* run(["patch"], "--- a/a/b\n+++ b/a/b\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n")).toEqual(
        ok("updated  a/b  +1 -1\n"),
      )
      expect(yield* run(["ls", "-r"])).toEqual(ok("a/\na/b\n"))
      const refused = yield* run(["ls"], "", "wrong")
      expect(refused).toMatchObject({ status: 126, stdout: "" })
      expect(refused.stderr).not.toContain("wrong")
    }))

  it.effect("prints changes until it is stopped", () =>
    Effect.gen(function* () {
      const { directory } = yield* folderWith({ a: "" })
      const running = yield* startSluice(["files", "watch", "--root", directory])
      let round = 0
      yield* eventually("a change is printed", () => {
        writeFileSync(join(directory, "a"), `${round++}`)
        return running.stdout().includes("modified  a\n")
      })
      running.signal("SIGINT")
      expect(yield* running.status).toBe(130)
    }))
})
