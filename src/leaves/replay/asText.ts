/**
 * Output that was recorded as bytes, as text.
 *
 * @module
 */
import * as Base64 from "effect/encoding/Base64"
import * as Result from "effect/Result"
import type { OutputStream } from "../../command/ShellEvent.ts"
import type { ChunkRecord, ShellOutputChunks } from "../../compute/ShellOutputChunks.ts"

const nothing = new Uint8Array()

/** Decodes what was not decoded when it was recorded, so that no character is lost where a record ends. */
export const textDecoder = (encoding: string | undefined): (entry: ShellOutputChunks) => ShellOutputChunks => {
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
    const bytes = Result.getOrElse(Base64.decode(base64), () => nothing)
    return { ...record, content: decoderOf(record.stream).decode(bytes, { stream: true }) }
  }
  return (entry) =>
    entry.chunks.some(({ base64 }) => base64 !== undefined) ? { ...entry, chunks: entry.chunks.map(asText) } : entry
}
