/**
 * Detects batches with too many JSON-RPC messages (only the protocol revision 2025-03-26 has batches).
 *
 * @module
 */

/** Most messages of a batch: they are all worked on at once, and answered together. */
export const maxBatchMessages = 100

/** What is said of more. */
export const batchText: string = `a batch has at most ${maxBatchMessages} messages`

const opening = "[".charCodeAt(0)

/** Whether a body is too many messages. One that is not JSON is for Effect's server to refuse. */
export const isLargeBatch = (body: Uint8Array): boolean => {
  // Behind a byte-order mark, too.
  if (body.find((byte) => byte > 0x20 && byte < 0x80) !== opening) return false
  try {
    const messages: unknown = JSON.parse(new TextDecoder().decode(body))
    return Array.isArray(messages) && messages.length > maxBatchMessages
  } catch {
    return false
  }
}
