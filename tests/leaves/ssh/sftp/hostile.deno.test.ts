import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import ssh2 from "ssh2"
import { Files } from "@sluice/shell/files"
import { SftpFileSystem } from "@sluice/shell/ssh"
import { eventually } from "../../../support/eventually.ts"
import { freePort } from "../../../support/sshd.ts"

const attrs = (mode: number): ssh2.Attributes => ({ mode, uid: 0, gid: 0, size: 1, atime: 0, mtime: 0 })

/**
 * Serves one folder, whose names `answer` gives for the n-th request; `undefined` ends them. `lossesAtOpen`: connections that end when
 * a file is opened.
 */
const serveNames = async (answer: (n: number) => ReadonlyArray<string> | undefined, lossesAtOpen = 0) => {
  const { private: key, public: hostKey } = ssh2.utils.generateKeyPairSync("ed25519")
  const asked = { count: 0 }
  const removed: Array<string> = []
  let opened = 0
  const server = new ssh2.Server({ hostKeys: [key] }, (client) => {
    // Missing in the types of ssh2.
    if ("setNoDelay" in client && typeof client.setNoDelay === "function") client.setNoDelay(true)
    client.on("error", () => {})
    client.on("authentication", (attempt) => attempt.accept())
    client.on("session", (accept) =>
      accept().on("sftp", (acceptSftp) => {
        const sftp = acceptSftp()
        sftp.on("REALPATH", (id, path) => sftp.name(id, [{ filename: path, longname: path, attrs: attrs(0o40755) }]))
        sftp.on("OPEN", (id) => opened++ < lossesAtOpen ? client.end() : sftp.handle(id, Buffer.from("h")))
        sftp.on("FSTAT", (id) => sftp.attrs(id, attrs(0o100644)))
        sftp.on("READ", (id, _handle, offset) => offset === 0 ? sftp.data(id, Buffer.from("x")) : sftp.status(id, 1))
        sftp.on("STAT", (id) => sftp.attrs(id, attrs(0o40755)))
        sftp.on(
          "LSTAT",
          (id, path) =>
            removed.includes(path) ? sftp.status(id, 2) : sftp.attrs(id, attrs(path === "/root" ? 0o40755 : 0o100644)),
        )
        sftp.on("WRITE", (id) => sftp.status(id, 0))
        sftp.on("FSETSTAT", (id) => sftp.status(id, 0))
        sftp.on("REMOVE", (id, path) => {
          removed.push(path)
          sftp.status(id, 0)
        })
        sftp.on("RENAME", (id) => sftp.status(id, 4))
        sftp.on("OPENDIR", (id) => sftp.handle(id, Buffer.from("h")))
        sftp.on("CLOSE", (id) => sftp.status(id, 0))
        sftp.on("READDIR", (id) => {
          const names = answer(asked.count++)
          if (names === undefined) return sftp.status(id, 1)
          sftp.name(id, names.map((filename) => ({ filename, longname: filename, attrs: attrs(0o100644) })))
        })
      }))
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const layer = SftpFileSystem.layer({
    host: "127.0.0.1",
    port,
    user: "me",
    hostKey,
    auth: { password: Redacted.make("x") },
    rootPath: "/root",
    replaceInSteps: true,
  })
  return { asked, close: () => server.close(), layer, removed }
}

it("a name from a hostile server that is a path is not listed", async () => {
  const names = ["ok", "../up", "a/b", "/etc/passwd", "..", ".", "", "nul\0"]
  const { close, layer } = await serveNames((n) => n === 0 ? names : undefined)
  const listed = await Effect.runPromise(Effect.provide(Stream.runCollect(Files.list("")), layer))
  close()
  expect(listed.map(({ path }) => path)).toEqual(["ok"])
})

it("a folder without an end is no longer read when its listing is cancelled", async () => {
  const { asked, close, layer } = await serveNames(() => ["again"])
  const program = Effect.gen(function* () {
    yield* Effect.raceFirst(
      Stream.runDrain(Files.list("")),
      eventually("it asks for more", () => asked.count > 20),
    )
    const before = asked.count
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 100)))
    return asked.count - before
  })
  const more = await Effect.runPromise(Effect.provide(program, layer))
  close()
  expect(more).toBeLessThan(3)
})

it("a file is read although the connection was lost while it was opened", async () => {
  const { close, layer } = await serveNames(() => undefined, 1)
  const text = await Effect.runPromise(Effect.provide(Files.readText("file"), layer))
  close()
  expect(text).toBe("x")
})

it("the written file stays when the old one was removed and the move failed", async () => {
  const { close, layer, removed } = await serveNames(() => undefined)
  const { message } = await Effect.runPromise(Effect.provide(Effect.flip(Files.write("file", "x")), layer))
  close()
  expect(removed).toEqual(["/root/file"])
  expect(message).toMatch(/the old file is gone, and the new one is \.sluice-.*\.tmp \(EIO\)/)
})
