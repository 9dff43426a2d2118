/** Uses each promise face and server with services that log while they are built and used; prints their names on stderr. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { Files } from "../../src/files/Files.ts"
import { approvalRoutes, fileRoutes, shellRoutes } from "../../src/http/mod.ts"
import { Journal } from "../../src/journal/JournalService.ts"
import { MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { mcpRoutes } from "../../src/mcp/http.ts"
import { Sandbox } from "../../src/sandbox/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { runCommand, Spellbook } from "../../src/spell/mod.ts"

const built = Effect.logWarning("built")
const used = Effect.logWarning("used")

const quietShell = Layer.effect(
  Shell,
  Effect.map(Shell, (local) => ({
    ...local,
    exec: (exec, options) => Stream.unwrap(Effect.as(used, local.exec(exec, options))),
  })),
).pipe(Layer.provide(LocalShell.layer))
const shell = Layer.effect(Shell, Effect.andThen(built, Shell)).pipe(Layer.provide(quietShell))

const files = Layer.effect(
  Files,
  Effect.gen(function* () {
    yield* built
    const memory = yield* Files
    return {
      ...memory,
      request: (request, options) => Stream.unwrap(Effect.as(used, memory.request(request, options))),
    }
  }),
).pipe(Layer.provide(MemoryFileSystem.layer))

const token = "s3cret"
const post = (body: unknown, more: Readonly<Record<string, string | null>> = {}): RequestInit => ({
  method: "POST",
  headers: {
    "authorization": `Bearer ${token}`,
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    ...more,
  },
  body: JSON.stringify(body),
})

const exec = async (source: Parameters<typeof shellRoutes>[0]): Promise<void> => {
  await using server = shellRoutes(source)
  await (await server.request("/exec", post({ command: "true" }))).text()
}

const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
const call = async (source: Parameters<typeof mcpRoutes>[0]): Promise<void> => {
  await using server = mcpRoutes(source)
  const url = "http://localhost/mcp"
  const begun = await server.request(url, post({ jsonrpc: "2.0", id: 0, method: "initialize", params }))
  const session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" }
  const tool = { name: "execute_command", arguments: { command: "true" } }
  const answer = await server.request(url, post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: tool }, session))
  await answer.text()
}

const broken = Layer.effect(Journal, Effect.andThen(used, Effect.die("built")))

const faces: Readonly<Record<string, () => Promise<void>>> = {
  "shellRoutes": () => exec({ layer: shell, token }),
  "shellRoutes of a runtime": async () => {
    // Its own layer logs as the runtime's owner says.
    await using runtime = ManagedRuntime.make(quietShell)
    await exec({ runtime, token })
  },
  "shellRoutes of a broken journal": () => exec({ layer: shell, journal: broken, token }),
  "mcpRoutes": () => call({ layer: shell, token }),
  "mcpRoutes of a server": async () => {
    await using server = shellRoutes({ layer: shell, token })
    await call({ server })
  },
  "fileRoutes": async () => {
    await using server = fileRoutes({ layer: files, token })
    await (await server.request("/files/?list", { headers: { authorization: `Bearer ${token}` } })).text()
  },
  "approvalRoutes of a broken journal": async () => {
    await using server = approvalRoutes({ journal: broken, token })
    await server.request("/approvals", { headers: { authorization: `Bearer ${token}` } })
  },
  "aiTools": async () => {
    await using tools = Spellbook.aiTools(Spellbook.make(runCommand), shell, MemoryFileSystem.layer)
    await tools.run_command.execute({ command: "true" }, {})
  },
  "a sandbox": async () => {
    await using sandbox = await Sandbox.open()
    const log = (): void => {
      const fiber = Fiber.getCurrent()
      if (fiber !== undefined) Effect.runSyncWith(fiber.context)(Effect.andThen(built, used))
    }
    const input = () =>
      new ReadableStream<string>({
        pull: (controller) => {
          log()
          controller.close()
        },
      }, { highWaterMark: 0 })
    await sandbox.run("cat", { input: input() })
    for await (const _ of sandbox.events("cat", { input: input() }));
  },
}
for (const [name, use] of Object.entries(faces)) {
  console.error(`== ${name}`)
  await use()
}
