/** Implements `sluice files ls`, `stat` and `rm`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { FileListingEntry } from "../../files/FileEvent.ts"
import { Files } from "../../files/Files.ts"
import { isoText, sizeText } from "../journal/formatValues.ts"
import type { CliOutput } from "../journal/CliOutput.ts"
import type { FilesSubcommand } from "./FilesSubcommand.ts"
import type { DeleteFlags, ListFlags } from "./flags.ts"
import { shownText } from "./shownText.ts"

const entryLine = ({ isDirectory, isSymlink, modified, path, size }: FileListingEntry, long: boolean): string => {
  const name = `${path}${isDirectory ? "/" : ""}`
  if (!long) return name
  const kind = isSymlink ? "link" : isDirectory ? "folder" : sizeText(size)
  return `${isoText(modified)}  ${kind.padStart(10)}  ${name}`
}

export const list = (path: string, { long, pattern, recursive }: ListFlags, out: CliOutput): FilesSubcommand =>
  Files.list(path, { recursive, pattern }).pipe(
    Stream.runForEachArray((entries) =>
      out.lines(
        1,
        entries.map((entry) => out.json ? JSON.stringify(entry) : shownText(out.cli, entryLine(entry, long))),
      )
    ),
    Effect.as(0),
  )

export const stat = (path: string, out: CliOutput): FilesSubcommand =>
  Effect.gen(function* () {
    const { _tag, correlationId: _id, ...metadata } = yield* Files.stat(path)
    if (out.json) {
      yield* out.value(metadata)
      return 0
    }
    const { created, isDirectory, isSymlink, modified, permissions, size } = metadata
    yield* out.lines(1, [
      `type         ${isDirectory ? "folder" : "file"}${isSymlink ? ", by a link" : ""}`,
      `size         ${size}`,
      `modified     ${isoText(modified)}`,
      ...(created === undefined ? [] : [`created      ${isoText(created)}`]),
      ...(permissions === undefined ? [] : [`permissions  ${permissions.toString(8).padStart(4, "0")}`]),
    ])
    return 0
  })

export const remove = (paths: ReadonlyArray<string>, { recursive }: DeleteFlags, out: CliOutput): FilesSubcommand =>
  Effect.as(
    Effect.forEach(paths, (path) =>
      Effect.flatMap(
        Files.delete(path, { recursive }),
        ({ deletedCount }) => out.json ? out.value({ path, deletedCount }) : Effect.void,
      ), { discard: true }),
    0,
  )
