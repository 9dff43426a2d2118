/** Both official clients, over both transports. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { fileURLToPath } from "node:url"
import { parse } from "yaml"
import { LocalShell } from "../../mod.ts"
import { MemoryJournal } from "../../src/journal/Journal.ts"
import { mcpRoutes } from "../../src/mcp/http.ts"
import { JournaledShell } from "../../src/compute/journal.ts"
import { eventually, settled } from "../support/eventually.ts"
import { type Workshop, workshop } from "../support/workshop.ts"
import { type AnyClient, begin, clients, lazyPost, post, served, toolCall } from "./support.ts"

const journaled = () =>
  JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))

const heartbeat = fileURLToPath(new URL("../fixtures/heartbeat.sh", import.meta.url))

const closing = (client: Promise<AnyClient>): Effect.Effect<AnyClient, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(() => client), (one) => Effect.promise(() => one.close()))

const call = (client: AnyClient, ...words: Parameters<AnyClient["call"]>) => Effect.promise(() => client.call(...words))

/** Commands, programs and code; and what was run. */
const runsAll = (client: AnyClient): Effect.Effect<void> =>
  Effect.gen(function* () {
    const tools = yield* Effect.promise(client.tools)
    expect(tools.map((tool) => tool.name)).toEqual(["execute_command", "execute_process", "execute_code"])
    // An output schema would promise structured content: the output is in the text, once.
    expect(tools.every((tool) => tool.outputSchema === undefined)).toBe(true)

    const command = yield* call(client, "execute_command", { command: "echo out; echo err >&2; exit 3" })
    expect(command).toMatchObject({ isError: false, result: { exit_code: 3, stdout: "out\n", stderr: "err\n" } })
    expect(parse(command.text)).toEqual(command.result)

    const process = { file: "cat", args: ["-", "/dev/null"], input: "$HOME\n" }
    const program = yield* call(client, "execute_process", process)
    expect(program.result).toMatchObject({ exit_code: 0, stdout: "$HOME\n" })

    const code = yield* call(client, "execute_code", { language: "bash", code: "echo $((6 * 7))" })
    expect(code.result).toMatchObject({ exit_code: 0, stdout: "42\n" })

    const long = yield* call(client, "execute_process", { file: "seq", args: ["20000"] })
    expect(long.text.length).toBeLessThan(40_000)
    expect(long.text).toMatch(/^exit_code: 0\nstdout: \|\n {2}1\n[^]* bytes left out [^]*\n {2}20000\n/)
    expect(long.links).toEqual([`sluice://commands/${long.result.command_id}/stdout`])
    const whole = yield* Effect.promise(() => client.read(long.links[0] ?? ""))
    expect(whole).toBe(Array.from({ length: 20_000 }, (_, n) => `${n + 1}\n`).join(""))

    expect(yield* Effect.promise(client.resources)).toContain("sluice://commands")
    expect(parse(yield* Effect.promise(() => client.read("sluice://commands"))).commands).toHaveLength(4)
    const uri = `sluice://commands/${command.result.command_id}`
    expect(parse(yield* Effect.promise(() => client.read(uri)))).toMatchObject({ state: "exited", stderr: "err\n" })
    expect(yield* Effect.promise(() => client.read(`${uri}/stdout`))).toBe("out\n")
  })

/** Output while the command runs: it goes on only when what it wrote was told. */
const tellsOutput = (client: AnyClient, { path, write }: Workshop): Effect.Effect<void> =>
  Effect.gen(function* () {
    const told: Array<string> = []
    const script = `echo one; while [ ! -e '${path("go")}' ]; do sleep 0.02; done; echo two`
    const answer = yield* call(client, "execute_command", { command: script }, {
      onprogress: ({ message = "" }) => {
        told.push(message)
        write("go", "")
      },
    })
    expect(answer.result).toMatchObject({ exit_code: 0, stdout: "one\ntwo\n" })
    // A client may drop what came together with the answer.
    expect(told[0]).toBe("one\n")
  })

const beating = (heart: string) => ({ command: `sh '${heartbeat}' '${heart}' & wait` })

const cancels = (client: AnyClient, { path, size }: Workshop): Effect.Effect<void> =>
  Effect.gen(function* () {
    const stop = new AbortController()
    const running = client.call("execute_command", beating(path("first")), { signal: stop.signal }).catch(() =>
      "stopped"
    )
    yield* eventually("it runs", () => size("first") > 3)
    stop.abort()
    expect(yield* Effect.promise(() => running)).toBe("stopped")
    yield* settled(() => size("first"))
    // The connection is as good as before.
    expect((yield* call(client, "execute_command", { command: "echo next" })).result.stdout).toBe("next\n")
  })

for (const kind of ["sdk", "client"] as const) {
  it.live(
    `@modelcontextprotocol/${kind} over HTTP: runs all tools, follows output, cancels whole trees`,
    () =>
      Effect.gen(function* () {
        const shop = yield* workshop
        const url = yield* served(mcpRoutes({ layer: journaled(), token: "t0ken" }))
        const client = yield* closing(clients[kind].http(url, "t0ken"))
        yield* runsAll(client)
        yield* tellsOutput(client, shop)
        yield* cancels(client, shop)
      }).pipe(Effect.scoped),
  )

  it.live(
    `@modelcontextprotocol/${kind} over stdio: runs all tools, follows output, cancels whole trees, ends them`,
    () =>
      Effect.gen(function* () {
        const shop = yield* workshop
        const { path, size } = shop
        const env = { ALLOWED_COMMANDS: "*", SLUICE_JOURNAL: path("journal.ndjson") }
        const client = yield* closing(clients[kind].stdio(env))
        yield* runsAll(client)
        yield* tellsOutput(client, shop)
        yield* cancels(client, shop)
        const running = client.call("execute_command", beating(path("second")))
          .then(({ result }) => result.reason, () => "closed")
        yield* eventually("it runs", () => size("second") > 3)
        yield* Effect.promise(client.close)
        // The answer may have come before the end.
        expect(["Cancelled", "closed"]).toContain(yield* Effect.promise(() => running))
        yield* settled(() => size("second"))
      }).pipe(Effect.scoped),
  )
}

for (const progressToken of [undefined, "p1"]) {
  const how = progressToken === undefined ? "waits for its answer" : "follows its output"
  it.live(`ends the whole tree of a command when an HTTP connection ends that ${how}`, () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const url = yield* served(mcpRoutes({ layer: journaled(), token: "t0ken" }))
      const session = yield* Effect.promise(() => begin(url))
      const message = toolCall(1, "execute_command", beating(path("heartbeat")), progressToken)
      const socket = yield* Effect.promise(() => lazyPost(url, message, session))
      yield* eventually("it runs", () => size("heartbeat") > 3)
      socket.destroy()
      yield* settled(() => size("heartbeat"))
      // The session is as good as before.
      const next = yield* Effect.promise(() =>
        post(url, toolCall(2, "execute_command", { command: "echo next" }), "t0ken", session)
      )
      expect(yield* Effect.promise(() => next.text())).toContain("next")
    }).pipe(Effect.scoped))
}
