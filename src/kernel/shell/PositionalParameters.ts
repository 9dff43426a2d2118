/** Stores the positional parameters `$1`, `$2`, … of a shell; `shift` takes constant time. */
export class PositionalParameters {
  #words: ReadonlyArray<string>
  #shifted = 0

  constructor(words: ReadonlyArray<string> = []) {
    this.#words = words
  }

  /** `$@` */
  get words(): ReadonlyArray<string> {
    if (this.#shifted > 0) this.#words = this.#words.slice(this.#shifted)
    this.#shifted = 0
    return this.#words
  }

  /** `$#` */
  get count(): number {
    return this.#words.length - this.#shifted
  }

  get(number: number): string | undefined {
    return number < 1 ? undefined : this.#words[this.#shifted + number - 1]
  }

  shift(count: number): void {
    this.#shifted += count
  }
}
