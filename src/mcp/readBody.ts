/**
 * The body of a request, within a bound.
 *
 * @module
 */
import { ByteBuffer } from "../base/ByteBuffer.ts"

/** All of a body; `undefined` as soon as it is more than `max` bytes. Rejects when it cannot be read to its end. */
export const readBody = async (request: Request, max: number): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  if (Number(request.headers.get("content-length") ?? 0) > max) return undefined
  const reader = request.body?.getReader()
  const read = new ByteBuffer(max)
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) return read.bytes
    if (!read.push(next.value)) {
      // Not awaited: what the client still sends is of no interest, and it may take its time.
      reader?.cancel().catch(() => {})
      return undefined
    }
  }
}
