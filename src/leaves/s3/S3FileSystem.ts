/**
 * Makes the S3 leaf of the FileSystem branch, as a service or a layer: files below a prefix of a bucket, on every runtime
 * that has `fetch` and Web Crypto, edge isolates included.
 *
 * @module
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { optionalConfig } from "../../base/optionalConfig.ts"
import { attemptOptions } from "../../base/attemptOptions.ts"
import type { OptionError } from "../../base/OptionError.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { makeFiles } from "../files/makeFiles.ts"
import { makeS3Client } from "./S3Client.ts"
import { resolveS3Options, type S3FileSystemOptions } from "./S3FileSystemOptions.ts"
import { makeS3Objects } from "./S3Objects.ts"
import { s3Backend } from "./s3Backend.ts"
import { loadSigner } from "../../net/loadSigner.ts"

export type { S3Credentials, S3FileSystemOptions } from "./S3FileSystemOptions.ts"

/**
 * Makes the file system of a bucket, or of a folder in it. Requests are signed by npm `aws4fetch`, which you install.
 *
 * - A write replaces an object in one step. `CreateNew` is a conditional write: one of many writers creates the file. A
 *   service that ignores conditions is detected (`conditionalWrites`).
 * - Content above `partSize` is a multipart upload in bounded memory; one that fails or is interrupted is aborted.
 * - Appending replaces the object, if it is still the same one: small ones are rewritten, large ones copied by the service.
 * - A folder is a prefix. A folder whose last file is deleted stays, as an empty object whose key ends in a slash.
 *   Permissions and links do not exist.
 * - Requests that a busy service refuses, or whose connection breaks, are repeated, with growing and random delays. A fault
 *   has the code of S3 and the id of the request.
 */
export const make = (options: S3FileSystemOptions): Effect.Effect<FilesService, OptionError> =>
  Effect.flatMap(
    attemptOptions(() => resolveS3Options(options)),
    (settings) =>
      Effect.map(loadSigner("S3FileSystem", "s3", settings.region), (sign) => {
        const client = makeS3Client(settings, sign)
        return makeFiles(s3Backend(client, makeS3Objects(client, settings.bucket), settings), settings.files)
      }),
  )

/**
 * {@link make} as a layer. Fails with an `OptionError` for an option that is unknown or out of its range, and if `aws4fetch` is
 * not installed.
 *
 * @example
 * ```ts
 * import { Files } from "@sluice/shell/files"
 * import { S3FileSystem } from "@sluice/shell/s3"
 * import { Effect, Redacted } from "effect"
 *
 * const layer = S3FileSystem.layer({
 *   bucket: "reports",
 *   endpoint: "https://account.r2.cloudflarestorage.com",
 *   region: "auto",
 *   credentials: { accessKeyId: "id", secretAccessKey: Redacted.make("s3cret") },
 *   fetch: () => Promise.resolve(new Response(null, { status: 404 })),   // omit to use the network
 * })
 * const fault = await Effect.runPromise(Effect.flip(Effect.provide(Files.read("today.csv"), layer)))
 * console.log(fault._tag) // FileFault
 * ```
 */
export const layer = (options: S3FileSystemOptions): Layer.Layer<Files, OptionError> =>
  Layer.effect(Files, make(options))

const s3Config: Config.Config<S3FileSystemOptions> = Config.all({
  bucket: Config.String("SLUICE_S3_BUCKET"),
  prefix: optionalConfig(Config.String("SLUICE_S3_PREFIX")),
  region: optionalConfig(Config.String("AWS_REGION")),
  endpoint: optionalConfig(Config.String("AWS_ENDPOINT_URL_S3")),
  credentials: Config.all({
    accessKeyId: Config.String("AWS_ACCESS_KEY_ID"),
    secretAccessKey: Config.Redacted("AWS_SECRET_ACCESS_KEY"),
    sessionToken: optionalConfig(Config.Redacted("AWS_SESSION_TOKEN")),
  }),
})

/**
 * The S3 file system with options from `Config`. Default: `SLUICE_S3_BUCKET`, `SLUICE_S3_PREFIX`, and AWS's own variables
 * `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` and `AWS_ENDPOINT_URL_S3`.
 *
 * @example
 * ```ts
 * import { Files } from "@sluice/shell/files"
 * import { S3FileSystem } from "@sluice/shell/s3"
 * import { ConfigProvider, Effect } from "effect"
 *
 * const provider = ConfigProvider.fromUnknown({
 *   SLUICE_S3_BUCKET: "reports",
 *   AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
 *   AWS_SECRET_ACCESS_KEY: "s3cret",
 * })
 * const leaf = Effect.gen(function* () {
 *   return (yield* Files).capabilities.leaf
 * }).pipe(
 *   Effect.provide(S3FileSystem.layerConfig()),
 *   Effect.provideService(ConfigProvider.ConfigProvider, provider),
 * )
 * console.log(await Effect.runPromise(leaf)) // s3
 * ```
 */
export const layerConfig = (
  config: Config.Config<S3FileSystemOptions> = s3Config,
): Layer.Layer<Files, Config.ConfigError | OptionError> => Layer.unwrap(Effect.map(config, layer))
