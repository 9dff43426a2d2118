/** Makes the entity tag of a file from its metadata, and decides conditional requests (RFC 9110, sections 8.8 and 13). */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { HonoRequest } from "hono"
import type { FileMetadata } from "../../files/FileEvent.ts"
import type { FileFault } from "../../files/FileFault.ts"
import { FileStat } from "../../files/FileRequest.ts"
import type { FilesService } from "../../files/FilesService.ts"

/**
 * Two changes within this time may result in the same modification time: clocks of file systems tick every 1 to 10 ms.
 */
const tickMillis = 20

/** Maximum number of checks of a file that keeps changing. */
const maxLooks = 5

export interface Validators {
  readonly etag: string
  readonly lastModified: string
}

export const statFile = (
  files: FilesService,
  path: string,
  correlationId: string,
): Effect.Effect<FileMetadata, FileFault> =>
  files.request(FileStat.make({ correlationId, path })).pipe(
    Stream.runHead,
    Effect.flatMap((event) =>
      Option.isSome(event) && event.value._tag === "FileMetadata"
        ? Effect.succeed(event.value)
        : Effect.die(new Error("files: FileStat was answered without FileMetadata"))
    ),
  )

/** The tag of a file, without the mark of a weak tag. A replaced file also has a different creation time. */
export const opaqueTag = ({ created = 0, modified, size }: FileMetadata): string =>
  `"${[size, modified, created].map((part) => part.toString(36)).join("-")}"`

/**
 * The metadata of a file whose last change is older than a tick of the clock, so that any later change results in a
 * different tag. Sleeps until then: at most 20 ms for each of five checks. A file that changes all the time, or whose
 * times are in the future, has a weak tag.
 */
export const settledStat = (
  files: FilesService,
  path: string,
  correlationId: string,
): Effect.Effect<readonly [FileMetadata, Validators], FileFault> =>
  Effect.gen(function* () {
    for (let look = 1;; look++) {
      const metadata = yield* statFile(files, path, correlationId)
      const age = (yield* Clock.currentTimeMillis) - metadata.modified
      if (age >= 0 && age < tickMillis && look < maxLooks) {
        yield* Effect.sleep(tickMillis - age)
        continue
      }
      const lastModified = new Date(metadata.modified).toUTCString()
      return [metadata, { etag: `${age < tickMillis ? "W/" : ""}${opaqueTag(metadata)}`, lastModified }]
    }
  })

/** The tags of a header; `"*"` for any. */
export const parseTags = (header: string | undefined): ReadonlyArray<string> | "*" | undefined =>
  header === undefined ? undefined : header.trim() === "*" ? "*" : header.match(/(?:W\/)?"[^"]*"/g) ?? []

/** Compares tags strongly: weak ones are never the same. */
export const hasStrongTag = (tags: ReadonlyArray<string> | "*", etag: string): boolean =>
  tags === "*" || (!etag.startsWith("W/") && tags.includes(etag))

const withoutMark = (tag: string): string => tag.replace(/^W\//, "")

const secondsOf = (date: string | undefined): number => Math.floor(Date.parse(date ?? "") / 1000)

/** The answer that the preconditions of a read require: 304, 412, or `undefined` for the file itself. */
export const checkRead = (request: HonoRequest, { etag, lastModified }: Validators): 304 | 412 | undefined => {
  const modified = secondsOf(lastModified)
  const match = parseTags(request.header("if-match"))
  if (match !== undefined) {
    if (!hasStrongTag(match, etag)) return 412
  } else if (modified > secondsOf(request.header("if-unmodified-since"))) return 412
  const none = parseTags(request.header("if-none-match"))
  if (none !== undefined) return none === "*" || none.map(withoutMark).includes(withoutMark(etag)) ? 304 : undefined
  return modified <= secondsOf(request.header("if-modified-since")) ? 304 : undefined
}

/** Whether a range may be taken from this version of the file: `If-Range` names it, or is missing. */
export const isRangeCurrent = (request: HonoRequest, { etag, lastModified }: Validators): boolean => {
  const header = request.header("if-range")?.trim()
  if (header === undefined) return true
  // A date is not a strong validator: the file may change twice within that second.
  return header.includes('"') ? hasStrongTag([header], etag) : header === lastModified && !etag.startsWith("W/")
}
