import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { writeFile } from "node:fs/promises"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { RemoteClient } from "../../src/client/Client.ts"
import { eventually, settled } from "../support/eventually.ts"
import { heartbeat } from "../support/heartbeat.ts"
import { workshop } from "../support/workshop.ts"
import { startSluice } from "./support.ts"

/** A server on a free port, and a client of it. */
const serving = (env: Readonly<Record<string, string>>, ...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const server = yield* startSluice(["serve", "--port", "0", "--token", "t0ken", ...flags], {
      env: { SLUICE_JOURNAL: "", ...env },
    })
    yield* eventually("it says where it listens", () => server.stdout().endsWith("\n"))
    const url = `${server.stdout().trim()}/`
    return { server, url, client: yield* RemoteClient.make({ url, token: "t0ken" }) }
  })

const sh = (script: string, commandId: string) =>
  ShellExec.make("sh", ["-c", script], { commandId, grace: "200 millis" })

it.live(
  "keeps its commands across a restart, and readers resume where they were",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const first = yield* serving({}, "--journal", path("runs.db"))
      yield* first.client.detach(sh("echo one; echo two >&2; exit 4", "c"))
      const before = yield* Stream.runCollect(first.client.events("c"))
      first.server.signal("SIGTERM")
      expect(yield* first.server.status).toBe(0)
      const second = yield* serving({ SLUICE_JOURNAL: path("runs.db") })
      expect(yield* Stream.runCollect(second.client.events("c", 0))).toEqual(before.slice(1))
      expect((yield* second.client.command("c")).exitCode).toBe(4)
    }),
)

it.live.skipIf(process.platform === "win32")(
  "ends the commands of a killed server, and reports it to their readers",
  () =>
    Effect.gen(function* () {
      const { path, size } = yield* workshop
      const journal = path("runs.db")
      const first = yield* serving({}, "--journal", journal)
      const beat = `echo begun; ${heartbeat(path("heartbeat"))}`
      yield* first.client.detach(sh(beat, "c"))
      const [seen] = yield* Stream.runCollect(Stream.take(first.client.events("c"), 1))
      yield* eventually("it runs", () => size("heartbeat") > 3)
      first.server.signal("SIGKILL")
      yield* first.server.status
      const second = yield* serving({}, "--journal", journal)
      const rest = yield* Stream.runCollect(second.client.follow("c", 10_000, seen?.id))
      expect(rest.at(-1)?.event).toMatchObject({ _tag: "ShellFault", reason: { _tag: "HostLost" } })
      expect(rest[0]?.id).toBe(1)
      const last = size("heartbeat")
      expect(yield* settled(() => size("heartbeat"))).toBe(last)
      expect(yield* Stream.runCollect(second.client.events("c"))).toEqual([seen, ...rest])
    }),
)

it.live("runs only allowed commands in allowed directories", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const roots = ["--allow-cwd-root", path("")]
    const { client } = yield* serving({ ALLOWED_COMMANDS: "sh" }, "--allow-command", "echo", ...roots)
    const run = (command: string, cwd?: string) => client.run(ShellExec.make(command, ["hello"], { cwd: cwd }))
    expect((yield* run("echo")).stdout).toBe("hello\n")
    expect((yield* run("echo", path(""))).stdout).toBe("hello\n")
    for (const [command, cwd] of [["sh", undefined], ["echo", "/"]] as const) {
      expect(yield* Effect.flip(run(command, cwd))).toMatchObject({
        _tag: "ShellFault",
        reason: { _tag: "NotAllowed" },
      })
    }
    const other = yield* serving({ ALLOWED_COMMANDS: "" })
    expect(yield* Effect.flip(other.client.run(ShellExec.make("echo")))).toMatchObject({ _tag: "ShellFault" })
  }))

it.live(
  "drains: lets commands continue after a signal, takes no new ones, and exits when they have ended",
  () =>
    Effect.gen(function* () {
      const { path } = yield* workshop
      const { client, server } = yield* serving({}, "--drain", "30s", "--max-concurrency", "1")
      const go = path("go")
      yield* client.detach(sh(`until [ -e '${go}' ]; do sleep 0.02; done; echo done`, "c"))
      const reading = yield* Effect.forkScoped(Stream.runCollect(client.events("c")))
      // One at a time: the next one waits.
      yield* client.detach(sh("echo next", "d"))
      server.signal("SIGTERM")
      yield* Effect.eventually(Effect.flip(client.health))
      expect(yield* Effect.flip(client.run(ShellExec.make("true")))).toMatchObject({
        _tag: "RemoteError",
        reason: { status: 503 },
      })
      expect((yield* client.command("d")).state).toBe("running")
      yield* Effect.promise(() => writeFile(go, ""))
      expect(yield* server.status).toBe(0)
      expect((yield* Fiber.join(reading)).map(({ event }) => event._tag)).toEqual([
        "ShellOutputChunk",
        "ShellOutput",
      ])
    }),
)
