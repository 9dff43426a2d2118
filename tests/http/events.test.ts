import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import type { ShellExec } from "../../src/command/ShellExec.ts"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { type JournalSource, type ShellRoutes, shellRoutes } from "../../src/http/mod.ts"
import { Journal, MemoryJournal, Redactor } from "../../src/journal/Journal.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import type { EventWithId } from "../../src/wire/sse.ts"
import { RemoteClient } from "../../src/client/Client.ts"
import { sseParser } from "../../src/wire/sseParser.ts"
import { all, directory, later, pause, run, sh, start, until } from "./journaled.ts"
import { chunk, contextOf, output, post, problemOf, type Run } from "./support.ts"

const sse = { accept: "text/event-stream" }

/** Routes whose commands run as the test says, without a socket. */
const inMemory = (run: (exec: ShellExec) => Run, source: JournalSource = {}): ShellRoutes => {
  const routes = shellRoutes({ unauthenticated: true, context: contextOf(run), ...source })
  later(() => routes.dispose())
  return routes
}

/** Chunks that each stand in an entry of their own. */
const counting = (count: number, end: (exec: ShellExec) => Run) => (exec: ShellExec): Run =>
  Stream.concat(
    Stream.rechunk(Stream.map(Stream.range(0, count - 1), (seq) => chunk(exec.commandId, seq)), 1),
    end(exec),
  )

const well = ({ commandId }: ShellExec): Run => Stream.make(output(commandId))

const messagesOf = (text: string): ReadonlyArray<readonly [id: string, data: string]> => {
  const found: Array<readonly [string, string]> = []
  const parser = sseParser({
    maxLineBytes: 1_000_000,
    event: () => {},
    fail: (_, message) => {
      throw new Error(message)
    },
    hasFailed: () => false,
  }, ({ data, id }) => found.push([id, data]))
  parser.push(new TextEncoder().encode(text))
  parser.end()
  return found
}

const eventsOf = async (routes: ShellRoutes, id: string, after?: number) => {
  const headers = after === undefined ? {} : { "last-event-id": String(after) }
  const response = await routes.request(`/commands/${id}/events`, { headers })
  return { status: response.status, messages: messagesOf(await response.text()) }
}

it.each([3, 700])(
  "gives a reader that has some of %i chunks exactly the others, and no more than once",
  async (count) => {
    const routes = inMemory(counting(count, well))
    await (await routes.request("/exec", post({ command: "x", commandId: "c" }, { accept: "application/x-ndjson" })))
      .text()
    const whole = await eventsOf(routes, "c")
    expect(whole.messages.map(([id]) => Number(id))).toEqual(Array.from({ length: count + 1 }, (_, id) => id))
    for (const after of [0, 1, 2, Math.floor(count / 3), Math.floor(count / 2), count - 2, count - 1]) {
      expect((await eventsOf(routes, "c", after)).messages).toEqual(whole.messages.slice(after + 1))
      const lines = await (await routes.request(`/commands/c/events?after=${after}`, {
        headers: { accept: "application/x-ndjson" },
      })).text()
      expect(lines.trim().split("\n")).toEqual(whole.messages.slice(after + 1).map(([, data]) => data))
    }
    for (const after of [count, count + 5]) {
      expect(await eventsOf(routes, "c", after)).toEqual({
        status: 204,
        messages: [],
      })
    }
    const odd = await routes.request("/commands/c/events", { headers: { "last-event-id": "1e3" } })
    expect((await problemOf(odd)).status).toBe(400)
  },
)

it("gives the fault that ends a run with its output, also to a reader that has seen some of it", async () => {
  const routes = inMemory(
    counting(
      600,
      ({ commandId }) =>
        Stream.fail(ShellFault.because(commandId, { _tag: "Unknown" }, "exec: it broke", { stdoutBytes: 5_290 })),
    ),
  )
  await (await routes.request("/exec", post({ command: "x", commandId: "c" }, sse))).text()
  const whole = await eventsOf(routes, "c")
  const last = whole.messages.at(-1)
  expect(last?.[0]).toBe("600")
  expect(last?.[1]).toContain("line 1\\nline 2\\n")
  expect((await eventsOf(routes, "c", 590)).messages).toEqual(whole.messages.slice(591))
})

it("reads only the end of a long run for the output of its fault", async () => {
  let readEntries = 0
  const counted = <A extends ReadonlyArray<unknown>, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tap(read, ({ length }) => Effect.sync(() => readEntries += length))
  const journal = Layer.effect(
    Journal,
    Effect.map(Journal, (kept) => ({
      ...kept,
      read: (options) => counted(kept.read(options)),
      readBackward: (options) => counted(kept.readBackward(options)),
    })),
  ).pipe(Layer.provide(MemoryJournal.layer))
  const broken = ({ commandId }: ShellExec): Run =>
    Stream.fail(
      ShellFault.because(commandId, { _tag: "Unknown" }, "exec: it broke", { stdoutBytes: 15_890, stderrBytes: 0 }),
    )
  const routes = inMemory(counting(1_600, broken), { journal })
  await (await routes.request("/exec", post({ command: "x", commandId: "c", maxOutputBytes: 200 }, sse))).text()
  readEntries = 0
  const { messages } = await eventsOf(routes, "c", 1_590)
  expect(messages.map(([id]) => id)).toEqual(Array.from({ length: 10 }, (_, at) => String(1_591 + at)))
  expect(messages.at(-1)?.[1]).toContain("line 1599\\n")
  expect(readEntries).toBeLessThan(400)
})

it("numbers output that a redactor held back to the end: no reader misses it", async () => {
  const redactor = Redactor.secrets([{ value: "line 299\nline 300\n" }])
  const two = ({ commandId }: ShellExec): Run =>
    Stream.make(
      { ...chunk(commandId, 299, "to the end: line 2"), stream: "stderr" as const },
      chunk(commandId, 300, "line 299\nli"),
      output(commandId),
    )
  const routes = inMemory(counting(299, two), { redactor })
  await (await routes.request("/exec", post({ command: "x", commandId: "c" }, sse))).text()
  const whole = await eventsOf(routes, "c")
  const ids = whole.messages.map(([id]) => Number(id))
  expect(ids).toEqual(ids.map((_, index) => index))
  expect(ids.length).toBeGreaterThan(302)
  for (const after of [0, 150, 250, 298, 299, 300, 301]) {
    expect((await eventsOf(routes, "c", after)).messages).toEqual(whole.messages.slice(after + 1))
  }
})

it("answers a reader whose events were pruned as for an unknown command", async () => {
  const routes = inMemory(counting(300, well), { journal: MemoryJournal.layerWith({ maxEntries: 200 }) })
  await (await routes.request("/exec", post({ command: "x", commandId: "c" }, sse))).text()
  expect((await problemOf(await routes.request("/commands/c/events"))).type).toBe("urn:sluice:request:unknown-command")
})

it("streams a command that outlives its pruned journal to readers that keep up", async () => {
  let go = (): void => {}
  const gone = new Promise<void>((resolve) => {
    go = resolve
  })
  let arrived = false
  const wait = Effect.promise(() => {
    arrived = true
    return gone
  })
  const waiting = (): Run => Stream.drain(Stream.fromEffect(wait))
  const routes = inMemory(counting(300, (exec) => Stream.concat(waiting(), well(exec))), {
    journal: MemoryJournal.layerWith({ maxEntries: 100 }),
  })
  await routes.request("/exec?detached", post({ command: "x", commandId: "c" }))
  await until(() => arrived)
  const info = await (await routes.request("/commands/c")).json()
  expect(info).toMatchObject({ commandId: "c", state: "running", position: 0, line: "x" })
  const listed = async (query: string): Promise<string> => await (await routes.request(`/commands${query}`)).text()
  expect(await listed("?state=open&command=x*")).toContain(`"commandId":"c"`)
  expect(await listed("?command=y")).not.toContain(`"commandId":"c"`)
  for (const path of ["/commands/c/events", "/commands/c/events?after=3"]) {
    expect((await problemOf(await routes.request(path))).type).toBe("urn:sluice:request:pruned")
  }
  const late = await routes.request("/commands/c/events?after=290", { headers: { accept: "application/x-ndjson" } })
  go()
  const lines = (await late.text()).trim().split("\n").map((line) => JSON.parse(line))
  expect(lines.map(({ _tag, seq }) => seq ?? _tag)).toEqual([
    291,
    292,
    293,
    294,
    295,
    296,
    297,
    298,
    299,
    "ShellOutput",
  ])
})

it("ends the response of a reader that falls behind a prune, and says why", async () => {
  const routes = inMemory(counting(400, well), { journal: MemoryJournal.layerWith({ maxEntries: 150 }) })
  const lazy = await routes.request("/exec?disconnectGraceMillis=60000", post({ command: "x", commandId: "c" }, sse))
  const late = await routes.request("/commands/c/events")
  expect((await lazy.text()).match(/^id: /gm)?.length).toBe(401)
  const text = await late.text()
  expect(text).toContain("event: problem")
  expect(text).toContain("urn:sluice:request:pruned")
})

it("gives every reader the same events while the command runs, despite lost connections", async () => {
  const fixture = await start()
  const script = "i=0; while [ $i -lt 60 ]; do echo line $i; i=$((i+1)); sleep 0.01; done; exit 4"
  await run(fixture.client.detach(sh(script, "c")))
  let connections = 0
  /** A network that breaks every answer after some bytes. */
  const breaking = Effect.runSync(RemoteClient.make({
    url: fixture.url,
    token: "a-token-for-tests",
    fetch: async (request) => {
      connections++
      const response = await fetch(request)
      let left = 700 + 100 * (connections % 7)
      const cut = response.body?.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform: (bytes, controller) => {
            controller.enqueue(bytes.subarray(0, left))
            left -= bytes.length
            if (left <= 0) controller.error(new Error("the network broke"))
          },
        }),
      )
      return new Response(cut ?? null, response)
    },
  }))
  const [whole, ...others] = await Promise.all([
    all(fixture.client.events("c")),
    all(breaking.follow("c", 5_000)),
    all(breaking.follow("c", 5_000)),
    all(fixture.client.follow("c", 5_000)),
  ])
  expect(connections).toBeGreaterThan(4)
  for (const other of others) expect(other).toEqual(whole)
  const text = whole.map(({ event }) => event._tag === "ShellOutputChunk" ? event.content : "").join("")
  expect(text).toBe(Array.from({ length: 60 }, (_, n) => `line ${n}\n`).join(""))
  expect(whole.at(-1)?.event).toMatchObject({ _tag: "ShellOutput", exitCode: 4 })
})

it("resumes after a restart of the server on the same journal", async () => {
  const path = join(await directory(), "journal.sqlite")
  const first = await start({ journal: SqliteJournal.layer({ path }) })
  await run(first.client.run(sh("echo whole", "json")))
  const [seen] = await all(Stream.take(first.client.exec(sh("echo one; sleep 60", "cut")), 1))
  expect(seen).toMatchObject({ content: "one\n" })
  await run(first.client.detach(sh("echo a; echo b >&2; exit 2", "done")))
  const before = await all(first.client.events("done"))
  await first.server.stop()
  await first.routes.dispose()
  const second = await start({ journal: SqliteJournal.layer({ path }) })
  expect(await all(second.client.events("done"))).toEqual(before)
  expect(await all(second.client.events("done", before[0]?.id))).toEqual(before.slice(1))
  expect((await all(second.client.events("json")))[0]?.event).toMatchObject({ stdout: "whole\n" })
  const cut = await all(second.client.events("cut"))
  expect(cut.at(-1)?.event).toMatchObject({ _tag: "ShellFault", reason: { _tag: "Cancelled" } })
  expect((await run(second.client.commands())).commands.map(({ commandId }) => commandId)).toEqual([
    "done",
    "cut",
    "json",
  ])
})

it("reads one command to five hundred at once", async () => {
  const gate = { open: (): void => {} }
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve
  })
  const routes = inMemory((exec) =>
    Stream.concat(Stream.drain(Stream.fromEffect(Effect.promise(() => opened))), counting(20, well)(exec))
  )
  await routes.request("/exec?detached", post({ command: "x", commandId: "c" }))
  const headers = { accept: "application/x-ndjson" }
  const responses = await Promise.all(
    Array.from({ length: 500 }, async () => await routes.request("/commands/c/events", { headers })),
  )
  const readers = responses.map(async (response) => (await response.text()).trim())
  gate.open()
  const [first, ...texts] = await Promise.all(readers)
  expect(first?.split("\n")).toHaveLength(21)
  expect(first?.split("\n").at(-1)).toContain("ShellOutput")
  expect(texts.every((text) => text === first)).toBe(true)
})

it("does not block the command or other readers when one reader stops reading", async () => {
  const fixture = await start()
  await run(fixture.client.detach(sh("yes 'a rather long line of output' | head -c 6000000; echo end", "c")))
  const lazy = await fixture.ask("/commands/c/events")
  const events = await all(fixture.client.events("c"))
  const length = events.reduce(
    (sum, { event }) => sum + (event._tag === "ShellOutputChunk" ? event.content.length : 0),
    0,
  )
  expect(length).toBe(6_000_004)
  expect(events.at(-1)?.event._tag).toBe("ShellOutput")
  await lazy.body?.cancel()
})

it("sends keep-alives, which are not events, to a reader of a silent command", async () => {
  const fixture = await start({ keepAlive: "30 millis" })
  await run(fixture.client.detach(sh("sleep 60", "c")))
  const response = await fixture.ask("/commands/c/events")
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
  let text = ""
  while (text.split(": keep-alive").length < 4) text += new TextDecoder().decode((await reader.read()).value)
  expect(messagesOf(text)).toEqual([])
  await reader.cancel()
  const events: Array<EventWithId> = []
  const reading = Effect.runFork(
    Stream.runForEach(fixture.client.events("c"), (event) => Effect.sync(() => events.push(event))),
  )
  await pause(150)
  await run(fixture.client.cancel("c"))
  await until(() => events.length > 0)
  expect(events.map(({ event, id }) => [id, event._tag])).toEqual([[0, "ShellFault"]])
  reading.interruptUnsafe()
})
