/** Limits of jq's values, and the count of work that machines measure their turns by. */
import { maxHeldBytes } from "../shared/Input.ts"

/** An error that no program may catch: a limit of this implementation. */
export class LimitError extends Error {}

/** Thrown where a result takes too long to be computed at once: the node is run again, in steps. */
export class TakesLong extends Error {}

export const failLimit = (message: string): never => {
  throw new LimitError(message)
}

/**
 * Work that was done since a machine looked at the clock: copied and compared elements, and the bytes of the values that were
 * made, of all programs that run.
 */
export const effort = { units: 0, made: 0 }

/** Counts characters that an operation reads. Engines join the parts of a text when it is read. */
export const countText = (length: number): void => {
  effort.units += length / 16
  if (length >= 65_536) effort.made += length
}

export const checkWeight = (weight: number): void => {
  if (weight > maxHeldBytes) failLimit(`a value holds more than ${maxHeldBytes} bytes`)
}

/** The largest text that a value may hold. */
export const maxTextLength: number = 64 * 1024 * 1024

export const checkText = (length: number): void => {
  if (length > maxTextLength) failLimit(`a text is longer than ${maxTextLength} characters`)
  effort.made += length
}
