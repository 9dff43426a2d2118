/** Limits of jq's values, and the count of work that machines measure their turns by. */
import { maxHeldBytes } from "../shared/Input.ts"

/** An error that no program may catch: a limit of this implementation. */
export class LimitError extends Error {}

/** Thrown if a result takes too long to be computed at once; the node is then run again, in steps. */
export class TakesLong extends Error {}

export const failLimit = (message: string): never => {
  throw new LimitError(message)
}

/**
 * Work since a machine last read the clock: copied and compared elements, and the bytes of new values, of all running
 * programs.
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

/** Maximum length of a text in a value. */
export const maxTextLength: number = 64 * 1024 * 1024

export const checkText = (length: number): void => {
  if (length > maxTextLength) failLimit(`a text is longer than ${maxTextLength} characters`)
  effort.made += length
}
