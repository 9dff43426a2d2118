/**
 * Faults of leaves whose other side is lost or full, for good: the fault is typed, the output so far is kept, and nothing runs on.
 *
 * SSH's are in `ssh/server/loss.test.ts` and `ssh/server/sftp.test.ts`, those of containers of their own in
 * `container/podman/podman.deno.test.ts`, those of the local disk in `files/quotas.test.ts`, of daemons in
 * `tests/compute/daemonProcesses.test.ts`.
 */
import { describe, expect, it } from "@effect/vitest"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { ContainerShell } from "@sluice/shell/container"
import { type FileFault, Files, KernelFileSystem, LocalFileSystem, MemoryFileSystem } from "@sluice/shell/files"
import { fileRoutes, shellRoutes } from "@sluice/shell/http"
import { IsolatedShell } from "@sluice/shell/isolated"
import { RemoteFileSystem, RemoteShell } from "@sluice/shell/remote"
import { S3FileSystem } from "@sluice/shell/s3"
import { KernelShell, memory, Sandbox } from "@sluice/shell/sandbox"
import { SftpFileSystem } from "@sluice/shell/ssh"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startSluice } from "../cli/support.ts"
import { serve } from "../http/serve.ts"
import { eventually, settled } from "../support/eventually.ts"
import { heartbeat } from "../support/heartbeat.ts"
import { isolationWorks } from "../support/isolation.ts"
import { Proxy } from "../support/proxy.ts"
import { engineOptions, makeRootfs, podman } from "../support/rootfs.ts"
import { hasSshd, startSshd } from "../support/sshd.ts"
import { workshop } from "../support/workshop.ts"
import { serveS3 } from "./s3/serve.ts"
import { StrictS3 } from "./s3/StrictS3.ts"
import { keys } from "./s3/support.ts"

const isDeno = "Deno" in globalThis
const hasPodman = process.platform === "linux" && spawnSync("podman", ["--version"]).status === 0
const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url))
const token = "t0ken"

const released = <A>(acquire: () => A | Promise<A>, release: (a: A) => unknown): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => Promise.resolve(acquire())),
    (a) => Effect.promise(async () => await release(a)),
  )

/** A way to a port of this machine that can be cut for good. */
const wayTo = (port: number) =>
  Effect.gen(function* () {
    const proxy = yield* Effect.promise(() => Proxy.make(port))
    let open = true
    const cut = async () => {
      if (open) await proxy.close()
      open = false
    }
    yield* Effect.addFinalizer(() => Effect.promise(cut))
    return { port: proxy.port, url: `http://127.0.0.1:${proxy.port}/`, cut }
  })

const served = (routes: {
  readonly fetch: (request: Request, env?: unknown) => Response | Promise<Response>
  readonly dispose: () => Promise<void>
}) =>
  Effect.gen(function* () {
    const all = yield* released(() => routes, (one) => one.dispose())
    return yield* released(() => serve(all.fetch), (one) => one.stop())
  })

/** A leaf, and the event that takes its other side away. */
interface Loss {
  readonly leaf: Layer.Layer<Shell, unknown>
  readonly strike: () => unknown
}

interface LossCase {
  readonly title: string
  readonly runs: boolean
  /** Effects in a scope that ends with the test; `folder` is that of the heartbeat. */
  readonly arrange: (folder: string) => Effect.Effect<Loss, unknown, Scope.Scope>
}

const losses: ReadonlyArray<LossCase> = [
  {
    title: "RemoteShell: the network is cut",
    runs: true,
    arrange: () =>
      Effect.gen(function* () {
        const { port } = yield* served(shellRoutes({ layer: LocalShell.layer, token }))
        const way = yield* wayTo(port)
        return {
          leaf: RemoteShell.layer({ url: way.url, token, reconnectTimeout: "300 millis" }),
          strike: way.cut,
        }
      }),
  },
  {
    title: "RemoteShell: the server is killed",
    runs: isDeno,
    arrange: () =>
      Effect.gen(function* () {
        const env = { SLUICE_TOKEN: token, ALLOWED_COMMANDS: "*", ALLOWED_CWD_ROOTS: "/" }
        const server = yield* startSluice(["serve", "--port", "0"], { env })
        yield* eventually("it says where it listens", () => server.stdout().endsWith("\n"))
        return {
          leaf: RemoteShell.layer({
            url: new URL("/", server.stdout().trim()).href,
            token,
            reconnectTimeout: "300 millis",
          }),
          strike: () => server.signal("SIGKILL"),
        }
      }),
  },
  {
    title: "ContainerShell: the container of all commands is removed",
    runs: isDeno && hasPodman,
    arrange: (folder) =>
      Effect.gen(function* () {
        const rootfs = yield* released(makeRootfs, ({ remove }) => remove())
        const name = `sluice-lost-${crypto.randomUUID()}`
        return {
          leaf: ContainerShell.layer({
            engineArguments: engineOptions.engineArguments,
            runArguments: [...engineOptions.runArguments, `--label=${name}`],
            rootfs: rootfs.path,
            mounts: [{ source: folder, target: folder }, { source: fixtures, target: fixtures, readOnly: true }],
            reuse: true,
          }),
          strike: () => {
            const ids = podman("ps", "--quiet", `--filter=label=${name}`).stdout.trim().split("\n")
            expect(ids.length).toBe(1)
            podman("rm", "--force", "--time=0", ...ids)
          },
        }
      }),
  },
]

describe("a command whose remote side is lost", { concurrent: true }, () => {
  for (const { arrange, runs, title } of losses) {
    it.live.skipIf(!runs)(title, () =>
      Effect.gen(function* () {
        const { directory, path, size } = yield* workshop
        const { leaf, strike } = yield* arrange(directory)
        const exec = ShellExec.shell(`echo before; ${heartbeat(path("beat"))}`, { grace: "200 millis" })
        const fault = yield* Shell.exec(exec).pipe(
          Stream.tap(() =>
            Effect.andThen(
              eventually("it runs", () => size("beat") > 2),
              Effect.promise(async () => await strike()),
            )
          ),
          Stream.runDrain,
          Effect.flip,
          Effect.provide(leaf),
        )
        expect(fault).toMatchObject({ _tag: "ShellFault", reason: { _tag: "HostLost" }, stdout: "before\n" })
        const beats = yield* settled(() => size("beat"), 1_000)
        expect(beats).toBeGreaterThan(2)
      }).pipe(Effect.scoped))
  }

  it.live.skipIf(!isolationWorks)(
    "IsolatedShell: killing the engine kills the command, and the output says so",
    () =>
      Effect.gen(function* () {
        const { directory, path, size } = yield* workshop
        const isolated = yield* IsolatedShell.make({ writable: [directory], readable: [fixtures] })
        const exec = ShellExec.shell(`echo before; (${heartbeat(path("beat"))}) & wait`, { streamOutput: false })
        let pid = 0
        const running = yield* Effect.forkChild(
          Stream.runCollect(isolated.exec(exec, { onSpawn: (started) => void (pid = started.pid ?? 0) })),
          { startImmediately: true },
        )
        yield* eventually("it runs", () => size("beat") > 2)
        process.kill(pid, "SIGKILL")
        const [output] = yield* Fiber.join(running)
        expect(output).toMatchObject({ _tag: "ShellOutput", signal: "SIGKILL", stdout: "before\n" })
        yield* settled(() => size("beat"), 500)
      }).pipe(Effect.scoped),
  )
})

/** Files on another side, what is stored there, and the event that takes it away. */
interface Store {
  readonly leaf: Layer.Layer<Files, unknown>
  /** Names that are stored, and the content of one. */
  readonly names: () => ReadonlyArray<string>
  readonly text: (name: string) => string
  readonly cut: () => Promise<void>
}

const large = 8 * 1024 * 1024

const stores: ReadonlyArray<{
  readonly title: string
  readonly runs: boolean
  readonly make: (content: Readonly<Record<string, Uint8Array>>) => Effect.Effect<Store, unknown, Scope.Scope>
  /** Names of unfinished writes that a lost server keeps. */
  readonly leaves: RegExp
}> = [
  {
    title: "SftpFileSystem",
    runs: hasSshd,
    leaves: /^\.sluice-/,
    make: (content) =>
      Effect.gen(function* () {
        const server = yield* released(() => startSshd(), (one) => one.close())
        const rootPath = join(server.folder, "files")
        mkdirSync(rootPath)
        for (const [name, bytes] of Object.entries(content)) writeFileSync(join(rootPath, name), bytes)
        const { cut, port } = yield* wayTo(server.port)
        return {
          leaf: SftpFileSystem.layer({ ...server.options(), port, rootPath, reconnect: Schedule.recurs(1) }),
          names: () => readdirSync(rootPath),
          text: (name) => readFileSync(join(rootPath, name), "utf8"),
          cut,
        }
      }),
  },
  {
    title: "RemoteFileSystem",
    runs: true,
    // The server keeps an unfinished upload for a client that comes back, and removes it later.
    leaves: /^\.sluice-/,
    make: (content) =>
      Effect.gen(function* () {
        const { directory } = yield* workshop
        for (const [name, bytes] of Object.entries(content)) writeFileSync(join(directory, name), bytes)
        const files = LocalFileSystem.layer({ rootPath: directory })
        const { port } = yield* served(fileRoutes({ layer: files, token }))
        const way = yield* wayTo(port)
        return {
          leaf: RemoteFileSystem.layer({ url: way.url, token, reconnectTimeout: "300 millis" }),
          names: () => readdirSync(directory),
          text: (name) => readFileSync(join(directory, name), "utf8"),
          cut: way.cut,
        }
      }),
  },
  {
    title: "S3FileSystem",
    runs: true,
    leaves: /^$/,
    make: (content) =>
      Effect.gen(function* () {
        const service = new StrictS3({ keys })
        for (const [name, bytes] of Object.entries(content)) service.store(name, bytes)
        const server = yield* released(() => serveS3(service), (one) => one.close())
        const { cut, port } = yield* wayTo(Number(new URL(server.endpoint).port))
        return {
          leaf: S3FileSystem.layer({
            bucket: "bucket",
            region: keys.region,
            endpoint: `http://127.0.0.1:${port}`,
            credentials: { accessKeyId: keys.accessKeyId, secretAccessKey: Redacted.make(keys.secretAccessKey) },
            partSize: 5 * 1024 * 1024,
            maxRetries: 1,
          }),
          names: () => [...service.objects.keys()],
          text: (name) => service.text(name) ?? "",
          cut,
        }
      }),
  },
]

describe("files whose remote side is lost", { concurrent: true }, () => {
  for (const { leaves, make, runs, title } of stores) {
    it.live.skipIf(!runs)(`${title}: a read gives what came, and then a fault`, () =>
      Effect.gen(function* () {
        const { cut, leaf } = yield* make({ large: new Uint8Array(large) })
        let length = 0
        const fault: FileFault = yield* Files.stream("large").pipe(
          Stream.runForEach((bytes) => {
            const isFirst = length === 0
            length += bytes.length
            return isFirst ? Effect.promise(cut) : Effect.void
          }),
          Effect.flip,
          Effect.provide(leaf),
        )
        expect(fault).toMatchObject({ _tag: "FileFault", path: "large" })
        expect(["IoError", "Timeout"]).toContain(fault.faultKind)
        expect(fault.message).toMatch(/^read large: .+ \([A-Z]+\)$/)
        expect(length).toBeGreaterThan(0)
        expect(length).toBeLessThan(large)
      }).pipe(Effect.scoped))

    it.live.skipIf(!runs)(`${title}: a write is a fault, and the old content stays`, () =>
      Effect.gen(function* () {
        const { cut, leaf, names, text } = yield* make({ kept: new TextEncoder().encode("old") })
        let sent = 0
        const content = Stream.range(1, 16).pipe(
          Stream.mapEffect((index) =>
            Effect.as(index === 12 ? Effect.promise(cut) : Effect.void, new Uint8Array(1024 * 1024).fill(index))
          ),
          Stream.tap(({ length }) => Effect.sync(() => void (sent += length))),
        )
        const fault = yield* Effect.flip(Files.write("kept", content)).pipe(Effect.provide(leaf))
        expect(fault).toMatchObject({ _tag: "FileFault", path: "kept" })
        expect(["IoError", "Timeout"]).toContain(fault.faultKind)
        expect(sent).toBeGreaterThan(0)
        expect(text("kept")).toBe("old")
        expect(names().filter((name) => !leaves.test(name))).toEqual(["kept"])
      }).pipe(Effect.scoped))
  }
})

const fullDisks: ReadonlyArray<{
  readonly title: string
  readonly make: Effect.Effect<Layer.Layer<Files, unknown>, unknown, Scope.Scope>
}> = [
  {
    title: "RemoteFileSystem",
    make: Effect.map(
      served(fileRoutes({ layer: MemoryFileSystem.layerWith({ maxBytes: 1_000_000 }), token })),
      ({ port }) => RemoteFileSystem.layer({ url: `http://127.0.0.1:${port}/`, token }),
    ),
  },
  {
    title: "KernelFileSystem",
    make: Effect.map(
      Sandbox.make({ mounts: { "/work": memory({ maxBytes: 1_000_000 }) } }),
      (sandbox) => KernelFileSystem.layer(sandbox, { rootPath: "/work" }),
    ),
  },
]

describe("a full disk", () => {
  for (const { make, title } of fullDisks) {
    it.live(`${title}: a write is DiskFull, the old content stays, and nothing of the new`, () =>
      Effect.gen(function* () {
        const leaf = yield* make
        yield* Effect.gen(function* () {
          yield* Files.write("kept", "old")
          const fault = yield* Effect.flip(Files.write("kept", new Uint8Array(3_000_000)))
          expect(fault).toMatchObject({ _tag: "FileFault", faultKind: "DiskFull", path: "kept" })
          expect(yield* Files.readText("kept")).toBe("old")
          expect(yield* Stream.runCollect(Files.list(""))).toHaveLength(1)
        }).pipe(Effect.provide(leaf))
      }).pipe(Effect.scoped))
  }

  const shells: ReadonlyArray<
    readonly [title: string, runs: boolean, folder: string, leaf: Layer.Layer<Shell, unknown>]
  > = [
    ["IsolatedShell", isolationWorks, "/tmp", IsolatedShell.layerWith({ tmp: { maxBytes: 65_536 } })],
    [
      "KernelShell",
      true,
      "/small",
      KernelShell.layerWith({ mounts: { "/small": memory({ maxBytes: 65_536 }) } }),
    ],
  ]
  for (const [title, runs, folder, leaf] of shells) {
    it.live.skipIf(!runs)(`${title}: the command gets ENOSPC, and its output is kept`, () =>
      Effect.gen(function* () {
        const output = yield* Shell.run(ShellExec.shell(`echo before; yes | head -c 1000000 > ${folder}/x`))
        expect([output.stdout, output.exitCode]).toEqual(["before\n", 1])
        expect(output.stderr).toMatch(/No space left on device/)
      }).pipe(Effect.provide(leaf)))
  }
})
