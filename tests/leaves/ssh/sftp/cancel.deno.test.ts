import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Files } from "@sluice/shell/files"
import { SftpFileSystem } from "@sluice/shell/ssh"
import { eventually } from "../../../support/eventually.ts"
import { Proxy } from "../../../support/proxy.ts"
import { hasSshd, type SshServer, startSshd } from "../../../support/sshd.ts"

const sftpServer = "/usr/lib/openssh/sftp-server"

/** Begins to replace a file, does something to the server, and cancels the write. */
const cancelledAfter = (
  rootPath: string,
  options: SftpFileSystem.SftpFileSystemOptions,
  harm: () => void,
): Promise<ReadonlyArray<string>> => {
  writeFileSync(join(rootPath, "file"), "old")
  const temporary = (): ReadonlyArray<string> => readdirSync(rootPath).filter((name) => name !== "file")
  return Effect.runPromise(
    Effect.gen(function* () {
      const source = Stream.concat(Stream.make(new Uint8Array(10)), Stream.never)
      const writing = yield* Effect.forkChild(Files.write("file", source))
      yield* eventually("the temporary file is there", () => temporary().length === 1)
      harm()
      yield* Fiber.interrupt(writing)
      return temporary()
    }).pipe(Effect.provide(SftpFileSystem.layer({ ...options, rootPath }))),
  )
}

describe.runIf(hasSshd && existsSync(sftpServer))("SftpFileSystem: cancelled writes", () => {
  let server: SshServer
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "sluice-sftp-"))
    const wrapper = join(folder, "wrapper")
    mkdirSync(join(folder, "pids"))
    // Each session leaves its process id.
    writeFileSync(wrapper, `#!/bin/sh\n: > ${folder}/pids/$$\nexec ${sftpServer}\n`, { mode: 0o755 })
    server = await startSshd([`Subsystem sftp ${wrapper}`])
  })
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it("leave no temporary file when the connection is cut at that moment", async () => {
    const rootPath = mkdtempSync(join(folder, "root-"))
    const proxy = await Proxy.make(server.port)
    const left = await cancelledAfter(rootPath, { ...server.options(), port: proxy.port }, () => proxy.cut())
    await proxy.close()
    expect(left).toEqual([])
    expect(readFileSync(join(rootPath, "file"), "utf8")).toBe("old")
  })

  it("leave no temporary file when the session does not answer, and are not waited for without end", async () => {
    const rootPath = mkdtempSync(join(folder, "root-"))
    const pids = (): ReadonlyArray<string> => readdirSync(join(folder, "pids"))
    const before = pids()
    let frozen = 0
    const left = await cancelledAfter(rootPath, { ...server.options(), connectTimeout: "1 second" }, () => {
      frozen = Number(pids().find((pid) => !before.includes(pid)))
      process.kill(frozen, "SIGSTOP")
    }).finally(() => process.kill(frozen, "SIGKILL"))
    expect(left).toEqual([])
    expect(readFileSync(join(rootPath, "file"), "utf8")).toBe("old")
  })
})
