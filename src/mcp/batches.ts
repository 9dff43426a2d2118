/** Detects batches with too many JSON-RPC messages (only the protocol revision 2025-03-26 has batches). */

/** Maximum number of messages in a batch: all are processed at once and answered together. */
export const maxBatchMessages = 100

export const batchText: string = `a batch has at most ${maxBatchMessages} messages`

const opening = "[".charCodeAt(0)

/** Whether a body is a batch with too many messages. Effect's server rejects a body that is not JSON. */
export const isLargeBatch = (body: Uint8Array): boolean => {
  // Skips a byte-order mark.
  if (body.find((byte) => byte > 0x20 && byte < 0x80) !== opening) return false
  try {
    const messages: unknown = JSON.parse(new TextDecoder().decode(body))
    return Array.isArray(messages) && messages.length > maxBatchMessages
  } catch {
    return false
  }
}
