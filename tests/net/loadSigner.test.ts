/** Signing against the examples that AWS publishes, and against the tests' own reading of its description. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { loadSigner } from "../../src/net/loadSigner.ts"
import { checkSignature, sha256 } from "../leaves/s3/signature.ts"

// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: Redacted.make("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
}
const at = Date.UTC(2013, 4, 24)
const bucket = "https://examplebucket.s3.amazonaws.com"

interface Example {
  readonly title: string
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  readonly signature: string
}

const examples: ReadonlyArray<Example> = [
  {
    title: "a range of an object",
    request: { method: "GET", url: `${bucket}/test.txt`, headers: { range: "bytes=0-9" }, body: "" },
    signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  },
  {
    title: "an object that is put, with a key that is percent-encoded",
    request: {
      method: "PUT",
      url: `${bucket}/test%24file.text`,
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      body: "Welcome to Amazon S3.",
    },
    signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  },
  {
    title: "a query without a value",
    request: { method: "GET", url: `${bucket}/?lifecycle=`, headers: {}, body: "" },
    signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  },
  {
    title: "a listing",
    request: { method: "GET", url: `${bucket}/?max-keys=2&prefix=J`, headers: {}, body: "" },
    signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  },
]

for (const { request, signature, title } of examples) {
  it.effect(`signs as AWS's example does: ${title}`, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(at)
      const sign = yield* loadSigner("S3FileSystem", "s3", "us-east-1")
      const { headers: unsigned, method, url } = request
      const headers = yield* sign({ method, url, headers: unsigned, bodyHash: sha256(request.body) }, credentials)
      expect(headers.get("authorization")).toMatch(new RegExp(`Signature=${signature}$`))
      const wire = {
        method: request.method,
        url: new URL(request.url),
        headers,
        body: new TextEncoder().encode(request.body),
      }
      const keys = {
        ...credentials,
        secretAccessKey: Redacted.value(credentials.secretAccessKey),
        region: "us-east-1",
      }
      expect(checkSignature(wire, keys, at)).toBe(undefined)
      expect(checkSignature({ ...wire, method: "DELETE" }, keys, at)).toBe("SignatureDoesNotMatch")
      expect(checkSignature(wire, keys, at + 3_600_000)).toBe("RequestTimeTooSkewed")
    }))
}
