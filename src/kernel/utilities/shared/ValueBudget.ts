/**
 * Counts the bytes of the values that a program holds against `limits.maxValueBytes` of the sandbox, as a garbage collector
 * does: what is made is added up, and after a good part more than the program held, what it holds is counted anew.
 */
import type { System } from "../../System.ts"

/** Bytes that are made before the values are counted for the first time, and between two counts at least. */
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
   * Takes the bytes of all values that the program holds, a text as often as it is held. Returns a message if they are too
   * many. They are no more than all that was made.
   */
  settle(counted: number): string | undefined {
    const held = Math.min(counted, this.#total)
    this.#made = 0
    this.#step = Math.max(minStep, held / 2)
    if (this.#system.holdValues(held < minStep ? 0 : Math.round(held)) >= 0) return undefined
    return `its values would take too much memory (limits.maxValueBytes is ${this.#system.maxValueBytes}, for all programs)`
  }
}
