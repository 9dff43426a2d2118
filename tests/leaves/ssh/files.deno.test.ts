import { afterAll, beforeAll, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { SftpFileSystem, SshConnection, type SshConnectionService } from "@sluice/shell/ssh"
import { filesContract } from "../../support/filesContract.ts"
import { hasSshd, type SshServer, startSshd } from "../../support/sshd.ts"

let server: SshServer | undefined
let connection: SshConnectionService | undefined
const scope = Scope.makeUnsafe()

beforeAll(async () => {
  if (!hasSshd) return
  server = await startSshd(["MaxSessions 100"])
  connection = await Effect.runPromise(Scope.provide(SshConnection.make(server.options()), scope))
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  server?.close()
})

/** An empty folder of the server. All tests share one connection. */
const layer = () =>
  Layer.suspend(() => {
    if (server === undefined || connection === undefined) throw new Error("sshd does not run")
    const rootPath = mkdtempSync(join(server.folder, "files-"))
    return SftpFileSystem.layerOverWith({ rootPath }).pipe(Layer.provide(Layer.succeed(SshConnection, connection)))
  })

describe.runIf(hasSshd)("SftpFileSystem", () => {
  filesContract("SftpFileSystem", layer)
})
