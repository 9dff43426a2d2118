import { afterEach, describe, expect, it, onTestFinished } from "@effect/vitest"
import { createServer } from "node:net"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { serviceLayers } from "../../src/branch/mod.ts"
import { Secret } from "../../src/command/Secret.ts"
import { CachedFetch, Fetch, FetchLeaf, HttpBranch, type HttpResponse } from "../../src/fetch/mod.ts"
import { makePublicAddressCheck } from "../../src/net/publicAddress.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { MockSecrets, Secrets } from "../../src/secrets/mod.ts"
import { fetchContract } from "./fetchContract.ts"
import { serveWeb, type Web } from "./web.ts"

const leaf = (...hosts: ReadonlyArray<string>) =>
  FetchLeaf.layer({
    hosts: [...hosts, "127.0.0.1:1"],
    privateHosts: [...hosts, "127.0.0.1:1"],
    methods: ["GET", "HEAD", "POST"],
  })
const { client, daemon, journaled, once } = serviceLayers(HttpBranch, Fetch)

fetchContract("the leaf over the network", leaf)
fetchContract("a cache around it", (host) => CachedFetch.layer.pipe(Layer.provide(leaf(host))))
fetchContract("a journaled one", (host) => Layer.provide(journaled, Layer.merge(leaf(host), MemoryJournal.layer)))
fetchContract("one that answers once", (host) => Layer.provide(once, Layer.merge(leaf(host), MemoryJournal.layer)))
fetchContract("the client of a daemon", (host) =>
  client.pipe(
    Layer.merge(daemon.pipe(Layer.provide(leaf(host)))),
    Layer.provide(MemoryJournal.layer),
  ))

let webs: Array<Web> = []

afterEach(async () => {
  for (const web of webs) await web.stop()
  webs = []
})

const start = async (redirectTo?: string): Promise<Web> => {
  const web = await serveWeb(redirectTo)
  webs.push(web)
  return web
}

const fault = (url: string, options: FetchLeaf.FetchLeafOptions) =>
  Effect.runPromise(Effect.provide(Effect.flip(Fetch.send(url)), FetchLeaf.layer(options)))

describe("private addresses", () => {
  it.each([
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://0/",
    "http://10.1.2.3/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
    "http://localhost/",
  ])("%s is not allowed", async (url) => {
    const { faultKind, message } = await fault(url, { hosts: ["*"] })
    expect([faultKind, message]).toEqual(["NotAllowed", expect.stringContaining("not on the public Internet")])
  })

  it("are distinguished from public ones", () => {
    const isPublic = makePublicAddressCheck()
    const open = ["8.8.8.8", "1.1.1.1", "93.184.216.34", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"]
    const closed = [
      "100.64.0.1",
      "172.31.0.1",
      "192.168.1.1",
      "224.0.0.1",
      "255.255.255.255",
      "2001:db8::1",
      "ff02::1",
      "fe80::1%lo",
      "::1%lo",
      "2606:4700::1111%eth0",
      "::ffff:127.0.0.1",
      "64:ff9b::8.8.8.8",
      "",
      "0x7f.1",
      "x",
    ]
    expect([...open, ...closed].filter((address) => isPublic?.(address))).toEqual(open)
  })

  it("are refused though one of the addresses of a host is public, and its name is looked up once", async () => {
    const asked: Array<string> = []
    const resolve = (host: string) => {
      asked.push(host)
      return Promise.resolve(["93.184.216.34", "127.0.0.1"])
    }
    const { message } = await fault("http://rebind.example/", { hosts: ["*"], resolve })
    expect([message, asked]).toEqual([expect.stringContaining("has an address that"), ["rebind.example"]])
    expect(message).not.toContain("127.0.0.1")
  })

  it.each(["169.254.169.254", "100.100.100.200", "fd00:ec2::254"])(
    "of cloud credentials, as %s, are refused for a private host too",
    async (address) => {
      const policy = { hosts: ["*"], privateHosts: ["*"], resolve: () => Promise.resolve([address]) }
      const { faultKind, message } = await fault("http://rebind.example/", policy)
      expect([faultKind, message]).toEqual(["NotAllowed", expect.stringContaining("has an address that")])
    },
  )

  it("are connected to as they were looked up: the name is not asked again", async () => {
    const web = await start()
    const [, port] = web.host.split(":")
    const host = `nowhere.invalid:${port}`
    let asked = 0
    const resolve = () => Promise.resolve((asked += 1) === 1 ? ["127.0.0.1"] : ["10.0.0.1"])
    const text = Fetch.text(`http://${host}/hello`)
    const layer = FetchLeaf.layer({ hosts: [host], privateHosts: [host], resolve })
    expect(await Effect.runPromise(Effect.provide(text, layer))).toContain("hello")
    expect([asked, web.requests[0]?.headers["host"]]).toEqual([1, host])
  })

  it("are refused as the target of a redirect, which is not asked", async () => {
    const inner = await start()
    const outer = await start(inner.url.replace("127.0.0.1", "localhost") + "/hello")
    const { faultKind, message } = await fault(`${outer.url}/away`, { hosts: ["*"], privateHosts: [outer.host] })
    expect([faultKind, message, inner.requests]).toEqual(["NotAllowed", expect.stringContaining("localhost"), []])
  })
})

it("a host that is listed without its port is refused, and the message says why", async () => {
  const refusal = (url: string) =>
    Effect.runPromise(Effect.provide(Effect.flip(Fetch.text(url)), FetchLeaf.layer({ hosts: ["example.org"] })))
  const { message } = await refusal("http://example.org:8080/")
  expect(message).toBe(
    "GET http://example.org:8080/: the host example.org:8080 is not one of example.org; name it with its port",
  )
  expect((await refusal("http://example.com:8080/")).message).toMatch(/is not one of example\.org$/)
})

describe("a redirect", () => {
  it("to a host that is not allowed is refused", async () => {
    const inner = await start()
    const outer = await start(`${inner.url}/hello`)
    const { faultKind } = await fault(`${outer.url}/away`, { hosts: [outer.host], privateHosts: ["*"] })
    expect([faultKind, inner.requests]).toEqual(["NotAllowed", []])
  })

  it.each(["file:///etc/passwd", "ftp://x/", "javascript:1"])("to %s is refused", async (target) => {
    const web = await start(target)
    expect((await fault(`${web.url}/away`, { hosts: ["*"], privateHosts: ["*"] })).faultKind).toBe("NotAllowed")
  })
})

describe("credentials", () => {
  it("are sent only to their origin, and are in no journal", async () => {
    const inner = await start()
    const outer = await start(`${inner.url}/hello`)
    const credentials = { [outer.url]: { authorization: Redacted.make("Bearer s3cret") } }
    const options = { hosts: ["*"], privateHosts: ["*"], credentials }
    const program = Effect.gen(function* () {
      const response = yield* Fetch.send(`${outer.url}/away`)
      expect(response.headers["set-cookie"]).toBeUndefined()
      return JSON.stringify(yield* Journal.read())
    })
    const layer = journaled.pipe(Layer.provide(FetchLeaf.layer(options)), Layer.provideMerge(MemoryJournal.layer))
    const journal = await Effect.runPromise(Effect.provide(program, layer))
    expect(outer.requests[0]?.headers["authorization"]).toBe("Bearer s3cret")
    expect(inner.requests[0]?.headers["authorization"]).toBeUndefined()
    expect(journal).toContain("HttpResponse")
    expect(journal).not.toMatch(/s3cret|session=secret/)
  })

  it("are read for each request from an Effect, whose failure is reported without its text", async () => {
    const { requests, url } = await start()
    let count = 0
    const renewed = Effect.sync(() => Redacted.make(`Bearer ${++count}`))
    const options = { hosts: ["*"], privateHosts: ["*"], credentials: { [url]: { authorization: renewed } } }
    const twice = Effect.andThen(Fetch.text(`${url}/hello`), Fetch.text(`${url}/hello`))
    await Effect.runPromise(Effect.provide(twice, FetchLeaf.layer(options)))
    expect(requests.map(({ headers }) => headers["authorization"])).toEqual(["Bearer 1", "Bearer 2"])
    const failing = FetchLeaf.layer({ ...options, credentials: { [url]: { authorization: Effect.fail("s3cret") } } })
    const fault = await Effect.runPromise(Effect.flip(Effect.provide(Fetch.text(`${url}/hello`), failing)))
    expect([fault.message, requests.length]).toEqual([
      `GET ${url}/hello: there is no authorization: its Effect failed`,
      2,
    ])
    expect(requests.length).toBe(2)
  })
})

describe("references to secrets", () => {
  const secrets = MockSecrets.layer([
    { name: "github", value: "hunter2-token" },
    { name: "db", field: "key", value: "hunter2-key" },
  ])
  const ask = <E>(
    options: Partial<FetchLeaf.FetchLeafOptions>,
    program: Effect.Effect<HttpResponse, E, Fetch>,
    values: Layer.Layer<never> | Layer.Layer<Secrets> = secrets,
  ) => {
    const web = FetchLeaf.layer({ hosts: ["*"], privateHosts: ["*"], ...options }).pipe(Layer.provide(values))
    return Effect.runPromise(
      Effect.gen(function* () {
        const answer = yield* Effect.result(program)
        return { answer, journal: (yield* Journal.read()).map(({ tag, body }) => ({ tag, body })) }
      }).pipe(Effect.provide(journaled.pipe(Layer.provide(web), Layer.provideMerge(MemoryJournal.layer)))),
    )
  }
  const messageOf = ({ answer }: { readonly answer: Result.Result<unknown, unknown> }) =>
    Result.isFailure(answer) && answer.failure instanceof Error ? answer.failure.message : undefined

  it("reach the server in the headers of a request, and no journal, also where the server repeats them", async () => {
    const inner = await start()
    const outer = await start(`${inner.url}/hello`)
    const secretHeaders = { "authorization": Secrets.reference("github"), "x-a": Secrets.reference("db", "key") }
    const allowSecret = (name: string, url: URL) => name !== "other" && url.origin === outer.url
    const { answer, journal } = await ask({ allowSecret }, Fetch.send(`${outer.url}/echo`, { secretHeaders }))
    expect(outer.requests[0]?.headers).toMatchObject({ "authorization": "Bearer hunter2-token", "x-a": "hunter2-key" })
    const text = new TextDecoder().decode(Result.getOrThrow(answer).body)
    expect(text).toContain("hunter2-key")
    expect(journal[0]?.body).toMatchObject({
      secretHeaders: { authorization: { _tag: "Redacted", label: "secret:github" } },
    })
    const kept = JSON.stringify(journal) + atob(String(Object(journal.at(-1)?.body).body))
    expect(kept).not.toContain("hunter2")
    expect(kept).toContain("<redacted:secret:db#key>")

    await ask({ allowSecret }, Fetch.send(`${outer.url}/away`, { secretHeaders }))
    expect(inner.requests.map(({ headers }) => [headers["authorization"], headers["x-a"]])).toEqual([
      [undefined, undefined],
    ])
  })

  it("are read for each request in the credentials of the leaf", async () => {
    const { requests, url } = await start()
    const credentials = { [url]: { "authorization": Secrets.reference("github") } }
    const { journal } = await ask({ credentials }, Fetch.send(`${url}/hello`))
    expect(requests[0]?.headers["authorization"]).toBe("Bearer hunter2-token")
    expect(JSON.stringify(journal)).not.toContain("hunter2")
  })

  it("are named by the fault of a request that lacks them, or may not have them", async () => {
    const { requests, url } = await start()
    const send = (name: string) =>
      Fetch.send(`${url}/hello`, { secretHeaders: { authorization: Secrets.reference(name) } })
    const allowSecret = () => true
    expect(messageOf(await ask({}, send("github")))).toBe(
      `GET ${url}/hello: the secret "github" may not be sent to ${url}`,
    )
    expect(messageOf(await ask({ allowSecret }, send("gone")))).toMatch(/there is no authorization: secret "gone": /)
    expect(messageOf(await ask({ allowSecret }, send("github"), Layer.empty))).toContain(
      "no Secrets service is provided to read github",
    )
    const lost = Schema.decodeSync(Secret)({ _tag: "Redacted", label: "key" })
    expect(messageOf(await ask({}, Fetch.send(`${url}/hello`, { secretHeaders: { "x-a": lost } })))).toContain(
      "a journal has no values",
    )
    const host = { host: Secrets.reference("github") }
    expect(messageOf(await ask({ allowSecret }, Fetch.send(`${url}/hello`, { secretHeaders: host })))).toContain(
      "the header host is set by the leaf",
    )
    expect(requests).toEqual([])
  })

  it("have no part in a cache", async () => {
    const { requests, url } = await start()
    const path = `${url}/tagged/${encodeURIComponent("max-age=60")}`
    const secretHeaders = { authorization: Secrets.reference("github") }
    const web = FetchLeaf.layer({ hosts: ["*"], privateHosts: ["*"], allowSecret: () => true })
    const layer = CachedFetch.layer.pipe(Layer.provide(web), Layer.provide(secrets))
    const twice = Effect.andThen(Fetch.send(path, { secretHeaders }), Fetch.send(path))
    await Effect.runPromise(Effect.provide(twice, layer))
    expect(requests.length).toBe(2)
  })
})

describe("a request", () => {
  const settled = async (web: Web) => {
    while ((await web.open()) > 0) await new Promise((resolve) => setTimeout(resolve, 5))
    return web.open()
  }

  it("ends at the timeout, and its connection with it", async () => {
    const web = await start()
    const options = { hosts: ["*"], privateHosts: ["*"], timeout: 50 }
    expect(await fault(`${web.url}/slow`, options)).toMatchObject({
      faultKind: "Timeout",
      message: `GET ${web.url}/slow: no response within 50 ms`,
    })
    expect(await settled(web)).toBe(0)
  })

  it.each([
    ["100 Continue", "interim responses"],
    ["103 Early Hints", "interim responses"],
    ["101 Switching Protocols", "another protocol"],
  ])("fails at once where the server answers %s again and again", async (status, why) => {
    const server = createServer((socket) => {
      socket.on("error", () => {})
      socket.once(
        "data",
        () => socket.write(`HTTP/1.1 ${status}\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`.repeat(50)),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    const { faultKind, message } = await fault(`http://127.0.0.1:${port}/`, { hosts: ["*"], privateHosts: ["*"] })
    expect([faultKind, message]).toEqual(["Unreachable", expect.stringContaining(why)])
  })

  it("ends with its fiber, and its connection with it", async () => {
    const web = await start()
    const layer = FetchLeaf.layer({ hosts: ["*"], privateHosts: ["*"] })
    const fiber = Effect.runFork(Effect.provide(Fetch.send(`${web.url}/slow`), layer))
    while (web.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(await settled(web)).toBe(0)
  })

  it("leaves no connection", async () => {
    const web = await start()
    const layer = FetchLeaf.layer({ hosts: ["*"], privateHosts: ["*"] })
    await Effect.runPromise(
      Effect.provide(
        Effect.all([Fetch.text(`${web.url}/hello`), Effect.flip(Fetch.text(`${web.url}/endless`))]),
        layer,
      ),
    )
    expect(await settled(web)).toBe(0)
  })
})

it.each([[{ hosts: ["*"], maxBytes: -1 }, "maxBytes"], [{ hosts: ["*"], timeout: "soon" }, "timeout"]])(
  "refuses the options %j",
  async (options, option) => {
    // As plain JavaScript can give them.
    const given: FetchLeaf.FetchLeafOptions = JSON.parse(JSON.stringify(options))
    expect(await Effect.runPromise(Effect.flip(FetchLeaf.make(given)))).toMatchObject({ _tag: "OptionError", option })
  },
)
