/** Reads the lines of a text file of any size for a model. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { FileFault } from "../../files/FileFault.ts"
import { Files } from "../../files/Files.ts"
import { LineNumberer, type NumberedLines } from "./numberLines.ts"

/** UTF-16 units that tell whether a file is text. */
const sniffedLength = 8_192

export const NotText: Schema.TaggedStruct<"NotText", {
  readonly path: typeof Schema.String
  readonly message: typeof Schema.String
}> = Schema.TaggedStruct("NotText", { path: Schema.String, message: Schema.String })

/** A decoder for a file that begins so: UTF-16 with its byte order mark, else UTF-8. */
const decoderFor = ([first, second]: Uint8Array): TextDecoder =>
  new TextDecoder(
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8",
  )

/** Reads lines, as {@link LineNumberer} shows them. Memory is bounded, whatever the size of the file. */
export const readLines = (
  path: string,
  first: number,
  maxLines: number,
  maxLength: number,
): Effect.Effect<NumberedLines, FileFault | typeof NotText.Type, Files> =>
  Effect.suspend(() => {
    const lines = new LineNumberer(first, maxLines, maxLength)
    let decoder: TextDecoder | undefined
    let sniffed = 0
    /** Whether the text goes on to be text. */
    const take = (bytes: Uint8Array): boolean => {
      decoder ??= decoderFor(bytes)
      const text = decoder.decode(bytes, { stream: true })
      if (sniffed < sniffedLength && text.slice(0, sniffedLength - sniffed).includes("\0")) return false
      sniffed += text.length
      lines.push(text)
      return true
    }
    const message = `read ${path}: it is not text; look at it with a program that knows its format`
    return Files.stream(path).pipe(
      Stream.runForEach((bytes) => take(bytes) ? Effect.void : Effect.fail(NotText.make({ path, message }))),
      Effect.map(() => {
        lines.push(decoder?.decode() ?? "")
        return lines.end()
      }),
    )
  })
