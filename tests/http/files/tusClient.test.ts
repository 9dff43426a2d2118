/** The client of the draft's authors sends a file, and resumes it. */
import * as Effect from "effect/Effect"
import { Upload } from "tus-js-client"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { fileServer, token } from "../../leaves/remote/filesSupport.ts"

/** Bytes that the server is sent before the connection is cut. */
const cutAt = 2_500_000

it("accepts an upload of tus-js-client whose connection is cut halfway", () =>
  Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    // The connection is cut half way through a part, once.
    let received = 0
    const { root, url } = yield* fileServer({
      intercept: (data, { client, server }) => {
        const before = received
        received += data.length
        if (before >= cutAt || received < cutAt) return false
        client.destroy()
        server.destroy()
        return true
      },
    })
    const content = Buffer.from(new Uint8Array(5_000_000).map((_, index) => index * 7 + (index >> 9)))
    const requests: Array<string> = []
    yield* Effect.promise(() =>
      new Promise<void>((resolve, reject) => {
        const upload = new Upload(content, {
          endpoint: `${url}files/dir/large`,
          // Its types do not know it yet.
          ...{ protocol: "ietf-draft-05" },
          chunkSize: 1_000_000,
          retryDelays: [10, 100, 1_000],
          headers: { authorization: `Bearer ${token}` },
          onAfterResponse: (request, response) => {
            requests.push(`${request.getMethod()} ${response.getStatus()}`)
          },
          onError: reject,
          onSuccess: () => resolve(),
        })
        upload.start()
      })
    )
    expect(readFileSync(join(root, "dir/large")).equals(content)).toBe(true)
    expect(readdirSync(join(root, "dir"))).toEqual(["large"])
    // The last part is answered as the write itself.
    expect([requests[0], requests.at(-1)]).toEqual(["POST 201", "PATCH 201"])
    expect(requests).toContain("HEAD 204")
  }))))
