import { describe, expect, it } from "@effect/vitest"
import * as Redactor from "../../../src/journal/redaction/Redactor.ts"
import { AccessPolicy } from "../../../src/policy/mod.ts"
import { pause, until } from "../journaled.ts"
import { problemOf } from "../support.ts"
import { startTerminals, ticket } from "./support.ts"

const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
})

describe("a terminal over HTTP", () => {
  it("opens with a size, takes input, resizes, and reports its end", async () => {
    const { attach, open, terminals } = await startTerminals()
    const id = await open({ terminal: { cols: 100, rows: 30, term: "vt100" } })
    const client = await attach(id)
    await client.sees("$ ")
    expect(terminals.opened).toEqual([{ cols: 100, rows: 30, term: "vt100" }])
    expect(client.state()).toEqual({ cols: 100, rows: 30, clients: 1, writable: true, newest: expect.any(Number) })
    client.type("size\r")
    await client.sees("30 100")
    client.send({ _tag: "Resize", cols: 120, rows: 40 })
    await client.sees("[120x40]")
    client.type("size\r")
    await client.sees("40 120")
    expect(client.state()).toMatchObject({ cols: 120, rows: 40 })
    client.type("\x03")
    await client.sees("^C")
    client.type("exit 7\r")
    await until(() => client.closed() !== undefined)
    const last = client.messages.at(-1)
    expect(last?._tag === "End" && JSON.parse(last.event)).toMatchObject({ _tag: "ShellOutput", exitCode: 7 })
    expect(client.closed()?.code).toBe(1000)
  })

  it("sends a returning client exactly the output that it missed, and a late client everything", async () => {
    const { attach, open } = await startTerminals()
    const id = await open()
    const first = await attach(id)
    first.type("one\r")
    await first.sees("one\r\n$ ")
    first.close()
    const other = await attach(id)
    other.type("flood 5000\r")
    await other.sees("00000001")
    await other.sees("x\r\n")
    other.type("two\r")
    await other.sees("two\r\n$ ")
    const back = await attach(id, { after: first.position() })
    await back.sees("two\r\n$ ")
    expect(first.text() + back.text()).toBe(other.text())
    expect(other.text().match(/x\r\n/g)?.length).toBe(5_000)
  })

  it("lets every client type, and informs all of them of sizes and other clients", async () => {
    const { attach, open } = await startTerminals()
    const id = await open()
    const clients = [await attach(id), await attach(id), await attach(id)]
    await until(() => clients.every((client) => client.state()?.clients === 3))
    clients[0]?.type("a")
    await clients[1]?.sees("a")
    clients[1]?.type("b\r")
    for (const client of clients) await client.sees("b\r\n$ ")
    clients[2]?.send({ _tag: "Resize", cols: 50, rows: 20 })
    await until(() => clients.every((client) => client.state()?.cols === 50))
    clients[2]?.close()
    await until(() => clients[0]?.state()?.clients === 2)
  })

  it("counts the input of a named client, which on return replaces its connection and learns how much was taken", async () => {
    const { attach, open } = await startTerminals()
    const id = await open()
    const client = await attach(id, { name: "a" })
    await until(() => client.state() !== undefined)
    expect(client.messages[0]).toEqual({ _tag: "Taken", bytes: 0 })
    client.type("one\r")
    client.type("stuck\r")
    await until(() => client.messages.some((message) => message._tag === "Taken" && message.bytes === 10))
    // The command begins to take the first, and never comes to the second.
    client.type("three")
    client.type("four")
    client.send({ _tag: "Resize", cols: 81, rows: 24 })
    await client.sees("[81x24]")
    const other = await attach(id, { name: "b" })
    const watching = await attach(id)
    const back = await attach(id, { name: "a" })
    await until(() => client.closed() !== undefined && back.state() !== undefined)
    expect(back.messages[0]).toEqual({ _tag: "Taken", bytes: 15 })
    expect(other.messages[0]).toEqual({ _tag: "Taken", bytes: 0 })
    expect(watching.messages.some(({ _tag }) => _tag === "Taken")).toBe(false)
    expect(back.state()?.clients).toBe(3)
  })

  it("is listed with its size and its clients, resized and signalled without a WebSocket", async () => {
    const { ask, attach, open, terminals } = await startTerminals()
    const id = await open()
    const client = await attach(id)
    await client.sees("$ ")
    expect(await (await ask(`/commands/${id}`)).json()).toMatchObject({
      terminal: { cols: 80, rows: 24 },
      clients: 1,
      stdin: "open",
    })
    expect((await ask(`/commands/${id}/resize`, json({ cols: 60, rows: 15 }))).status).toBe(204)
    await client.sees("[60x15]")
    expect((await ask(`/commands/${id}/resize`, json({ cols: 0, rows: 15 }))).status).toBe(400)
    expect((await ask(`/commands/${id}/signal`, json({ signal: "SIGWINCH" }))).status).toBe(204)
    expect((await ask(`/commands/${id}/signal`, json({ signal: "sigkill" }))).status).toBe(400)
    expect((await ask(`/commands/${id}/signal`, json({ signal: "SIGFOO" }))).status).toBe(400)
    expect(terminals.signals).toEqual(["SIGWINCH"])
    client.send({ _tag: "Signal", signal: "SIGHUP" })
    await until(() => client.closed() !== undefined)
    expect(await (await ask(`/commands/${id}`)).json()).toMatchObject({ state: "exited", signal: "SIGHUP" })
    const late = await problemOf(await ask(`/commands/${id}/resize`, json({ cols: 60, rows: 15 })))
    expect(late.type).toBe("urn:sluice:request:no-terminal")
  })

  it("can be read and written with only an event stream and POST", async () => {
    const { ask, open } = await startTerminals()
    const id = await open()
    const events = await ask(`/commands/${id}/events`, { headers: { accept: "text/event-stream" } })
    const bytes = { method: "POST", headers: { "content-type": "application/octet-stream" } }
    expect((await ask(`/commands/${id}/input`, { ...bytes, body: "size\r" })).status).toBe(200)
    await ask(`/commands/${id}/input`, { ...bytes, body: "exit 3\r" })
    const text = await events.text()
    expect(text).toContain("24 80")
    expect(text).toContain(`"exitCode":3`)
  })

  it("ends when no client was attached for its grace, and not before", async () => {
    const { ask, attach, open, terminals } = await startTerminals()
    const id = await open()
    await ask(`/commands/${id}`, { method: "DELETE" })
    await until(() => terminals.running() === 0)
    const response = await ask("/exec?disconnectGraceMillis=300", {
      ...json({ command: "shell", commandId: "t", terminal: { cols: 80, rows: 24 } }),
      headers: { "content-type": "application/json", "accept": "application/x-ndjson" },
    })
    await response.body?.cancel()
    const client = await attach("t")
    await pause(600)
    expect(terminals.running()).toBe(1)
    client.close()
    await until(() => terminals.running() === 0)
  })

  it("serves at most 64 clients, which all see the same", async () => {
    const { ask, attach, open } = await startTerminals()
    const id = await open()
    const clients = []
    for (let count = 0; count < 64; count++) clients.push(await attach(id))
    const [first] = clients
    const oneMore = await attach(id)
    await until(() => oneMore.closed() !== undefined)
    expect(oneMore.closed()?.code).toBe(4429)
    first?.type("flood 500\rdone\r")
    for (const client of clients) await client.sees("done\r\n$ ")
    expect(new Set(clients.map((client) => client.text())).size).toBe(1)
    for (const client of clients) client.close()
    const listed = async (): Promise<unknown> => (await (await ask("/commands")).json()).commands[0].clients
    await until(async () => await listed() === 0)
    const next = await attach(id)
    await next.sees("done\r\n$ ")
    expect(next.closed()).toBeUndefined()
  })

  it("ends with its server, and notifies its clients", async () => {
    const { attach, open, routes, terminals } = await startTerminals()
    const client = await attach(await open())
    await client.sees("$ ")
    await routes.dispose()
    await until(() => client.closed() !== undefined)
    expect(terminals.running()).toBe(0)
  })
})

it("with a redactor shows unfinished lines, redacts what is written at once, and resumes exactly", async () => {
  const { attach, open } = await startTerminals({ redactor: Redactor.patterns([{ pattern: /ghp_[A-Za-z0-9]{36}/g }]) })
  const id = await open()
  const client = await attach(id)
  // A prompt and an echo are no whole lines.
  await client.sees("$ ")
  const token = `ghp_${"a1B2".repeat(9)}`
  client.type(token)
  await until(() => client.text().includes("<redacted>"))
  expect(client.text()).not.toContain(token)
  client.type("\x03")
  // Many entries, so that a reader who returns starts in the middle of them.
  const positions: Array<number> = []
  const texts: Array<string> = []
  for (let key = 0; key < 60; key++) {
    client.type(`k${key}.`)
    await client.sees(`k${key}.`)
    positions.push(client.position())
    texts.push(client.text())
  }
  client.type("\r")
  await client.sees("k59.\r\n$ ")
  for (const at of [3, 31, 57]) {
    const back = await attach(id, { after: positions[at] ?? 0 })
    await back.sees("k59.\r\n$ ")
    expect(`${texts[at]}${back.text()}`).toBe(client.text())
  }
})

describe("a slow client", () => {
  it("gets little more than it has acknowledged, delays no other client, and resumes where it was", async () => {
    const { attach, open } = await startTerminals({ keepAlive: "3 seconds" })
    const id = await open()
    const slow = await attach(id, { acknowledges: false })
    const fast = await attach(id)
    fast.type("flood 100000\r")
    await fast.sees("00000001")
    await until(() => slow.closed() !== undefined)
    expect(slow.text().length).toBeLessThan(1_300_000)
    // It was silent as well as slow: whichever is seen first.
    expect([4408, 4413]).toContain(slow.closed()?.code)
    const back = await attach(id, { after: slow.position() })
    fast.type("done\r")
    await fast.sees("done\r\n")
    await back.sees("done\r\n")
    expect((slow.text() + back.text()) === fast.text()).toBe(true)
  })

  it("is pinged when it is silent, and closed when it does not answer", async () => {
    const { attach, open } = await startTerminals({ keepAlive: "1 second" })
    const id = await open()
    const alive = await attach(id)
    const dead = await attach(id, { acknowledges: false })
    await until(() => dead.closed() !== undefined)
    expect(dead.closed()?.code).toBe(4408)
    expect(dead.messages.some(({ _tag }) => _tag === "Ping")).toBe(true)
    const pings = (): number => alive.messages.filter(({ _tag }) => _tag === "Ping").length
    await until(() => pings() >= 3)
    expect(alive.closed()).toBeUndefined()
  })

  it("holds the command, if it is the only one and the command waits for its readers", async () => {
    const { ask, attach, terminals } = await startTerminals({ maxAhead: 100_000 })
    const body = { command: "shell", commandId: "t", terminal: { cols: 80, rows: 24 }, disconnectGraceMillis: 60_000 }
    const response = await ask("/exec", {
      ...json(body),
      headers: { "content-type": "application/json", "accept": "application/x-ndjson" },
    })
    await response.body?.cancel()
    const client = await attach("t", { acknowledges: false })
    await client.sees("$ ")
    client.type("flood 1000000\r")
    let before = -1
    await until(async () => {
      const now = terminals.taken()
      const isStill = now === before && now > 100_000
      before = now
      await pause(300)
      return isStill
    })
    expect(terminals.taken()).toBeLessThan(1_500_000)
    client.send({ _tag: "Acknowledge", position: client.position() })
    await until(() => terminals.taken() > before)
  })
})

describe("a WebSocket of a terminal refuses", () => {
  it("a terminal under a policy that typed commands would bypass", async () => {
    const list = AccessPolicy.make({ allowedCommands: ["shell"] })
    const { ask, terminals } = await startTerminals({ policy: list })
    const response = await ask("/exec", json({ command: "shell", terminal: { cols: 80, rows: 24 } }))
    expect(response.status).toBe(403)
    expect(await response.text()).toContain("cannot check typed commands")
    expect(terminals.opened).toEqual([])
    const all = await startTerminals({ policy: AccessPolicy.make({ allowedCommands: ["*"] }) })
    await (await all.attach(await all.open())).sees("$ ")
  })

  it("a handshake without a ticket, with a used one, one of another command, and a page of another origin", async () => {
    const { ask, attach, open, url } = await startTerminals()
    const id = await open()
    const other = await open()
    const used = await ticket(ask, id)
    expect((await attach(id, { protocols: used })).closed()).toBeUndefined()
    for (
      const protocols of [
        used,
        await ticket(ask, other),
        ["sluice.terminal.1"],
        ["sluice.terminal.1", "sluice.ticket.0000"],
        [...await ticket(ask, id)].reverse(),
      ]
    ) {
      const refused = await attach(id, { protocols })
      expect(refused.closed()).toBeDefined()
      expect(refused.messages).toEqual([])
    }
    const handshake = {
      "connection": "Upgrade",
      "upgrade": "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    expect((await ask(`/commands/${id}/terminal`)).status).toBe(426)
    const { rawHandshake } = await import("./rawHandshake.ts")
    const fresh = async () => ({ ...handshake, "sec-websocket-protocol": (await ticket(ask, id)).join(", ") })
    const path = `/commands/${id}/terminal`
    expect(await rawHandshake(url, path, { ...await fresh(), origin: "https://evil.example" })).toBe(403)
    expect(await rawHandshake(url, path, { ...await fresh(), origin: "null" })).toBe(403)
    expect(await rawHandshake(url, path, handshake)).toBe(401)
    expect(await rawHandshake(url, path, { ...await fresh(), origin: url })).toBe(101)
  })

  it("tickets for tokens without the right to read; input, sizes and signals of tokens that may only read", async () => {
    const { ask, attach, open, terminals } = await startTerminals({
      tokens: [
        { name: "all", token: "a-token-for-tests" },
        { name: "reads", token: "reads", rights: ["read"] },
        { name: "runs", token: "runs", rights: ["read", "run"] },
        { name: "files", token: "files", rights: ["files:read"] },
      ],
    })
    const id = await open()
    expect((await ask(`/commands/${id}/terminal`, { method: "POST" }, "files")).status).toBe(403)
    expect((await ask(`/commands/${id}/terminal`, { method: "POST" }, "nobody")).status).toBe(401)
    expect((await ask(`/commands/${id}/resize`, json({ cols: 9, rows: 9 }), "reads")).status).toBe(403)
    expect((await ask(`/commands/${id}/signal`, json({ signal: "SIGKILL" }), "runs")).status).toBe(403)
    for (
      const message of [
        { _tag: "Input", bytes: new Uint8Array([97]) },
        { _tag: "Resize", cols: 9, rows: 9 },
        { _tag: "Signal", signal: "SIGKILL" },
      ] as const
    ) {
      const reader = await attach(id, { bearer: "reads" })
      await reader.sees("$ ")
      expect(reader.state()?.writable).toBe(false)
      reader.send(message)
      await until(() => reader.closed() !== undefined)
      expect(reader.closed()?.code).toBe(1008)
    }
    const runs = await attach(id, { bearer: "runs" })
    runs.type("ok\r")
    await runs.sees("ok\r\n")
    expect(runs.text()).not.toContain("a")
    expect(terminals.signals).toEqual([])
  })

  it("messages that are invalid, too large, too many, or acknowledge unsent output", async () => {
    const { attach, open } = await startTerminals()
    const id = await open()
    const closeOf = async (send: (client: Awaited<ReturnType<typeof attach>>) => void): Promise<number | undefined> => {
      const client = await attach(id)
      await client.sees("$ ")
      send(client)
      await until(() => client.closed() !== undefined)
      return client.closed()?.code
    }
    expect(await closeOf((client) => client.sendRaw("text"))).toBe(1007)
    expect(await closeOf((client) => client.sendRaw(new ArrayBuffer(0)))).toBe(1007)
    expect(await closeOf((client) => client.sendRaw(new Uint8Array([99, 1]).buffer))).toBe(1007)
    expect(await closeOf((client) => client.sendRaw(new Uint8Array([17, 0, 0, 0, 1]).buffer))).toBe(1007)
    expect(await closeOf((client) => client.sendRaw(new ArrayBuffer(70_000)))).toBe(1009)
    expect(await closeOf((client) => client.send({ _tag: "Signal", signal: "SIGFOO" }))).toBe(1007)
    expect(await closeOf((client) => client.send({ _tag: "Acknowledge", position: 1_000 }))).toBe(1007)
    // On Deno a client that goes on sending to a closed connection sees it break before it reads the close frame.
    expect([0, 4429]).toContain(
      await closeOf((client) => {
        for (let count = 0; count < 1_200; count++) client.send({ _tag: "Acknowledge", position: -1 })
      }),
    )
  })

  it("input beyond a bound that its command does not read", async () => {
    const { attach, open, terminals } = await startTerminals()
    const client = await attach(await open())
    client.type("stuck\r")
    await client.sees("stuck\r\n")
    for (let count = 0; count < 20; count++) {
      client.send({ _tag: "Input", bytes: new Uint8Array(65_536).fill(97) })
      if (client.closed() !== undefined) break
    }
    await until(() => client.closed() !== undefined)
    expect([0, 1009]).toContain(client.closed()?.code)
    expect(terminals.running()).toBe(1)
  })
})
