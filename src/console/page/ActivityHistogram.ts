/** Counts the output bytes of a command per slot of time, with bounded memory. */
import { utf8Length } from "../../base/utf8.ts"

/** Maximum number of slots: beyond it each slot becomes twice as long. */
const maxSlots = 200

export interface TimeSlot {
  stdout: number
  stderr: number
}

export class ActivityHistogram {
  /** When the command was requested, in ms since 1970. */
  readonly requested: number
  first: number | undefined
  last: number | undefined
  slots: Array<TimeSlot> = []
  slotMillis = 10

  constructor(requested: number) {
    this.requested = requested
  }

  add(stream: "stdout" | "stderr", content: string, time: number): void {
    this.first ??= time
    this.last = time
    const slotOf = (): number => Math.max(0, Math.floor((time - this.requested) / this.slotMillis))
    while (slotOf() >= maxSlots) this.#halve()
    while (this.slots.length <= slotOf()) this.slots.push({ stdout: 0, stderr: 0 })
    const slot = this.slots[slotOf()]
    if (slot !== undefined) slot[stream] += utf8Length(content)
  }

  total(stream: "stdout" | "stderr"): number {
    return this.slots.reduce((sum, slot) => sum + slot[stream], 0)
  }

  #halve(): void {
    this.slots = Array.from({ length: Math.ceil(this.slots.length / 2) }, (_, at) => {
      const [a, b] = [this.slots[at * 2], this.slots[at * 2 + 1]]
      return { stdout: (a?.stdout ?? 0) + (b?.stdout ?? 0), stderr: (a?.stderr ?? 0) + (b?.stderr ?? 0) }
    })
    this.slotMillis *= 2
  }
}
