import { Hono } from "hono"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import { fileRoutes } from "../../../src/http/mod.ts"
import { type Ask, faultOf, local, makeRoot, memory, pieces, streamed, typeOf } from "./support.ts"

const begin = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "PUT",
  body,
  headers: { "upload-complete": "?0", ...headers },
})

const patch = (offset: number, body: BodyInit, complete = false, more: Record<string, string> = {}): RequestInit => ({
  method: "PATCH",
  body,
  headers: {
    "content-type": "application/partial-upload",
    "upload-offset": String(offset),
    "upload-complete": complete ? "?1" : "?0",
    ...more,
  },
  ...{ duplex: "half" },
})

const created = async (ask: Ask, path = "/files/a", body = ""): Promise<string> => {
  const response = await ask(path, begin(body))
  expect([response.status, response.headers.get("upload-complete")]).toEqual([201, "?0"])
  expect(response.headers.get("upload-offset")).toBe(String(body.length))
  return response.headers.get("location") ?? ""
}

const offsetOf = async (ask: Ask, upload: string): Promise<string | null> =>
  (await ask(upload, { method: "HEAD" })).headers.get("upload-offset")

it("takes a file in parts, which is visible only when it is whole", async () => {
  const root = makeRoot()
  writeFileSync(join(root, "a"), "old")
  const { ask } = local(root)
  const upload = await created(ask, "/files/a", "one ")
  expect(upload).toMatch(/^\/uploads\/[0-9a-f-]{36}$/)
  const part = await ask(upload, patch(4, "two "))
  expect([part.status, part.headers.get("upload-offset")]).toEqual([204, "8"])
  expect(readFileSync(join(root, "a"), "utf8")).toBe("old")
  const head = await ask(upload, { method: "HEAD" })
  expect([head.status, head.headers.get("upload-complete"), head.headers.get("upload-offset")]).toEqual([
    204,
    "?0",
    "8",
  ])
  expect(head.headers.get("upload-limit")).toBe("max-size=17179869184, max-age=3600")
  const last = await ask(upload, patch(8, "three", true))
  expect([last.status, last.headers.get("upload-complete")]).toEqual([200, "?1"])
  expect(await last.json()).toMatchObject({ path: "a", bytesWritten: 13 })
  expect(readFileSync(join(root, "a"), "utf8")).toBe("one two three")
  expect(readdirSync(root)).toEqual(["a"])
  // A client whose connection was lost learns how it ended.
  const again = await ask(upload)
  expect([again.status, again.headers.get("upload-complete")]).toEqual([200, "?1"])
  expect(await again.json()).toMatchObject({ bytesWritten: 13 })
  expect(await typeOf(await ask(upload, patch(13, "x")))).toBe("urn:sluice:request:upload-complete")
})

it("takes a whole file at once, under the conditions of any write", async () => {
  const { ask } = memory()
  const whole = (headers: Record<string, string> = {}) =>
    ask("/files/a", { method: "POST", body: "whole", headers: { "upload-complete": "?1", ...headers } })
  expect((await whole()).status).toBe(201)
  expect((await whole()).status).toBe(200)
  expect((await whole({ "if-none-match": "*" })).status).toBe(412)
  expect((await faultOf(await ask("/files/a/b", begin("")))).faultKind).toBe("NotADirectory")
  expect(await typeOf(await ask("/files/a", { method: "POST", body: "x" }))).toBe("urn:sluice:request:invalid")
})

it("refuses parts at the wrong offset, and returns the right one", async () => {
  const { ask } = memory()
  const upload = await created(ask, "/files/a", "1234")
  for (const offset of [0, 3, 5]) {
    const refused = await ask(upload, patch(offset, "x"))
    expect([refused.status, refused.headers.get("upload-offset")]).toEqual([409, "4"])
  }
  expect((await ask(upload, patch(4, "x", false, { "content-type": "text/plain" }))).status).toBe(415)
  expect((await ask(upload, patch(4, "x", false, { "upload-offset": "four" }))).status).toBe(400)
  expect((await ask(upload, patch(4, "56", false, { "upload-length": "8" }))).status).toBe(204)
  expect((await ask(upload, patch(6, "7", false, { "upload-length": "9" }))).status).toBe(400)
  // More than the length is refused at the byte that is too many.
  expect((await ask(upload, patch(6, "789"))).status).toBe(413)
  expect((await ask(upload, patch(6, "7", true, { "content-length": "1" }))).status).toBe(400)
  expect((await ask(upload, patch(6, "78", true))).status).toBe(201)
  expect(await (await ask("/files/a")).text()).toBe("12345678")
})

it("keeps the bytes before a part broke off, and resumes there", async () => {
  const { ask } = memory()
  const upload = await created(ask)
  const broken = pieces("12", "34", () => Promise.reject(new Error("gone")))
  expect((await ask(upload, patch(0, broken))).status).toBe(400)
  expect(await offsetOf(ask, upload)).toBe("4")
  expect((await ask(upload, patch(4, "5", true))).status).toBe(201)
  expect(await (await ask("/files/a")).text()).toBe("12345")
})

it("ends a part whose client hangs when another request comes for the upload", async () => {
  const { ask } = memory()
  const upload = await created(ask)
  /** A part that hangs; resolves when its bytes were taken. */
  const hang = async (offset: number, text: string): Promise<{ readonly answer: Promise<Response> }> => {
    const taken = Promise.withResolvers<void>()
    const body = pieces(text, () => {
      taken.resolve()
      return new Promise(() => {})
    })
    const answer = ask(upload, patch(offset, body))
    await taken.promise
    return { answer }
  }
  const first = await hang(0, "12")
  expect(await offsetOf(ask, upload)).toBe("2")
  expect((await first.answer).status).toBe(409)
  const second = await hang(2, "34")
  const third = await ask(upload, patch(4, "5", true))
  expect([(await second.answer).status, third.status]).toEqual([409, 201])
  expect(await (await ask("/files/a")).text()).toBe("12345")
})

it("takes the bytes of one of many requests that come at once", async () => {
  for (let round = 0; round < 20; round++) {
    const { ask } = memory()
    const upload = await created(ask)
    const parts = Array.from({ length: 8 }, (_, index) => `part ${index}`)
    const statuses = await Promise.all(
      parts.map(async (part, index) => (await ask(upload, patch(0, part, index % 2 === 0))).status),
    )
    const state = await ask(upload)
    const size = Number(state.headers.get("upload-offset"))
    expect([0, 6]).toContain(size)
    expect(statuses.filter((status) => status < 300).length).toBeLessThanOrEqual(1)
    if (state.status === 204) {
      expect((await ask(upload, patch(size, size === 0 ? "part 9" : "", true))).status).toBe(201)
    }
    expect(await (await ask("/files/a")).text()).toMatch(/^part \d$/)
  }
})

it("answers a part whose upload is cancelled in between", async () => {
  const { ask } = memory()
  const upload = await created(ask)
  const begun = Promise.withResolvers<void>()
  const answer = ask(
    upload,
    patch(
      0,
      pieces("12", () => {
        begun.resolve()
        return new Promise<string>((resolve) => setTimeout(() => resolve("34"), 100))
      }),
    ),
  )
  await begun.promise
  expect((await ask(upload, { method: "DELETE" })).status).toBe(204)
  expect((await answer).status).toBe(404)
})

it("is bounded in number, bytes and age, and leaves nothing", async () => {
  const root = makeRoot()
  const { ask } = local(root, { maxUploads: 2, maxUploadBytes: 10, uploadMaxAge: 300 })
  const first = await created(ask, "/files/a", "123")
  await created(ask, "/files/b", "123")
  expect((await ask("/files/c", begin(""))).status).toBe(429)
  expect((await ask(first, patch(3, "45678901"))).status).toBe(413)
  expect(readdirSync(root).length).toBe(2)
  await expect.poll(() => readdirSync(root)).toEqual([])
  expect(await typeOf(await ask(first))).toBe("urn:sluice:request:unknown-upload")
  await created(ask, "/files/c")
})

it("is undone by DELETE and by disposal", async () => {
  const root = makeRoot()
  const { ask, routes } = local(root)
  const upload = await created(ask, "/files/a", "123")
  await created(ask, "/files/b", "123")
  expect(readdirSync(root).length).toBe(2)
  expect((await ask(upload, { method: "DELETE" })).status).toBe(204)
  expect((await ask(upload, { method: "HEAD" })).status).toBe(404)
  expect(readdirSync(root).length).toBe(1)
  await routes.dispose()
  expect(readdirSync(root)).toEqual([])
})

it("belongs to its token, and has its place where the routes are mounted", async () => {
  await using routes = fileRoutes({
    layer: MemoryFileSystem.layer,
    tokens: [{ name: "a", token: "a" }, { name: "b", token: "b" }],
  })
  const app = new Hono().route("/:tenant/x", routes)
  const as = (name: string): Ask => async (path, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set("authorization", `Bearer ${name}`)
    return await app.request(path, { ...init, headers })
  }
  const upload = await created(as("a"), "/one/x/files/d/a", "12")
  expect(upload).toMatch(/^\/one\/x\/uploads\//)
  for (const init of [{ method: "HEAD" }, patch(2, "3", true), { method: "DELETE" }]) {
    expect((await as("b")(upload, init)).status).toBe(404)
  }
  expect((await as("a")(upload, patch(2, "3", true))).status).toBe(201)
  expect(await (await as("b")("/two/x/files/d/a")).text()).toBe("123")
})

it("keeps the fault of a full file system, and returns it to each request", async () => {
  await using routes = fileRoutes({ layer: MemoryFileSystem.layerWith({ maxBytes: 1_000 }), unauthenticated: true })
  const ask: Ask = async (path, init) => await routes.request(path, init)
  const upload = await created(ask, "/files/a")
  expect((await faultOf(await ask(upload, patch(0, "x".repeat(5_000))))).faultKind).toBe("DiskFull")
  expect((await faultOf(await ask(upload))).faultKind).toBe("DiskFull")
  expect((await ask("/files?list")).status).toBe(200)
})

it("releases the slot of an upload whose creation failed", async () => {
  const root = makeRoot()
  const { ask } = local(root, { maxUploads: 2, maxUploadBytes: 10 })
  const broken = (): ReadableStream<Uint8Array> =>
    pieces("12", () => Promise.reject(new Error("the connection was lost")))
  for (let round = 0; round < 3; round++) {
    expect((await ask("/files/a", begin("", { "upload-length": "11" }))).status).toBe(413)
    expect((await ask("/files/a", begin("12345678901"))).status).toBe(413)
    const headers = { "upload-complete": "?0" }
    expect((await ask("/files/a", { method: "PUT", headers, ...streamed(broken()) })).status).toBe(400)
    const wrong = { "upload-complete": "?1", "upload-length": "5" }
    expect((await ask("/files/a", { method: "PUT", headers: wrong, body: "123" })).status).toBe(409)
  }
  expect(readdirSync(root)).toEqual([])
  await created(ask)
})

it("refuses a length below the received bytes, and resumes with the right one", async () => {
  const { ask } = memory()
  const upload = await created(ask, "/files/a", "12345")
  expect((await ask(upload, patch(5, "", false, { "upload-length": "3" }))).status).toBe(400)
  expect((await ask(upload, patch(5, "6", true, { "upload-length": "6" }))).status).toBe(201)
})
