import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { CommandAccepted } from "../../src/wire/mod.ts"
import { rawPost } from "../support/rawClient.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { all, directory, ended, gate, pause, run, sh, size, start, until } from "./journaled.ts"
import { post, problemOf, token } from "./support.ts"

const beat = "while echo x >> heartbeat; do sleep 0.05; done"

it("runs a detached command without readers, and returns its address", async () => {
  const fixture = await start()
  const { open, wait } = await gate()
  const response = await fixture.ask(
    "/exec",
    post({ command: "sh", arguments: ["-c", `${wait}; echo done`], detached: true }),
  )
  expect(response.status).toBe(202)
  const { commandId: id, links } = Schema.decodeUnknownSync(CommandAccepted)(await response.json())
  expect(response.headers.get("location")).toBe(links.command)
  expect(await (await fixture.ask(links.command)).json()).toMatchObject({
    commandId: id,
    state: "running",
    stdin: "closed",
  })
  await open()
  const text = await (await fixture.ask(links.events)).text()
  expect(text).toContain("done\\n")
  expect((await ended(fixture, id)).exitCode).toBe(0)
})

it("ends a command whose client disconnected, after its disconnect grace if any", async () => {
  const path = await directory()
  const fixture = await start()
  const file = join(path, "heartbeat")
  const body = {
    command: "sh",
    arguments: ["-c", beat],
    workingDirectory: path,
    grace: 200,
    disconnectGraceMillis: 1_500,
    commandId: "c",
  }
  const socket = await rawPost({ url: `${fixture.url}/exec`, token, body })
  await until(async () => (await size(file)) > 4)
  socket.destroy()
  // A client comes back in time, and reads for longer than the grace.
  const reading = Effect.runFork(Stream.runDrain(fixture.client.events("c")))
  await pause(1_800)
  expect((await run(fixture.client.command("c"))).state).toBe("running")
  await Effect.runPromise(Fiber.interrupt(reading))
  expect((await ended(fixture, "c")).reason).toBe("Cancelled")
  const last = await size(file)
  await pause(200)
  expect(await size(file)).toBe(last)
})

it("ends a command that has no reader for its disconnect grace", async () => {
  const fixture = await start()
  const body = { command: "sleep", arguments: ["60"], disconnectGraceMillis: 50, commandId: "c" }
  const socket = await rawPost({ url: `${fixture.url}/exec`, token, body })
  await until(async () => (await fixture.ask("/commands/c")).status === 200)
  socket.destroy()
  expect((await ended(fixture, "c")).reason).toBe("Cancelled")
})

it("does not count a request for the headers alone as a reader", async () => {
  const fixture = await start()
  const body = { command: "sleep", arguments: ["60"], disconnectGraceMillis: 300, commandId: "c" }
  const socket = await rawPost({ url: `${fixture.url}/exec`, token, body })
  await until(async () => (await fixture.ask("/commands/c")).status === 200)
  const head = await fixture.ask("/commands/c/events", { method: "HEAD" })
  expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([200, "text/event-stream", ""])
  socket.destroy()
  expect((await ended(fixture, "c")).reason).toBe("Cancelled")
})

it("pauses a command with a disconnect grace that is too far ahead of all of its readers", async () => {
  const path = await directory()
  const fixture = await start({ maxAhead: 200_000 })
  const script = "i=0; while [ $i -lt 200 ]; do i=$((i+1)); printf '%065535d\\n' $i; echo x >> turns; done"
  const count = async (): Promise<number> => await size(join(path, "turns")) / 2
  const command = {
    command: "sh",
    arguments: ["-c", script],
    workingDirectory: path,
    disconnectGraceMillis: 60_000,
    commandId: "c",
  }
  const socket = await rawPost({ url: `${fixture.url}/exec`, token, body: command })
  await until(async () => (await count()) > 0)
  let held = -1
  for (let now = await count(); now !== held; now = await count()) {
    held = now
    await pause(400)
  }
  // What the sockets and pipes of the system hold, and what it may be ahead.
  expect(held).toBeLessThan(150)
  // One reader who reads is enough, however slow the other one is.
  const events = await all(fixture.client.events("c"))
  expect(events.at(-1)?.event).toMatchObject({ _tag: "ShellOutput", stdoutBytes: 200 * 65_536 })
  socket.destroy()
})

it("answers a command with a disconnect grace at once, also a silent one and one that waits for its place", async () => {
  const fixture = await start({ layer: LocalShell.layerWith({ maxConcurrency: 1 }) })
  const { open, wait } = await gate()
  const answers: Array<Response> = []
  for (const [query, accept] of [["", "application/x-ndjson"], ["&window=final", "text/event-stream"]] as const) {
    const command = { command: "sh", arguments: ["-c", `${wait}; echo done`], commandId: `c${query.length}` }
    const response = await fixture.ask(`/exec?disconnectGraceMillis=60000${query}`, post(command, { accept }))
    expect([response.status, response.headers.get("content-type")]).toEqual([200, accept])
    expect(await (await fixture.ask("/commands?state=open")).text()).toContain(`"commandId":"${command.commandId}"`)
    answers.push(response)
  }
  await open()
  for (const answer of answers) expect(await answer.text()).toContain("done\\n")
})

it("sends the fault of a command with a disconnect grace as its last event, at each request", async () => {
  const fixture = await start()
  const command = { command: "no-such-program", commandId: "c", disconnectGraceMillis: 5_000 }
  for (const time of ["first", "again"]) {
    for (const accept of ["application/x-ndjson", "text/event-stream"]) {
      const response = await fixture.ask("/exec", post(command, { accept }))
      expect([time, response.status]).toEqual([time, 200])
      expect(await response.text()).toMatch(/"_tag":"ShellFault".*"_tag":"NotFound"/)
    }
    expect((await problemOf(await fixture.ask("/exec", post(command)))).status).toBe(404)
  }
})

it("collects the result of a command with a disconnect grace from the journal", async () => {
  const fixture = await start()
  const command = { command: "sh", arguments: ["-c", "echo one; echo two >&2; exit 5"], disconnectGraceMillis: 1_000 }
  const response = await fixture.ask("/exec", post(command))
  expect(await response.json()).toMatchObject({ exitCode: 5, stdout: "one\n", stderr: "two\n", stdoutBytes: 4 })
  const long = { ...command, arguments: ["-c", "yes | head -c 100000"], maxOutputBytes: 1_000 }
  const cut = await (await fixture.ask("/exec", post(long))).json()
  expect(cut).toMatchObject({ stdoutBytes: 100_000, stdoutBytesOmitted: 99_000 })
  const windows = await fixture.ask("/exec?window=final", post(command, { accept: "application/x-ndjson" }))
  expect((await windows.text()).trim().split("\n").map((line) => JSON.parse(line)._tag)).toEqual([
    "Window",
    "Window",
    "ShellOutput",
  ])
})

it("refuses invalid lifetimes", async () => {
  const fixture = await start()
  const table: ReadonlyArray<readonly [string, object]> = [
    ["", { disconnectGraceMillis: -1 }],
    ["", { disconnectGraceMillis: 3_600_001 }],
    ["", { disconnectGraceMillis: "1000" }],
    ["", { detached: "yes" }],
    ["", { detached: true, disconnectGraceMillis: 10 }],
    ["", { detached: true, window: "lines:2" }],
    ["", { stdin: "maybe" }],
    ["", { stdin: "open", input: "text" }],
    ["?disconnectGraceMillis=soon", {}],
    ["?disconnectGraceMillis=99999999", {}],
  ]
  for (const [query, fields] of table) {
    const response = await fixture.ask(`/exec${query}`, post({ command: "true", ...fields }))
    expect([fields, (await problemOf(response)).status]).toEqual([fields, 400])
  }
})

it("ends the command of a client that closes its stream, without waiting for the grace", async () => {
  const fixture = await start()
  const command = sh("while :; do echo out; sleep 0.02; done", "c")
  await all(Stream.take(fixture.client.exec(command, { disconnectGrace: 60_000 }), 2))
  expect((await ended(fixture, "c")).reason).toBe("Cancelled")
})
