/** The same agent where its layers are real: a server over SSH, walls on this machine, objects of S3 beside a kernel. */
import { describe, expect, it } from "@effect/vitest"
import { Shell, ShellExec } from "@sluice/shell"
import { Files, LocalFileSystem } from "@sluice/shell/files"
import { IsolatedShell } from "@sluice/shell/isolated"
import { KernelShell } from "@sluice/shell/sandbox"
import { SftpFileSystem, SshConnection, SshShell } from "@sluice/shell/ssh"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { strictS3 } from "../leaves/s3/support.ts"
import { isolationWorks } from "../support/isolation.ts"
import { hasSshd, startSshd } from "../support/sshd.ts"
import { fixes, repository, right, test, wrong } from "./support/mending.ts"

describe("one agent", () => {
  it.live.skipIf(!hasSshd)(
    "on a server: SshShell and SftpFileSystem share one connection",
    () =>
      Effect.gen(function* () {
        const server = yield* Effect.acquireRelease(
          Effect.promise(() => startSshd()),
          (one) => Effect.sync(() => one.close()),
        )
        const root = join(server.folder, "repository")
        mkdirSync(root)
        writeFileSync(join(root, "add.sh"), wrong)
        writeFileSync(join(root, "test.sh"), test)
        const before = server.log().split("Accepted").length
        const there = Layer.merge(
          SftpFileSystem.layerOverWith({ rootPath: root }),
          SshShell.layerOverWith({ cwd: root }),
        ).pipe(
          Layer.provide(SshConnection.layer(server.options())),
        )
        yield* fixes(there)
        expect(readFileSync(join(root, "add.sh"), "utf8")).toBe(right)
        expect(server.log().split("Accepted").length - before).toBe(1)
      }).pipe(Effect.scoped),
  )

  it.live.skipIf(!isolationWorks)(
    "isolated: IsolatedShell and LocalFileSystem on one folder",
    () =>
      Effect.gen(function* () {
        const { path, read, root } = yield* repository
        const walls = IsolatedShell.layerWith({ writable: [root], cwd: root })
        yield* fixes(Layer.merge(LocalFileSystem.layer({ rootPath: root }), walls))
        expect(read("repository/add.sh")).toBe(right)
        // What a model's command tries outside of the folder.
        const evil = ShellExec.shell(
          `echo x > ${path("evil")}; touch /etc/evil; (exec 3<>/dev/tcp/127.0.0.1/22); echo no`,
        )
        const { stdout } = yield* Effect.provide(Shell.run(evil), walls)
        expect([stdout, existsSync(path("evil")), existsSync("/etc/evil")]).toEqual(["no\n", false, false])
      }).pipe(Effect.scoped),
  )
})

it.live("files on S3, commands in a kernel: bytes stream from object to command to object", () =>
  Effect.gen(function* () {
    const { layer, service } = strictS3()
    const lines = Array.from({ length: 60_000 }, (_, index) => `${(index * 7_919) % 60_000} ${"x".repeat(100)}`)
    service.store("in/numbers.txt", new TextEncoder().encode(`${lines.join("\n")}\n`))
    const program = Effect.gen(function* () {
      const files = yield* Files
      const stdin = Stream.provideService(Files.stream("in/numbers.txt"), Files, files)
      const sorted = Shell.bytes(ShellExec.shell("grep -v '^1' | sort -n"), { stdin }).pipe(
        Stream.flatMap((event) => event._tag === "ShellBytes" ? Stream.succeed(event.bytes.slice()) : Stream.empty),
      )
      const shell = yield* Shell
      yield* Files.write("out/sorted.txt", Stream.provideService(sorted, Shell, shell))
      return yield* Files.readText("out/sorted.txt", { maxBytes: Infinity })
    })
    const text = yield* Effect.provide(program, Layer.merge(layer, KernelShell.layer))
    const numbers = text.trimEnd().split("\n").map((line) => Number(line.split(" ")[0]))
    const expected = Array.from({ length: 60_000 }, (_, index) => index).filter((index) =>
      !String(index).startsWith("1")
    )
    expect(numbers).toEqual(expected)
    expect([...service.objects.keys()].sort()).toEqual(["in/numbers.txt", "out/sorted.txt"])
  }))
