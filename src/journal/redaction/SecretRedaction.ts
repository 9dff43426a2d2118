/** Replaces known secrets with markers in text that arrives in pieces. */
import type { MultiPatternMatcher } from "./MultiPatternMatcher.ts"

/**
 * Replaces secrets in text that is pushed in pieces. Overlapping secrets become one marker, that of the first secret.
 * Only an end of the text that may be the start of a secret is held back: less than the longest secret in its longest
 * form. At the end of the text, half of a secret or more counts as a secret that was cut off.
 */
export class SecretRedaction {
  readonly #matcher: MultiPatternMatcher
  #buffer = ""
  /** Up to here a marker has replaced the buffer; it is kept to find overlapping secrets. */
  #covered = 0

  constructor(matcher: MultiPatternMatcher) {
    this.#matcher = matcher
  }

  push(text: string): string {
    this.#buffer += text
    return this.#release(this.#matcher.findPartial(this.#buffer))
  }

  end(): string {
    const truncated = this.#matcher.findTruncated(this.#buffer)
    const released = this.#release(truncated?.start ?? this.#buffer.length)
    const isCovered = this.#covered > 0
    this.#buffer = ""
    this.#covered = 0
    return truncated === undefined || isCovered ? released : released + truncated.marker
  }

  #release(end: number): string {
    const buffer = this.#buffer
    let covered = this.#covered
    let released = ""
    for (const match of this.#matcher.findAll(buffer, 0)) {
      if (match.start >= end) break
      if (match.start >= covered) released += buffer.slice(covered, match.start) + match.marker
      covered = Math.max(covered, match.end)
    }
    released += buffer.slice(covered, end)
    this.#buffer = buffer.slice(end)
    this.#covered = Math.max(covered, end) - end
    return released
  }
}
