/** Reads the body of a request into memory, up to a maximum size. */
import { ByteBuffer } from "../base/ByteBuffer.ts"

/** `undefined` as soon as it has more than `maxBytes`; rejects if the body breaks off. */
export const readBody = async (
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  const buffer = new ByteBuffer(maxBytes)
  const reader = body?.getReader()
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    if (buffer.push(next.value)) continue
    // Not awaited: the rest is dropped, and the client may send it slowly.
    reader?.cancel().catch(() => {})
    return undefined
  }
  return buffer.bytes
}
