/** The compositions of the tooling document: one agent and one book, on other leaves by changing a layer. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { LocalShell, Shell } from "../../mod.ts"
import { Agent } from "../../src/agent/mod.ts"
import { listen } from "../../src/cli/listen.ts"
import { fileRoutes, shellRoutes } from "../../src/http/mod.ts"
import { KernelFileSystem, LocalFileSystem, MockFileSystem } from "../../src/leaves/files/mod.ts"
import { RemoteFileSystem, RemoteShell } from "../../src/leaves/remote/mod.ts"
import { hostFolder, KernelShell, Sandbox } from "../../src/sandbox/mod.ts"
import { ProcessTable } from "../../src/spell/mod.ts"
import { MockModel, MockRun, MockShell } from "../../src/testing/mod.ts"
import { book, fixes, repository, right, test, wrong } from "./support/mending.ts"

/** Serves routes on a port of this machine until the scope closes. */
const serve = (routes: {
  readonly fetch: (request: Request, env?: unknown) => Response | Promise<Response>
  readonly dispose: () => Promise<void>
}): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() =>
      listen({ host: "127.0.0.1", port: 0 }, async (request, env) => await routes.fetch(request, env))
    ),
    ({ closeNow }) => Effect.promise(() => Promise.all([routes.dispose(), closeNow()])),
  ).pipe(Effect.map(({ port }) => `http://127.0.0.1:${port}/`))

describe("one agent, one book", () => {
  it.live("on this machine: LocalFileSystem and LocalShell on one folder", () =>
    Effect.gen(function* () {
      const { read, root } = yield* repository
      yield* fixes(Layer.merge(LocalFileSystem.layer({ rootPath: root }), LocalShell.layerWith({ cwd: root })))
      expect(read("repository/add.sh")).toBe(right)
    }).pipe(Effect.scoped))

  it.live("in a sandbox: its files and commands meet in one kernel, and this machine is out of reach", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.make({
        files: { "/work/add.sh": wrong, "/work/test.sh": test },
        cwd: "/work",
      })
      const files = KernelFileSystem.layer(sandbox, { rootPath: "/work" })
      yield* fixes(Layer.merge(files, Layer.effect(Shell, KernelShell.make(sandbox))))
      expect(yield* sandbox.readText("/work/add.sh")).toBe(right)
    }).pipe(Effect.scoped))

  it.live("on a server: RemoteFileSystem and RemoteShell over HTTP", () =>
    Effect.gen(function* () {
      const { read, root } = yield* repository
      const token = "t0ken"
      const shell = yield* serve(shellRoutes({ layer: LocalShell.layerWith({ cwd: root }), token }))
      const files = yield* serve(fileRoutes({ layer: LocalFileSystem.layer({ rootPath: root }), token }))
      yield* fixes(Layer.merge(RemoteFileSystem.layer({ url: files, token }), RemoteShell.layer({ url: shell, token })))
      expect(read("repository/add.sh")).toBe(right)
    }).pipe(Effect.scoped))

  it.live("on mocks: MockFileSystem and MockShell, which check their requests", () =>
    Effect.gen(function* () {
      const run = (stdout: string, code: number) =>
        MockShell.once(["sh", "test.sh"], MockRun.stdout(stdout), MockRun.exit(code))
      const files = MockFileSystem.layerWith({
        files: { "add.sh": wrong, "test.sh": test },
        rules: [{ request: "FileWrite", path: "add.sh", expected: true, times: 1 }],
      })
      const shell = MockShell.layer([run("failed\n", 1), run("passed\n", 0)])
      const leaves = yield* Layer.build(Layer.merge(files, shell))
      yield* fixes(Layer.succeedContext(leaves))
      yield* Effect.provide(Effect.andThen(MockFileSystem.verify, MockShell.verify), leaves)
    }).pipe(Effect.scoped))

  it.live("with its commands elsewhere: files of this machine, commands in a sandbox that mounts their folder", () =>
    Effect.gen(function* () {
      const { read, root } = yield* repository
      const shell = KernelShell.layerWith({ mounts: { "/work": hostFolder(root) }, cwd: "/work" })
      yield* fixes(Layer.merge(LocalFileSystem.layer({ rootPath: root }), shell))
      expect(read("repository/add.sh")).toBe(right)
    }).pipe(Effect.scoped))
})

it.live("gives the model the refusal of a read-only leaf", () =>
  Effect.gen(function* () {
    const { read, root } = yield* repository
    const files = LocalFileSystem.layer({ rootPath: root, allowWrite: false })
    const refused = MockModel.layer([
      MockModel.turn({ calls: [{ name: "write_file", arguments: { path: "add.sh", content: right } }] }),
      MockModel.turn({ text: "I may not.", expect: ({ results }) => JSON.stringify(results).includes("AccessDenied") }),
    ])
    const program = Effect.gen(function* () {
      const services = yield* Agent.services(book)
      yield* Stream.runDrain(Agent.run(services, { task: "Fix it.", tools: [...book.spells.keys()] }))
      yield* MockModel.verify
    })
    yield* Effect.provide(program, Layer.mergeAll(files, LocalShell.layer, ProcessTable.layer, refused))
    expect(read("repository/add.sh")).toBe(wrong)
  }).pipe(Effect.scoped))
