import { expect, it } from "@effect/vitest"
import { all, ended, gate, later, pause, run, sh, start, until } from "./journaled.ts"
import { problemOf } from "./support.ts"

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const octets = { "content-type": "application/octet-stream" }

const contents = async ({ client }: Awaited<ReturnType<typeof start>>): Promise<string> =>
  (await all(client.events("c"))).map(({ event }) => event._tag === "ShellOutputChunk" ? event.content : "").join("")

it("hands input to a command as it reads, in order, and closes it when told", async () => {
  const fixture = await start()
  await run(fixture.client.detach(sh("cat", "c"), { stdin: "open" }))
  expect(await run(fixture.client.input("c", bytes("one\n")))).toEqual({ commandId: "c", taken: 4, stdin: "open" })
  await Promise.all(["two\n", "three\n", "four\n"].map((text) => run(fixture.client.input("c", bytes(text)))))
  expect(await run(fixture.client.input("c", bytes("é\n"), { end: true }))).toEqual({
    commandId: "c",
    taken: 22,
    stdin: "closed",
  })
  const text = await contents(fixture)
  expect(text.startsWith("one\n")).toBe(true)
  expect(text.trim().split("\n").sort()).toEqual(["four", "one", "three", "two", "é"])
  expect((await ended(fixture, "c")).exitCode).toBe(0)
})

it("takes repeated input once, and refuses input that would leave a gap", async () => {
  const fixture = await start()
  const { open, wait } = await gate()
  await run(fixture.client.detach(sh(`cat; ${wait}`, "c"), { stdin: "open" }))
  const { input } = fixture.client
  expect((await run(input("c", bytes("abc"), { offset: 0 }))).taken).toBe(3)
  expect((await run(input("c", bytes("abc"), { offset: 0 }))).taken).toBe(3)
  expect((await run(input("c", bytes("bcdef"), { offset: 1 }))).taken).toBe(6)
  const gap = await fixture.ask("/commands/c/input?offset=7", { method: "POST", headers: octets, body: bytes("x") })
  expect((await problemOf(gap)).type).toBe("urn:sluice:request:input-gap")
  expect((await run(input("c", bytes("ef"), { offset: 4, end: true }))).stdin).toBe("closed")
  // The answer to that was lost, say.
  expect((await run(input("c", bytes("ef"), { offset: 4, end: true }))).stdin).toBe("closed")
  await open()
  expect(await contents(fixture)).toBe("abcdef")
})

it("answers once the command has read the input, and buffers at most one piece", async () => {
  const fixture = await start()
  const { open, wait } = await gate()
  await run(fixture.client.detach(sh(`${wait}; wc -c`, "c"), { stdin: "open" }))
  let answered = false
  const sent = run(fixture.client.input("c", new Uint8Array(3_000_000), { end: true })).then((taken) => {
    answered = true
    return taken
  })
  await pause(250)
  expect(answered).toBe(false)
  await open()
  expect((await sent).taken).toBe(3_000_000)
  expect((await contents(fixture)).trim()).toBe("3000000")
})

it("refuses input that cannot be read: closed, ended, not bytes, of an unknown command", async () => {
  const fixture = await start()
  const send = async (path: string, headers: Record<string, string> = octets): Promise<string> =>
    (await problemOf(await fixture.ask(path, { method: "POST", headers, body: bytes("x") }))).type
  await run(fixture.client.detach(sh("sleep 60", "shut")))
  expect(await send("/commands/shut/input")).toBe("urn:sluice:request:input-closed")
  await run(fixture.client.run(sh("true", "over")))
  expect(await send("/commands/over/input")).toBe("urn:sluice:request:input-closed")
  expect(await send("/commands/none/input")).toBe("urn:sluice:request:unknown-command")
  await run(fixture.client.detach(sh("head -c 1 >/dev/null; sleep 60", "open"), { stdin: "open" }))
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    expect(await send("/commands/open/input", { "content-type": type })).toBe(
      "urn:sluice:request:unsupported-media-type",
    )
  }
})

it("answers clients that wait to write when the command ends", async () => {
  const fixture = await start()
  await run(fixture.client.detach(sh("sleep 60", "c"), { stdin: "open" }))
  const waiting = Array.from(
    { length: 3 },
    () => fixture.ask("/commands/c/input", { method: "POST", headers: octets, body: new Uint8Array(1_000_000) }),
  )
  later(() => Promise.allSettled(waiting))
  await pause(100)
  await run(fixture.client.cancel("c", { force: true }))
  for (const response of await Promise.all(waiting)) {
    expect((await problemOf(response)).type).toBe("urn:sluice:request:input-closed")
  }
})

it("lets at most sixteen clients wait to write to a command", async () => {
  const fixture = await start()
  await run(fixture.client.detach(sh("sleep 60", "c"), { stdin: "open" }))
  const send = (size: number): Promise<Response> =>
    fixture.ask("/commands/c/input", { method: "POST", headers: octets, body: new Uint8Array(size) })
  // The first fills the pipe, and holds the others.
  const first = send(3_000_000)
  await until(async () => (await run(fixture.client.command("c"))).stdin === "open")
  await pause(200)
  const waiting = [first, ...Array.from({ length: 19 }, () => send(10))]
  const statuses: Array<number> = []
  for (const one of waiting) void one.then(({ status }) => statuses.push(status), () => {})
  await until(() => statuses.length === 4)
  expect(statuses).toEqual([429, 429, 429, 429])
  await run(fixture.client.cancel("c", { force: true }))
  await Promise.all(waiting)
})
