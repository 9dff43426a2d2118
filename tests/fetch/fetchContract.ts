/** Tests every leaf of the Http branch, and every service around one, against a real server. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { encodeUtf8 } from "../../src/base/bytes.ts"
import { Fetch } from "../../src/fetch/mod.ts"
import { serveWeb, type Web } from "./web.ts"

export const fetchContract = <E>(name: string, layer: (host: string) => Layer.Layer<Fetch, E>): void => {
  let web: Web
  beforeAll(async () => {
    web = await serveWeb()
  })
  afterAll(() => web.stop())

  const run = <A, F>(program: (url: string) => Effect.Effect<A, F, Fetch>): Promise<A> =>
    Effect.runPromise(Effect.provide(program(web.url), layer(web.host)))
  const kindOf = (url: string, options?: Parameters<typeof Fetch.send>[1]) =>
    Effect.map(Effect.flip(Fetch.send(url, options)), ({ faultKind }) => faultKind)

  describe(name, () => {
    it("reads a text", async () => {
      expect(await run((url) => Fetch.text(`${url}/hello`))).toBe("hello ä 🚀")
    })

    it("gives the status, the headers and the bytes of any response", async () => {
      const response = await run((url) => Fetch.send(`${url}/missing`, { correlationId: "c1" }))
      expect(response).toMatchObject({
        _tag: "HttpResponse",
        correlationId: "c1",
        status: 404,
        headers: { "x-kind": "missing" },
        body: encodeUtf8("no"),
      })
      expect(await run((url) => Effect.flip(Fetch.text(`${url}/missing`)))).toMatchObject({ faultKind: "Broken" })
    })

    it("sends a method, headers and a body", async () => {
      const body = new Uint8Array([0, 255, 10])
      const response = await run((url) => Fetch.send(`${url}/echo`, { method: "POST", headers: { "x-a": "b" }, body }))
      expect(JSON.parse(new TextDecoder().decode(response.body))).toEqual({
        method: "POST",
        a: "b",
        bytes: [0, 255, 10],
      })
    })

    it("has no body of a HEAD", async () => {
      const response = await run((url) => Fetch.send(`${url}/hello`, { method: "HEAD" }))
      expect([response.status, response.body.length]).toEqual([200, 0])
    })

    it("follows redirects, and says where they led", async () => {
      const response = await run((url) => Fetch.send(`${url}/redirect/2`))
      expect([response.url, response.status]).toEqual([`${web.url}/redirect/0`, 200])
    })

    it("follows a redirect of a POST with a GET, or again with a POST", async () => {
      const post = (status: number) =>
        run((url) => Fetch.send(`${url}/moved/${status}`, { method: "POST", body: encodeUtf8("x") }))
      const methods = await Promise.all(
        [302, 303, 307, 308].map(async (status) =>
          JSON.parse(new TextDecoder().decode((await post(status)).body)).method
        ),
      )
      expect(methods).toEqual(["GET", "GET", "POST", "POST"])
    })

    it("fails after too many redirects", async () => {
      expect(await run((url) => kindOf(`${url}/redirect/6`))).toBe("TooManyRedirects")
    })

    it("fails if the body is larger than its limit", async () => {
      expect(await run((url) => kindOf(`${url}/hello`, { maxBytes: 3 }))).toBe("TooLarge")
      expect(await run((url) => kindOf(`${url}/endless`))).toBe("TooLarge")
    })

    it("refuses requests that the policy does not allow", async () => {
      expect(await run(() => kindOf("http://example.com/"))).toBe("NotAllowed")
      expect(await run((url) => kindOf(`${url}/hello`, { method: "DELETE" }))).toBe("NotAllowed")
      expect(await run(() => kindOf("file:///etc/passwd"))).toBe("NotAllowed")
      expect(await run((url) => kindOf(url.replace("//", "//user:pass@")))).toBe("NotAllowed")
    })

    it("refuses invalid requests, and requests with credentials", async () => {
      expect(await run(() => kindOf("example.com"))).toBe("InvalidRequest")
      for (
        const headers of [{ authorization: "Bearer x" }, { Cookie: "a=b" }, { host: "x" }, { "x\n": "y" }, {
          x: "y\r\nz: 1",
        }]
      ) {
        expect(await run((url) => kindOf(`${url}/hello`, { headers }))).toBe("InvalidRequest")
      }
      expect(await run((url) => kindOf(url, { method: "GET / HTTP/1.1" }))).toBe("InvalidRequest")
    })

    it("fails if nothing responds", async () => {
      expect(await run(() => kindOf("http://127.0.0.1:1/"))).toBe("Unreachable")
      expect(await run((url) => kindOf(`${url}/cut`))).toBe("Unreachable")
    })
  })
}
