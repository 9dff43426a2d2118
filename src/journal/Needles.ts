/**
 * Finds secrets in text that comes in pieces, wherever the pieces are cut.
 *
 * @module
 */

/** A text that must not stand anywhere, and what stands there instead. */
export interface Needle {
  readonly text: string
  readonly marker: string
}

interface Found {
  readonly start: number
  readonly end: number
  readonly marker: string
}

/**
 * Replaces needles in text that is pushed in pieces. Overlapping ones become one marker, that of the first. Held back is
 * only an end of the text that may be the beginning of a needle, so less than the longest needle.
 */
export class NeedleRun {
  readonly #needles: ReadonlyArray<Needle>
  readonly #longest: number
  #buffer = ""
  /** Up to here the buffer is under a marker already; it is kept to find what overlaps. */
  #covered = 0

  constructor(needles: ReadonlyArray<Needle>) {
    this.#needles = needles
    this.#longest = needles.reduce((longest, { text }) => Math.max(longest, text.length), 0)
  }

  push(text: string): string {
    this.#buffer += text
    return this.#go(false)
  }

  end(): string {
    return this.#go(true)
  }

  #go(ended: boolean): string {
    const buffer = this.#buffer
    const next = this.#needles.map(({ text }) => buffer.indexOf(text))
    let out = ""
    let covered = this.#covered
    let from = 0
    let pending = ended ? buffer.length : this.#pendingFrom(0)
    for (;;) {
      const found = this.#first(next, from)
      // From `pending` on it is not certain yet what is there.
      if (found === undefined || found.start >= pending) break
      if (found.start >= covered) out += buffer.slice(covered, found.start) + found.marker
      covered = Math.max(covered, found.end)
      from = found.start + 1
      if (pending < from) pending = ended ? buffer.length : this.#pendingFrom(from)
    }
    const safe = Math.max(covered, pending)
    out += buffer.slice(covered, safe)
    this.#buffer = buffer.slice(pending)
    this.#covered = safe - pending
    return out
  }

  /** The first needle at or after an index, and the longest of those that start there. */
  #first(next: Array<number>, from: number): Found | undefined {
    let found: Found | undefined
    this.#needles.forEach(({ marker, text }, index) => {
      let start = next[index] ?? -1
      if (start >= 0 && start < from) next[index] = start = this.#buffer.indexOf(text, from)
      if (start < 0) return
      const end = start + text.length
      if (found === undefined || start < found.start || (start === found.start && end > found.end)) {
        found = { start, end, marker }
      }
    })
    return found
  }

  /** The first index from which on the rest of the buffer is the beginning of a needle, but not all of it. */
  #pendingFrom(from: number): number {
    const buffer = this.#buffer
    let pending = buffer.length
    const earliest = Math.max(from, buffer.length - this.#longest + 1)
    for (const { text } of this.#needles) {
      const first = text.slice(0, 1)
      let start = buffer.indexOf(first, Math.max(earliest, buffer.length - text.length + 1))
      while (start >= 0 && start < pending) {
        if (text.startsWith(buffer.slice(start))) pending = start
        start = buffer.indexOf(first, start + 1)
      }
    }
    return pending
  }
}
