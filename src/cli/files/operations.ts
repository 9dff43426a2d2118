/** Implements `sluice files read`, `write`, `ls`, `stat`, `rm`, `edit` and `patch`. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Schema from "effect/Schema"
import { defined } from "../../base/defined.ts"
import { FileEvent, type FileListingEntry, FileWritten } from "../../files/FileEvent.ts"
import { Files } from "../../files/Files.ts"
import { isoText, sizeText } from "../journal/formatValues.ts"
import { type CliOutput, shownText } from "../journal/CliOutput.ts"
import type { FilesSubcommand } from "./FilesSubcommand.ts"
import type { DeleteFlags, EditFlags, ListFlags, PatchFlags, ReadFlags, WriteFlags } from "./filesSpec.ts"
import { type CreateMode, FileRead } from "../../files/FileRequest.ts"
import { inputStream, readInputText } from "../commandInput.ts"
import { UsageError } from "../UsageError.ts"
import * as FileEdit from "../../files/FileEdit.ts"
import * as FilePatch from "../../files/FilePatch.ts"

const encodeEvent = Schema.encodeSync(FileEvent)
const encodeWritten = Schema.encodeSync(FileWritten)

export const read = (path: string, { length, offset }: ReadFlags, out: CliOutput): FilesSubcommand => {
  const request = FileRead.make({
    path,
    ...defined({ offset, length }),
  })
  const printed = out.json
    ? Stream.runForEach(Files.request(request), (event) => out.value(encodeEvent(event)))
    : Stream.runForEach(Files.stream(path, { offset, length }), (bytes) => out.write(1, bytes))
  return Effect.as(printed, 0)
}

const createMode = ({ append, existing, new: isNew }: WriteFlags): Effect.Effect<CreateMode, UsageError> => {
  if (isNew && (append || existing)) {
    return Effect.fail(new UsageError("--new and --append or --existing are mutually exclusive"))
  }
  if (isNew) return Effect.succeed("CreateNew")
  if (append) return Effect.succeed(existing ? "AppendExisting" : "CreateOrAppend")
  return Effect.succeed(existing ? "ReplaceExisting" : "CreateOrReplace")
}

export const write = (path: string, flags: WriteFlags, out: CliOutput): FilesSubcommand =>
  Effect.gen(function* () {
    const mode = yield* createMode(flags)
    const { input } = flags
    if (input === undefined && !out.cli.hasInput()) {
      const what = "nothing to write: pipe the content into sluice, or give --input FILE"
      return yield* Effect.fail(new UsageError(what))
    }
    const content = yield* inputStream(out.cli, input ?? "-")
    const written = yield* Files.write(path, content, { createMode: mode })
    if (out.json) yield* out.value(encodeWritten(written))
    return 0
  })

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

const maxInputBytes = 8 * 1024 * 1024

const Replacements = Schema.fromJsonString(Schema.NonEmptyArray(Schema.Struct({
  oldText: Schema.String,
  newText: Schema.String,
  replaceAll: Schema.optionalKey(Schema.Boolean),
})))

const decodeReplacements = Schema.decodeUnknownEffect(Replacements, { onExcessProperty: "error" })

const replacementsOf = (
  { all, edits, new: newText, old: oldText }: EditFlags,
  out: CliOutput,
): Effect.Effect<ReadonlyArray<FileEdit.Replacement>, UsageError> =>
  Effect.gen(function* () {
    if ((edits === undefined) === (oldText === undefined)) {
      return yield* Effect.fail(new UsageError("give --old TEXT --new TEXT, or --edits FILE"))
    }
    if (oldText !== undefined) {
      if (newText === undefined) {
        return yield* Effect.fail(new UsageError("--old requires --new; --new '' deletes the text"))
      }
      return [{ oldText, newText, replaceAll: all }]
    }
    const text = yield* readInputText(out.cli, edits ?? "-", "--edits", maxInputBytes)
    return yield* Effect.mapError(
      decodeReplacements(text),
      ({ message }) => new UsageError(`--edits: not a JSON array of { oldText, newText }: ${message}`),
    )
  })

export const edit = (path: string, flags: EditFlags, out: CliOutput): FilesSubcommand =>
  Effect.gen(function* () {
    const edited = yield* FileEdit.edit(path, yield* replacementsOf(flags, out))
    const { diff, replacements } = edited
    if (out.json) yield* out.value({ path, replacements, diff })
    else yield* out.write(1, diff.split("\n").map((line) => shownText(out.cli, line)).join("\n"))
    return 0
  })

const patchedLine = ({ addedLines, change, fuzz, movedTo, path, removedLines }: FilePatch.PatchedFile): string =>
  `${change.padEnd(7)}  ${path}${movedTo === undefined ? "" : ` -> ${movedTo}`}  +${addedLines} -${removedLines}` +
  (fuzz === 0 ? "" : `  (with fuzz ${fuzz})`)

export const patch = (file: string | undefined, { "dry-run": dryRun }: PatchFlags, out: CliOutput): FilesSubcommand =>
  Effect.gen(function* () {
    if (file === undefined && !out.cli.hasInput()) {
      return yield* Effect.fail(new UsageError("no patch: pipe one into sluice, or name its FILE"))
    }
    const text = yield* readInputText(out.cli, file ?? "-", "patch", maxInputBytes)
    const patched = yield* FilePatch.apply(text, { dryRun })
    if (out.json) yield* out.value(patched)
    else yield* out.lines(1, patched.files.map((one) => shownText(out.cli, patchedLine(one))))
    return 0
  })
