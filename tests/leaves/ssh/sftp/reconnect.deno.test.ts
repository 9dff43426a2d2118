import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { execFileSync, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { Shell, ShellExec } from "@sluice/shell"
import { type FileFault, Files } from "@sluice/shell/files"
import { SftpFileSystem, SshConnection, SshShell } from "@sluice/shell/ssh"
import { eventually, settled } from "../../../support/eventually.ts"
import { Proxy } from "../../../support/proxy.ts"
import { hasSshd, type SshServer, startSshd } from "../../../support/sshd.ts"

const random = (size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(size, at + 65_536)))
  return bytes
}
const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

describe.runIf(hasSshd)("SftpFileSystem", () => {
  let server: SshServer
  beforeAll(async () => {
    server = await startSshd()
  })
  afterAll(() => server.close())

  const makeRoot = (): string => mkdtempSync(join(server.folder, "root-"))
  const within = <A, E>(effect: Effect.Effect<A, E, Files>, options: Partial<SftpFileSystem.SftpFileSystemOptions>) =>
    Effect.runPromise(Effect.provide(effect, SftpFileSystem.layer({ ...server.options(), ...options })))
  const fault = <A>(effect: Effect.Effect<A, FileFault, Files>) =>
    Effect.map(Effect.flip(effect), ({ code, faultKind, message }) => ({ code, faultKind, message }))

  it("reads on where it was when the connection is lost, more than once", async () => {
    const rootPath = makeRoot()
    const bytes = random(12_000_000)
    writeFileSync(join(rootPath, "large"), bytes)
    const proxy = await Proxy.make(server.port)
    const hash = createHash("sha256")
    let cuts = 0
    let length = 0
    await within(
      Stream.runForEach(Files.stream("large"), (chunk) =>
        Effect.sync(() => {
          hash.update(chunk)
          length += chunk.length
          if (length > (cuts + 1) * 3_000_000 && cuts < 3) {
            cuts++
            proxy.cut()
          }
        })),
      { rootPath, port: proxy.port },
    )
    await proxy.close()
    expect([cuts, length]).toEqual([3, 12_000_000])
    expect(hash.digest("hex")).toBe(digest(bytes))
  })

  it("does not continue reading in a file that replaced it", async () => {
    const rootPath = makeRoot()
    writeFileSync(join(rootPath, "large"), new Uint8Array(6_000_000))
    const proxy = await Proxy.make(server.port)
    let length = 0
    const { faultKind, message } = await within(
      fault(Stream.runForEach(Files.stream("large"), (chunk) =>
        Effect.sync(() => {
          length += chunk.length
          if (length !== 65_536) return
          rmSync(join(rootPath, "large"))
          writeFileSync(join(rootPath, "large"), new Uint8Array(5_000_000))
          proxy.cut()
        }))),
      { rootPath, port: proxy.port },
    )
    await proxy.close()
    expect(faultKind).toBe("IoError")
    expect(message).toContain("the file was replaced meanwhile")
  })

  it("writes on where it was when the connection is lost, and leaves no half file and no temporary one", async () => {
    const rootPath = makeRoot()
    const bytes = random(12_000_000)
    let passed = 0
    let cuts = 0
    const proxy: Proxy = await Proxy.make(server.port, (data) => {
      passed += data.length
      if (passed < (cuts + 1) * 3_500_000 || cuts === 3) return false
      cuts++
      queueMicrotask(() => proxy.cut())
      return true
    })
    writeFileSync(join(rootPath, "large"), "old")
    const pieces = Array.from({ length: 12 }, (_, n) => bytes.subarray(n * 1_000_000, (n + 1) * 1_000_000))
    await within(Files.write("large", Stream.fromIterable(pieces)), { rootPath, port: proxy.port })
    await proxy.close()
    expect(cuts).toBe(3)
    expect(digest(readFileSync(join(rootPath, "large")))).toBe(digest(bytes))
    expect(readdirSync(rootPath)).toEqual(["large"])
  })

  it("requests little ahead of a reader that pauses, and takes little ahead of a server that does", async () => {
    const rootPath = makeRoot()
    // 100 MB without a byte on the disk.
    execFileSync("truncate", ["-s", "100M", join(rootPath, "large")])
    let [received, isSilent] = [0, false]
    const proxy: Proxy = await Proxy.make(server.port, () => false, () => isSilent)
    const watch = setInterval(() => {
      received = proxy.clients.reduce((sum, client) => sum + client.bytesWritten, 0)
    }, 10)
    await within(
      Effect.gen(function* () {
        let length = 0
        yield* Stream.runForEach(Stream.take(Files.stream("large"), 20), (chunk) =>
          Effect.gen(function* () {
            length += chunk.length
            if (length > 15 * 65_536 && length < 17 * 65_536) {
              yield* settled(() => received, 100)
              expect(received).toBeGreaterThan(length)
              expect(received - length).toBeLessThan(2_500_000)
            }
          }))
        expect(length).toBe(20 * 65_536)
        let taken = 0
        const piece = new Uint8Array(65_536)
        const source = Stream.map(Stream.take(Stream.forever(Stream.make(piece)), 1_600), (bytes) => {
          taken += bytes.length
          isSilent = taken > 10_000_000
          return bytes
        })
        const writing = yield* Effect.forkChild(Files.write("copy", source))
        yield* eventually("it is silent", () => isSilent)
        yield* settled(() => taken, 200)
        expect(taken).toBeLessThan(16_000_000)
        isSilent = false
        yield* Fiber.interrupt(writing)
      }),
      { rootPath, port: proxy.port, keepAlive: "200 millis", reconnect: Schedule.upTo(Schedule.forever, { times: 0 }) },
    )
    clearInterval(watch)
    await proxy.close()
  })

  it("does not append content twice that it may have appended before the connection was lost", async () => {
    const rootPath = makeRoot()
    writeFileSync(join(rootPath, "log"), "line\n")
    let passed = 0
    const proxy: Proxy = await Proxy.make(server.port, (data) => {
      passed += data.length
      if (passed < 1_000_000) return false
      queueMicrotask(() => proxy.cut())
      return true
    })
    const write = Files.write("log", new Uint8Array(3_000_000), { createMode: "AppendExisting" })
    const { code, message } = await within(fault(write), { rootPath, port: proxy.port })
    await proxy.close()
    expect(code).toBe("ECONNRESET")
    expect(message).toContain("was lost during the operation")
    expect(statSync(join(rootPath, "log")).size).toBeLessThan(3_000_000)
  })

  it("follows links within the root, and none that leads out of it", async () => {
    const rootPath = makeRoot()
    const outside = makeRoot()
    writeFileSync(join(outside, "secret"), "secret")
    mkdirSync(join(rootPath, "inner"))
    writeFileSync(join(rootPath, "inner", "file"), "inner")
    symlinkSync("inner", join(rootPath, "way"))
    symlinkSync(outside, join(rootPath, "out"))
    symlinkSync(join(outside, "secret"), join(rootPath, "leak"))
    symlinkSync(join(outside, "new"), join(rootPath, "dangling"))
    symlinkSync("loop", join(rootPath, "loop"))
    await within(
      Effect.gen(function* () {
        expect(yield* Files.readText("way/file")).toBe("inner")
        const cases = [
          Files.read("out/secret"),
          Files.read("leak"),
          Files.write("out/new", "x"),
          Files.write("leak", "x"),
          Files.write("dangling", "x"),
          Files.delete("out/secret"),
          Stream.runDrain(Files.list("out")),
          Files.stat("leak"),
          Files.read("loop"),
        ]
        for (const each of cases) {
          expect((yield* fault(Effect.asVoid(each))).code).toMatch(/^(ENOTCAPABLE|ENOENT|ELOOP)$/)
        }
        expect((yield* fault(Files.read("leak"))).message).toContain("leads outside the root")
        // The link goes, and what it leads to stays.
        yield* Files.delete("leak")
        yield* Files.delete("out", { recursive: true })
        expect(readFileSync(join(outside, "secret"), "utf8")).toBe("secret")
        expect(readdirSync(outside)).toEqual(["secret"])
      }),
      { rootPath },
    )
    const none = within(fault(Files.read("way/file")), { rootPath, followSymlinks: false })
    expect((await none).code).toBe("ELOOP")
  })

  it("refuses anything but a file, without waiting for a pipe", async () => {
    const rootPath = makeRoot()
    execFileSync("mkfifo", [join(rootPath, "pipe")])
    const { code } = await within(fault(Files.read("pipe")), { rootPath })
    expect(code).toBe("ENXIO")
  })

  it("lists no name that is not UTF-8, and says why a folder with one is not deleted", async () => {
    const rootPath = makeRoot()
    execFileSync("sh", [
      "-c",
      'mkdir "$1/folder" && : > "$1/folder/$(printf "a\\377b")" && : > "$1/folder/ok"',
      "sh",
      rootPath,
    ])
    await within(
      Effect.gen(function* () {
        const entries = yield* Stream.runCollect(Files.list("folder"))
        expect(entries.map(({ path }) => path)).toEqual(["ok"])
        const { code, message } = yield* fault(Files.delete("folder", { recursive: true }))
        expect(code).toBe("ENOTEMPTY")
        expect(message).toContain("names that are not Unicode")
      }),
      { rootPath },
    )
  })

  it("says that a server cannot replace a file in one step, and does it in two when that is allowed", async () => {
    const plain = await startSshd(["Subsystem sftp internal-sftp -P posix-rename"])
    const rootPath = mkdtempSync(join(plain.folder, "root-"))
    const options = { ...plain.options(), rootPath }
    await within(
      Effect.gen(function* () {
        yield* Files.write("a", "1")
        const { code, message } = yield* fault(Files.write("a", "2"))
        expect([code, message.includes("replaceInSteps")]).toEqual(["ENOTSUP", true])
        expect(yield* Files.readText("a")).toBe("1")
      }),
      options,
    )
    await within(Files.write("a", "2"), { ...options, replaceInSteps: true })
    expect([readFileSync(join(rootPath, "a"), "utf8"), readdirSync(rootPath)]).toEqual(["2", ["a"]])
    plain.close()
  })

  it("says when the disk of the server is full, and keeps the old file", async ({ skip }) => {
    const rootPath = makeRoot()
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", rootPath]).status !== 0) {
      return skip("it may not mount")
    }
    try {
      await within(
        Effect.gen(function* () {
          yield* Files.write("a", "old")
          const { code, faultKind, message } = yield* fault(Files.write("a", new Uint8Array(3_000_000)))
          expect([faultKind, code]).toEqual(["DiskFull", "ENOSPC"])
          expect(message).toContain("free: ")
          expect(yield* Files.readText("a")).toBe("old")
          expect(yield* Stream.runCollect(Files.list(""))).toHaveLength(1)
        }),
        { rootPath },
      )
    } finally {
      spawnSync("umount", ["-l", rootPath])
    }
  })

  it("refuses a root that is not a folder, and a server without SFTP", async () => {
    const layer = (options: SftpFileSystem.SftpFileSystemOptions) =>
      Effect.runPromise(Effect.flip(Effect.scoped(Layer.build(SftpFileSystem.layer(options)))))
    const missing = await layer({ ...server.options(), rootPath: "/no/such" })
    expect(missing).toMatchObject({ reason: { _tag: "RootFailed", path: "/no/such" } })
    expect(await layer({ ...server.options(), rootPath: join(server.folder, "config") })).toMatchObject({
      reason: { _tag: "RootFailed" },
    })
    const none = await startSshd(["Subsystem sftp /bin/false"])
    expect(await layer({ ...none.options(), connectTimeout: "3 seconds" })).toMatchObject({
      reason: { _tag: "SftpFailed" },
    })
    none.close()
  })

  it("shares one connection with a shell: a remote agent", async () => {
    const rootPath = makeRoot()
    const remote = Layer.mergeAll(SshShell.layerOverWith({ cwd: rootPath }), SftpFileSystem.layerOverWith({ rootPath }))
      .pipe(
        Layer.provide(SshConnection.layer(server.options())),
      )
    const before = server.log().split("Accepted").length
    const program = Effect.gen(function* () {
      yield* Files.write("src/main.sh", "echo built by $0\n", { permissions: 0o755 })
      const { stdout } = yield* Shell.run(ShellExec.shell("sh src/main.sh > out.txt; cat out.txt"))
      return [stdout, yield* Files.readText("out.txt")]
    })
    const texts = await Effect.runPromise(Effect.provide(program, remote))
    expect(texts).toEqual(["built by src/main.sh\n", "built by src/main.sh\n"])
    expect(server.log().split("Accepted").length - before).toBe(1)
  })
})
