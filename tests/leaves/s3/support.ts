/** The leaf on a strict service of the tests. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Files } from "../../../src/leaves/files/mod.ts"
import { S3FileSystem } from "../../../src/leaves/s3/mod.ts"
import { StrictS3, type StrictS3Options } from "./StrictS3.ts"

export const keys = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "eu-central-1",
}

export const mebibyte = 1024 * 1024

export interface TestOptions extends Partial<StrictS3Options> {
  readonly leaf?: Partial<S3FileSystem.S3FileSystemOptions>
}

/** A service, and the layer of a leaf on it. */
export const strictS3 = ({ leaf, ...options }: TestOptions = {}) => {
  const service = new StrictS3({ keys, ...options })
  const layer = S3FileSystem.layer({
    bucket: "bucket",
    region: keys.region,
    endpoint: "https://s3.test",
    credentials: { accessKeyId: keys.accessKeyId, secretAccessKey: Redacted.make(keys.secretAccessKey) },
    fetch: service.fetch,
    partSize: 5 * mebibyte,
    ...leaf,
  })
  const run = <A, E>(effect: Effect.Effect<A, E, Files>): Promise<A> => Effect.runPromise(Effect.provide(effect, layer))
  return { service, layer, run }
}

export const random = (size: number): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(size)
  for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, Math.min(size, at + 65_536)))
  return bytes
}
