/** Implements `sluice files edit` and `patch`. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as FileEdit from "../../files/FileEdit.ts"
import * as FilePatch from "../../files/FilePatch.ts"
import { readInputText } from "../commandInput.ts"
import type { CliOutput } from "../journal/CliOutput.ts"
import { UsageError } from "../UsageError.ts"
import type { FilesSubcommand } from "./FilesSubcommand.ts"
import type { EditFlags, PatchFlags } from "./flags.ts"
import { shownText } from "./shownText.ts"

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
