/** Implements `sluice files read` and `write`: bytes of a file to stdout, stdin to a file. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { FileEvent, FileWritten } from "../../files/FileEvent.ts"
import { type CreateMode, FileRead } from "../../files/FileRequest.ts"
import { Files } from "../../files/Files.ts"
import { inputStream } from "../commandInput.ts"
import type { CliOutput } from "../journal/CliOutput.ts"
import { UsageError } from "../UsageError.ts"
import type { FilesSubcommand } from "./FilesSubcommand.ts"
import type { ReadFlags, WriteFlags } from "./flags.ts"

const encodeEvent = Schema.encodeSync(FileEvent)
const encodeWritten = Schema.encodeSync(FileWritten)

export const read = (path: string, { length, offset }: ReadFlags, out: CliOutput): FilesSubcommand => {
  const request = FileRead.make({
    path,
    ...(offset === undefined ? undefined : { offset }),
    ...(length === undefined ? undefined : { length }),
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
