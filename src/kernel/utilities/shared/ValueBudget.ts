/**
 * Counts the bytes of the values that a program holds against `limits.maxValueBytes` of the sandbox, in the way of a
 * garbage collector: new values are added up, and once they reach a certain part of what the program held, all values
 * that it holds are counted again.
 */
import type { System } from "../../System.ts"

/** Minimum number of new bytes before the first count, and between two counts. */
const minStep = 4_194_304

export class ValueBudget {
  readonly #system: Pick<System, "holdValues" | "maxValueBytes">
  #made = 0
  #total = 0
  #step = minStep
  #lastRead = ""

  constructor(system: Pick<System, "holdValues" | "maxValueBytes">) {
    this.#system = system
  }

  /** Adds the bytes of a new value. */
  made(bytes: number): void {
    this.#made += bytes
    this.#total += bytes
  }

  /** Adds a text that is read: engines join its parts only then. */
  read(text: string): void {
    if (text.length < 65_536 || text === this.#lastRead) return
    this.#lastRead = text
    this.made(text.length)
  }

  /** Whether the values are to be counted. */
  get isDue(): boolean {
    return this.#made >= this.#step
  }

  /**
   * Takes the bytes of all values that the program holds; a text counts as often as it is held, but the total is at
   * most the bytes of all values that were made. Returns a message if the limit is exceeded.
   */
  settle(counted: number): string | undefined {
    const held = Math.min(counted, this.#total)
    this.#made = 0
    this.#step = Math.max(minStep, held / 2)
    if (this.#system.holdValues(held < minStep ? 0 : Math.round(held)) >= 0) return undefined
    return `its values would take too much memory (limits.maxValueBytes is ${this.#system.maxValueBytes}, for all programs)`
  }
}
