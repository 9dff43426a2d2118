/** Finds the paths of a call that lead through a link, by asking a file system for each folder on their way. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { parsePath } from "../files/FilePath.ts"
import { FileList, FileStat } from "../files/FileRequest.ts"
import type { FilesService } from "../files/FilesService.ts"
import type { CallPart } from "./ApprovalRule.ts"

/** Number of paths that are checked concurrently. */
const concurrency = 16

const lookAt = (files: FilesService, path: string, correlationId: string): Effect.Effect<"link" | "none" | "missing"> =>
  Stream.runHead(files.request(FileStat.make({ correlationId, path }))).pipe(
    Effect.map((event) =>
      Option.isSome(event) && "isSymlink" in event.value && !event.value.isSymlink ? "none" as const : "link" as const
    ),
    // A path that cannot be checked may be a link: the leaf refuses one that leads out of the root.
    Effect.catch(({ faultKind }) =>
      Effect.succeed(faultKind === "NotFound" || faultKind === "NotADirectory" ? "missing" as const : "link" as const)
    ),
  )

/** The names of the links in a folder; `undefined` where it cannot be listed. */
const listLinks = (
  files: FilesService,
  path: string,
  correlationId: string,
): Effect.Effect<ReadonlySet<string> | undefined> =>
  files.request(FileList.make({ correlationId, path })).pipe(
    Stream.map((event) => "entries" in event ? event.entries : []),
    Stream.flattenIterable,
    Stream.filter(({ isSymlink }) => isSymlink),
    Stream.runFold(() => new Set<string>(), (names, entry) => names.add(entry.path)),
    Effect.orElseSucceed(() => undefined),
  )

/** The parts of a call, with paths through a link marked. Only parts for which this matters are checked. */
export const markLinks = (
  files: FilesService,
  id: string,
  parts: ReadonlyArray<CallPart>,
  counts: (part: CallPart) => boolean,
): Effect.Effect<ReadonlyArray<CallPart>> =>
  Effect.suspend(() => {
    /** Results so far: the files of a patch share their folders. */
    const found = new Map<string, "link" | "none" | "missing">()
    /** Links in a folder. A dangling link looks missing when it is followed. Our leaves never write through one; others may. */
    const links = new Map<string, ReadonlySet<string>>()
    const isDangling = (folder: string, name: string): Effect.Effect<boolean> =>
      Effect.gen(function* () {
        const known = links.get(folder) ?? (yield* listLinks(files, folder, `${id}/${found.size + links.size + 1}`))
        if (known === undefined) return true
        links.set(folder, known)
        return known.has(name)
      })
    const leadsThroughLink = (path: string): Effect.Effect<boolean> =>
      Effect.gen(function* () {
        const names = Result.getOrElse(parsePath(path), () => [])
        for (let length = 1; length <= names.length; length++) {
          const folder = names.slice(0, length).join("/")
          const seen = found.get(folder) ?? (yield* lookAt(files, folder, `${id}/${found.size + links.size + 1}`))
          found.set(folder, seen)
          if (seen === "missing") {
            return yield* isDangling(names.slice(0, length - 1).join("/"), names[length - 1] ?? "")
          }
          if (seen === "link") return true
        }
        return false
      })
    return Effect.forEach(
      parts,
      (part) =>
        part.path === undefined || !counts(part)
          ? Effect.succeed(part)
          : Effect.map(leadsThroughLink(part.path), (isLinked) => isLinked ? { ...part, isLinked } : part),
      { concurrency },
    )
  })
