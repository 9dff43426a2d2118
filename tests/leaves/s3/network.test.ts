/** The leaf over a real connection, by the `fetch` of the runtime. */
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { Files } from "../../../src/leaves/files/mod.ts"
import { type ServedS3, serveS3 } from "./serve.ts"
import { StrictS3 } from "./StrictS3.ts"
import { eventually } from "../../support/eventually.ts"
import { keys, mebibyte, random, strictS3 } from "./support.ts"

const service = new StrictS3({ keys })
let server: ServedS3

beforeAll(async () => {
  server = await serveS3(service)
})

afterAll(() => server.close())

const run = <A, E>(effect: Effect.Effect<A, E, Files>): Promise<A> =>
  strictS3({ leaf: { endpoint: server.endpoint, fetch: undefined } }).run(effect)

it("writes, reads, appends and deletes", () =>
  run(Effect.gen(function* () {
    const bytes = random(11 * mebibyte)
    yield* Files.write("d/a", bytes, { createMode: "CreateNew" })
    expect(yield* Files.read("d/a", { maxBytes: Infinity })).toEqual(bytes)
    yield* Files.write("d/a", "end", { createMode: "AppendExisting" })
    expect(yield* Files.readText("d/a", { offset: 11 * mebibyte })).toBe("end")
    yield* Files.write("d/empty", "")
    expect(yield* Files.readText("d/empty")).toBe("")
    expect(yield* Files.delete("d", { recursive: true })).toMatchObject({ deletedCount: 3 })
    expect(service.objects.size).toBe(0)
  })))

it("reads on where a connection broke, and repeats a write whose connection broke", async () => {
  const bytes = random(3 * mebibyte)
  service.store("cut", bytes)
  server.cutAfter(700_000)
  expect(await run(Files.read("cut", { maxBytes: Infinity }))).toEqual(bytes)
  let resets = 0
  service.configure({ before: ({ method }) => method === "PUT" && resets++ === 0 ? "reset" : undefined })
  await run(Files.write("put", bytes))
  service.configure({ before: () => undefined })
  expect([resets, service.objects.get("put")?.bytes.length]).toEqual([2, bytes.length])
})

it("reads the bytes of an object that is stored with an encoding, and counts them", async () => {
  const packed = new Uint8Array(gzipSync("text ".repeat(1_000)))
  service.store("page", packed, { "content-encoding": "gzip" })
  expect(await run(Files.read("page"))).toEqual(packed)
  expect(await run(Files.stat("page"))).toMatchObject({ size: packed.length })
})

it("ends its connections when it is interrupted", async () => {
  service.configure({ before: () => new Promise(() => {}) })
  await run(Effect.gen(function* () {
    const reading = yield* Effect.forkChild(Files.read("long"), { startImmediately: true })
    yield* eventually("a request is open", () => server.open() === 1)
    yield* Fiber.interrupt(reading)
  }))
  await Effect.runPromise(eventually("no request is open", () => server.open() === 0))
})
