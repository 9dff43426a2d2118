/** Decodes output that was recorded as bytes to text. */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import { emptyBytes } from "../../base/bytes.ts"
import type { OutputStream } from "../../command/ShellEvent.ts"
import type { ChunkRecord, ShellOutputChunks } from "../../compute/ShellOutputChunks.ts"

/** Makes a decoder that keeps its state between records, so that a character may be split across them. */
export const makeTextDecoder = (encoding: string | undefined): (entry: ShellOutputChunks) => ShellOutputChunks => {
  const decoders = new Map<OutputStream, TextDecoder>()
  const decoderOf = (stream: OutputStream): TextDecoder => {
    const known = decoders.get(stream)
    if (known !== undefined) return known
    const decoder = new TextDecoder(encoding, { ignoreBOM: true })
    decoders.set(stream, decoder)
    return decoder
  }
  const asText = ({ base64, ...record }: ChunkRecord): ChunkRecord => {
    if (base64 === undefined) return record
    const bytes = Result.getOrElse(Base64.decode(base64), () => emptyBytes)
    return { ...record, content: decoderOf(record.stream).decode(bytes, { stream: true }) }
  }
  return (entry) =>
    entry.chunks.some(({ base64 }) => base64 !== undefined) ? { ...entry, chunks: entry.chunks.map(asText) } : entry
}
