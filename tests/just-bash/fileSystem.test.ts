/** The files of a `Bash` beside just-bash's: the same calls return the same, and failures have the sandbox's reasons. */
import { expect, it } from "vitest"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Bash, InMemoryFs, OverlayFs, ReadWriteFs } from "../../src/just-bash/mod.ts"
import { memory } from "../../src/kernel/fs/memory.ts"
import { readOnly } from "../../src/kernel/fs/overlay.ts"
import { type Files, same } from "./both.ts"

const using = (title: string, use: (fs: Files) => Promise<unknown>): void => same(title, ({ bash }) => use(bash().fs))

using("writes and reads text and bytes", async (fs) => {
  await fs.writeFile("/a/b.txt", "é")
  await fs.writeFile("/c.txt", new Uint8Array([195, 169]))
  return [await fs.readFile("/a/b.txt"), await fs.readFile("/c.txt")]
})

using("makes, lists and removes", async (fs) => {
  await fs.mkdir("/t/u/v", { recursive: true })
  await fs.mkdir("/t/u/v", { recursive: true })
  await fs.writeFile("/t/u/f", "1")
  await fs.writeFile("/g", "1")
  const names = await fs.readdir("/t/u")
  await fs.rm("/t", { recursive: true })
  await fs.rm("/g")
  await fs.rm("/no", { force: true })
  return [names, await Promise.all(["/t", "/g", "/tmp"].map((path) => fs.exists(path)))]
})

it("fails with the path and a code", async () => {
  const fs = new InMemoryFs({ "/full/f": "" })
  await expect(fs.readFile("/no")).rejects.toMatchObject({
    _tag: "SandboxError",
    reason: { code: "ENOENT", path: "/no" },
  })
  await expect(fs.readdir("/no")).rejects.toThrow("(ENOENT)")
  await expect(fs.rm("/no")).rejects.toThrow("(ENOENT)")
  await expect(fs.rm("/full", { force: true })).rejects.toThrow("(ENOTEMPTY)")
  await expect(Reflect.apply(fs.readFile, fs, ["/full/f", "base64"])).rejects.toThrow(
    "encoding of just-bash is refused",
  )
})

it("makes an absolute path of one that starts at a folder", () => {
  expect([new InMemoryFs().resolvePath("/a", "b"), new InMemoryFs().resolvePath("/a", "/b")]).toEqual(["/a/b", "/b"])
})

it("mounts volumes", async () => {
  const made = new Bash({ fs: new InMemoryFs({}, { "/data": readOnly(memory()) }) })
  expect(await made.exec("touch /data/x")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining("Read-only") })
})

it("refuses changes of an overlay that is read-only", async () => {
  const root = new URL("../../src/just-bash", import.meta.url).pathname
  const fs = new OverlayFs({ root, mountPoint: "/src", readOnly: true })
  expect(await new Bash({ fs }).exec("ls /src/mod.ts && rm /src/mod.ts")).toMatchObject({
    exitCode: 1,
    stdout: "/src/mod.ts\n",
  })
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
