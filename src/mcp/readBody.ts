/**
 * The body of a request, within a bound.
 *
 * @module
 */

/** All of a body; `undefined` as soon as it is more than `max` bytes. Rejects when it cannot be read to its end. */
export const readBody = async (request: Request, max: number): Promise<Uint8Array<ArrayBuffer> | undefined> => {
  if (Number(request.headers.get("content-length") ?? 0) > max) return undefined
  const reader = request.body?.getReader()
  // One buffer that doubles: a body that comes byte by byte must not cost an object each.
  let buffer = new Uint8Array(0)
  let size = 0
  for (;;) {
    const next = await reader?.read()
    if (next === undefined || next.done) return buffer.subarray(0, size)
    if (size + next.value.length > max) {
      // Not awaited: what the client still sends is of no interest, and it may take its time.
      reader?.cancel().catch(() => {})
      return undefined
    }
    if (size + next.value.length > buffer.length) {
      const grown = new Uint8Array(Math.max(size + next.value.length, Math.min(buffer.length * 2, max)))
      grown.set(buffer.subarray(0, size))
      buffer = grown
    }
    buffer.set(next.value, size)
    size += next.value.length
  }
}
