/** The files of a `Bash` beside just-bash's: the same calls return the same, or fail with the same message. */
import { expect, it } from "vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Bash, InMemoryFs, ReadWriteFs } from "../../src/just-bash/mod.ts"
import { type Files, outcome, same } from "./both.ts"

const using = (title: string, use: (fs: Files) => Promise<unknown>): void => same(title, ({ bash }) => use(bash().fs))

using("writes, appends and reads text and bytes", async (fs) => {
  await fs.writeFile("/a/b.txt", "é")
  await fs.appendFile("/a/b.txt", "!")
  await fs.appendFile("/a/new.txt", "new")
  await fs.writeFile("/c.bin", "/wA=", "base64")
  await fs.writeFile("/d.bin", "ff00", "hex")
  await fs.writeFile("/e.bin", "\xff", "latin1")
  return [
    await fs.readFile("/a/b.txt"),
    await fs.readFile("/a/new.txt"),
    await fs.readFile("/a/b.txt", "base64"),
    await fs.readFile("/c.bin", "hex"),
    await fs.readFile("/d.bin", "latin1"),
    [...await fs.readFileBuffer("/e.bin")],
  ]
})

using("makes, lists, copies, moves and removes", async (fs) => {
  await fs.mkdir("/t/u/v", { recursive: true })
  await fs.mkdir("/t/u/v", { recursive: true })
  await fs.writeFile("/t/u/f", "1")
  await fs.cp("/t", "/copy", { recursive: true })
  await fs.cp("/t/u/f", "/g")
  await fs.mv("/copy/u", "/moved")
  await fs.rm("/t", { recursive: true })
  await fs.rm("/g")
  await fs.rm("/no", { force: true })
  const paths = ["/t", "/copy", "/moved/f", "/moved/v", "/g"]
  return [await fs.readdir("/moved"), await Promise.all(paths.map((path) => fs.exists(path)))]
})

using("links", async (fs) => {
  await fs.writeFile("/f", "1")
  await fs.symlink("f", "/s")
  await fs.link("/f", "/h")
  await fs.mkdir("/d")
  await fs.symlink("../d", "/d/up")
  return [
    await fs.readlink("/s"),
    await fs.realpath("/s"),
    await fs.realpath("/d/up"),
    await fs.readFile("/h"),
    (await fs.lstat("/s")).isSymbolicLink,
    (await fs.stat("/s")).isFile,
  ]
})

using("sets modes and times", async (fs) => {
  await fs.writeFile("/f", "12")
  await fs.chmod("/f", 0o600)
  await fs.utimes("/f", new Date(1_000), new Date(2_000))
  const { isDirectory, isFile, isSymbolicLink, mode, mtime, size } = await fs.stat("/f")
  return { isDirectory, isFile, isSymbolicLink, mode: mode & 0o777, mtime, size }
})

using("joins paths", (fs) =>
  Promise.resolve([
    fs.resolvePath("/a/b", "../c"),
    fs.resolvePath("/a", "/x/./y//z/.."),
    fs.resolvePath("/", ".."),
    fs.resolvePath("/a b", "c%20?#d"),
    fs.resolvePath("/a", "."),
  ]))

using("fails as node:fs does", async (fs) => {
  await fs.mkdir("/full/d", { recursive: true })
  const calls: ReadonlyArray<() => Promise<unknown>> = [
    () => fs.readFile("/no"),
    () => fs.readdir("/no"),
    () => fs.stat("/no"),
    () => fs.lstat("/no"),
    () => fs.rm("/no"),
    () => fs.rm("/full"),
    () => fs.mkdir("/no/d"),
    () => fs.cp("/no", "/x"),
    () => fs.mv("/no", "/x"),
    () => fs.chmod("/no", 0o600),
    () => fs.realpath("/no"),
    () => fs.readlink("/full"),
    () => fs.link("/no", "/x"),
  ]
  return await Promise.all(calls.map(outcome))
})

it("has a code in its errors", async () => {
  await expect(new InMemoryFs().readFile("/no")).rejects.toMatchObject({ code: "ENOENT" })
  await expect(new InMemoryFs({}, { maxTotalBytes: 4 }).writeFile("/big", "12345")).rejects.toMatchObject({
    code: "ENOSPC",
  })
})

it("lists all paths", () => {
  const paths = new InMemoryFs({ "/a/b.txt": "", "c": "" }).getAllPaths()
  expect(paths).toEqual(expect.arrayContaining(["/", "/a", "/a/b.txt", "/c", "/tmp"]))
})

it("shares files between shells", async () => {
  const fs = new InMemoryFs({ "/a": "1" })
  await new Bash({ fs }).exec("echo 2 > /a")
  expect(await new Bash({ fs }).exec("cat /a")).toMatchObject({ stdout: "2\n" })
})

it("writes to a folder of this machine", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-just-bash-"))
  try {
    writeFileSync(join(folder, "in.txt"), "b\na\n")
    const made = new Bash({ fs: new ReadWriteFs({ root: folder }), cwd: "/" })
    expect(await made.exec("sort in.txt > out.txt")).toMatchObject({ exitCode: 0 })
    expect(readFileSync(join(folder, "out.txt"), "utf8")).toBe("a\nb\n")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
