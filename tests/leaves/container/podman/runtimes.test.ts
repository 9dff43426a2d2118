/** Commands, files and a terminal in one container of podman, on each runtime. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { afterAll } from "vitest"
import { Shell, ShellExec } from "@sluice/shell"
import { Container, ContainerFileSystem, ContainerShell } from "@sluice/shell/container"
import { Files } from "@sluice/shell/files"
import { engineOptions, makeRootfs } from "../../../support/rootfs.ts"
import { runScript } from "../../../support/script.ts"

const rootfs = makeRootfs()
afterAll(() => rootfs.remove())

describe.runIf(rootfs.canRun)("a container of podman", () => {
  it.live("runs commands, has files, and gives terminals", () =>
    Effect.gen(function* () {
      const bytes = new Uint8Array(300_000).map((_, index) => index * 7)
      yield* Files.write("a", bytes)
      expect(yield* Files.read("a")).toEqual(bytes)
      const output = yield* Shell.run(ShellExec.shell("wc -c <a; cat; echo err >&2; exit 9", { input: "in" }))
      expect([output.exitCode, output.stdout, output.stderr]).toEqual([9, "300000\nin", "err\n"])
      const fault = yield* Effect.flip(Shell.run(ShellExec.shell("sleep 60 & sleep 60", { timeout: "200 millis" })))
      expect(fault.reason._tag).toBe("Timeout")
      const shell = yield* Shell
      if (!shell.capabilities.pty) return
      const events = yield* Stream.runCollect(
        shell.exec(ShellExec.shell("stty size; exit 4"), { terminal: { cols: 70, rows: 20 } }),
      )
      const text = events.map((event) => event._tag === "ShellOutputChunk" ? event.content : "").join("")
      expect([text, events.at(-1)]).toMatchObject(["20 70\r\n", { _tag: "ShellOutput", exitCode: 4 }])
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          ContainerShell.layerOverWith({ cwd: "/work" }),
          ContainerFileSystem.layerOverWith({ rootPath: "/work" }),
        ).pipe(Layer.provide(Container.layer({ ...engineOptions, rootfs: rootfs.path }))),
      ),
    ))

  it("does not end the program that waits for its removal", async () => {
    const options = JSON.stringify({ ...engineOptions, rootfs: rootfs.path })
    expect(await runScript(new URL("./program.fixture.ts", import.meta.url), [options])).toEqual({
      code: 0,
      stdout: "ended\n",
      stderr: "",
    })
  })
})
