import { describe, expect, it, vi } from "@effect/vitest"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Files } from "../../../src/leaves/files/mod.ts"
import { S3FileSystem } from "../../../src/leaves/s3/mod.ts"
import { eventually } from "../../support/eventually.ts"
import type { Answer } from "./StrictS3.ts"
import { keys, mebibyte, random, strictS3 } from "./support.ts"

const paths = (folder: string, options?: Parameters<typeof Files.list>[1]) =>
  Effect.map(Stream.runCollect(Files.list(folder, options)), (entries) => entries.map(({ path }) => path))

const pieces = (count: number, size: number) =>
  Stream.range(1, count).pipe(Stream.map((index) => new Uint8Array(size).fill(index)))

const busy = (code: string, status: number, headers: Record<string, string> = {}) =>
  new Response(`<Error><Code>${code}</Code><Message>Reduce your request rate.</Message></Error>`, { status, headers })

/** Answers the first requests of a kind otherwise. */
const first = (times: number, kind: RegExp, answer: () => Answer) => {
  let left = times
  return ({ method, url }: { readonly method: string; readonly url: URL }): Answer | undefined =>
    kind.test(`${method} ${url.pathname}${url.search}`) && left-- > 0 ? answer() : undefined
}

describe("creating", () => {
  it("is a conditional write, tried on the service once", async () => {
    const { run, service } = strictS3()
    await run(Effect.gen(function* () {
      yield* Files.write("a", "1", { createMode: "CreateNew" })
      service.store("b", "another program's")
      expect(yield* Effect.flip(Files.write("b", "2", { createMode: "CreateNew" }))).toMatchObject({
        faultKind: "AlreadyExists",
        message: "write b: the file already exists; use another createMode to replace it or to append (EEXIST)",
      })
      yield* Files.write("c", "3", { createMode: "CreateNew" })
    }))
    expect(service.log.filter((line) => line.includes(".sluice-"))).toHaveLength(4)
    expect([...service.objects.keys()].sort()).toEqual(["a", "b", "c"])
  })

  it("notices a file that another program makes while the content is written", async () => {
    const { run, service } = strictS3()
    const content = Stream.make(new Uint8Array(10)).pipe(
      Stream.tap(() => Effect.sync(() => service.store("a", "theirs"))),
    )
    expect(await run(Effect.flip(Files.write("a", content, { createMode: "CreateNew" })))).toMatchObject({
      faultKind: "AlreadyExists",
    })
    expect(service.text("a")).toBe("theirs")
    const large = pieces(3, 3 * mebibyte).pipe(Stream.tap(() => Effect.sync(() => service.store("b", "theirs"))))
    expect(await run(Effect.flip(Files.write("b", large, { createMode: "CreateNew" })))).toMatchObject({
      faultKind: "AlreadyExists",
    })
    expect([service.text("b"), service.uploads.size]).toEqual(["theirs", 0])
  })

  it("refuses on a service that ignores conditions, unless the caller accepts locks of this leaf", async () => {
    const { run, service } = strictS3({ hasConditions: false })
    const fault = await run(Effect.flip(Files.write("a", "1", { createMode: "CreateNew" })))
    expect(fault).toMatchObject({ faultKind: "IoError", code: "ENOTSUP" })
    expect(fault.message).toContain("conditionalWrites: false")
    expect(await run(Effect.flip(Files.write("a", "1", { createMode: "CreateOrAppend" })))).toMatchObject({
      code: "ENOTSUP",
    })
    expect(service.objects.size).toBe(0)
    await run(Files.write("a", "plain writes need none"))

    const locked = strictS3({ hasConditions: false, leaf: { conditionalWrites: false } })
    await locked.run(Effect.gen(function* () {
      const tries = Array.from(
        { length: 10 },
        (_, index) => Effect.exit(Files.write("a", String(index), { createMode: "CreateNew" })),
      )
      const exits = yield* Effect.all(tries, { concurrency: 10 })
      expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
      const lines = Array.from(
        { length: 20 },
        (_, index) => Files.write("log", `${index}\n`, { createMode: "CreateOrAppend" }),
      )
      yield* Effect.all(lines, { concurrency: 20 })
      expect((yield* Files.readText("log")).trim().split("\n").map(Number).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, index) => index),
      )
    }))
  })

  it("has made the file even if the answer was lost, and does not take it for another's", async () => {
    for (const size of [10, 6 * mebibyte]) {
      let lost = 0
      const { run, service } = strictS3({
        leaf: { conditionalWrites: true },
        after: ({ method, url }, response) =>
          response.ok && url.pathname === "/bucket/a" && lost === 0 &&
            (method === "PUT" && !url.search || method === "POST" && /uploadId/.test(url.search)) && ++lost > 0
            ? "reset"
            : response,
      })
      await run(Files.write("a", random(size), { createMode: "CreateNew" }))
      expect([lost, service.objects.get("a")?.bytes.length, service.uploads.size]).toEqual([1, size, 0])
    }
  })
})

describe("repeating", () => {
  it("repeats requests that a busy service refuses or a broken connection loses", async () => {
    for (
      const answer of [
        () => busy("SlowDown", 503),
        () => busy("InternalError", 500),
        () => busy("RequestTimeout", 400),
        () => busy("TooMany", 429, { "retry-after": "0" }),
        () => "reset" as const,
      ]
    ) {
      const { run, service } = strictS3({ before: first(2, /^PUT/, answer) })
      await run(Files.write("a", "x"))
      expect(service.text("a")).toBe("x")
      expect(service.log.filter((line) => line === "PUT a")).toHaveLength(3)
    }
  })

  it("gives up after some tries, with the service's message", async () => {
    const { run, service } = strictS3({
      before: () => busy("SlowDown", 503, { "x-amz-request-id": "4442587FB7D0A2F9" }),
      leaf: { maxRetries: 1 },
    })
    expect(await run(Effect.flip(Files.read("a")))).toMatchObject({
      faultKind: "IoError",
      message: "read a: s3.test answered 503 SlowDown: Reduce your request rate.; request 4442587FB7D0A2F9 (EIO)",
    })
    expect(service.log).toHaveLength(2)
  })

  it("does not repeat requests that stay refused", async () => {
    const { run, service } = strictS3({ before: () => busy("AccessDenied", 403) })
    expect(await run(Effect.flip(Files.read("a")))).toMatchObject({ faultKind: "AccessDenied", code: "EACCES" })
    expect(service.log).toHaveLength(1)
  })

  it("waits no longer than the requestTimeout", async () => {
    const { run } = strictS3({
      before: () => new Promise(() => {}),
      leaf: { requestTimeout: "30 millis", maxRetries: 1 },
    })
    const fault = await run(Effect.flip(Files.read("a")))
    expect(fault).toMatchObject({
      faultKind: "Timeout",
      message: "read a: s3.test: there was no answer for 30ms (ETIMEDOUT)",
    })
  })
})

describe("faults", () => {
  const faultOf = async (options: Parameters<typeof strictS3>[0]) =>
    (await strictS3(options).run(Effect.flip(Files.read("a")))).message

  it("report problems with the credentials, the region and the bucket", async () => {
    const credentials = { accessKeyId: keys.accessKeyId, secretAccessKey: Redacted.make("wrong") }
    expect(await faultOf({ leaf: { credentials } })).toContain("SignatureDoesNotMatch")
    expect(await faultOf({ leaf: { credentials: { ...credentials, accessKeyId: "other" } } })).toContain(
      "InvalidAccessKeyId",
    )
    expect(await faultOf({ leaf: { region: "us-east-1" } })).toContain("pass the region of the bucket")
    expect(await faultOf({ leaf: { bucket: "none" } })).toContain("make the bucket, or name another (EIO)")
    expect(await faultOf({ leaf: { credentials: Effect.fail("no") } })).toContain("there are no credentials")
    const plain = Effect.succeed(JSON.parse('{ "accessKeyId": "a", "secretAccessKey": "plain" }'))
    expect(await faultOf({ leaf: { credentials: plain } })).toContain("credentials are Redacted")
  })

  it("sign with a session's token, and renew credentials that are an Effect", async () => {
    let number = 0
    const credentials = Effect.sync(() => ({
      accessKeyId: keys.accessKeyId,
      secretAccessKey: Redacted.make(keys.secretAccessKey),
      sessionToken: Redacted.make(`t${++number}`),
    }))
    const { run, service } = strictS3({ keys: { ...keys, sessionToken: "t1" }, leaf: { credentials } })
    expect(await run(Effect.flip(Files.read("a")))).toMatchObject({ faultKind: "AccessDenied" })
    expect(service.log).toHaveLength(2)
    expect(number).toBe(2)
  })

  it("hold no secret, even one that the service echoes", async () => {
    const credentials = {
      accessKeyId: keys.accessKeyId,
      secretAccessKey: Redacted.make(keys.secretAccessKey),
      sessionToken: Redacted.make("t0ken"),
    }
    const echo = `<Error><Code>t0ken</Code><Message>\u001b[31m${keys.secretAccessKey} t0ken ${
      "x".repeat(1_000)
    }</Message></Error>`
    const message = await faultOf({ before: () => new Response(echo, { status: 400 }), leaf: { credentials } })
    expect(message).toContain("<redacted>")
    expect(message).not.toMatch(/t0ken|wJalr|\p{Cc}/u)
    expect(message.length).toBeLessThan(600)
    const broken = await faultOf({
      before: () => Promise.reject(new Error(`bad header ${keys.secretAccessKey}`)),
      leaf: { maxRetries: 0 },
    })
    expect(broken).toContain("bad header <redacted>")
  })

  it("name answers that no S3 service gives", async () => {
    const html = () => new Response("<!doctype html><p>hello", { headers: { etag: '"x"' } })
    const list = (text: string) => () => new Response(`<ListBucketResult>${text}</ListBucketResult>`)
    const listed = async (before: () => Response) => (await strictS3({ before }).run(Effect.flip(paths("")))).message
    expect(await listed(html)).toContain("is this the address of an S3 service?")
    expect(await listed(list("<IsTruncated>true</IsTruncated>"))).toContain("does not say how it continues")
    expect(await listed(list("<Contents><Key>a</Key></Contents>"))).toContain("an object without a size")
    expect(await listed(list("<Contents><Key>&bomb;</Key></Contents>"))).toContain("unknown entity")
    expect(await listed(list("<a>".repeat(30)))).toContain("nested more than 16 deep")
    expect(await listed(list("<Contents>"))).toContain("mismatched end")
    expect(await listed(() => new Response("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"))).toContain(
      "not XML at character 0",
    )
    const prefixed = strictS3({
      before: list("<Contents><Key>b</Key><Size>1</Size></Contents>"),
      leaf: { prefix: "a" },
    })
    expect((await prefixed.run(Effect.flip(paths("")))).message).toContain("a key of another folder")
    const endless = strictS3({
      before: () => new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(mebibyte).fill(32)) })),
    })
    expect((await endless.run(Effect.flip(paths("")))).message).toContain("longer than 8388608 bytes")
    const loop = list("<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")
    expect(await listed(loop)).toContain("does not say how it continues")
    let pages = 0
    const growing = () => {
      const token = `<NextContinuationToken>t${++pages}</NextContinuationToken>`
      return list(`<IsTruncated>true</IsTruncated>${token}`)()
    }
    expect(await listed(growing)).toContain("goes on after 100 pages without a name")
  })

  it("follow no redirection with a signature", async () => {
    const { run, service } = strictS3({
      before: () =>
        new Response(null, {
          status: 307,
          headers: { location: "https://evil.test/", "x-amz-bucket-region": "us-west-2" },
        }),
    })
    expect((await run(Effect.flip(Files.read("a")))).message).toContain("answered 307; the bucket is in us-west-2")
    expect(service.log).toHaveLength(1)
  })
})

describe("large files", () => {
  it("are uploads of a few parts at once, as fast as the service takes them", async () => {
    let [active, peak, pulled] = [0, 0, 0]
    const gate = Deferred.makeUnsafe<void>()
    const { run, service } = strictS3({
      leaf: { parallelParts: 2 },
      before: async ({ url }) => {
        if (!url.searchParams.has("partNumber")) return undefined
        peak = Math.max(peak, ++active)
        await Effect.runPromise(Deferred.await(gate))
        active--
        return undefined
      },
    })
    const content = pieces(40, mebibyte).pipe(Stream.tap(() => Effect.sync(() => void pulled++)))
    await run(Effect.gen(function* () {
      const writing = yield* Effect.forkChild(Files.write("a", content), { startImmediately: true })
      yield* eventually("two parts are sent", () => active === 2)
      yield* Effect.sleep(50)
      // Two parts are on their way, one is full, and one more piece was pulled for it.
      expect(pulled).toBeLessThanOrEqual(16)
      yield* Deferred.succeed(gate, undefined)
      expect(yield* Fiber.join(writing)).toMatchObject({ bytesWritten: 40 * mebibyte })
      const bytes = yield* Files.read("a", { maxBytes: Infinity })
      expect(bytes.length).toBe(40 * mebibyte)
      expect(Array.from({ length: 40 }, (_, index) => bytes[index * mebibyte + 1])).toEqual(
        Array.from({ length: 40 }, (_, index) => index + 1),
      )
    }))
    expect(peak).toBe(2)
    expect(service.log.filter((line) => line.startsWith("PUT"))).toHaveLength(8)
    expect(service.uploads.size).toBe(0)
  })

  it("leave nothing when they are interrupted, when their source fails, or when a part is refused", async () => {
    const { run, service } = strictS3({ leaf: { maxRetries: 0 } })
    await run(Effect.gen(function* () {
      const never = Stream.concat(pieces(12, mebibyte), Stream.never)
      const writing = yield* Effect.forkChild(Files.write("a", never), { startImmediately: true })
      yield* eventually("an upload began", () => service.uploads.size > 0)
      yield* Fiber.interrupt(writing)
    }))
    expect([service.uploads.size, service.objects.size]).toEqual([0, 0])
    const broken = Stream.concat(pieces(12, mebibyte), Stream.fail("the source broke"))
    expect((await run(Effect.flip(Files.write("a", broken)))).message).toContain("the source broke")
    expect([service.uploads.size, service.objects.size]).toEqual([0, 0])
    service.configure({ before: first(1, /partNumber=2/, () => busy("AccessDenied", 403)) })
    expect(await run(Effect.flip(Files.write("a", pieces(40, mebibyte))))).toMatchObject({ faultKind: "AccessDenied" })
    expect([service.uploads.size, service.objects.size]).toEqual([0, 0])
    // A full disk, said after the answer has begun.
    service.configure({ before: first(1, /POST.*uploadId=/, () => busy("XMinioStorageFull", 200)) })
    expect(await run(Effect.flip(Files.write("a", pieces(12, mebibyte))))).toMatchObject({ faultKind: "DiskFull" })
    expect([service.uploads.size, service.objects.size]).toEqual([0, 0])
  })

  it("are read in few requests, resumed where a connection breaks", async () => {
    const bytes = random(20 * mebibyte)
    let broken = 0
    const { run, service } = strictS3({
      after: ({ headers, method }, response) => {
        if (method !== "GET" || !headers.has("range") || broken === 3 || response.body === null) return response
        broken++
        const reader = response.body.getReader()
        let sent = 0
        const body = new ReadableStream<Uint8Array>({
          pull: async (to) => {
            const { value } = await reader.read()
            if (sent > 0 || value === undefined) return to.error(new Error("cut"))
            sent += value.length
            to.enqueue(value.subarray(0, 100_000))
          },
        })
        return new Response(body, response)
      },
    })
    service.store("a", bytes)
    expect(await run(Files.read("a", { maxBytes: Infinity }))).toEqual(bytes)
    expect(broken).toBe(3)
    const log = service.log.length
    expect(await run(Files.read("a", { maxBytes: Infinity }))).toEqual(bytes)
    expect(service.log.length - log).toBeLessThan(8)
    expect(await run(Files.read("a", { offset: 7 * mebibyte, length: 5 }))).toEqual(
      bytes.subarray(7 * mebibyte, 7 * mebibyte + 5),
    )
    expect(service.log.length - log).toBeLessThan(9)
  })

  it("are one object: one that is replaced while it is read is a fault", async () => {
    const { run, service } = strictS3()
    service.store("a", random(8 * mebibyte))
    const read = Files.stream("a").pipe(
      Stream.tap(() => Effect.sync(() => void service.store("a", random(8 * mebibyte)))),
    )
    expect(await run(Effect.flip(Stream.runDrain(read)))).toMatchObject({ faultKind: "IoError", code: "ESTALE" })
  })

  it("are one object also on a service that ignores If-Match of a read", async () => {
    const { run, service } = strictS3({ hasReadConditions: false })
    for (const size of [0, 1, 8 * mebibyte]) {
      service.store("a", random(8 * mebibyte))
      const read = Files.stream("a").pipe(
        Stream.tap(() => Effect.sync(() => void service.store("a", random(size)))),
      )
      expect(await run(Effect.flip(Stream.runDrain(read)))).toMatchObject({ faultKind: "IoError", code: "ESTALE" })
    }
  })
})

describe("appending", () => {
  it("loses nothing among many writers", async () => {
    const { run } = strictS3()
    await run(Effect.gen(function* () {
      const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
      yield* Effect.forEach(lines, (line) => Files.write("log", `${line}\n`, { createMode: "CreateOrAppend" }), {
        concurrency: 10,
      })
      expect((yield* Files.readText("log")).trim().split("\n").sort()).toEqual(lines.toSorted())
    }))
  })

  it("copies a large object in the service", async () => {
    const { run, service } = strictS3()
    const [old, more] = [random(12 * mebibyte), random(7 * mebibyte)]
    service.store("a", old)
    const log = service.log.length
    await run(Files.write("a", more, { createMode: "AppendExisting" }))
    expect(Buffer.compare(Buffer.from(service.objects.get("a")?.bytes ?? []), Buffer.concat([old, more]))).toBe(0)
    expect(service.log.slice(log).filter((line) => line === "GET a")).toEqual([])
    await run(Files.write("small", "x"))
    await run(Files.write("small", more, { createMode: "AppendExisting" }))
    expect(service.objects.get("small")?.bytes.length).toBe(more.length + 1)
  })

  it("to a large object that another writer changes meanwhile is a fault, and nothing is lost", async () => {
    const { run, service } = strictS3()
    service.store("a", random(6 * mebibyte))
    const content = Stream.make(new Uint8Array(10)).pipe(
      Stream.tap(() => Effect.sync(() => service.store("a", "theirs"))),
    )
    const fault = await run(Effect.flip(Files.write("a", content, { createMode: "AppendExisting" })))
    expect(fault.message).toContain("another writer has changed it")
    expect([service.text("a"), service.uploads.size]).toEqual(["theirs", 0])
  })

  it("has appended once even if the answer was lost", async () => {
    let lost = 0
    const { run, service } = strictS3({
      leaf: { conditionalWrites: true },
      after: ({ method }, response) => method === "PUT" && response.ok && ++lost === 1 ? "reset" : response,
    })
    service.store("a", "1")
    await run(Files.write("a", "2", { createMode: "AppendExisting" }))
    expect(service.text("a")).toBe("12")
    expect(lost).toBe(1)
  })
})

describe("folders", () => {
  it("are prefixes: nothing but the file is made, and the folder stays when it becomes empty", async () => {
    const { run, service } = strictS3()
    await run(Effect.gen(function* () {
      yield* Files.write("a/b/c", "")
      expect([...service.objects.keys()]).toEqual(["a/b/c"])
      yield* Files.delete("a/b/c")
      expect([...service.objects.keys()]).toEqual(["a/b/"])
      expect(yield* paths("", { recursive: true })).toEqual(["a", "a/b"])
      expect(yield* paths("a/b")).toEqual([])
      expect(yield* Files.delete("a", { recursive: true })).toMatchObject({ deletedCount: 2 })
      expect(service.objects.size).toBe(0)
    }))
  })

  it("are deleted by pages of 1,000 keys, with keys that no path can have", async () => {
    const { run, service } = strictS3()
    for (let index = 0; index < 2_500; index++) service.store(`d/${index % 7}/${index}`, "")
    service.store("d//x", "")
    service.store("d/../y", "")
    service.store("d/\u0007bell", "")
    service.store("d-not", "")
    expect(await run(paths("d"))).toEqual(["0", "1", "2", "3", "4", "5", "6"])
    const before = service.log.length
    await run(Files.delete("d", { recursive: true }))
    expect([...service.objects.keys()]).toEqual(["d-not"])
    expect(service.log.slice(before).filter((line) => line.startsWith("POST delete"))).toHaveLength(3)
    expect(await run(Effect.flip(Files.stat("d")))).toMatchObject({ faultKind: "NotFound" })
  })

  it("are hidden by a file of the same name, which another program can create", async () => {
    const { run, service } = strictS3()
    service.store("a", "file")
    service.store("a/b", "below")
    expect(await run(Files.stat("a"))).toMatchObject({ isDirectory: false, size: 4 })
    expect(await run(paths("", { recursive: true }))).toEqual(["a"])
    await run(Files.delete("a", { recursive: true }))
    expect([...service.objects.keys()]).toEqual(["a/b"])
  })

  it("of the root hold only keys below the prefix", async () => {
    const { run, service } = strictS3({ leaf: { prefix: "runs/42/" } })
    for (const key of ["runs/42/in", "runs/420/out", "runs/4", "secret"]) service.store(key, key)
    await run(Effect.gen(function* () {
      expect(yield* paths("", { recursive: true })).toEqual(["in"])
      yield* Files.write("/new", "")
      for (const path of ["../4", "/../../secret", "a/../../../secret", "..", "runs/../../secret"]) {
        expect(yield* Effect.flip(Files.read(path))).toMatchObject({ faultKind: "InvalidPath" })
      }
      for (const path of ["%2e%2e/4", "%2E%2E%2Fsecret", "..%2f..%2fsecret", "..\\4"]) {
        expect(yield* Effect.flip(Files.read(path))).toMatchObject({ faultKind: "NotFound" })
        yield* Files.write(path, "inside")
      }
      yield* Files.delete("in")
    }))
    expect([...service.objects.keys()].filter((key) => !key.startsWith("runs/42/")).sort()).toEqual([
      "runs/4",
      "runs/420/out",
      "secret",
    ])
    expect(service.text("runs/42/%2e%2e/4")).toBe("inside")
  })

  it("have keys of at most 1,023 bytes", async () => {
    const { run } = strictS3({ leaf: { prefix: "p".repeat(200) } })
    const path = (size: number) =>
      Array.from({ length: Math.ceil(size / 200) }, () => "é".repeat(99)).join("/").slice(0, size / 2)
    await run(Files.write(path(700), "x"))
    expect(await run(Effect.flip(Files.write(`${path(700)}/${path(200)}/x`, "")))).toMatchObject({
      faultKind: "PathTooLong",
    })
    expect(await run(Effect.flip(Files.read(`${path(700)}/${path(200)}`)))).toMatchObject({ faultKind: "PathTooLong" })
  })
})

describe("options", () => {
  const credentials = { accessKeyId: "id", secretAccessKey: Redacted.make("s3cret") }
  const optionError = (options: unknown) =>
    Effect.runPromise(Effect.flip(S3FileSystem.make(Object.assign({ bucket: "bucket", credentials }, options))))

  it("are refused by name", async () => {
    expect(await optionError({ buckets: 1 })).toMatchObject({ option: "buckets" })
    expect(await optionError({ bucket: "evil.test/x" })).toMatchObject({ option: "bucket" })
    expect(await optionError({ region: "x.evil.test/" })).toMatchObject({ option: "region" })
    expect(await optionError({ prefix: "../x" })).toMatchObject({ option: "prefix" })
    expect(await optionError({ endpoint: "ftp://x" })).toMatchObject({ option: "endpoint" })
    expect(await optionError({ endpoint: "https://user:pw@x" })).toMatchObject({ option: "endpoint" })
    expect(await optionError({ partSize: 1 })).toMatchObject({ option: "partSize" })
    expect(await optionError({ parallelParts: Infinity })).toMatchObject({ option: "parallelParts" })
    expect(await optionError({ requestTimeout: 0 })).toMatchObject({ option: "requestTimeout" })
    expect(await optionError({ credentials: { ...credentials, secretAccessKey: "plain" } })).toMatchObject({
      option: "credentials",
      message: expect.stringContaining("Redacted.make"),
    })
    expect(await optionError({ credentials: null })).toMatchObject({ option: "credentials" })
    expect(await optionError({ credentials: () => credentials })).toMatchObject({ option: "credentials" })
    expect(await optionError({ credentials: {} })).toMatchObject({ option: "credentials" })
    expect(await optionError({ prefix: 5 })).toMatchObject({ option: "prefix" })
    expect(await optionError({ fetch: 5 })).toMatchObject({ option: "fetch" })
    expect(await optionError({ pathStyle: "false" })).toMatchObject({ option: "pathStyle" })
    expect(await optionError({ conditionalWrites: 1 })).toMatchObject({ option: "conditionalWrites" })
  })

  it("give the address of the bucket", async () => {
    const addressOf = async (options: Partial<S3FileSystem.S3FileSystemOptions>) => {
      let address = ""
      const layer = S3FileSystem.layer({
        bucket: "reports",
        credentials,
        fetch: ({ url }) => {
          address = url
          return Promise.resolve(new Response(null, { status: 403 }))
        },
        ...options,
      })
      await Effect.runPromise(Effect.provide(Effect.exit(Files.read("a b")), layer))
      return address
    }
    expect(await addressOf({})).toBe("https://reports.s3.us-east-1.amazonaws.com/a%20b")
    expect(await addressOf({ region: "cn-north-1" })).toBe("https://reports.s3.cn-north-1.amazonaws.com.cn/a%20b")
    expect(await addressOf({ bucket: "a.b" })).toBe("https://s3.us-east-1.amazonaws.com/a.b/a%20b")
    expect(await addressOf({ endpoint: "http://127.0.0.1:9000/s3" })).toBe("http://127.0.0.1:9000/s3/reports/a%20b")
    expect(await addressOf({ endpoint: "https://s3.example", pathStyle: false })).toBe(
      "https://reports.s3.example/a%20b",
    )
  })

  it("come from AWS's own variables", async () => {
    const { service } = strictS3()
    service.store("runs/a", "found")
    const provider = ConfigProvider.fromUnknown({
      SLUICE_S3_BUCKET: "bucket",
      SLUICE_S3_PREFIX: "runs",
      AWS_REGION: keys.region,
      AWS_ENDPOINT_URL_S3: "https://s3.test",
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
    })
    const network = vi.spyOn(globalThis, "fetch").mockImplementation((request) =>
      request instanceof Request ? service.fetch(request) : Promise.reject(new Error("not a request"))
    )
    const read = Files.readText("a").pipe(
      Effect.provide(S3FileSystem.layerConfig()),
      Effect.provideService(ConfigProvider.ConfigProvider, provider),
    )
    expect(await Effect.runPromise(read).finally(() => network.mockRestore())).toBe("found")
    const own = S3FileSystem.layerConfig(Config.succeed({ bucket: "x", credentials }))
    expect(await Effect.runPromise(Effect.exit(Effect.scoped(Layer.build(own))))).toMatchObject({ _tag: "Failure" })
  })

  it("are not left by keys of other programs that a URL would lead elsewhere", async () => {
    const { run, service } = strictS3({ leaf: { prefix: "q" } })
    for (const key of ["victim\x01", "q/d/../../victim\x01", "q/d/a"]) service.store(key, random(1))
    expect(await run(Effect.flip(Files.delete("d", { recursive: true })))).toMatchObject({
      faultKind: "IoError",
      message: expect.stringContaining("which no URL can have"),
    })
    expect(service.objects.has("victim\x01")).toBe(true)
  })

  it("limit the bytes below the root", async () => {
    const { run, service } = strictS3({ leaf: { maxBytes: 1_000, prefix: "q" } })
    service.store("other", random(5_000))
    await run(Files.write("d/a", random(800)))
    expect(await run(Effect.flip(Files.write("d/b", random(300))))).toMatchObject({
      faultKind: "DiskFull",
      code: "EDQUOT",
    })
    await run(Files.delete("d", { recursive: true }))
    await run(Files.write("d/b", random(900)))
  })
})
