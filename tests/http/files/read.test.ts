import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { rawConnection } from "../../support/rawConnection.ts"
import { runtime, serve } from "../serve.ts"
import { faultOf, local, makeRoot, memory, token, typeOf } from "./support.ts"

const put = { method: "PUT", body: "0123456789" }

describe("GET of a file", () => {
  it("gives its bytes, size and validators", async () => {
    const { ask } = memory()
    expect((await ask("/files/a", put)).status).toBe(201)
    const response = await ask("/files/a")
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "content-length": "10",
      "content-type": "application/octet-stream",
      "sluice-file-size": "10",
      "x-content-type-options": "nosniff",
    })
    expect(response.headers.get("etag")).toMatch(/^"[0-9a-z-]+"$/)
    expect(Date.parse(response.headers.get("last-modified") ?? "")).toBeGreaterThan(Date.now() - 10_000)
    expect(await response.text()).toBe("0123456789")
  })

  it("answers HEAD as GET, without bytes", async () => {
    const { ask } = memory()
    await ask("/files/a", put)
    const [head, get] = [await ask("/files/a", { method: "HEAD" }), await ask("/files/a")]
    const withoutId = ({ headers }: Response) => [...headers].filter(([name]) => name !== "x-request-id")
    expect(withoutId(head)).toEqual(withoutId(get))
    expect(await head.text()).toBe("")
    expect((await ask("/files/none", { method: "HEAD" })).status).toBe(404)
    await ask("/files/d/x", put)
    expect((await ask("/files/d", { method: "HEAD" })).status).toBe(409)
  })

  it.each([
    ["bytes=0-0", 206, "0", "bytes 0-0/10"],
    ["bytes=3-6", 206, "3456", "bytes 3-6/10"],
    ["bytes=8-", 206, "89", "bytes 8-9/10"],
    ["bytes=8-100", 206, "89", "bytes 8-9/10"],
    ["bytes=-3", 206, "789", "bytes 7-9/10"],
    ["bytes=-100", 206, "0123456789", "bytes 0-9/10"],
    ["bytes=10-", 416, undefined, "bytes */10"],
    ["bytes=-0", 416, undefined, "bytes */10"],
    // What may be ignored: several ranges, other units, nonsense.
    ["bytes=0-1,3-4", 200, "0123456789", null],
    ["lines=0-1", 200, "0123456789", null],
    ["bytes=5-3", 200, "0123456789", null],
    ["bytes=-", 200, "0123456789", null],
    ["bytes=99999999999999999999-", 200, "0123456789", null],
  ])("takes the range %s", async (range, status, text, contentRange) => {
    const { ask } = memory()
    await ask("/files/a", put)
    const response = await ask("/files/a", { headers: { range } })
    expect(response.status).toBe(status)
    expect(response.headers.get("content-range")).toBe(contentRange)
    if (text !== undefined) expect(await response.text()).toBe(text)
    if (status === 206) expect(response.headers.get("content-length")).toBe(String(text?.length))
  })

  it("has no range in an empty file", async () => {
    const { ask } = memory()
    await ask("/files/a", { method: "PUT", body: "" })
    expect(await (await ask("/files/a")).text()).toBe("")
    expect((await ask("/files/a", { headers: { range: "bytes=0-" } })).status).toBe(416)
    expect((await ask("/files/a", { headers: { range: "bytes=-1" } })).status).toBe(416)
  })

  it("sends nothing to a client with the current file, and refuses one with another version", async () => {
    const { ask } = memory()
    await ask("/files/a", put)
    const { headers } = await ask("/files/a", { method: "HEAD" })
    const [etag, date] = [headers.get("etag") ?? "", headers.get("last-modified") ?? ""]
    const status = async (headers: Record<string, string>) => (await ask("/files/a", { headers })).status
    expect(await status({ "if-none-match": etag })).toBe(304)
    expect(await status({ "if-none-match": `"x", W/${etag}` })).toBe(304)
    expect(await status({ "if-none-match": "*" })).toBe(304)
    expect(await status({ "if-none-match": '"x"' })).toBe(200)
    expect(await status({ "if-modified-since": date })).toBe(304)
    expect(await status({ "if-modified-since": new Date(0).toUTCString() })).toBe(200)
    // The tag wins over the date.
    expect(await status({ "if-none-match": '"x"', "if-modified-since": date })).toBe(200)
    expect(await status({ "if-modified-since": "yesterday" })).toBe(200)
    expect(await status({ "if-match": etag })).toBe(200)
    expect(await status({ "if-match": `W/${etag}` })).toBe(412)
    expect(await status({ "if-match": '"x"' })).toBe(412)
    expect(await status({ "if-unmodified-since": new Date(0).toUTCString() })).toBe(412)
    const range = "bytes=0-1"
    expect(await status({ range, "if-range": etag })).toBe(206)
    expect(await status({ range, "if-range": '"x"' })).toBe(200)
    expect(await status({ range, "if-range": `W/${etag}` })).toBe(200)
    expect(await status({ range, "if-range": date })).toBe(206)
    expect(await status({ range, "if-range": new Date(0).toUTCString() })).toBe(200)
  })

  it("gives each version another tag, however fast the versions follow, also of the same size", async () => {
    const { ask } = local()
    const tags = new Set<string | null>()
    for (let version = 0; version < 20; version++) {
      await ask("/files/a", { method: "PUT", body: `version ${version % 10}` })
      tags.add((await ask("/files/a", { method: "HEAD" })).headers.get("etag"))
    }
    expect(tags.size).toBe(20)
    expect([...tags].filter((tag) => tag?.startsWith("W/"))).toEqual([])
  })

  it("streams a large file, and a range of it", async () => {
    const root = makeRoot()
    const bytes = new Uint8Array(5_000_000).map((_, index) => index * 31 + (index >> 8))
    writeFileSync(join(root, "large"), bytes)
    const { ask } = local(root)
    const whole = await ask("/files/large")
    expect(new Uint8Array(await whole.arrayBuffer())).toEqual(bytes)
    const part = await ask("/files/large", { headers: { range: "bytes=1000000-4499999" } })
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.subarray(1_000_000, 4_500_000))
  })

  it("breaks the body of a file that shrinks while it is read, and never sends a mixture as whole", async () => {
    const root = makeRoot()
    const file = join(root, "large")
    writeFileSync(file, new Uint8Array(8_000_000))
    const { ask } = local(root)
    const reader = (await ask("/files/large")).body?.getReader()
    await reader?.read()
    writeFileSync(file, "short")
    const rest = async () => {
      for (;;) if ((await reader?.read())?.done !== false) return
    }
    await expect(rest()).rejects.toThrow()
  })

  it("disconnects a client that reads nothing", async () => {
    const root = makeRoot()
    writeFileSync(join(root, "large"), new Uint8Array(8_000_000))
    const { ask } = local(root, { idleTimeout: 200, maxConcurrency: 1 })
    const held = await ask("/files/large")
    expect((await ask("/files/large")).status).toBe(429)
    await expect.poll(async () => (await ask("/files/large", { method: "HEAD" })).status).toBe(200)
    await expect(held.arrayBuffer()).rejects.toThrow()
  })
})

describe("stat and list", () => {
  it("gives metadata", async () => {
    const { ask } = memory()
    await ask("/files/d/a", put)
    const stat = await (await ask("/files/d/a?stat")).json()
    expect(stat).toMatchObject({ _tag: "FileMetadata", size: 10, isDirectory: false, isSymlink: false })
    expect(await (await ask("/files/d?stat")).json()).toMatchObject({ isDirectory: true })
    for (const path of ["/files", "/files/", "/files/."]) {
      expect(await (await ask(`${path}?stat`)).json()).toMatchObject({ isDirectory: true })
    }
    expect(await typeOf(await ask("/files/d?stat&list"))).toBe("urn:sluice:request:invalid")
  })

  it("lists as JSON and as NDJSON, recursively and by pattern", async () => {
    const { ask } = memory()
    for (const path of ["src/a.ts", "src/b.md", "src/lib/c.ts", "d.ts"]) await ask(`/files/${path}`, put)
    const names = async (path: string): Promise<ReadonlyArray<string>> => {
      const { entries }: { entries: ReadonlyArray<{ path: string }> } = await (await ask(path)).json()
      const lines = await (await ask(path, { headers: { accept: "application/x-ndjson" } })).text()
      expect(lines.split("\n").slice(0, -1).map((line) => JSON.parse(line))).toEqual(entries)
      return entries.map(({ path }) => path)
    }
    expect(await names("/files?list")).toEqual(["d.ts", "src"])
    expect(await names("/files/src?list")).toEqual(["a.ts", "b.md", "lib"])
    expect(await names("/files/?list&recursive&pattern=**/*.ts")).toEqual(["d.ts", "src/a.ts", "src/lib/c.ts"])
    expect(await names("/files/src?list&pattern=none")).toEqual([])
    expect((await ask("/files/src?list", { headers: { accept: "text/event-stream" } })).status).toBe(406)
    expect((await faultOf(await ask("/files/d.ts?list"))).faultKind).toBe("NotADirectory")
    expect((await faultOf(await ask("/files/x?list"))).faultKind).toBe("NotFound")
  })

  it("lists more entries than one event has", async () => {
    const root = makeRoot()
    for (let index = 0; index < 2_500; index++) writeFileSync(join(root, String(index).padStart(4, "0")), "")
    const { ask } = local(root)
    const { entries }: { entries: ReadonlyArray<unknown> } = await (await ask("/files?list")).json()
    expect(entries.length).toBe(2_500)
  })
})

describe("paths", () => {
  it("has a status for each fault, and a body that is the fault", async () => {
    const { ask } = memory()
    await ask("/files/file", put)
    await ask("/files/folder/x", put)
    const statusAndKind = async (path: string, init?: RequestInit) => {
      const response = await ask(path, { ...init, headers: { "sluice-correlation-id": "r/1" } })
      const fault = await faultOf(response)
      expect(fault.correlationId).toBe("r/1")
      return [response.status, fault.faultKind]
    }
    expect(await statusAndKind("/files/none")).toEqual([404, "NotFound"])
    expect(await statusAndKind("/files/file?createMode=CreateNew", put)).toEqual([409, "AlreadyExists"])
    expect(await statusAndKind("/files", { method: "DELETE" })).toEqual([403, "AccessDenied"])
    expect(await statusAndKind("/files/a%00b")).toEqual([400, "InvalidPath"])
    expect(await statusAndKind("/files/folder", { method: "DELETE" })).toEqual([409, "DirectoryNotEmpty"])
    expect(await statusAndKind("/files/file/x")).toEqual([409, "NotADirectory"])
    expect(await statusAndKind("/files/folder")).toEqual([409, "NotAFile"])
    expect(await statusAndKind(`/files/${"x".repeat(256)}`)).toEqual([414, "PathTooLong"])
  })

  it("decodes a path once, and leaves the result to the file system", async () => {
    const root = makeRoot()
    writeFileSync(join(root, "secret"), "secret")
    mkdirSync(join(root, "root/in"), { recursive: true })
    writeFileSync(join(root, "root/in/a"), "a")
    symlinkSync("..", join(root, "root/up"))
    symlinkSync("../secret", join(root, "root/link"))
    const { ask } = local(join(root, "root"))
    // A URL that is normalized names another path: none of these is one below the root.
    const attacks = [
      "%2e%2e%2fsecret",
      "..%2fsecret",
      "in%2f..%2f..%2fsecret",
      "%2fetc%2fpasswd",
      "%2e%2e/secret",
      "..%5csecret",
      "%252e%252e%252fsecret",
      "..%c0%afsecret",
      "%c0%ae%c0%ae/secret",
      "%ef%bc%8e%ef%bc%8e/secret",
      "in/..%00/secret",
      "link",
      "up/secret",
      "up%2fsecret",
      "in%0a",
      "in//a",
      "in/a/",
      "in/a%2f",
      "%",
      "%zz",
      "%ff",
      "a%u002e",
    ]
    for (const attack of attacks) {
      for (const query of ["", "?stat", "?list"]) {
        const response = await ask(`/files/${attack}${query}`)
        expect([attack, response.status]).not.toEqual([attack, 200])
        expect(await response.text()).not.toContain("secret\n")
      }
      const response = await ask(`/files/${attack}`, { method: "PUT", body: "x" })
      await response.text()
    }
    expect(readdirSync(root)).toEqual(["root", "secret"])
    expect(readFileSync(join(root, "secret"), "utf8")).toBe("secret")
    expect(await (await ask("/files/in%2fa")).text()).toBe("a")
    expect(await (await ask("/files//in/a")).text()).toBe("a")
    expect((await faultOf(await ask("/files/%ff"))).faultKind).toBe("InvalidPath")
    expect((await faultOf(await ask("/files/link"))).faultKind).toBe("AccessDenied")
  })

  it("resolves no dots in a URL beyond those that its router resolved", async () => {
    const root = makeRoot()
    writeFileSync(join(root, "a"), "a")
    const { routes } = local(root)
    const server = await serve(routes.fetch)
    onTestFinished(() => server.stop())
    const connection = await rawConnection(server.port)
    onTestFinished(() => void connection.socket.destroy())
    await connection.send(
      `GET /files/../x/a HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
    )
    await expect.poll(connection.closed).toBe(true)
    // Deno leaves the dots in, and the leaf refuses them; elsewhere the URL is not one of the routes.
    expect(connection.status()).toBe(runtime === "deno" ? 400 : 404)
  })

  it("takes names with any characters", async () => {
    const { ask } = local()
    const names = [
      "日本語",
      "naïve",
      " blank ",
      "a'b\"c",
      "100%",
      "%2e%2e",
      "a?b",
      "a#b",
      "a&b=c",
      "[x]",
      "🎉",
      "a+b",
      "a;b",
    ]
    for (const name of names) {
      expect((await ask(`/files/${encodeURIComponent(name)}`, { method: "PUT", body: name })).status).toBe(201)
    }
    for (const name of names) expect(await (await ask(`/files/${encodeURIComponent(name)}`)).text()).toBe(name)
    const { entries }: { entries: ReadonlyArray<{ path: string }> } = await (await ask("/files?list")).json()
    expect(entries.map(({ path }) => path).toSorted()).toEqual(names.toSorted())
  })
})
