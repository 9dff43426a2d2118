/** An app of an edge isolate that keeps its files in S3. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Files } from "../../../../src/leaves/files/mod.ts"
import { S3FileSystem } from "../../../../src/leaves/s3/mod.ts"

const Order = Schema.Struct({ endpoint: Schema.String, size: Schema.Int })
const decode = Schema.decodeUnknownSync(Order)

export default {
  fetch: async (request: Request): Promise<Response> => {
    if (request.method === "GET") return new Response("up")
    const { endpoint, size } = decode(await request.json())
    const program = Effect.gen(function* () {
      yield* Files.write("a/new", "hello", { createMode: "CreateNew" })
      const twice = yield* Effect.flip(Files.write("a/new", "again", { createMode: "CreateNew" }))
      yield* Files.write("a/large", new Uint8Array(size).fill(7))
      const large = yield* Files.read("a/large", { maxBytes: Infinity })
      const names = yield* Stream.runCollect(Files.list("", { recursive: true }))
      return {
        text: yield* Files.readText("a/new"),
        twice: twice.faultKind,
        large: large.length === size && large.every((byte) => byte === 7),
        names: names.map(({ path }) => path),
        deleted: (yield* Files.delete("a", { recursive: true })).deletedCount,
      }
    })
    const layer = S3FileSystem.layer({
      bucket: "bucket",
      region: "eu-central-1",
      endpoint,
      credentials: {
        accessKeyId: "AKIAIOSFODNN7EXAMPLE",
        secretAccessKey: Redacted.make("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
      },
    })
    const outcome = Effect.match(Effect.provide(program, layer), {
      onFailure: (error) => ({ failure: String(error) }),
      onSuccess: (result) => result,
    })
    return Response.json({
      ...await Effect.runPromise(outcome),
      hosts: ["Deno", "Bun"].filter((name) => name in globalThis),
    })
  },
}
