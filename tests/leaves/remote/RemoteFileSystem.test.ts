import { expect, it } from "@effect/vitest"
import { RemoteFileSystem } from "@sluice/shell/remote"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import { FileFault, Files } from "../../../src/leaves/files/mod.ts"
import { eventually } from "../../support/eventually.ts"
import { fileServer, filesOf, token } from "./filesSupport.ts"

const bytes = (size: number): Uint8Array =>
  new Uint8Array(size).map((_, index) => index * 7 + (index >> 8) + (index >> 16))

const live = (title: string, effect: () => Effect.Effect<unknown, unknown, import("effect/Scope").Scope>) =>
  it(title, () => Effect.runPromise(Effect.scoped(effect())))

describe("a lost connection", () => {
  live("does not change the content that is read", () =>
    Effect.gen(function* () {
      const { cut, root, url } = yield* fileServer()
      const content = bytes(12_000_000)
      writeFileSync(join(root, "large"), content)
      let cuts = 0
      let at = 0
      const collected = new Uint8Array(content.length)
      yield* Stream.runForEach(
        Files.stream("large"),
        (chunk) =>
          Effect.sync(() => {
            collected.set(chunk, at)
            at += chunk.length
            if (at > (cuts + 1) * 2_000_000 && cuts < 5) {
              cuts++
              cut()
            }
          }),
      ).pipe(Effect.provide(filesOf(url)))
      expect([cuts, at]).toEqual([5, content.length])
      expect(Buffer.from(collected).equals(Buffer.from(content))).toBe(true)
    }))

  live("fails a read of a file that was replaced meanwhile", () =>
    Effect.gen(function* () {
      const { cut, root, url } = yield* fileServer()
      writeFileSync(join(root, "large"), bytes(12_000_000))
      let isCut = false
      const read = Stream.runForEach(
        Files.stream("large"),
        () =>
          Effect.sync(() => {
            if (isCut) return
            isCut = true
            truncateSync(join(root, "large"), 0)
            writeFileSync(join(root, "large"), bytes(12_000_000).reverse())
            cut()
          }),
      )
      const fault = yield* Effect.flip(Effect.provide(read, filesOf(url)))
      expect(fault).toMatchObject({ faultKind: "IoError", path: "large", code: "ESTALE" })
    }))

  live("does not change the content that is written, and writes it once", () =>
    Effect.gen(function* () {
      let sent = 0
      let cuts = 0
      let isCutting = false
      // Cuts in the midst of parts, and between a part and its answer.
      const { root, url } = yield* fileServer({
        intercept: (data, { client, server }) => {
          sent += data.length
          if (cuts < 6 && sent > (cuts + 1) * 1_300_000) {
            cuts++
            isCutting = true
            server.write(data)
            setTimeout(() => {
              client.destroy()
              server.destroy()
              isCutting = false
            }, cuts % 2 === 0 ? 30 : 0)
            return true
          }
          return false
        },
      })
      const content = bytes(9_000_000)
      const pieces = Stream.fromIterable([
        content.subarray(0, 10),
        content.subarray(10, 5_000_001),
        content.subarray(5_000_001),
      ])
      const program = Effect.gen(function* () {
        const written = yield* Files.write("dir/large", pieces, { createMode: "CreateNew" })
        expect(written).toMatchObject({ path: "dir/large", bytesWritten: content.length })
        // The last cut may come after the end of the write: a start of an upload that is lost is not repeated.
        yield* eventually("the last cut is over", () => !isCutting)
        const fault = yield* Effect.flip(Files.write("dir/large", pieces, { createMode: "CreateNew" }))
        expect(fault.faultKind).toBe("AlreadyExists")
      })
      yield* Effect.provide(program, filesOf(url))
      expect(cuts).toBe(6)
      expect(Buffer.from(readFileSync(join(root, "dir/large"))).equals(Buffer.from(content))).toBe(true)
      expect(readdirSync(join(root, "dir"))).toEqual(["large"])
    }))

  it.each([["a piece", 1_000, 0], ["all", Infinity, 0], ["all of the last part", Infinity, 1]])(
    "does not end a write that is overtaken by %s of the lost request",
    (_, size, cutAt) =>
      Effect.runPromise(Effect.scoped(Effect.gen(function* () {
        const { direct, root } = yield* fileServer()
        const content = bytes(2_000_000)
        let parts = 0
        let lost: Request | undefined
        let overtakings = 0
        // The server begins with the lost request once it has told how far the upload is.
        const overtaking = filesOf(direct, {
          fetch: async (request) => {
            if (request.method === "PATCH" && parts++ === cutAt) {
              lost = request
              throw new TypeError("connection lost")
            }
            const answer = await fetch(request)
            if (request.method === "GET" && lost !== undefined) {
              const { headers, url } = lost
              const body = (await lost.arrayBuffer()).slice(0, size)
              lost = undefined
              await fetch(url, { method: "PATCH", headers, body })
              overtakings++
            }
            return answer
          },
        })
        const written = yield* Effect.provide(Files.write("large", content), overtaking)
        expect([written.bytesWritten, overtakings]).toEqual([content.length, 1])
        expect(Buffer.from(readFileSync(join(root, "large"))).equals(Buffer.from(content))).toBe(true)
      }))),
  )

  live("is a fault if the server does not return", () =>
    Effect.gen(function* () {
      const options = { reconnectTimeout: 200 }
      const program = Effect.all([
        Effect.flip(Files.readText("a")),
        Effect.flip(Files.write("a", "x")),
        Effect.flip(Files.delete("a")),
        Effect.flip(Stream.runDrain(Files.list(""))),
        Effect.flip(Files.stat("a")),
      ])
      for (const fault of yield* Effect.provide(program, filesOf("http://127.0.0.1:1/", options))) {
        expect(fault).toMatchObject({ faultKind: "IoError", code: "EHOSTUNREACH" })
        expect(fault.message).not.toContain(token)
      }
    }))
})

describe("a write", () => {
  live("leaves nothing when it is interrupted", () =>
    Effect.gen(function* () {
      const { direct, root } = yield* fileServer()
      const begun = yield* Deferred.make<void>()
      const content = Stream.concat(
        Stream.make(bytes(3_000_000)),
        Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)),
      )
      const fiber = yield* Effect.forkChild(Effect.provide(Files.write("a", content), filesOf(direct)))
      yield* Deferred.await(begun)
      expect(readdirSync(root).length).toBe(1)
      yield* Fiber.interrupt(fiber)
      expect(readdirSync(root)).toEqual([])
    }))

  live("has the fault of the server's file system", () =>
    Effect.gen(function* () {
      const { direct } = yield* fileServer({ maxUploadBytes: 2_000_000 })
      const program = Effect.gen(function* () {
        const large = yield* Effect.flip(Files.write("a", bytes(3_000_000)))
        expect(large).toMatchObject({ faultKind: "DiskFull", code: "EFBIG" })
        yield* Files.write("file", "x")
        const under = yield* Effect.flip(Files.write("file/x", bytes(3_000_000)))
        expect(under).toMatchObject({ faultKind: "NotADirectory", path: "file/x" })
      })
      yield* Effect.provide(program, filesOf(direct))
    }))
})

live("waits for a busy server, also with requests that may be sent only once", () =>
  Effect.gen(function* () {
    const { direct } = yield* fileServer()
    const sent: Array<string> = []
    let refusals = 0
    const busy = filesOf(direct, {
      fetch: async (request) => {
        sent.push(request.method)
        // Every other request is refused.
        return sent.length % 2 === 1 && ++refusals > 0
          ? new Response("", { status: 503, headers: { "retry-after": "0" } })
          : await fetch(request)
      },
    })
    const program = Effect.gen(function* () {
      yield* Files.write("a", "1", { createMode: "CreateNew" })
      yield* Files.write("a", "2", { createMode: "AppendExisting" })
      expect(yield* Files.readText("a")).toBe("12")
      expect((yield* Files.delete("a")).deletedCount).toBe(1)
    })
    yield* Effect.provide(program, busy)
    expect(sent).toEqual(["PUT", "PUT", "PUT", "PUT", "GET", "GET", "DELETE", "DELETE"])
    expect(refusals).toBe(4)
  }))

live("is denied by a wrong token, and keeps its own secret", () =>
  Effect.gen(function* () {
    const { direct } = yield* fileServer()
    const wrong = Redacted.make("wr0ng")
    const fault = yield* Effect.flip(Effect.provide(Files.readText("a"), filesOf(direct, { token: wrong })))
    expect(fault).toMatchObject({ faultKind: "AccessDenied", code: "NOT_ALLOWED" })
    expect(JSON.stringify(fault)).not.toContain("wr0ng")
  }))

it("refuses options that it does not have", async () => {
  // @ts-expect-error it is called reconnectTimeout
  const layer = RemoteFileSystem.layer({ url: "http://localhost/", reconnect: 1 })
  const error = await Effect.runPromise(Effect.flip(Effect.provide(Effect.void, layer)))
  expect(error.message).toContain("unknown option")
})

describe("a hostile server", () => {
  /** Files of a server that answers as told. */
  const answering = (answer: (request: Request) => Response | Promise<Response>, idleTimeout = 300) =>
    RemoteFileSystem.layer({
      url: "http://localhost/x/",
      token: "s3cret",
      idleTimeout,
      reconnectTimeout: 300,
      fetch: async (request) => await answer(request),
    })
  const endless = (piece: Uint8Array | string, everyMillis = 0) => {
    const bytes = typeof piece === "string" ? new TextEncoder().encode(piece) : piece
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await new Promise((resolve) => setTimeout(resolve, everyMillis))
        controller.enqueue(bytes)
      },
    }, { highWaterMark: 0 })
  }
  const sized = (size: number, body: BodyInit | null, headers: Record<string, string> = {}, status = 200) =>
    new Response(body, { status, headers: { "sluice-file-size": String(size), ...headers } })

  const everything = Effect.all([
    Effect.flip(Files.read("a")),
    Effect.flip(Files.read("a", { offset: 3, length: 4 })),
    Effect.flip(Files.write("a", "x")),
    Effect.flip(Files.write("a", bytes(2_500_000))),
    Effect.flip(Files.delete("a")),
    Effect.flip(Stream.runDrain(Files.list(""))),
    Effect.flip(Files.stat("a")),
  ], { concurrency: "unbounded" })

  const answers: ReadonlyArray<readonly [title: string, answer: (request: Request) => Response | Promise<Response>]> = [
    ["never answers", () => new Promise<Response>(() => {})],
    ["answers with HTML", () => new Response("<html>", { headers: { "content-type": "text/html" } })],
    ["sends endless bytes", () => sized(5, endless(new Uint8Array(65_536)))],
    ["sends endless lines", () => sized(5, endless("{}\n"))],
    ["sends an endless line", () => sized(5, endless("x".repeat(1_000)))],
    ["drips", () => new Response(endless(" ", 50), { headers: { "sluice-file-size": "1000000000" }, status: 500 })],
    ["falls silent", () => sized(10, new ReadableStream())],
    ["redirects", () => new Response(null, { status: 307, headers: { location: "http://elsewhere/" } })],
    ["has endless errors", () => new Response(endless("x".repeat(10_000)), { status: 404 })],
    [
      "has a fault of a megabyte that controls terminals",
      () =>
        Response.json({
          type: "x",
          title: "x",
          status: 404,
          detail: "x",
          fault: {
            _tag: "FileFault",
            correlationId: "x",
            faultKind: "NotFound",
            path: "a",
            message: `\u001b]52;c;ZXZpbA==\u0007${"m".repeat(900_000)}`,
            code: "C".repeat(10_000),
          },
        }, { status: 404 }),
    ],
    ["is busy for an absurd time", () => new Response("", { status: 503, headers: { "retry-after": "1e308" } })],
    ["is busy for ever", () => new Response("", { status: 503, headers: { "retry-after": "1000000000" } })],
    [
      "has a fault of another form",
      () =>
        Response.json({ type: "x", title: "x", status: 400, detail: "x", fault: { _tag: "FileFault" } }, {
          status: 400,
        }),
    ],
  ]
  it.concurrent.each(answers)("that %s is a fault in time", async (_, answer) => {
    const faults = await Effect.runPromise(Effect.provide(everything, answering(answer)))
    for (const fault of faults) {
      expect(fault).toBeInstanceOf(FileFault)
      expect(fault.message.length).toBeLessThan(9_000)
      expect(`${fault.message}${fault.code}`).not.toMatch(/\p{Cc}|C{200}/u)
    }
  })

  const refusedReads: ReadonlyArray<readonly [title: string, answer: () => Response]> = [
    ["gives other bytes than were asked for", () => sized(10, "0123", { "content-range": "bytes 2-5/10" }, 206)],
    ["gives the whole file for a range", () => sized(10, "0123456789")],
    ["gives more than it says", () => sized(10, "345678", { "content-range": "bytes 3-6/10" }, 206)],
    ["claims an absurd range", () => sized(10, "3456", { "content-range": "bytes 6-3/10" }, 206)],
    ["gives nothing, again and again", () => sized(10, "", { "content-range": "bytes 3-6/10", etag: '"a"' }, 206)],
  ]
  it.concurrent.each(refusedReads)("that %s is a fault of a read", async (_, answer) => {
    const read = Effect.flip(Files.read("a", { offset: 3, length: 4 }))
    expect(await Effect.runPromise(Effect.provide(read, answering(answer)))).toMatchObject({ faultKind: "IoError" })
  })

  it.concurrent.each([undefined, 'W/"a"', '"a"'])(
    "whose connection breaks resumes only by a strong tag: not by %s",
    async (etag) => {
      const tag: Record<string, string> = etag === undefined ? {} : { etag }
      const broken = () =>
        new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new TextEncoder().encode("01")),
          pull: (controller) => controller.error(new Error("lost")),
        }, { highWaterMark: 0 })
      const layer = answering((request) =>
        request.headers.has("range")
          ? sized(4, "23", { "content-range": "bytes 2-3/4", ...tag }, 206)
          : sized(4, broken(), tag)
      )
      const read = Effect.match(Files.readText("a"), { onFailure: ({ code }) => code, onSuccess: (text) => text })
      expect(await Effect.runPromise(Effect.provide(read, layer))).toBe(etag === '"a"' ? "0123" : "ECONNRESET")
    },
  )

  it.each(["../x", "/etc/passwd", "a/../../b", "a//b", "", ".", "a\0b"])("cannot list the path %j", async (path) => {
    const entry = { path, size: 1, modified: 1, isDirectory: false, isSymlink: false }
    const list = Effect.flip(Stream.runDrain(Files.list("")))
    const layer = answering(() => new Response(`${JSON.stringify(entry)}\n`))
    expect(await Effect.runPromise(Effect.provide(list, layer))).toMatchObject({ faultKind: "IoError", code: "EPROTO" })
  })

  it("cannot send a client elsewhere with an upload", async () => {
    const urls: Array<string> = []
    const layer = answering((request) => {
      urls.push(request.url)
      return new Response(null, { status: 201, headers: { location: "http://elsewhere/uploads/../../x" } })
    })
    await Effect.runPromise(Effect.provide(Effect.flip(Files.write("a", bytes(3_000_000))), layer))
    for (const url of urls) expect(url).toMatch(/^http:\/\/localhost\/x\/(files|uploads)\//)
  })

  it("that has lost an upload, as after a restart, causes a fault with advice", async () => {
    const problem = { type: "urn:sluice:request:unknown-upload", title: "x", status: 404, detail: "no such upload" }
    const layer = answering((request) =>
      request.method === "POST"
        ? new Response(null, { status: 201, headers: { location: "/uploads/u1" } })
        : Response.json(problem, { status: 404 })
    )
    const fault = await Effect.runPromise(Effect.provide(Effect.flip(Files.write("a", bytes(2_500_000))), layer))
    expect(fault).toMatchObject({ faultKind: "IoError", code: "ECONNRESET" })
    expect(fault.message).toContain("if the file still has its old content, write it again")
  })

  it("that claims other progress than was made is a fault", async () => {
    const layer = answering((request) => {
      if (request.method === "POST") return new Response(null, { status: 201, headers: { location: "/uploads/u1" } })
      if (request.method === "GET") {
        return new Response(null, { status: 204, headers: { "upload-offset": "999999999" } })
      }
      return new Response("", { status: 503 })
    })
    const fault = await Effect.runPromise(Effect.provide(Effect.flip(Files.write("a", bytes(3_000_000))), layer))
    expect(fault).toMatchObject({ faultKind: "IoError", code: "EPROTO" })
  })
})
