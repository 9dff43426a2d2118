/**
 * Makes the remote leaf of the FileSystem branch, as a service or a layer: files of an execution server, over HTTP.
 *
 * @module
 */
import type * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { type OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import { FileDeleted, type FileEvent, FileMetadata } from "../../files/FileEvent.ts"
import type { FileFault } from "../../files/FileFault.ts"
import type { FileRequest } from "../../files/FileRequest.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { resolveTokenOption } from "../../secrets/readReference.ts"
import { type FileClient, makeFileClient } from "./FileClient.ts"
import { listRemoteFolder } from "./listRemoteFolder.ts"
import { readRemoteFile } from "./readRemoteFile.ts"
import { fileSystemOptionNames, type RemoteFileSystemOptions } from "./RemoteFileSystemOptions.ts"
import { writeRemoteFile } from "./writeRemoteFile.ts"

export type { RemoteFileSystemOptions } from "./RemoteFileSystemOptions.ts"

const answer = (
  client: FileClient,
  request: FileRequest,
  content: Stream.Stream<Uint8Array, unknown> | undefined,
): Stream.Stream<FileEvent, FileFault> => {
  const path = client.pathOf(request)
  if (Result.isFailure(path)) return Stream.fail(path.failure)
  const { success } = path
  const { correlationId } = request
  switch (request._tag) {
    case "FileRead":
      return readRemoteFile(client, request, success)
    case "FileWrite":
      return request.chunked === true && content === undefined
        ? Stream.fail(client.malformed(request, "it is chunked, and no content came with it"))
        : Stream.fromEffect(writeRemoteFile(client, request, success, content ?? Stream.make(request.content)))
    case "FileList":
      return listRemoteFolder(client, request, success)
    case "FileDelete": {
      const query = { recursive: request.recursive === true ? true : undefined }
      // Not repeated after a lost connection: a second deletion would report that the file is missing.
      return Stream.fromEffect(
        client.sendAndDecode(request, FileDeleted, { method: "DELETE", path: success, query }).pipe(
          client.repeatRefused,
          Effect.map((deleted) => ({ ...deleted, correlationId, path: request.path })),
          Effect.mapError((failure) => client.faultOf(request, failure)),
        ),
      )
    }
    case "FileStat":
      return Stream.fromEffect(
        client.repeat(
          client.sendAndDecode(request, FileMetadata, { method: "GET", path: success, query: { stat: true } }),
        )
          .pipe(
            Effect.map((metadata) => ({ ...metadata, correlationId })),
            Effect.mapError((failure) => client.faultOf(request, failure)),
          ),
      )
  }
}

/**
 * Makes the file system of an execution server: `sluice serve --files`, or `fileRoutes` in an app.
 *
 * - Faults come from the server's leaf. A server that cannot be reached for the `reconnectTimeout`, or does not follow
 *   the protocol, is `IoError`; a token that it refuses is `AccessDenied`.
 * - A read whose connection breaks resumes at the byte where it broke if the file is still the same; otherwise it fails.
 * - A write of more than 1 MiB is an upload in parts: after a lost connection it resumes at the server's offset. The
 *   file becomes visible only when the upload is complete, and an interrupted upload is undone.
 * - A deletion and a small write that creates or appends are not repeated after a lost connection: their fault says that
 *   they may have taken effect.
 * - Answers are bounded in size and time; a path of a listing that leads out of its folder is refused.
 *
 * Fails with an `OptionError` if an option is unknown or not a duration.
 *
 * @stability experimental
 */
export const make = (options: RemoteFileSystemOptions): Effect.Effect<FilesService, OptionError> =>
  Effect.flatMap(resolveTokenOption("RemoteFileSystem", options), (resolved) =>
    attemptOptions((): FilesService => {
      refuseUnknownOptions("RemoteFileSystem", resolved, fileSystemOptionNames)
      const { capabilities, reconnectTimeout, ...clientOptions } = resolved
      const client = makeFileClient(clientOptions, reconnectTimeout)
      return {
        request: (request, { content } = {}) => Stream.suspend(() => answer(client, request, content)),
        capabilities: { leaf: "remote", containment: "verify", caseSensitive: true, ...capabilities },
      }
    }))

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { fileRoutes } from "@sluice/shell/http"
 * import { RemoteFileSystem } from "@sluice/shell/remote"
 * import { Effect } from "effect"
 *
 * await using server = fileRoutes({ layer: MemoryFileSystem.layer, token: "s3cret" })
 * const remote = RemoteFileSystem.layer({
 *   url: "http://localhost/",
 *   token: "s3cret",
 *   fetch: async (request) => await server.fetch(request),   // omit to use the network
 * })
 * const program = Effect.andThen(Files.write("a/b.txt", "hello"), Files.readText("a/b.txt"))
 * console.log(await Effect.runPromise(Effect.provide(program, remote))) // hello
 * ```
 *
 * @stability experimental
 */
export const layer = (options: RemoteFileSystemOptions): Layer.Layer<Files, OptionError> =>
  Layer.effect(Files, make(options))

/**
 * The remote file system with options from `Config`. Default: `SLUICE_URL`, and `SLUICE_TOKEN` if it is set.
 *
 * @example
 * ```ts
 * import { Files } from "@sluice/shell/files"
 * import { RemoteFileSystem } from "@sluice/shell/remote"
 * import { ConfigProvider, Effect } from "effect"
 *
 * const provider = ConfigProvider.fromUnknown({ SLUICE_URL: "https://build.example/", SLUICE_TOKEN: "s3cret" })
 * const leaf = Effect.gen(function* () {
 *   return (yield* Files).capabilities.leaf
 * }).pipe(
 *   Effect.provide(RemoteFileSystem.layerConfig()),
 *   Effect.provideService(ConfigProvider.ConfigProvider, provider),
 * )
 * console.log(await Effect.runPromise(leaf)) // remote
 * ```
 *
 * @stability experimental
 */
export const layerConfig = (
  config?: Config.Config<RemoteFileSystemOptions>,
): Layer.Layer<Files, Config.ConfigError | OptionError> =>
  Layer.unwrap(Effect.gen(function* () {
    // Imported on demand, as by the other leaves: `Config` takes long to load.
    const options = config ?? (yield* Effect.promise(() => import("./RemoteShellConfig.ts"))).remoteConfig
    return layer(yield* options)
  }))
