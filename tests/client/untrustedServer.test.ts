/** Servers, and what stands before them, that are broken or mean it badly. */
import { expect, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { encodeEvent } from "../../src/wire/mod.ts"
import * as Frames from "../../src/wire/frames.ts"
import { RemoteClient, type RemoteClientOptions, RemoteError } from "../../src/client/Client.ts"
import { chunk, output } from "../http/support.ts"

const encoder = new TextEncoder()

/** A client whose requests are counted, and all answered so. */
const against = (
  answer: (request: Request) => Response | Promise<Response>,
  options: Partial<RemoteClientOptions> = {},
) => {
  const seen = { requests: 0, targets: new Array<string>() }
  const client = Effect.runSync(RemoteClient.make({
    url: "https://build.example/",
    token: "s3cret",
    fetch: async (request) => {
      seen.requests++
      seen.targets.push(request.url)
      return await answer(request)
    },
    ...options,
  }))
  return { client, seen }
}

const lines = (...texts: ReadonlyArray<string>): Response => new Response(texts.map((text) => `${text}\n`).join(""))

/** A body that never ends, and how many bytes of it were taken. */
const endless = (piece: Uint8Array) => {
  const taken = { bytes: 0, cancelled: false }
  const body = (): ReadableStream<Uint8Array> =>
    new ReadableStream({
      pull: (controller) => {
        taken.bytes += piece.length
        controller.enqueue(piece)
      },
      cancel: () => {
        taken.cancelled = true
      },
    }, { highWaterMark: 0 })
  return { body, taken }
}

/** A body that brings this, and then nothing, and does not end. */
const stuck = (...texts: ReadonlyArray<string>): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(encoder.encode(texts.map((text) => `${text}\n`).join(""))),
    }),
  )

const exec = ShellExec.make("x", [], { commandId: "c" })
const withGrace = { disconnectGrace: 10_000 }

const errorOf = (stream: Stream.Stream<unknown, RemoteError | ShellFault>): Effect.Effect<RemoteError | ShellFault> =>
  Effect.flip(Effect.flatMap(Stream.runDrain(stream), () => Effect.die(new Error("it did not fail"))))

/** Lets time pass until a fiber has ended. */
const passing = <A, E>(run: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(run)
    for (let step = 0; fiber.pollUnsafe() === undefined && step < 10_000; step++) {
      yield* TestClock.adjust("500 millis")
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 0)))
    }
    return yield* Fiber.join(fiber)
  })

it.effect("refuses events of another command, repeated or descending events, and windows", () =>
  Effect.gen(function* () {
    const window = {
      _tag: "Window" as const,
      commandId: "c",
      stream: "stdout" as const,
      content: "w",
      fromSeq: 5,
      toSeq: 5,
      fromTime: 0,
      toTime: 0,
    }
    const wrongs: ReadonlyArray<readonly [string, RegExp]> = [
      [encodeEvent(chunk("other", 5)), /an event of another command, other/],
      [encodeEvent(output("other")), /an event of another command, other/],
      [encodeEvent(chunk("c", 4)), /output 4 after 4/],
      [encodeEvent(chunk("c", 3)), /output 3 after 4/],
      [encodeEvent(window), /a window, which was not requested/],
    ]
    for (const [line, message] of wrongs) {
      for (const settings of [{}, withGrace]) {
        const { client, seen } = against(() => lines(encodeEvent(chunk("c", 4)), line, encodeEvent(output("c"))))
        let had = 0
        const error = yield* errorOf(Stream.tap(client.exec(exec, settings), () => Effect.sync(() => had++)))
        expect(error).toMatchObject({ _tag: "RemoteError", reason: { _tag: "Malformed" } })
        expect(error.message).toMatch(message)
        expect(error.message).toMatch(/^http: POST https:\/\/build\.example\/exec \(command c\): .*execution server\?$/)
        // Once for the command, and once to give it up where it would run on.
        expect([had, seen.requests]).toEqual([1, settings === withGrace ? 2 : 1])
      }
    }
    const run = yield* Effect.flip(against(() => lines(encodeEvent(output("other")))).client.run(exec))
    expect(run).toMatchObject({ reason: { _tag: "Malformed" } })
  }))

it.effect("ends with the last event, whatever follows it, and whether or not the answer ends", () =>
  Effect.gen(function* () {
    const last = encodeEvent(output("c"))
    for (const after of [[], ["{}"], [last], ["not json"], [encodeEvent(chunk("c", 9))]]) {
      for (const body of [() => lines(last, ...after), () => stuck(last, ...after)]) {
        const { client } = against(body)
        expect(yield* passing(Stream.runCollect(client.exec(exec)))).toEqual([output("c")])
        expect(yield* passing(Stream.runCollect(client.follow("c", 10_000)))).toEqual([{ id: 0, event: output("c") }])
      }
    }
  }))

it.effect("gives up on answers without a last event after its reconnectTimeout", () =>
  Effect.gen(function* () {
    const answers = [
      () => lines(),
      () => lines(""),
      () => new Response(null, { status: 200 }),
      () => new Response(null, { status: 204 }),
      () => new Response(encodeEvent(output("c")).slice(0, 40)),
    ]
    for (const answer of answers) {
      const { client, seen } = against(answer)
      const error = yield* passing(errorOf(client.follow("c", 10_000)))
      expect(error).toMatchObject({ _tag: "RemoteError", reason: { _tag: "Unreachable" } })
      expect(seen.requests).toBeGreaterThan(5)
      expect(seen.requests).toBeLessThan(25)
    }
  }))

it.effect("does not retry sooner than its own delay, even if Retry-After is 0", () =>
  Effect.gen(function* () {
    const { client, seen } = against(() => new Response("", { status: 503, headers: { "retry-after": "0" } }))
    expect(yield* passing(errorOf(client.exec(exec, withGrace)))).toMatchObject({
      reason: { _tag: "Refused", status: 503 },
    })
    expect(seen.requests).toBeLessThan(25)
    const late = against(() => new Response("", { status: 503, headers: { "retry-after": "1e300" } }))
    const before = yield* Clock.currentTimeMillis
    expect(yield* passing(errorOf(late.client.exec(exec, withGrace)))).toMatchObject({ reason: { status: 503 } })
    expect((yield* Clock.currentTimeMillis) - before).toBeLessThan(15_000)
  }))

it.effect("reads at most maxAnswerBytes of a line, an answer or a problem", () =>
  Effect.gen(function* () {
    const max = 10_000
    const space = new Uint8Array(1_000).fill(0x20)
    const cases: ReadonlyArray<
      readonly [string, number, (client: RemoteClient.RemoteClient) => Effect.Effect<RemoteError | ShellFault>]
    > = [
      ["Malformed", 200, (client) => errorOf(client.exec(exec))],
      ["Malformed", 200, (client) => errorOf(client.exec(exec, withGrace))],
      ["Malformed", 200, (client) => errorOf(Stream.fromEffect(client.command("c")))],
      ["Malformed", 200, (client) => errorOf(Stream.fromEffect(client.run(exec)))],
      ["Refused", 500, (client) => errorOf(client.exec(exec))],
      ["Refused", 404, (client) => errorOf(Stream.fromEffect(client.cancel("c")))],
    ]
    for (const [reason, status, ask] of cases) {
      for (const piece of [space, Uint8Array.of(0x5b)]) {
        const { body, taken } = endless(piece)
        const headers = { "content-type": "application/problem+json" }
        const { client, seen } = against(() => new Response(body(), { status, headers }), { maxAnswerBytes: max })
        const error = yield* ask(client)
        expect([error._tag, error._tag === "RemoteError" ? error.reason._tag : ""]).toEqual(["RemoteError", reason])
        expect(error.message.length).toBeLessThan(1_000)
        expect(taken.bytes).toBeLessThanOrEqual(seen.requests * (max + 2 * piece.length))
        expect(seen.requests).toBeLessThan(3)
        expect(taken.cancelled).toBe(true)
      }
    }
  }))

it.effect("refuses frames beyond the limit, and truncated or invalid ones", () =>
  Effect.gen(function* () {
    const frames = (bytes: Uint8Array<ArrayBuffer>) => () =>
      new Response(bytes, { headers: { "content-type": Frames.mediaType } })
    const frame = Frames.toBytes([chunk("c", 0)])
    const garbled = frame.slice()
    garbled.set([0xff, 0xff], frame.length - 3)
    const beside = new Uint8Array(Frames.toBytes([output("c")]).length + 1)
    beside.set(Frames.toBytes([output("c")]))
    new DataView(beside.buffer).setUint32(4, 1)
    const wrongs: ReadonlyArray<readonly [Uint8Array<ArrayBuffer>, string]> = [
      [new Uint8Array(16).fill(0x5b), "Malformed"],
      [Uint8Array.of(0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x20), "Malformed"],
      [garbled, "Malformed"],
      [beside, "Malformed"],
      [frame.subarray(0, frame.length - 1).slice(), "Unreachable"],
      [frame, "Unreachable"],
    ]
    for (const [bytes, reason] of wrongs) {
      const { client } = against(frames(bytes), { maxAnswerBytes: 10_000 })
      expect(yield* errorOf(client.exec(exec))).toMatchObject({ _tag: "RemoteError", reason: { _tag: reason } })
    }
    const { client } = against(frames(Frames.toBytes([chunk("c", 0), output("c")])))
    expect(yield* Stream.runCollect(client.exec(exec))).toEqual([chunk("c", 0), output("c")])
  }))

it.effect("quotes only a short part of an answer or a problem", () =>
  Effect.gen(function* () {
    const detail = "long ".repeat(100_000)
    const problem = { type: "urn:x", title: "X", status: 400, detail }
    const { client } = against(() => Response.json(problem, { status: 400 }))
    expect((yield* Effect.flip(client.command("c"))).message.length).toBeLessThan(500)
    const odd = against(() => Response.json({ [detail]: detail }))
    expect((yield* Effect.flip(odd.client.command("c"))).message.length).toBeLessThan(1_000)
  }))

it.effect("accepts a fault of the requested command only", () =>
  Effect.gen(function* () {
    const fault = ShellFault.because("other", { _tag: "NotFound", what: "command", path: "x" }, "exec: no x")
    const problem = { type: "urn:sluice:fault:NotFound", title: "X", status: 404, detail: "no", fault: { ...fault } }
    const { client } = against(() => Response.json(problem, { status: 404 }))
    expect(yield* errorOf(client.exec(exec))).toMatchObject({
      _tag: "RemoteError",
      reason: { _tag: "Refused", status: 404 },
    })
  }))

it.effect("reconnects after a connection was silent for longer than idleTimeout", () =>
  Effect.gen(function* () {
    const answers = [
      () => stuck(encodeEvent(chunk("c", 0)), encodeEvent(chunk("c", 1))),
      () => stuck(""),
      () => lines(encodeEvent(chunk("c", 2)), encodeEvent(output("c"))),
    ]
    const { client, seen } = against(() => answers.shift()?.() ?? lines())
    const events = yield* passing(Stream.runCollect(client.exec(exec, withGrace)))
    expect(events).toEqual([chunk("c", 0), chunk("c", 1), chunk("c", 2), output("c")])
    expect(seen.targets).toEqual([
      "https://build.example/exec",
      "https://build.example/commands/c/events?after=1",
      "https://build.example/commands/c/events?after=1",
    ])
  }))

it.effect("waits for a silent server for its reconnectTimeout, and for a running command without limit", () =>
  Effect.gen(function* () {
    const { client } = against(() => new Promise(() => {}))
    const before = yield* Clock.currentTimeMillis
    expect(yield* passing(errorOf(client.exec(exec, withGrace)))).toMatchObject({
      reason: { _tag: "Unreachable" },
      message: "http: POST https://build.example/exec (command c): no response for 10s",
    })
    expect((yield* Clock.currentTimeMillis) - before).toBeLessThan(12_000)
    expect(yield* passing(Effect.flip(client.cancel("c")))).toMatchObject({ reason: { _tag: "Unreachable" } })
    const patient = yield* Effect.forkChild(client.run(exec))
    yield* TestClock.adjust("1 hour")
    expect(patient.pollUnsafe()).toBeUndefined()
    yield* Fiber.interrupt(patient)
  }))

it.effect("waits for an answer that a proxy holds back, as long as the server knows the command", () =>
  Effect.gen(function* () {
    const info = { commandId: "c", position: 1, state: "running", requested: 1, attempts: 1, line: "x" }
    const denied = { type: "urn:sluice:request:forbidden", title: "X", status: 403, detail: "no" }
    for (const look of [() => Response.json(info), () => Response.json(denied, { status: 403 })]) {
      let letGo: (response: Response) => void = () => {}
      const kept = new Promise<Response>((resolve) => {
        letGo = resolve
      })
      const { client, seen } = against((request) => request.method === "POST" ? kept : look())
      const reading = yield* Effect.forkChild(Stream.runCollect(client.exec(exec, withGrace)))
      for (let step = 0; step < 30; step++) {
        yield* TestClock.adjust("5 seconds")
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)))
      }
      expect(reading.pollUnsafe()).toBeUndefined()
      letGo(lines(encodeEvent(chunk("c", 0)), encodeEvent(output("c"))))
      expect(yield* passing(Fiber.join(reading))).toEqual([chunk("c", 0), output("c")])
      expect(seen.targets.filter((target) => target.endsWith("/exec")).length).toBe(1)
      expect(seen.requests).toBeGreaterThan(5)
    }
  }))

it.effect("retries after a proxy's errors, and refuses a page instead of events", () =>
  Effect.gen(function* () {
    const page = (status: number) => (): Response =>
      new Response("<html>", { status, headers: { "content-type": "text/html" } })
    const answers = [page(502), page(504), page(521), () => lines(encodeEvent(output("c")))]
    const { client, seen } = against(() => answers.shift()?.() ?? lines())
    expect(yield* passing(Stream.runCollect(client.exec(exec, withGrace)))).toEqual([output("c")])
    expect(seen.requests).toBe(4)
    const login = against(page(200))
    const error = yield* errorOf(login.client.exec(exec, withGrace))
    expect([error._tag === "RemoteError" && error.reason._tag, login.seen.requests]).toEqual(["Malformed", 1])
  }))

it.effect("does not follow a redirection, and names its address without the query", () =>
  Effect.gen(function* () {
    for (const status of [301, 302, 303, 307, 308]) {
      const { client, seen } = against((request) => {
        expect(request.redirect).toBe("manual")
        return new Response(null, { status, headers: { location: "http://evil.example/exec?token=s3cret" } })
      })
      const error = yield* errorOf(client.exec(exec, withGrace))
      expect(error).toMatchObject({ reason: { _tag: "Refused", status } })
      expect(error.message).toContain("a redirection to http://evil.example/exec,")
      expect(error.message).not.toContain("s3cret")
      expect(seen.requests).toBe(1)
    }
  }))

it.effect("rejects requests that cannot be sent, and quotes neither password nor token", () =>
  Effect.gen(function* () {
    const wrongs: ReadonlyArray<Partial<RemoteClientOptions>> = [
      { url: "nowhere" },
      { url: "file:///etc/passwd" },
      { url: "https://somebody:s3cret@build.example/" },
      { token: "s3cret\nx" },
      { headers: { "x-key": "s3cret\0" } },
    ]
    for (const wrong of wrongs) {
      const { client, seen } = against(() => lines(), wrong)
      const error = yield* Effect.flip(client.command("c"))
      expect(error).toBeInstanceOf(RemoteError)
      expect(error).toMatchObject({ reason: { _tag: "NotSent" } })
      expect(error.message).not.toContain("s3cret")
      expect(seen.requests).toBe(0)
    }
  }))
