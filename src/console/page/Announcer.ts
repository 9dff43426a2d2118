/** Announces starts and ends of commands to screen readers in batches (WAI-ARIA 1.2, "aria-live"). */
import { escapeInvisible, formatCount, truncate } from "./formatText.ts"

/** Milliseconds in which events are collected, and minimum milliseconds between two messages. */
const gatherMillis = 1_000
const pauseMillis = 5_000

/** Maximum number of commands that a message names; the others are counted. */
const maxNamed = 3

/** Maximum number of commands that one message distinguishes. */
const maxKnown = 500

const joinNames = (names: ReadonlyArray<string>, more: number): string => {
  const all = names.length + more
  const rest = all - Math.min(names.length, maxNamed)
  return [...names.slice(0, maxNamed), ...(rest > 0 ? [`and ${formatCount(rest, "other")}`] : [])].join("; ")
}

const nameOf = (line: string): string => truncate(escapeInvisible(line.replace(/\s+/g, " ")), 60)

export class Announcer {
  readonly #speak: (text: string) => void
  #isOn: boolean
  #began = new Map<string, string>()
  #ended: Array<string> = []
  #moreBegan = 0
  #moreEnded = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #last = -Infinity

  constructor(speak: (text: string) => void, isOn: boolean) {
    this.#speak = speak
    this.#isOn = isOn
  }

  /** Turns announcements on or off, and discards those collected. */
  turn(on: boolean): void {
    this.#isOn = on
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#empty()
  }

  began(id: string, line: string): void {
    if (!this.#isOn) return
    if (this.#began.size < maxKnown) this.#began.set(id, nameOf(line))
    else this.#moreBegan++
    this.#soon()
  }

  ended(id: string, line: string, how: string): void {
    if (!this.#isOn) return
    // The end implies the start.
    this.#began.delete(id)
    if (this.#ended.length < maxKnown) this.#ended.push(`${nameOf(line)}: ${how}`)
    else this.#moreEnded++
    this.#soon()
  }

  #soon(): void {
    const now = performance.now()
    this.#timer ??= setTimeout(() => this.#say(), Math.max(gatherMillis, this.#last + pauseMillis - now))
  }

  #say(): void {
    this.#timer = undefined
    this.#last = performance.now()
    const ended = this.#ended.length + this.#moreEnded
    const began = this.#began.size + this.#moreBegan
    const parts = [
      began === 0
        ? ""
        : `${formatCount(began, "command")} started. ${joinNames([...this.#began.values()], this.#moreBegan)}.`,
      ended === 0 ? "" : `${formatCount(ended, "command")} ended. ${joinNames(this.#ended, this.#moreEnded)}.`,
    ]
    this.#empty()
    this.#speak(parts.filter((part) => part !== "").join(" "))
  }

  #empty(): void {
    this.#began = new Map()
    this.#ended = []
    this.#moreBegan = 0
    this.#moreEnded = 0
  }
}
