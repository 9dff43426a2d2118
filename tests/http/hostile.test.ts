/** Clients that mean no good, on sockets of their own making, against the real routes on this runtime's server. */
import { describe, expect, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { directory, type Fixture, later, pause, start, until } from "./journaled.ts"
import { type RawConnection, rawConnection, type RawHead, rawHead } from "../support/rawConnection.ts"
import { runtime } from "./serve.ts"
import { post, problemOf, token } from "./support.ts"
import { heartbeat } from "../support/heartbeat.ts"

const connected = async ({ server }: Fixture, reads = true): Promise<RawConnection> => {
  const connection = await rawConnection(server.port, reads)
  later(() => Promise.resolve(connection.socket.destroy()))
  return connection
}

const head = (options: Partial<RawHead> = {}): string => rawHead({ token, ...options })

/** A command that leaves a mark when it runs. */
const marking = async (): Promise<{ readonly body: string; readonly ran: () => boolean }> => {
  const mark = join(await directory(), "ran")
  return { body: JSON.stringify({ command: "touch", arguments: [mark] }), ran: () => existsSync(mark) }
}

/** The server goes on: it answers others, and nothing that it was sent runs. */
const expectServing = async ({ ask }: Fixture): Promise<void> => {
  const response = await ask("/exec", post({ command: "echo", arguments: ["served"] }))
  expect(await response.json()).toMatchObject({ exitCode: 0, stdout: "served\n" })
  expect((await ask("/health")).status).toBe(200)
}

const refused = ({ closed, status }: RawConnection): boolean => closed() || (status() ?? 0) >= 400

describe("half a request", () => {
  it("delays no other request while it is waited for, and runs nothing when its client disconnects", async () => {
    const fixture = await start()
    const { body, ran } = await marking()
    // Whole as JSON, and short of what was announced: only the end of the body says that it is a command.
    const whole = head({ length: body.length + 10 }) + body
    const parts = ["P", "POST /exec HT", head().slice(0, 60), head().slice(0, -2), head({ length: 50 }), whole]
    const clients = await Promise.all(parts.flatMap((part) =>
      [1, 2, 3, 4].map(async (turn) => {
        const client = await connected(fixture)
        await client.send(part)
        return { client, turn }
      })
    ))
    await expectServing(fixture)
    expect(clients.filter(({ client }) => client.status() === 200)).toEqual([])
    for (const { client: { socket }, turn } of clients) turn % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()
    await expectServing(fixture)
    expect(ran()).toBe(false)
  })

  it("is refused or abandoned when its client closes its side", async () => {
    const fixture = await start()
    const { body, ran } = await marking()
    const client = await connected(fixture)
    await client.send(head({ length: body.length + 10 }) + body)
    client.socket.end()
    await until(() => refused(client))
    await expectServing(fixture)
    expect(ran()).toBe(false)
  })

  it.each(["of a length", "in chunks"])(
    "is refused when a body %s takes too long, and told to close the connection",
    async (how) => {
      const fixture = await start({ bodyTimeout: "200 millis" })
      const { body, ran } = await marking()
      const client = await connected(fixture)
      const chunked = { headers: ["transfer-encoding: chunked"] }
      await client.send(head(how === "in chunks" ? chunked : { length: body.length + 10 }))
      await client.send(how === "in chunks" ? `${body.length.toString(16)}\r\n${body}\r\n` : body)
      await until(() => client.status() === 408)
      expect(client.text()).toContain("urn:sluice:request:slow-body")
      expect(client.text()).toMatch(/^connection: close\r$/im)
      // Deno's server waits for the client to do it.
      if (runtime !== "deno") await until(client.closed)
      await expectServing(fixture)
      expect(ran()).toBe(false)
    },
  )

  it("is refused, or given up, when its chunks stop before the last", async () => {
    const fixture = await start()
    const { body, ran } = await marking()
    const client = await connected(fixture)
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n`
    await client.send(head({ headers: ["transfer-encoding: chunked"] }) + chunk)
    client.socket.end()
    await until(() => refused(client))
    await expectServing(fixture)
    expect(ran()).toBe(false)
  })
})

describe("garbage", () => {
  const binary = Uint8Array.from({ length: 4_096 }, (_, index) => (index * 7_919) % 256)
  const garbage: ReadonlyArray<readonly [what: string, bytes: (body: string) => string | Uint8Array]> = [
    ["bytes without a meaning", () => binary],
    [
      "the beginning of TLS",
      () => Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, 0x0a),
    ],
    ["lines of another protocol", () => "EHLO me\r\nMAIL FROM:<a@b>\r\nQUIT\r\n\r\n"],
    ["a version of HTTP that is none", (body) => head({ length: body.length }).replace("HTTP/1.1", "HTTP/9.9") + body],
    ["a line that does not end", () => `POST /${"x".repeat(2_000_000)}`],
    ["a header without a name", (body) => head({ length: body.length, headers: [": nothing"] }) + body],
    ["a NUL in a header", (body) => head({ length: body.length, headers: ["x-a: b\0c"] }) + body],
    ["a length that is no number", (body) => head({ headers: ["content-length: many"] }) + body],
    ["a length below zero", (body) => head({ headers: ["content-length: -1"] }) + body],
    ["two lengths", (body) => head({ length: body.length, headers: [`content-length: ${body.length + 1}`] }) + body],
    ["chunks of no size", (body) => `${head({ headers: ["transfer-encoding: chunked"] })}zz\r\n${body}\r\n0\r\n\r\n`],
    [
      "a chunk larger than anything",
      (body) => `${head({ headers: ["transfer-encoding: chunked"] })}fffffffffffffffff\r\n${body}\r\n0\r\n\r\n`,
    ],
    ["a body that is no JSON", () => head({ length: 4_096 }) + "{".repeat(4_096)],
    ["JSON that is no command", () => head({ length: 15 }) + `{"arguments":1}`],
    ["JSON without end, deep", () => head({ length: 500_000 }) + "[".repeat(500_000)],
    [
      "more headers than are read",
      (body) => head({ length: body.length, headers: [`x-a: ${"y".repeat(17_000)}`] }) + body,
    ],
  ]

  it("is distinguished from a complete one: the same command runs when it is sent properly", async () => {
    const fixture = await start()
    const { body, ran } = await marking()
    const client = await connected(fixture)
    await client.send(head({ length: body.length }) + body)
    await until(() => client.status() !== undefined)
    expect([client.status(), ran()]).toEqual([200, true])
    const chunked = await marking()
    const other = await connected(fixture)
    const chunk = `${chunked.body.length.toString(16)}\r\n${chunked.body}\r\n0\r\n\r\n`
    await other.send(head({ headers: ["transfer-encoding: chunked"] }) + chunk)
    await until(() => other.status() !== undefined)
    expect([other.status(), chunked.ran()]).toEqual([200, true])
  })

  it.each(garbage)("runs nothing, and serves on after %s", async (_, bytes) => {
    const fixture = await start()
    const { body, ran } = await marking()
    const client = await connected(fixture)
    await client.send(bytes(body))
    // Time for a wrong start before the server notices the disconnect.
    await Promise.race([until(() => refused(client)), pause(300)])
    client.socket.end()
    await until(() => refused(client))
    expect(client.status() ?? 400).toBeGreaterThanOrEqual(400)
    await expectServing(fixture)
    expect(ran()).toBe(false)
  })
})

describe("hostile JSON", () => {
  type Fields = Readonly<Record<string, unknown>>
  const bad: ReadonlyArray<readonly [what: string, text: (fields: Fields) => string]> = [
    ["a prototype", (fields) => `{"__proto__":${JSON.stringify(fields)}}`],
    [
      "a prototype beside a command",
      (fields) => JSON.stringify(fields).replace("{", `{"__proto__":{"useShell":true},`),
    ],
    ["a constructor", (fields) => JSON.stringify({ ...fields, constructor: { prototype: {} } })],
    ["a list for a command", (fields) => JSON.stringify({ ...fields, command: [fields["command"]] })],
    ["a list of commands", (fields) => JSON.stringify([fields])],
    ["an argument that is none", (fields) => JSON.stringify({ ...fields, arguments: [{}] })],
    ["a NUL in an argument", (fields) => JSON.stringify({ ...fields, arguments: ["a\0b"] })],
    ["half a character in an argument", (fields) => JSON.stringify({ ...fields, arguments: ["\ud800"] })],
    ["a time without end", (fields) => JSON.stringify(fields).replace("{", `{"timeout":1e999,`)],
    ["a time before its beginning", (fields) => JSON.stringify({ ...fields, timeout: -1 })],
    ["more memory than there is", (fields) => JSON.stringify({ ...fields, maxOutputBytes: 1e300 })],
    ["an id of two lines", (fields) => JSON.stringify({ ...fields, commandId: "a\r\nset-cookie: b" })],
    ["a misspelt limit", (fields) => JSON.stringify({ ...fields, limit: { memoryBytes: 1 } })],
    [
      "more arguments than a process takes",
      (fields) => JSON.stringify({ ...fields, arguments: ["x".repeat(900_000)] }),
    ],
    ["a program in an environment", (fields) => JSON.stringify({ ...fields, environment: { "A=B": "c" } })],
  ]

  it.each(bad)("is refused: %s", async (_, text) => {
    const fixture = await start()
    const { body, ran } = await marking()
    const fields: Fields = JSON.parse(body)
    const response = await fixture.ask("/exec", post(text(fields)))
    expect(response.status).toBe(400)
    expect(response.headers.get("set-cookie")).toBe(null)
    expect(await problemOf(response)).toMatchObject({ status: 400 })
    expect(ran()).toBe(false)
  })
})

describe("slow clients", () => {
  it("are answered when they send one byte at a time, and others before them", async () => {
    const fixture = await start()
    const client = await connected(fixture)
    const body = JSON.stringify({ command: "echo", arguments: ["slow"] })
    await client.send(head({ length: body.length }))
    for (const [at, byte] of [...body].entries()) {
      await client.send(byte)
      await pause(5)
      if (at === 10) await expectServing(fixture)
    }
    await until(() => client.text().includes(`"stdout":"slow\\n"`))
    expect(client.status()).toBe(200)
  })

  it("hold back their command when they read one byte at a time, and no other", async () => {
    const turns = join(await directory(), "turns")
    const fixture = await start()
    const body = JSON.stringify({
      command: "sh",
      arguments: ["-c", `i=0; while :; do i=$((i+1)); printf '%065535d\\n' $i; echo $i > '${turns}'; done`],
      grace: 200,
    })
    const client = await connected(fixture, false)
    await client.send(head({ length: body.length, headers: ["accept: application/x-ndjson"] }) + body)
    const count = async (): Promise<number> => Number(await readFile(turns, "utf8").catch(() => "0"))
    await until(async () => (await count()) > 0)
    let read = 0
    for (let turn = 0; turn < 20; turn++) {
      read += client.socket.read(1)?.length ?? 0
      await pause(25)
    }
    expect(read).toBeGreaterThan(0)
    // What the sockets and pipes of the system hold, and no more: not the gigabytes that a second has room for.
    expect(await count()).toBeLessThan(1_024)
    await expectServing(fixture)
  })
})

describe("bodies of 100 MB", () => {
  const megabyte = new Uint8Array(1_000_000).fill(0x20)

  /** Sends it all, unless the server will not have it. */
  const pour = async (client: RawConnection, frame: (bytes: Uint8Array) => ReadonlyArray<string | Uint8Array>) => {
    for (let sent = 0; sent < 100 && !client.closed() && client.status() === undefined; sent++) {
      for (const part of frame(megabyte)) {
        await Promise.race([client.send(part), until(() => client.status() !== undefined || client.closed())])
      }
    }
  }

  const resident = (): number => process.memoryUsage().rss

  it("are refused before they come, when their length is announced", async () => {
    const fixture = await start()
    const client = await connected(fixture)
    await client.send(head({ length: 100_000_000 }))
    await until(() => client.status() !== undefined)
    expect(client.status()).toBe(413)
    // Deno's server reads the rest, and drops it.
    if (runtime !== "deno") await until(client.closed)
    expect(client.text()).toMatch(/^connection: close\r$/im)
    await expectServing(fixture)
  })

  it("are refused while they come, and not kept, when it is not", async () => {
    const fixture = await start()
    await expectServing(fixture)
    const client = await connected(fixture)
    await client.send(head({ headers: ["transfer-encoding: chunked"] }))
    const before = resident()
    await pour(client, (bytes) => [`${bytes.length.toString(16)}\r\n`, bytes, "\r\n"])
    await until(() => refused(client))
    expect(client.status() ?? 413).toBe(413)
    if (runtime !== "deno") await until(client.closed)
    expect(resident() - before).toBeLessThan(60_000_000)
    await expectServing(fixture)
  })

  it("are not even read of a client without the token", async () => {
    const fixture = await start()
    const client = await connected(fixture)
    await client.send(head({ length: 100_000_000, token: "wrong" }))
    await until(() => client.status() !== undefined)
    expect(client.status()).toBe(401)
    await expectServing(fixture)
  })
})

describe("wrong tokens", () => {
  const wrong = [
    "",
    "authorization:",
    "authorization: Bearer",
    "authorization: Bearer ",
    `authorization: ${token}`,
    `authorization: Basic ${btoa(`user:${token}`)}`,
    `authorization: Bearer ${token}x`,
    `authorization: Bearer x${token}`,
    `authorization: Bearer ${token.slice(0, -1)}`,
    `authorization: Bearer ${token.toUpperCase()}`,
    `authorization: Bearer ${token} ${token}`,
    `authorization: Bearer ${"x".repeat(8_000)}`,
    `authorization: Bearer \u00ff\u00fe`,
    `x-authorization: Bearer ${token}`,
    `cookie: authorization=Bearer ${token}`,
  ]

  it("open nothing, on any route, a hundred at once", async () => {
    const fixture = await start()
    const { body, ran } = await marking()
    const routes = [
      "POST /exec",
      "GET /commands",
      "GET /commands/x/events",
      "POST /commands/x/input",
      "DELETE /commands/x",
    ]
    const answers = await Promise.all(
      wrong.flatMap((line) =>
        routes.concat("GET /metrics", "GET /commands/events").map(async (route) => {
          const client = await connected(fixture)
          const lines = ["host: localhost", "content-type: application/json", line, `content-length: ${body.length}`]
          const text = [`${route} HTTP/1.1`, ...lines.filter((each) => each !== ""), "", body].join("\r\n")
          await client.send(Uint8Array.from(text, (character) => character.charCodeAt(0)))
          await until(() => refused(client))
          client.socket.destroy()
          return `${route} ${line.slice(0, 40)}: ${client.status() ?? "closed"}`
        })
      ),
    )
    expect(answers.filter((answer) => !/: (401|400|closed)$/.test(answer))).toEqual([])
    expect(answers.filter((answer) => answer.endsWith("401")).length).toBeGreaterThan(answers.length / 2)
    await expectServing(fixture)
    expect(ran()).toBe(false)
  })

  it("cannot be distinguished by the response, which says nothing about the token", async () => {
    const fixture = await start()
    const bodies = new Set<string>()
    for (const given of [`${token}x`, "x", token.slice(1)]) {
      const response = await fetch(
        `${fixture.url}/exec`,
        post({ command: "true" }, { authorization: `Bearer ${given}` }),
      )
      expect(response.status).toBe(401)
      bodies.add(await response.text())
    }
    expect(bodies.size).toBe(1)
    expect([...bodies].join()).not.toContain(token)
  })
})

describe("clients that vanish in the middle", () => {
  it("leave no process, however they disconnect", async () => {
    const folder = await directory()
    const fixture = await start()
    const sizes = async (): Promise<ReadonlyArray<string>> =>
      await Promise.all(
        (await readdir(folder)).map(async (name) => `${name} ${(await stat(join(folder, name))).size}`),
      )
    const clients = await Promise.all(Array.from({ length: 12 }, async (_, index) => {
      const file = join(folder, `beat-${index}`)
      const script = `(${heartbeat(file)}) & while :; do echo line; sleep 0.01; done`
      const body = JSON.stringify({ command: "sh", arguments: ["-c", script], grace: 200 })
      const client = await connected(fixture, index % 3 !== 0)
      const accept = ["application/x-ndjson", "text/event-stream", "application/json"][index % 3]
      await client.send(head({ length: body.length, headers: [`accept: ${accept}`] }) + body)
      return client
    }))
    // The leaf runs four at once: the others wait in line, and their clients go as well.
    await until(async () => (await sizes()).filter((each) => !each.endsWith(" 0")).length >= 4)
    for (const [index, { socket }] of clients.entries()) index % 2 === 0 ? socket.destroy() : socket.resetAndDestroy()
    let before = await sizes()
    await until(async () => {
      await pause(300)
      const now = await sizes()
      const still = now.join() === before.join()
      before = now
      return still
    })
    await expectServing(fixture)
    const listed = await fixture.ask("/commands?state=open")
    expect(await listed.json()).toMatchObject({ commands: [] })
  })
})
