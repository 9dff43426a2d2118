import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Shell, ShellExec } from "@sluice/shell"
import { Files } from "@sluice/shell/files"
import { SftpFileSystem, SshConnection, SshShell } from "@sluice/shell/ssh"
import { eventually, settled } from "../../support/eventually.ts"
import { heartbeat } from "../../support/heartbeat.ts"
import { hasSshd, type SshServer, startSshd } from "../../support/sshd.ts"
import { workshop } from "../../support/workshop.ts"

// The part that runs on every runtime; the rest is in the folders, on Deno.
describe.runIf(hasSshd)("commands and files over SSH", () => {
  let server: SshServer
  beforeAll(async () => {
    server = await startSshd()
  })
  afterAll(() => server.close())

  it("run, end and are stored on this runtime", async () => {
    const rootPath = mkdtempSync(join(server.folder, "root-"))
    const remote = Layer.mergeAll(SshShell.layerOverWith({ cwd: rootPath }), SftpFileSystem.layerOverWith({ rootPath }))
      .pipe(
        Layer.provide(SshConnection.layer(server.options())),
      )
    const bytes = new Uint8Array(3_000_000).map((_, at) => at * 7 + (at >> 8))
    const program = Effect.gen(function* () {
      const shell = yield* Shell
      const echoed = yield* Shell.run(ShellExec.shell("cat; echo err >&2; exit 3", { input: "it's \n" })).pipe(
        Effect.result,
      )
      expect(echoed).toMatchObject({ success: { exitCode: 3, stdout: "it's \n", stderr: "err\n" } })
      expect(yield* Shell.run(ShellExec.shell("kill -KILL $$"))).toMatchObject({ exitCode: 137, signal: "SIGKILL" })

      const { path, size } = yield* workshop
      const stubborn = `trap '' TERM; (${heartbeat(path("beat"))}) & wait; wait`
      const fault = yield* Effect.flip(
        Shell.run(ShellExec.shell(stubborn, { timeout: "1 second", grace: "100 millis" })),
      )
      expect(fault).toMatchObject({ reason: { _tag: "Timeout" } })
      const before = size("beat")
      expect(before).toBeGreaterThan(0)
      expect(yield* settled(() => size("beat"))).toBe(before)

      let screen = ""
      const last = yield* shell.bytes(ShellExec.shell('stty size; read -r word; echo "got $word"; exit 5'), {
        terminal: { cols: 101, rows: 33 },
        stdin: Stream.fromEffect(
          Effect.as(eventually("it asks", () => screen.includes("33 101")), new TextEncoder().encode("hello\r")),
        ),
      }).pipe(
        Stream.tap((event) =>
          Effect.sync(() => void (event._tag === "ShellBytes" && (screen += new TextDecoder().decode(event.bytes))))
        ),
        Stream.runLast,
      )
      expect(screen).toContain("got hello\r\n")
      expect(last).toMatchObject({ value: { exitCode: 5 } })

      yield* Files.write("folder/data", "old")
      yield* Files.write("folder/data", bytes)
      expect(yield* Files.read("folder/data")).toEqual(bytes)
      const { stdout } = yield* Shell.run(ShellExec.shell("wc -c < folder/data"))
      expect(stdout.trim()).toBe("3000000")
    }).pipe(Effect.scoped)
    await Effect.runPromise(Effect.provide(program, remote))
    expect(readdirSync(join(rootPath, "folder"))).toEqual(["data"])
    expect(readFileSync(join(rootPath, "folder", "data")).equals(bytes)).toBe(true)
  })
})
