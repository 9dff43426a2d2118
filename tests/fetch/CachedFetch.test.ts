import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Stream from "effect/Stream"
import { CachedFetch, Fetch, FetchLeaf, type FetchService, HttpResponse, MockFetch } from "../../src/fetch/mod.ts"
import { serveWeb, type Web } from "./web.ts"

const url = "https://example.org/a"

/** What a cache does with a script: the answers of some requests, and how many of them reached the mock. */
const through = async (
  rules: Parameters<typeof MockFetch.make>[0],
  program: Effect.Effect<unknown, unknown, Fetch>,
  options: CachedFetch.CachedFetchOptions = {},
) => {
  const mock = MockFetch.make(rules)
  const layer = CachedFetch.layerWith(options).pipe(
    Layer.provide(Layer.succeed(Fetch, mock)),
    Layer.merge(TestClock.layer()),
  )
  await Effect.runPromise(Effect.provide(program, layer))
  return Effect.runPromise(mock.requests)
}
const get = Fetch.send(url)

describe("a cache", () => {
  it.each([
    ["max-age=60", 59, 1],
    ["max-age=60", 60, 2],
    ["max-age=60, no-store", 0, 2],
    ["no-cache", 0, 2],
    ["max-age=soon", 0, 2],
    ["", 0, 2],
  ])("with %j asks after %i seconds: %i requests in all", async (control, seconds, count) => {
    const rules = [{ url, text: "x", headers: { "cache-control": control } }]
    const asked = await through(
      rules,
      get.pipe(Effect.andThen(TestClock.adjust(`${seconds} seconds`)), Effect.andThen(get)),
    )
    expect(asked.length).toBe(count)
  })

  it("takes the age that a response has, and Expires where there is no max-age", async () => {
    const after = (seconds: number) =>
      get.pipe(Effect.andThen(TestClock.adjust(`${seconds} seconds`)), Effect.andThen(get))
    const aged = [{ url, headers: { "cache-control": "max-age=60", age: "50" } }]
    expect((await through(aged, after(9))).length).toBe(1)
    expect((await through(aged, after(10))).length).toBe(2)
    const headers = { date: "Wed, 21 Oct 2015 07:28:00 GMT", expires: "Wed, 21 Oct 2015 07:28:30 GMT" }
    expect((await through([{ url, headers }], after(29))).length).toBe(1)
    expect((await through([{ url, headers }], after(30))).length).toBe(2)
  })

  it("validates by ETag and Last-Modified", async () => {
    const headers = { etag: '"1"', "last-modified": "Wed, 21 Oct 2015 07:28:00 GMT" }
    const rules = [{ url, text: "x", headers, times: 1 }, { url, status: 304, headers: { "x-new": "1" } }]
    const asked = await through(
      rules,
      Effect.gen(function* () {
        yield* get
        const again = yield* get
        expect(again).toMatchObject({ status: 200, fromCache: true, headers: { "x-new": "1", etag: '"1"' } })
        expect(new TextDecoder().decode(again.body)).toBe("x")
      }),
    )
    expect(asked[1]?.headers).toEqual({ "if-none-match": '"1"', "if-modified-since": headers["last-modified"] })
  })

  it("keeps responses apart whose request headers of Vary differ", async () => {
    const rules = [{ url, headers: { "cache-control": "max-age=60", vary: "Accept" } }]
    const as = (accept: string) => Fetch.send(url, { headers: { Accept: accept } })
    expect((await through(rules, Effect.all([as("a"), as("a"), as("b")]))).length).toBe(2)
    const all = [{ url, headers: { "cache-control": "max-age=60", vary: "*" } }]
    expect((await through(all, Effect.all([get, get]))).length).toBe(2)
  })

  it("neither keeps nor answers a request with a body", async () => {
    const rules = [{ url, headers: { "cache-control": "max-age=60" } }]
    const asking = Fetch.send(url, { body: new Uint8Array([1]) })
    expect((await through(rules, Effect.andThen(get, asking))).length).toBe(2)
    expect((await through(rules, Effect.andThen(asking, get))).length).toBe(2)
  })

  it("knows a URL in each of its forms", async () => {
    const rules = [{ url: "*", headers: { "cache-control": "max-age=60" } }]
    const forms = Effect.andThen(Fetch.send("https://example.org"), Fetch.send("https://EXAMPLE.org:443/"))
    expect((await through(rules, forms)).length).toBe(1)
  })

  it("does not cache a redirect's target: its age says nothing about the redirect", async () => {
    const moved: FetchService = {
      request: (request) =>
        Stream.succeed(HttpResponse.make({
          correlationId: request.correlationId,
          url: "https://elsewhere.example/",
          status: 200,
          headers: { "cache-control": "max-age=60", etag: '"1"' },
          body: new Uint8Array(0),
        })),
    }
    const layer = CachedFetch.layer.pipe(Layer.provide(Layer.succeed(Fetch, moved)))
    const { fromCache } = await Effect.runPromise(Effect.provide(Effect.andThen(get, get), layer))
    expect(fromCache).toBeUndefined()
  })

  it("does not send back a tag that no request may hold", async () => {
    const asked = await through([{ url, headers: { etag: '"\u00e4"' } }], Effect.andThen(get, get))
    expect(asked.map(({ headers }) => headers)).toEqual([{}, {}])
  })

  it("counts headers too", async () => {
    const rules = [{ url: "*", headers: { "cache-control": "max-age=60", "x-long": "x".repeat(10_000) } }]
    const other = Fetch.send("https://example.org/b")
    const program = Effect.andThen(Effect.andThen(get, other), get)
    expect((await through(rules, program, { maxBytes: 15_000 })).length).toBe(3)
  })

  it("forgets responses that a POST may have changed", async () => {
    const rules = [{ url, headers: { "cache-control": "max-age=60" } }]
    expect((await through(rules, Effect.all([get, Fetch.send(url, { method: "POST" }), get]))).length).toBe(3)
  })

  it("is bounded, and evicts the least recently used", async () => {
    const rules = [{ url: "*", text: "x".repeat(1_000), headers: { "cache-control": "max-age=60" } }]
    const of = (name: string) => Fetch.send(`https://example.org/${name}`)
    const program = Effect.all([of("a"), of("b"), of("a"), of("c"), of("a"), of("b")])
    const asked = await through(rules, program, { maxBytes: 4_000 })
    expect(asked.map((request) => request.url.at(-1)).join("")).toBe("abcb")
  })

  it("does not answer a request with a smaller maxBytes from the cache", async () => {
    const rules = [{ url, text: "hello", headers: { "cache-control": "max-age=60" } }]
    expect((await through(rules, Effect.andThen(get, Fetch.send(url, { maxBytes: 1 })))).length).toBe(2)
  })
})

describe("a cache before a real server", () => {
  let web: Web
  beforeAll(async () => {
    web = await serveWeb()
  })
  afterAll(() => web.stop())

  it("sees a change once the response is not fresh, and fetches no body without one", async () => {
    const layer = CachedFetch.layer.pipe(Layer.provide(FetchLeaf.layer({ hosts: ["*"], privateHosts: ["*"] })))
    const program = Effect.gen(function* () {
      const texts: Array<string> = []
      for (const path of ["/tagged", "/tagged", "/change", "/tagged"]) texts.push(yield* Fetch.text(web.url + path))
      return texts
    })
    expect(await Effect.runPromise(Effect.provide(program, layer))).toEqual([
      "revision 1",
      "revision 1",
      "",
      "revision 2",
    ])
    expect(web.requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"', undefined, '"1"'])
  })
})
