/**
 * Command ids: the correlation id that ties every event to the command it came from.
 *
 * @module
 */
import * as Schema from "effect/Schema"

/** Longest command id accepted, in UTF-16 units: enough for any UUID, ULID or trace id with a prefix. */
export const maxCommandIdLength = 200

/** Schema of a command id: 1 to {@link maxCommandIdLength} printable characters. */
export const CommandId: Schema.String = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]{1,200}$/, { message: "a command id is 1 to 200 printable ASCII characters" }),
)

/** A command id: a UUIDv7 unless the caller gave one. */
export type CommandId = string

const hex: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

let lastMillis = 0
let counter = 0
const random = new Uint8Array(8)

/**
 * Makes a UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, a 12-bit counter, 62 random bits. Ids made by one
 * process sort in the order they were made, also within a millisecond and when the wall clock steps back.
 *
 * @example
 * ```ts
 * import { makeCommandId } from "@sluice/shell"
 *
 * const [first, second] = [makeCommandId(), makeCommandId()]
 * console.assert(first < second && first.length === 36)
 * ```
 */
export const makeCommandId = (nowMillis: number = Date.now()): CommandId => {
  if (nowMillis > lastMillis) {
    lastMillis = nowMillis
    counter = 0
  } else if (++counter > 0xfff) {
    lastMillis++
    counter = 0
  }
  crypto.getRandomValues(random)
  const time = lastMillis.toString(16).padStart(12, "0")
  const b = (index: number, and = 0xff, or = 0): string => hex[((random[index] ?? 0) & and) | or] ?? "00"
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, "0")}-` +
    `${b(0, 0x3f, 0x80)}${b(1)}-${b(2)}${b(3)}${b(4)}${b(5)}${b(6)}${b(7)}`
}
