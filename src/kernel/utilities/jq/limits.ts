/** Errors of jq programs, limits of values, and the count of work that machines measure their turns by. */
import { maxHeldBytes } from "../shared/Input.ts"
import type { Value } from "./values.ts"

/** An error of a program, which `catch` gets. */
export class JqError extends Error {
  readonly value: Value

  constructor(value: Value) {
    super(typeof value === "string" ? value : "")
    this.value = value
  }
}

/** An error that no program may catch: a limit of this implementation. */
export class LimitError extends Error {}

/** Thrown where a result takes too long to be computed at once: the node is run again, in steps. */
export class TakesLong extends Error {}

export const fail = (message: string): never => {
  throw new JqError(message)
}

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

/** Approximate bytes of a value, those of its parts included: what is shared counts each time. */
export const weigh = (value: Value): number =>
  typeof value === "string" ? value.length + 16 : typeof value !== "object" || value === null ? 8 : value.weight

export const checkWeight = (weight: number): void => {
  if (weight > maxHeldBytes) failLimit(`a value holds more than ${maxHeldBytes} bytes`)
}

/** The largest text that a value may hold. */
export const maxTextLength: number = 64 * 1024 * 1024

export const checkText = (length: number): void => {
  if (length > maxTextLength) failLimit(`a text is longer than ${maxTextLength} characters`)
  effort.made += length
}
