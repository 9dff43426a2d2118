import { createConfig, lintFromString } from "@redocly/openapi-core"
import { LocalShell } from "@sluice/shell"
import { Hono } from "hono"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { LocalFileSystem, MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import { fileRoutes, shellRoutes } from "../../../src/http/mod.ts"
import { faultOf, local, makeRoot, memory, pieces, streamed, token, typeOf } from "./support.ts"

const put = (body: string, headers: Record<string, string> = {}): RequestInit => ({ method: "PUT", body, headers })

describe("PUT of a file", () => {
  it("answers 201 for a new one and 200 for another", async () => {
    const { ask } = memory()
    const created = await ask("/files/d/a", put("one"))
    expect(created.status).toBe(201)
    expect(await created.json()).toMatchObject({ _tag: "FileWritten", path: "d/a", bytesWritten: 3 })
    expect((await ask("/files/d/a", put("two!"))).status).toBe(200)
    expect(await (await ask("/files/d/a")).text()).toBe("two!")
  })

  it("respects the create modes", async () => {
    const { ask } = memory()
    const kind = async (mode: string, body: string) =>
      (await faultOf(await ask(`/files/a?createMode=${mode}`, put(body)))).faultKind
    const status = async (mode: string, body: string) => (await ask(`/files/a?createMode=${mode}`, put(body))).status
    expect(await kind("ReplaceExisting", "x")).toBe("NotFound")
    expect(await kind("AppendExisting", "x")).toBe("NotFound")
    expect(await status("CreateNew", "1")).toBe(201)
    expect(await kind("CreateNew", "x")).toBe("AlreadyExists")
    expect(await status("AppendExisting", "2")).toBe(200)
    expect(await status("CreateOrAppend", "3")).toBe(200)
    expect(await (await ask("/files/a")).text()).toBe("123")
    expect(await status("ReplaceExisting", "4")).toBe(200)
    expect(await (await ask("/files/a")).text()).toBe("4")
    for (const query of ["createMode=Create", "permissions=999", "permissions=rw", "permissions=7777"]) {
      expect(await typeOf(await ask(`/files/a?${query}`, put("5")))).toBe("urn:sluice:request:invalid")
    }
  })

  it("takes preconditions for create modes", async () => {
    const { ask } = memory()
    const missing = await ask("/files/a", put("1", { "if-match": "*" }))
    expect([missing.status, (await faultOf(missing)).faultKind]).toEqual([412, "NotFound"])
    expect((await ask("/files/a", put("1", { "if-match": '"x"' }))).status).toBe(412)
    expect((await ask("/files/a", put("1", { "if-none-match": "*" }))).status).toBe(201)
    const there = await ask("/files/a", put("2", { "if-none-match": "*" }))
    expect([there.status, (await faultOf(there)).faultKind]).toEqual([412, "AlreadyExists"])
    const etag = (await ask("/files/a")).headers.get("etag") ?? ""
    expect(await typeOf(await ask("/files/a", put("2", { "if-match": '"x"' })))).toBe(
      "urn:sluice:request:precondition-failed",
    )
    expect((await ask("/files/a", put("2", { "if-match": `"x", ${etag}` }))).status).toBe(200)
    expect((await ask("/files/a", put("3", { "if-match": etag }))).status).toBe(412)
    expect((await ask("/files/a", put("3", { "if-match": "*" }))).status).toBe(200)
    expect(await (await ask("/files/a")).text()).toBe("3")
    expect((await ask("/files/a", { method: "DELETE", headers: { "if-match": etag } })).status).toBe(412)
    const last = (await ask("/files/a")).headers.get("etag") ?? ""
    expect((await ask("/files/a", { method: "DELETE", headers: { "if-match": last } })).status).toBe(200)
    for (
      const headers of [
        { "if-none-match": '"x"' },
        { "if-none-match": "*", "if-match": "*" },
      ]
    ) expect((await ask("/files/b", put("x", headers))).status).toBe(400)
    expect((await ask("/files/b?createMode=AppendExisting", put("x", { "if-match": etag }))).status).toBe(400)
    expect((await ask("/files/b?createMode=CreateOrReplace", put("x", { "if-none-match": "*" }))).status).toBe(400)
  })

  it("lets one of many writes with the same tag win", async () => {
    const { ask } = local()
    await ask("/files/a", put("first"))
    for (let round = 0; round < 5; round++) {
      const etag = (await ask("/files/a")).headers.get("etag") ?? ""
      const statuses = await Promise.all(
        Array.from(
          { length: 8 },
          async (_, index) => (await ask("/files/a", put(`round ${round} ${index}`, { "if-match": etag }))).status,
        ),
      )
      expect(statuses.toSorted()).toEqual([200, 412, 412, 412, 412, 412, 412, 412])
    }
  })

  it("shows a file only when it is whole, and undoes one whose body breaks off", async () => {
    const root = makeRoot()
    writeFileSync(join(root, "a"), "old")
    const { ask } = local(root)
    const seen: Array<string> = []
    const look = (part: string) => async () => {
      seen.push(readFileSync(join(root, "a"), "utf8"))
      return await Promise.resolve(part)
    }
    expect(
      (await ask("/files/a", { method: "PUT", ...streamed(pieces(look("new "), look("content"), look("!"))) })).status,
    )
      .toBe(200)
    expect(seen).toEqual(["old", "old", "old"])
    expect(readFileSync(join(root, "a"), "utf8")).toBe("new content!")
    const broken = pieces("half", () => Promise.reject(new Error("gone")))
    expect((await ask("/files/a", { method: "PUT", ...streamed(broken) })).status).toBe(400)
    expect(readFileSync(join(root, "a"), "utf8")).toBe("new content!")
    expect(readdirSync(root)).toEqual(["a"])
  })

  it("cuts off a body that is too large or too slow, and leaves nothing of it", async () => {
    const root = makeRoot()
    const { ask } = local(root, { maxUploadBytes: 10, idleTimeout: 200 })
    expect((await ask("/files/a", put("12345678901", { "content-length": "11" }))).status).toBe(413)
    expect((await ask("/files/a", { method: "PUT", ...streamed(pieces("123456", "78901")) })).status).toBe(413)
    const slow = await ask("/files/a", { method: "PUT", ...streamed(pieces("1", () => new Promise(() => {}))) })
    expect(slow.status).toBe(408)
    expect((await ask("/files/b", put("1234567890"))).status).toBe(201)
    expect(readdirSync(root)).toEqual(["b"])
  })

  it("refuses a part of a file, and an encoded one", async () => {
    const { ask } = memory()
    await ask("/files/a", put("0123456789"))
    expect((await ask("/files/a", put("xx", { "content-range": "bytes 3-4/10" }))).status).toBe(400)
    expect((await ask("/files/a", put("xx", { "content-encoding": "gzip" }))).status).toBe(415)
    expect(await (await ask("/files/a")).text()).toBe("0123456789")
  })

  it("ends with its client, and undoes the write", async () => {
    const root = makeRoot()
    const { ask } = local(root)
    const gone = new AbortController()
    const begun = Promise.withResolvers<void>()
    const body = pieces("half", () => {
      begun.resolve()
      return new Promise(() => {})
    })
    const answer = ask("/files/a", { method: "PUT", ...streamed(body), signal: gone.signal })
    await begun.promise
    expect(readdirSync(root).length).toBe(1)
    gone.abort()
    await answer.catch(() => {})
    await expect.poll(() => readdirSync(root)).toEqual([])
  })
})

describe("DELETE", () => {
  it("deletes a file, an empty folder, and with recursive its content", async () => {
    const { ask } = memory()
    for (const path of ["a", "d/x", "d/e/y"]) await ask(`/files/${path}`, put(""))
    expect(await (await ask("/files/a", { method: "DELETE" })).json()).toMatchObject({ path: "a", deletedCount: 1 })
    expect((await ask("/files/a", { method: "DELETE" })).status).toBe(404)
    expect((await ask("/files/d", { method: "DELETE" })).status).toBe(409)
    expect(await (await ask("/files/d?recursive", { method: "DELETE" })).json()).toMatchObject({ deletedCount: 4 })
  })
})

describe("access", () => {
  const all = [["GET", "/files/a"], ["HEAD", "/files/a"], ["GET", "/files?list"], ["GET", "/files?stat"]] as const
  const changes = [["PUT", "/files/a"], ["DELETE", "/files/a"], ["POST", "/files/a"], ["PATCH", "/uploads/x"]] as const

  it("needs a token with the right", async () => {
    const layer = MemoryFileSystem.layer
    const tokens = [
      { name: "reader", token: "r", rights: ["files:read"] },
      { name: "writer", token: "w", rights: ["files:write"] },
      { name: "runner", token: "x", rights: ["read", "run", "cancel"] },
    ] as const
    await using routes = fileRoutes({ layer, tokens })
    const status = async (method: string, path: string, name: string) =>
      (await routes.request(path, { method, headers: { authorization: `Bearer ${name}` } })).status
    for (const [method, path] of [...all, ...changes]) expect(await status(method, path, "none")).toBe(401)
    for (const [method, path] of [...all, ...changes]) expect(await status(method, path, "x")).toBe(403)
    for (const [method, path] of all) expect(await status(method, path, "w")).toBe(403)
    for (const [method, path] of changes) expect(await status(method, path, "r")).toBe(403)
    expect(await status("PUT", "/files/a", "w")).toBe(201)
    expect(await status("GET", "/files/a", "r")).toBe(200)
  })

  it("gives a token its own root", async () => {
    const [common, own] = [makeRoot(), makeRoot()]
    writeFileSync(join(common, "a"), "common")
    writeFileSync(join(own, "a"), "own")
    await using routes = fileRoutes({
      layer: LocalFileSystem.layer({ rootPath: common }),
      roots: { guest: LocalFileSystem.layer({ rootPath: own }) },
      tokens: [{ name: "guest", token: "g" }, { name: "other", token: "o" }],
    })
    const text = async (name: string) =>
      await (await routes.request("/files/a", { headers: { authorization: `Bearer ${name}` } })).text()
    expect([await text("g"), await text("o")]).toEqual(["own", "common"])
    const layer = LocalFileSystem.layer({ rootPath: own })
    expect(() => fileRoutes({ layer, roots: { gest: layer }, token: "x" })).toThrow(`no token is named "gest"`)
  })

  it("answers other methods, preflight requests and unknown origins", async () => {
    await using routes = fileRoutes({ layer: MemoryFileSystem.layer, token, cors: { origins: ["https://a.example"] } })
    const patch = await routes.request("/files/a", { method: "PATCH" })
    expect([patch.status, patch.headers.get("allow")]).toEqual([405, "GET, HEAD, PUT, POST, DELETE"])
    const preflight = (origin: string) => routes.request("/files/a", { method: "OPTIONS", headers: { origin } })
    const allowed = await preflight("https://a.example")
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get("access-control-allow-headers")).toContain("if-match")
    expect((await preflight("https://b.example")).status).toBe(405)
  })

  it("answers 503 after its disposal, and rolls back requests in progress", async () => {
    const root = makeRoot()
    const { ask, routes } = local(root)
    const begun = Promise.withResolvers<void>()
    const answer = ask("/files/a", {
      method: "PUT",
      ...streamed(pieces("half", () => {
        begun.resolve()
        return new Promise(() => {})
      })),
    })
    await begun.promise
    await routes.dispose()
    expect((await answer).status).toBe(503)
    expect((await ask("/files/a")).status).toBe(503)
    expect(readdirSync(root)).toEqual([])
  })
})

it("shares the tokens, the metrics and the OpenAPI document of a server", async () => {
  await using server = shellRoutes({ layer: LocalShell.layer, token })
  const openApi = async () => await (await server.request("/openapi.json")).text()
  expect(JSON.parse(await openApi()).paths).not.toHaveProperty(["/files/{path}"])
  await using routes = fileRoutes({ layer: MemoryFileSystem.layer, server })
  const app = new Hono().route("/", server).route("/", routes)
  const document = await openApi()
  const { components, paths } = JSON.parse(document)
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(["/exec", "/files/{path}", "/uploads/{id}"]))
  for (const [, name = ""] of document.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    expect(components.schemas).toHaveProperty([name])
  }
  const config = await createConfig({ extends: ["recommended-strict"] })
  const problems = await lintFromString({ source: document, absoluteRef: "openapi.json", config })
  expect(problems.map(({ message }) => message)).toEqual([])
  const headers = { authorization: `Bearer ${token}` }
  expect((await app.request("/files/a")).status).toBe(401)
  expect((await app.request("/files/a", put("x", headers))).status).toBe(201)
  expect(await (await app.request("/metrics", { headers })).text()).toMatch(
    /sluice_http_requests_total\{[^}]*method="PUT"[^}]*route="\/files"[^}]*\} 1/,
  )
})
