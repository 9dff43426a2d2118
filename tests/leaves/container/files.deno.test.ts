/** The contract of file systems over a container of podman. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { mkdirSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { Shell, ShellExec } from "@sluice/shell"
import { Container, ContainerFileSystem, ContainerShell } from "@sluice/shell/container"
import { Files } from "@sluice/shell/files"
import { filesContract } from "../../support/filesContract.ts"
import { engineOptions, makeRootfs, podman } from "../../support/rootfs.ts"

const rootfs = makeRootfs()
const scope = Scope.makeUnsafe()
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  rootfs.remove()
})

describe.runIf(rootfs.canRun)("files of a container of podman", async () => {
  const container = await Effect.runPromise(
    Scope.provide(Container.make({ ...engineOptions, rootfs: rootfs.path }), scope),
  )
  let count = 0
  filesContract("ContainerFileSystem", () => {
    const rootPath = `/work/${++count}`
    mkdirSync(`${rootfs.path}${rootPath}`)
    return Layer.effect(Files, container.files({ rootPath }))
  }, {
    manyFiles: 50,
    because: { manyFiles: "each file is written by programs of the container, so the large folder is small" },
  })

  it.live("shares the container with a shell, also when it was removed and made again, and leaves nothing", () =>
    Effect.gen(function* () {
      const options = { ...engineOptions, rootfs: rootfs.path, tmpfs: [{ target: "/full", maxBytes: 65_536 }] }
      const name = yield* Effect.gen(function* () {
        yield* Files.write("notes/a", "from outside\n")
        const { stdout } = yield* Shell.run(ShellExec.shell("cat notes/a; echo inside > notes/b; cat /etc/hostname"))
        expect(stdout).toMatch(/^from outside\n/)
        expect(yield* Files.readText("notes/b")).toBe("inside\n")
        const full = yield* Effect.flip(Files.write("big", new Uint8Array(2_000_000)))
        expect(full).toMatchObject({ faultKind: "DiskFull", code: "ENOSPC" })
        expect((yield* Stream.runCollect(Files.list(""))).map(({ path }) => path)).toEqual(["notes"])
        const running = podman("ps", "--format={{.Names}} {{.Labels}}").stdout.split("\n")
        const [own = ""] = running.filter((line) => line.includes(`${process.pid}:`)).slice(-1)
        podman("rm", "--force", "--time=0", own.split(" ")[0] ?? "")
        const lost = yield* Effect.flip(Files.readText("notes/a"))
        expect(lost).toMatchObject({ faultKind: "IoError", code: "HOSTLOST" })
        expect(yield* Effect.flip(Files.readText("notes/a"))).toMatchObject({ faultKind: "NotFound" })
        expect((yield* Shell.run(ShellExec.shell("ls"))).stdout).toBe("")
        return own.split(" ")[0] ?? ""
      }).pipe(
        Effect.provide(
          Layer.mergeAll(
            ContainerShell.layerOverWith({ cwd: "/full", warm: 0 }),
            ContainerFileSystem.layerOverWith({ rootPath: "/full" }),
          ).pipe(Layer.provide(Container.layer(options))),
        ),
      )
      expect(podman("container", "exists", name).status).toBe(1)
      expect(podman("ps", "--format={{.Names}} {{.Labels}}").stdout).not.toContain(name.slice(0, -1))
    }))

  it.live("reports a problem with the engine, the container or the root", () =>
    Effect.gen(function* () {
      const fault = (options: ContainerFileSystem.ContainerFileSystemOptions) =>
        Effect.flip(Files.readText("a")).pipe(
          Effect.provide(
            ContainerFileSystem.layer({ engineArguments: engineOptions.engineArguments, ...options }),
          ),
        )
      const engine = yield* fault({ program: "/no/such/podman", image: "a" })
      expect(engine).toMatchObject({ faultKind: "IoError", code: "EENGINE" })
      expect(engine.message).toContain("the engine /no/such/podman was not found: install podman")
      expect((yield* fault({ container: "no-such-container" })).message).toContain("no-such-container does not exist")
      const root = yield* Effect.flip(Files.readText("a")).pipe(
        Effect.provide(Layer.effect(Files, container.files({ rootPath: "/none" }))),
      )
      expect(root).toMatchObject({ faultKind: "IoError", code: "EROOT" })
      const unknown = yield* Effect.flip(Effect.scoped(ContainerFileSystem.make(JSON.parse('{"image":"a","rot":1}'))))
      expect(unknown).toMatchObject({ _tag: "OptionError", option: "rot" })
    }))
})
