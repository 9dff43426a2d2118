import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { ShellExec } from "../../src/command/ShellExec.ts"
import { ShellFault } from "../../src/command/ShellFault.ts"
import { encodeEvent } from "../../src/wire/mod.ts"
import { RemoteClient } from "../../src/client/Client.ts"
import { chunk, output } from "../http/support.ts"

/** A client whose requests are kept, and answered one after the other; the last answer stands for all that follow. */
const clientOf = (...answers: ReadonlyArray<() => Response>) => {
  const requests: Array<Request> = []
  const client = Effect.runSync(RemoteClient.make({
    url: "https://build.example/shell",
    token: Redacted.make("s3cret"),
    headers: { "x-mine": "yes" },
    fetch: (request) => {
      requests.push(request)
      const answer = answers[Math.min(requests.length, answers.length) - 1]
      return answer === undefined ? Promise.reject(new Error("no network")) : Promise.resolve().then(answer)
    },
  }))
  return { client, requests }
}

const away = (): Response => {
  throw new TypeError("fetch failed")
}

const problem = (status: number, fields: object = {}, headers: Record<string, string> = {}) => (): Response =>
  new Response(JSON.stringify({ type: "urn:sluice:request:x", title: "X", status, detail: "why", ...fields }), {
    status,
    headers,
  })

const lines = (...events: ReadonlyArray<string>) => (): Response =>
  new Response(events.map((one) => `${one}\n`).join(""))

const info = { commandId: "a/b", position: 1, state: "running", requested: 1, attempts: 1, line: "x" }

it.effect("follows the protocol wherever the routes are mounted", () =>
  Effect.gen(function* () {
    const { client, requests } = clientOf(() => Response.json(info))
    yield* client.command("a/b")
    yield* client.cancel("a/b", { force: true })
    yield* Effect.ignore(client.commands({ state: ["open", "lost"], since: 5, maxCommands: 2 }))
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET https://build.example/shell/commands/a%2Fb",
      "DELETE https://build.example/shell/commands/a%2Fb?force=true",
      "GET https://build.example/shell/commands?since=5&maxCommands=2&state=open%2Clost",
    ])
    const sent = requests[0]?.headers
    expect(["authorization", "sluice-wire-version", "x-mine"].map((name) => sent?.get(name))).toEqual([
      "Bearer s3cret",
      "1",
      "yes",
    ])
  }))

it.effect("fails with the command's fault, the server's problem, or the kind of the error", () =>
  Effect.gen(function* () {
    const fault = ShellFault.because("c", { _tag: "Throttled", maxConcurrency: 1, maxQueued: 2 }, "exec: no", {})
    const failure = (answer: () => Response) => Effect.flip(clientOf(answer).client.command("c"))
    const encoded = Schema.encodeSync(ShellFault)(fault)
    expect(yield* failure(problem(429, { fault: encoded }))).toEqual(fault)
    expect(yield* failure(problem(503, {}, { "retry-after": "3" }))).toMatchObject({
      _tag: "RemoteError",
      reason: { _tag: "Refused", status: 503, retryAfterMillis: 3_000, problem: { detail: "why" } },
    })
    expect(yield* failure(() => new Response("<html>", { status: 502 }))).toMatchObject({
      reason: { _tag: "Refused", status: 502 },
    })
    expect(yield* failure(() => Response.json({ id: 7 }))).toMatchObject({ reason: { _tag: "Malformed" } })
    expect(yield* failure(away)).toMatchObject({ reason: { _tag: "Unreachable" } })
    const cut = clientOf(lines(encodeEvent(chunk("c", 0)))).client.events("c")
    expect(yield* Effect.flip(Stream.runCollect(cut))).toMatchObject({ reason: { _tag: "Unreachable" } })
    const odd = clientOf(lines("{}")).client.events("c")
    expect(yield* Effect.flip(Stream.runCollect(odd))).toMatchObject({ reason: { _tag: "Malformed" } })
  }))

it.effect("continues after the last event that it has, for as long as reconnectTimeout", () =>
  Effect.gen(function* () {
    const { client, requests } = clientOf(
      away,
      problem(503, {}, { "retry-after": "2" }),
      lines(encodeEvent(chunk("c", 0)), encodeEvent(chunk("c", 1))),
      away,
      lines(encodeEvent(chunk("c", 2)), encodeEvent(output("c"))),
    )
    const reading = yield* Effect.forkChild(Stream.runCollect(client.follow("c", 10_000)))
    yield* TestClock.adjust("5 seconds")
    expect((yield* Fiber.join(reading)).map(({ id }) => id)).toEqual([0, 1, 2, 3])
    expect(requests.map(({ url }) => new URL(url).search)).toEqual(["", "", "", "?after=1", "?after=1"])
    const gone = yield* Effect.forkChild(Effect.flip(Stream.runCollect(clientOf(away).client.follow("c", 3_000))))
    yield* TestClock.adjust("10 seconds")
    expect(yield* Fiber.join(gone)).toMatchObject({ reason: { _tag: "Unreachable" } })
    expect(yield* Effect.flip(Stream.runCollect(clientOf(problem(404)).client.follow("c", 3_000)))).toMatchObject({
      reason: { status: 404 },
    })
  }))

it.effect("repeats the request of a command with disconnectGrace until the server has it, and cancels it when the stream is closed", () =>
  Effect.gen(function* () {
    const exec = ShellExec.make("x", [], { commandId: "c" })
    const take = (client: RemoteClient.RemoteClient) =>
      Stream.runCollect(Stream.take(client.exec(exec, { disconnectGrace: 9_000 }), 1))
    const endless = (): Response =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(`${encodeEvent(chunk("c", 0))}\n`)),
        }),
      )
    const { client, requests } = clientOf(away, away, endless, () => Response.json(info))
    const taking = yield* Effect.forkChild(take(client))
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(taking)).toEqual([chunk("c", 0)])
    expect(requests.map(({ method }) => method)).toEqual(["POST", "POST", "POST", "DELETE"])
    const bodies = yield* Effect.promise(() => Promise.all(requests.slice(0, 3).map((request) => request.json())))
    for (const body of bodies) {
      expect(body).toMatchObject({ command: "x", commandId: "c", disconnectGraceMillis: 9_000 })
    }
  }))

it.effect("fails with an invalid time when the operation runs, and sends nothing", () =>
  Effect.gen(function* () {
    const { client, requests } = clientOf(() => Response.json(info))
    const exec = ShellExec.make("x")
    const operations = [
      Stream.runDrain(client.exec(exec, { disconnectGrace: -1 })),
      client.start(exec, { disconnectGrace: "soon" as "1s" }),
      Stream.runDrain(client.follow("c", NaN)),
    ]
    for (const operation of operations) {
      const error = yield* Effect.flip(operation)
      expect(error._tag === "RemoteError" && error.reason._tag).toBe("NotSent")
      expect(error.message).toContain("is not a duration")
    }
    expect(requests).toEqual([])
  }))
