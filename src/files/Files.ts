/**
 * The `Files` service, and operators that read and change files on the file system of the context.
 *
 * Not Effect's `FileSystem`, whose paths are the machine's: here every path is below one root, every failure has one of
 * eleven kinds on every leaf, a write becomes visible as a whole or not at all, and each operation is a request that
 * can be journaled, sent and replayed.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { defined } from "../base/defined.ts"
import { requestOne } from "../branch/requestOne.ts"
import type { RequestContent } from "../branch/ServiceBranch.ts"
import { concatBytes, emptyBytes, encodeUtf8 } from "../base/bytes.ts"
import { CorrelationId } from "./CorrelationId.ts"
import type { FileDeleted, FileEvent, FileListingEntry, FileMetadata, FileWritten } from "./FileEvent.ts"
import { FileFault } from "./FileFault.ts"
import { checkRequest, fieldFault, isByteCount } from "./checkRequest.ts"
import type { CreateMode, FileRead, FileRequest, FileWrite } from "./FileRequest.ts"
import type { FilesService } from "./FilesService.ts"

/** The range of a file that is read. */
export interface ReadOptions {
  /** First byte to read. Default: 0. */
  readonly offset?: number | undefined
  /** Maximum number of bytes to read. Default: to the end. */
  readonly length?: number | undefined
}

/** Options of {@link Files.read} and {@link Files.readText}. */
export interface ReadWholeOptions extends ReadOptions {
  /** Maximum bytes that are held in memory; a larger file fails with `IoError`. Default: 64 MiB. */
  readonly maxBytes?: number | undefined
}

/** Options of {@link Files.write}. */
export interface WriteOptions {
  /** Whether the file must exist, or must not. Default: `"CreateOrReplace"`. */
  readonly createMode?: CreateMode | undefined
  /** Permission bits (`0o755`), where the file system has any. Default: the replaced file's. */
  readonly permissions?: number | undefined
}

/** Options of {@link Files.list}. */
export interface ListOptions {
  /** A glob that paths below the folder must match, such as `*.ts` or `src/**`. Default: all. */
  readonly pattern?: string | undefined
  /** Whether to enter folders below it. Links to folders are not entered. Default: `false`. */
  readonly recursive?: boolean | undefined
}

const defaultMaxBytes = 64 * 1024 * 1024

/** Maximum bytes that one call can read on every runtime. */
const maxEventBytes = 1024 ** 3

const Base: Context.ServiceClass<Files, "@sluice/shell/Files", FilesService> = Context.Service<Files, FilesService>()(
  "@sluice/shell/Files",
)

/**
 * The single event of a request. The request is made when the effect runs: repeating the effect makes another request,
 * with another id.
 */
const one = <Tag extends FileEvent["_tag"]>(
  makeRequest: () => FileRequest,
  tag: Tag,
  options?: RequestContent,
): Effect.Effect<Extract<FileEvent, { _tag: Tag }>, FileFault, Files> => {
  const isWanted = (event: FileEvent): event is Extract<FileEvent, { _tag: Tag }> => event._tag === tag
  return Effect.flatMap(Files, (files) => {
    const request = makeRequest()
    const wrong = checkRequest(request)
    return wrong === undefined
      ? Effect.flatMap(
        requestOne(files, request, options),
        (event) =>
          isWanted(event)
            ? Effect.succeed(event)
            : Effect.die(new Error(`files: ${request._tag} was answered with ${event._tag}, not with ${tag}`)),
      )
      : Effect.fail(wrong)
  })
}

const bytesOf = (event: FileEvent): Uint8Array =>
  event._tag === "FileContent" ? event.content : event._tag === "FileContentChunk" ? event.data : emptyBytes

const readRequest = (path: string, { length, offset }: ReadOptions): FileRead => ({
  _tag: "FileRead",
  correlationId: CorrelationId.make(),
  path,
  ...defined({ offset, length }),
})

/**
 * Reads and changes files below one root. The layer decides where: a folder of this machine (`LocalFileSystem`), memory, a
 * sandbox, another machine.
 *
 * @example
 * ```ts
 * import { Files, MemoryFileSystem } from "@sluice/shell/files"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Files.write("notes/today.txt", "buy milk\n")
 *   return yield* Files.readText("notes/today.txt")
 * })
 * console.log(await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))) // buy milk
 * ```
 */
export class Files extends Base {
  /**
   * Answers one request on the file system of the context: see {@link FilesService.request}. A field out of its range
   * fails with `IoError` and the code `EINVAL`, as in all operators.
   */
  static request(request: FileRequest, options?: RequestContent): Stream.Stream<FileEvent, FileFault, Files> {
    return Stream.unwrap(Effect.map(Files, (files) => {
      const wrong = checkRequest(request)
      return wrong === undefined ? files.request(request, options) : Stream.fail(wrong)
    }))
  }
  /**
   * The bytes of a file, read as the stream is pulled.
   *
   * @example
   * ```ts
   * import { Files, MemoryFileSystem } from "@sluice/shell/files"
   * import { Effect, Stream } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   yield* Files.write("data.bin", new Uint8Array(100_000))
   *   return yield* Files.stream("data.bin", { offset: 99_990 }).pipe(Stream.runCollect)
   * })
   * const [last] = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
   * console.log(last?.length) // 10
   * ```
   */
  static stream(path: string, options: ReadOptions = {}): Stream.Stream<Uint8Array, FileFault, Files> {
    return Stream.suspend(() => Files.request(readRequest(path, options))).pipe(
      Stream.map(bytesOf),
      Stream.filter((bytes) => bytes.length > 0),
    )
  }

  /** The bytes of a file, or of a range of it. */
  static read(path: string, options: ReadWholeOptions = {}): Effect.Effect<Uint8Array, FileFault, Files> {
    const { maxBytes = defaultMaxBytes } = options
    return Effect.flatMap(Files, (files) => {
      const request = readRequest(path, options)
      const wrong = isByteCount(maxBytes) || maxBytes === Infinity
        ? checkRequest(request)
        : fieldFault(request, "maxBytes", maxBytes, "a whole number from 0, or Infinity")
      if (wrong !== undefined) return Effect.fail(wrong)
      const parts: Array<Uint8Array> = []
      let length = 0
      return files.request(request, { maxEventBytes: Math.min(maxBytes, maxEventBytes) }).pipe(
        Stream.runForEachArray((events) => {
          for (const event of events) {
            const bytes = bytesOf(event)
            length += bytes.length
            parts.push(bytes)
          }
          return length > maxBytes ? Effect.fail(tooLarge(path, maxBytes)) : Effect.void
        }),
        Effect.map(() => parts.length === 1 && parts[0] !== undefined ? parts[0] : concatBytes(parts, length)),
      )
    })
  }

  /** The text of a file, decoded as UTF-8; invalid bytes become U+FFFD. */
  static readText(path: string, options?: ReadWholeOptions): Effect.Effect<string, FileFault, Files> {
    return Effect.map(Files.read(path, options), (bytes) => new TextDecoder().decode(bytes))
  }

  /**
   * Writes a file: text as UTF-8, bytes, or a stream of bytes. A replaced file has either its old content or the whole
   * new content, whatever happens meanwhile.
   *
   * @example
   * ```ts
   * import { Files, MemoryFileSystem } from "@sluice/shell/files"
   * import { Effect } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   yield* Files.write("log.txt", "one\n")
   *   yield* Files.write("log.txt", "two\n", { createMode: "CreateOrAppend" })
   *   return yield* Files.write("log.txt", "three\n", { createMode: "CreateNew" }).pipe(Effect.flip)
   * })
   * const fault = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
   * console.log(fault.faultKind) // AlreadyExists
   * ```
   */
  static write(
    path: string,
    content: string | Uint8Array | Stream.Stream<Uint8Array, unknown>,
    { createMode = "CreateOrReplace", permissions }: WriteOptions = {},
  ): Effect.Effect<FileWritten, FileFault, Files> {
    const request = (content: Uint8Array): FileWrite => ({
      _tag: "FileWrite",
      correlationId: CorrelationId.make(),
      path,
      content,
      createMode,
      ...defined({ permissions }),
    })
    if (Stream.isStream(content)) {
      return one(() => ({ ...request(emptyBytes), chunked: true }), "FileWritten", { content })
    }
    const bytes = typeof content === "string" ? encodeUtf8(content) : content
    return one(() => request(bytes), "FileWritten")
  }

  /**
   * The entries of a folder, in the order of their paths.
   *
   * @example
   * ```ts
   * import { Files, MemoryFileSystem } from "@sluice/shell/files"
   * import { Effect, Stream } from "effect"
   *
   * const program = Effect.gen(function* () {
   *   yield* Files.write("src/a.ts", "")
   *   yield* Files.write("src/lib/b.ts", "")
   *   return yield* Files.list("src", { recursive: true, pattern: "**\/*.ts" }).pipe(Stream.runCollect)
   * })
   * const entries = await Effect.runPromise(Effect.provide(program, MemoryFileSystem.layer))
   * console.log(entries.map(({ path }) => path).join()) // a.ts,lib/b.ts
   * ```
   */
  static list(path: string, options: ListOptions = {}): Stream.Stream<FileListingEntry, FileFault, Files> {
    const { pattern, recursive } = options
    const request = Stream.suspend(() =>
      Files.request({
        _tag: "FileList",
        correlationId: CorrelationId.make(),
        path,
        ...defined({ pattern, recursive }),
      })
    )
    return request.pipe(
      Stream.map((event) => "entries" in event ? event.entries : []),
      Stream.flattenIterable,
    )
  }

  /** Deletes a file, a link or a folder: an empty one, or with `recursive` all that is in it. */
  static delete(
    path: string,
    { recursive }: { readonly recursive?: boolean | undefined } = {},
  ): Effect.Effect<FileDeleted, FileFault, Files> {
    return one(() => ({
      _tag: "FileDelete",
      correlationId: CorrelationId.make(),
      path,
      ...defined({ recursive }),
    }), "FileDeleted")
  }

  /** The size, times and type of a file or a folder. */
  static stat(path: string): Effect.Effect<FileMetadata, FileFault, Files> {
    return one(() => ({ _tag: "FileStat", correlationId: CorrelationId.make(), path }), "FileMetadata")
  }

  /** Whether there is a file or a folder at a path. */
  static exists(path: string): Effect.Effect<boolean, FileFault, Files> {
    return Files.stat(path).pipe(
      Effect.as(true),
      Effect.catchIf(
        ({ faultKind }) => faultKind === "NotFound" || faultKind === "NotADirectory",
        () => Effect.succeed(false),
      ),
    )
  }
}

const tooLarge = (path: string, maxBytes: number): FileFault =>
  new FileFault({
    correlationId: CorrelationId.make(),
    faultKind: "IoError",
    path,
    message: `read ${path}: it has more than ${maxBytes} bytes; read a range of it, or raise maxBytes (EFBIG)`,
    code: "EFBIG",
  })
