/** Reads a file whole, or in chunks if it is large. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { emptyBytes } from "../../base/bytes.ts"
import type { FileEvent } from "../../files/FileEvent.ts"
import type { FileRead } from "../../files/FileRequest.ts"
import type { BackendError, FileBackend, Names, OpenedFile } from "./FileBackend.ts"
import type { LeafFilesSettings } from "./LeafFilesOptions.ts"

/** Reads a range whole: a read may give less than was asked for. */
const readFully = (file: OpenedFile, from: number, to: number): Effect.Effect<Uint8Array, BackendError> =>
  to <= from ? Effect.succeed(emptyBytes) : Effect.gen(function* () {
    const first = yield* file.read(from, to - from)
    if (first.length === to - from || first.length === 0) return first
    const whole = new Uint8Array(to - from)
    whole.set(first)
    let at = first.length
    for (;;) {
      const more = yield* file.read(from + at, to - from - at)
      if (more.length === 0) return whole.subarray(0, at)
      whole.set(more, at)
      at += more.length
      if (at === whole.length) return whole
    }
  })

const chunks = (
  { correlationId }: FileRead,
  chunkSize: number,
  file: OpenedFile,
  from: number,
  to: number,
): Stream.Stream<FileEvent, BackendError> =>
  Stream.paginate(
    from,
    (offset) =>
      Effect.map(file.read(offset, Math.min(chunkSize, to - offset)), (data) => {
        const next = offset + data.length
        // A file that shrank meanwhile ends early.
        const isFinal = next >= to || data.length === 0
        const chunk: FileEvent = { _tag: "FileContentChunk", correlationId, offset, data, isFinal }
        return [[chunk], isFinal ? Option.none() : Option.some(next)] as const
      }),
  )

export const readFile = (
  backend: FileBackend,
  { chunkSize, streamingThreshold }: LeafFilesSettings,
  request: FileRead,
  names: Names,
  maxEventBytes = 0,
): Stream.Stream<FileEvent, BackendError> =>
  Stream.unwrap(Effect.gen(function* () {
    const { correlationId } = request
    const { length = Infinity, offset = 0 } = request
    const file = yield* backend.open(names, { offset, length })
    // Files of /proc do not say how large they are.
    if (file.size === 0 && (yield* file.read(offset, 1)).length > 0) {
      return chunks(request, chunkSize, file, offset, offset + length)
    }
    const from = Math.min(offset, file.size)
    const to = Math.min(from + length, file.size)
    if (to - from > Math.max(streamingThreshold, maxEventBytes)) return chunks(request, chunkSize, file, from, to)
    const content = yield* readFully(file, from, to)
    const isPartial = content.length < file.size
    return Stream.make({ _tag: "FileContent" as const, correlationId, content, totalSize: file.size, isPartial })
  }))
