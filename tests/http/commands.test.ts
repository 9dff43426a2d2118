import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { CommandInfo, CommandPage } from "../../src/wire/mod.ts"
import { all, ended, gate, run, sh, start, until } from "./journaled.ts"
import { post, problemOf, token } from "./support.ts"

const exact = { onExcessProperty: "error" } as const

it("lists all commands in pages, the newest first", async () => {
  const fixture = await start()
  for (const id of ["a", "b", "c", "d", "e"]) await run(fixture.client.run(sh(`exit ${id === "c" ? 3 : 0}`, id)))
  const first = await run(fixture.client.commands({ maxCommands: 2 }))
  const second = await run(fixture.client.commands({ maxCommands: 2, before: first.next }))
  const third = await run(fixture.client.commands({ maxCommands: 2, before: second.next }))
  expect([first, second, third].map(({ commands }) => commands.map(({ commandId }) => commandId).join(""))).toEqual([
    "ed",
    "cb",
    "a",
  ])
  expect(third.next).toBeUndefined()
  const response = await fixture.ask("/commands")
  const page = Schema.decodeUnknownSync(CommandPage, exact)(await response.json())
  expect(page.commands.find(({ commandId }) => commandId === "c")).toMatchObject({
    state: "exited",
    exitCode: 3,
    line: "sh -c 'exit 3'",
    arguments: ["-c", "exit 3"],
    attempts: 1,
  })
})

it("finds commands by their state, their time and their words", async () => {
  const fixture = await start()
  const before = Date.now()
  await run(fixture.client.run(sh("echo alpha", "alpha")))
  await run(fixture.client.detach(sh("sleep 60", "sleeper")))
  await fixture.ask("/exec", post({ command: "no-such-program", commandId: "none" }))
  const ids = async (query: string): Promise<string> => {
    const response = await fixture.ask(`/commands?${query}`)
    const { commands } = Schema.decodeUnknownSync(CommandPage, exact)(await response.json())
    return commands.map(({ commandId }) => commandId).join(" ")
  }
  expect(await ids("state=open")).toBe("sleeper")
  expect(await ids("state=running,exited")).toBe("sleeper alpha")
  expect(await ids("state=faulted")).toBe("none")
  expect(await ids("command=*alpha*")).toBe("alpha")
  expect(await ids("command=no-such-*")).toBe("none")
  expect(await ids(`since=${before}`)).toBe("none sleeper alpha")
  expect(await ids(`since=${new Date(Date.now() + 60_000).toISOString()}`)).toBe("")
  expect(await ids(`until=${before}`)).toBe("")
  for (const query of ["state=gone", "since=yesterday", "maxCommands=many", "before=x", "until=-1"]) {
    const problem = await problemOf(await fixture.ask(`/commands?${query}`))
    expect([query, problem.type]).toEqual([query, "urn:sluice:request:invalid"])
  }
})

it("describes a command while it waits, while it runs and after its end", async () => {
  const fixture = await start()
  const id = "id/with ? # & %2F things".replaceAll(" ", "_")
  await run(fixture.client.detach(sh("echo out; echo oops >&2; sleep 60", id), { stdin: "open" }))
  const running = await run(fixture.client.command(id))
  expect(running).toMatchObject({ commandId: id, state: "running", stdin: "open", attempts: 1 })
  await run(fixture.client.cancel(id))
  const info = await ended(fixture, id)
  expect(info).toMatchObject({ commandId: id, state: "faulted", reason: "Cancelled", stdoutBytes: 4, stderrBytes: 5 })
  const raw = await (await fixture.ask(`/commands/${encodeURIComponent(id)}`)).json()
  expect(Schema.decodeUnknownSync(CommandInfo, exact)(raw)).toEqual(info)
  expect((await problemOf(await fixture.ask("/commands/nobody"))).type).toBe("urn:sluice:request:unknown-command")
})

it("streams starts and ends of commands, and resumes after the last id", async () => {
  const fixture = await start()
  await run(fixture.client.run(sh("true", "early")))
  const { head } = await run(fixture.client.commands())
  const abort = new AbortController()
  const response = await fixture.ask(`/commands/events?after=${head}`, { signal: abort.signal })
  expect(response.headers.get("content-type")).toBe("text/event-stream")
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
  let text = ""
  const decoder = new TextDecoder()
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += decoder.decode(next.value)
  })().catch(() => {})
  const { open, wait } = await gate()
  await run(fixture.client.detach(sh(wait, "one")))
  await until(() => text.includes(`"state":"running"`))
  await open()
  await until(() => text.includes(`"state":"exited"`))
  const infos = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) =>
    Schema.decodeUnknownSync(CommandInfo)(JSON.parse(data))
  )
  expect(infos.every(({ commandId }) => commandId === "one")).toBe(true)
  expect([infos[0]?.state, infos.at(-1)?.state]).toEqual(["running", "exited"])
  const last = [...text.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ""
  abort.abort()
  await reading
  const { head: now } = await run(fixture.client.commands())
  expect(Number(last)).toBe(Number(now))
  await run(fixture.client.run(sh("true", "two")))
  const again = await fixture.ask("/commands/events", {
    headers: { "last-event-id": last, accept: "application/x-ndjson" },
  })
  const more = (again.body ?? new ReadableStream<Uint8Array>()).getReader()
  let lines = ""
  while (!lines.includes(`"state":"exited"`)) lines += decoder.decode((await more.read()).value)
  expect(lines).toContain(`"commandId":"two"`)
  expect(lines).not.toContain(`"commandId":"one"`)
  await more.cancel()
})

it("answers each route only to its methods, and says which", async () => {
  const fixture = await start()
  const table = [
    ["/commands", "POST", "GET, HEAD"],
    ["/commands/x", "POST", "GET, HEAD, DELETE"],
    ["/commands/x/events", "POST", "GET, HEAD"],
    ["/commands/x/input", "GET", "POST"],
    ["/metrics", "POST", "GET, HEAD"],
    ["/health", "DELETE", "GET, HEAD"],
    ["/openapi.json", "POST", "GET, HEAD"],
  ] as const
  for (const [path, method, allow] of table) {
    const response = await fixture.ask(path, { method })
    expect([path, response.status, response.headers.get("allow")]).toEqual([path, 405, allow])
  }
})

it("requires the token on every route with data or effects", async () => {
  const { url } = await start()
  const table = [
    ["GET", "/commands"],
    ["GET", "/commands/events"],
    ["GET", "/commands/x"],
    ["GET", "/commands/x/events"],
    ["POST", "/commands/x/input"],
    ["DELETE", "/commands/x"],
    ["GET", "/metrics"],
  ] as const
  for (const [method, path] of table) {
    for (const authorization of [undefined, `Bearer ${token}x`]) {
      const headers = authorization === undefined ? {} : { authorization }
      expect([path, (await fetch(`${url}${path}`, { method, headers })).status]).toEqual([path, 401])
    }
  }
})

it("gives every response an id, the client's own if valid", async () => {
  const fixture = await start()
  const idOf = async (given: string): Promise<string | null> =>
    (await fixture.ask("/commands", { headers: { "x-request-id": given } })).headers.get("x-request-id")
  expect(await idOf("req-1.a_B")).toBe("req-1.a_B")
  for (const given of ["", "with space", "x".repeat(101), "a;b"]) expect(await idOf(given)).toMatch(/^[0-9a-f-]{36}$/)
})

it("refuses headers that are too large", async () => {
  const fixture = await start({ maxHeaderBytes: 1_000 })
  const response = await fixture.ask("/commands", { headers: { "x-large": "x".repeat(1_000) } })
  expect((await problemOf(response)).type).toBe("urn:sluice:request:headers-too-large")
  expect((await fixture.ask("/commands")).status).toBe(200)
})

it("keeps no more than a page of a long list in an answer", async () => {
  const fixture = await start()
  await Promise.all(Array.from({ length: 12 }, (_, n) => run(fixture.client.run(sh("true", `n${n}`)))))
  const seen: Array<string> = []
  let before: string | undefined
  do {
    const page = await run(fixture.client.commands({ maxCommands: 5, before, state: ["exited"] }))
    expect(page.commands.length).toBeLessThanOrEqual(5)
    seen.push(...page.commands.map(({ commandId }) => commandId))
    before = page.next
  } while (before !== undefined)
  expect(new Set(seen).size).toBe(12)
  expect(await all(fixture.client.events("n3"))).toHaveLength(1)
})
