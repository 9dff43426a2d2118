/**
 * What is known of the output of the command that is shown: its windows, and how much came when.
 *
 * @module
 */

/** Output of one stream without a pause in it. */
export interface Burst {
  readonly stream: string
  readonly from: number
  to: number
  characters: number
  readonly first: string
}

/** Milliseconds of silence that end a window. */
const silence = 100

/** Windows that are kept; older ones make room. */
const mostBursts = 1_000

/** Counters of a timeline: when there are too many, each becomes twice as long. */
const mostSlots = 200

/** Gathers what the views of a run show. Bounded, however much there is. */
export class Run {
  readonly start: number
  readonly bursts: Array<Burst> = []
  /** Windows that had to make room. */
  dropped = 0
  /** Characters in each slot of time. */
  slots: Array<{ stdout: number; stderr: number }> = []
  slotMillis = 10

  constructor(start: number) {
    this.start = start
  }

  /** Takes a piece of output. */
  add(stream: string, content: string, time: number): void {
    const last = this.bursts.at(-1)
    if (last !== undefined && last.stream === stream && time - last.to < silence) {
      last.to = time
      last.characters += content.length
    } else {
      const first = content.slice(0, 200).split("\n", 1)[0] ?? ""
      this.bursts.push({ stream, from: time, to: time, characters: content.length, first })
      if (this.bursts.length > mostBursts) {
        this.bursts.shift()
        this.dropped++
      }
    }
    let slot = Math.max(0, Math.floor((time - this.start) / this.slotMillis))
    while (slot >= mostSlots) {
      this.#halve()
      slot = Math.floor((time - this.start) / this.slotMillis)
    }
    while (this.slots.length <= slot) this.slots.push({ stdout: 0, stderr: 0 })
    const counted = this.slots[slot]
    if (counted === undefined) return
    if (stream === "stderr") counted.stderr += content.length
    else counted.stdout += content.length
  }

  #halve(): void {
    const halved: Array<{ stdout: number; stderr: number }> = []
    for (let at = 0; at < this.slots.length; at += 2) {
      const [a, b] = [this.slots[at], this.slots[at + 1]]
      halved.push({
        stdout: (a?.stdout ?? 0) + (b?.stdout ?? 0),
        stderr: (a?.stderr ?? 0) + (b?.stderr ?? 0),
      })
    }
    this.slots = halved
    this.slotMillis *= 2
  }
}
