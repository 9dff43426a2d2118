import { afterEach, expect, it } from "@effect/vitest"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import type { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Hono } from "hono"
import { shellRoutes } from "../../src/http/mod.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { rawPost } from "../support/rawClient.ts"
import { pause, size, until } from "./journaled.ts"
import { runtime, serve, type Served } from "./serve.ts"
import { post, problemOf, token } from "./support.ts"

interface Fixture {
  readonly server: Served
  readonly url: string
  readonly directory: string
  readonly file: (name: string) => string
}

const cleanups: Array<() => Promise<unknown>> = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** The route on a real server with the real local leaf, and a directory for what its commands write. */
const start = async (idleTimeout?: number): Promise<Fixture> => {
  const directory = await mkdtemp(join(tmpdir(), "sluice-http-"))
  cleanups.push(() => rm(directory, { recursive: true, force: true }))
  const routes = shellRoutes({ layer: LocalShell.layer, token })
  cleanups.push(() => routes.dispose())
  const server = await serve(new Hono().route("/shell", routes).fetch, idleTimeout)
  cleanups.push(() => server.stop())
  return {
    server,
    directory,
    url: `http://127.0.0.1:${server.port}/shell/exec`,
    file: (name) => join(directory, name),
  }
}

const script = ({ directory }: Fixture, text: string) => ({
  command: "sh",
  arguments: ["-c", text],
  workingDirectory: directory,
  grace: 200,
})

/** Waits until a file that grew 20 times a second has not changed for three quarters of a second. */
const untilStill = async (read: () => Promise<number>): Promise<number> => {
  for (;;) {
    const before = await read()
    let still = true
    for (let turn = 0; turn < 15 && still; turn++) {
      await pause(50)
      still = (await read()) === before
    }
    if (still) return before
  }
}

const grows = async (path: string): Promise<void> => {
  const before = await size(path)
  await until(async () => (await size(path)) > before + 2)
}

const beat = "while echo x >> heartbeat; do sleep 0.05; done"

it("answers one result over a socket", async () => {
  const fixture = await start()
  const response = await fetch(fixture.url, post(script(fixture, "cat; echo oops >&2; exit 3")))
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ exitCode: 3, stdout: "", stderr: "oops\n", drain: "eof" })
  expect((await problemOf(await fetch(fixture.url, post({ command: "no-such-program" })))).status).toBe(404)
  expect((await fetch(fixture.url, post({ command: "true" }, { authorization: "Bearer no" }))).status).toBe(401)
})

it.each(["application/x-ndjson", "text/event-stream"])("sends %s as the command writes it", async (accept) => {
  const fixture = await start()
  // The command goes on only when the client has seen its first line.
  const command = script(fixture, "echo first; until [ -e seen ]; do sleep 0.02; done; echo second")
  const response = await fetch(fixture.url, post(command, { accept }))
  expect(response.headers.get("content-type")).toBe(accept)
  let text = ""
  const decoder = new TextDecoder()
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
  while (!text.includes("first")) text += decoder.decode((await reader.read()).value, { stream: true })
  expect(text).not.toContain("second")
  await writeFile(fixture.file("seen"), "")
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += decoder.decode(next.value, { stream: true })
  }
  expect(text).toContain('"content":"second\\n"')
  expect(text.trim().split("\n").at(-1)).toContain('"exitCode":0')
})

const goings: ReadonlyArray<readonly [what: string, accept: string, text: string, readsFirst: boolean]> = [
  ["while its command writes", "application/x-ndjson", `(${beat}) & while :; do echo out; sleep 0.02; done`, true],
  ["while its command is silent", "text/event-stream", `echo started; ${beat}`, true],
  ["before the first event", "application/x-ndjson", beat, false],
  ["before the one result", "application/json", `echo out; ${beat}`, false],
]

/** A client that reads nothing until it is told to: it is gone when its socket is. */
const lazyClient = async (fixture: Fixture, body: unknown, accept?: string): Promise<Socket> => {
  const socket = await rawPost({ url: fixture.url, token, body, accept })
  cleanups.push(() => Promise.resolve(socket.destroy()))
  return socket
}

it.each(goings)("ends the command of a client that goes away %s", async (_, accept, text, readsFirst) => {
  const fixture = await start()
  const socket = await lazyClient(fixture, script(fixture, text), accept)
  let seen = ""
  socket.on("data", (bytes) => seen += bytes.toString())
  socket.resume()
  await until(() => !readsFirst || seen.includes("ShellOutputChunk"))
  await grows(fixture.file("heartbeat"))
  socket.destroy()
  await untilStill(() => size(fixture.file("heartbeat")))
})

it("ends the command of a fetch that is aborted", async () => {
  const fixture = await start()
  const abort = new AbortController()
  const body = script(fixture, `echo started; ${beat}`)
  const response = await fetch(fixture.url, post(body, { accept: "application/x-ndjson" }, abort.signal))
  const reader = response.body?.getReader()
  await reader?.read()
  await grows(fixture.file("heartbeat"))
  abort.abort()
  await untilStill(() => size(fixture.file("heartbeat")))
  // Held until here: an answer that was collected is no client any more, and would not be told of the abort.
  await reader?.cancel().catch(() => {})
})

it("pauses the command of a client that stops reading, and resumes it when the client reads again", async () => {
  const fixture = await start()
  // 64 KiB a turn, as fast as it goes, and a line of 2 bytes that says so.
  const text = "i=0; while :; do i=$((i+1)); printf '%065535d\\n' $i; echo x >> turns; done"
  const count = async (): Promise<number> => await size(fixture.file("turns")) / 2
  const socket = await lazyClient(fixture, script(fixture, text))
  await until(async () => (await count()) > 0)
  const held = await untilStill(count)
  // What the sockets and pipes of the system hold, and no more.
  expect(held).toBeLessThan(1024)
  socket.on("data", () => {})
  socket.resume()
  await until(async () => (await count()) > held + 100)
  socket.destroy()
  expect(await untilStill(count)).toBeGreaterThan(held)
})

it("ends the command of a client that went away without having read", async () => {
  const fixture = await start()
  const socket = await lazyClient(fixture, script(fixture, `yes & ${beat}`))
  await grows(fixture.file("heartbeat"))
  socket.destroy()
  await untilStill(() => size(fixture.file("heartbeat")))
})

// A limit of 1 s is applied after 4 s; once an answer has begun it counts from each of its bytes.
it.runIf(runtime === "bun")("outlives Bun's idle timeout while a command is silent", async () => {
  const fixture = await start(1)
  const command = script(fixture, "echo first; sleep 6; echo done")
  const response = await fetch(fixture.url, post(command, { accept: "application/x-ndjson" }))
  expect(await response.text()).toContain('"content":"done\\n"')
})
