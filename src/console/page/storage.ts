/**
 * Stores settings in the browser, or in memory where storage is forbidden or full.
 *
 * @module
 */

/** A text stored under a key. */
export class StoredValue {
  readonly #area: () => Storage
  readonly #key: string
  #here: string | undefined

  /** `area` is called each time: where storage is forbidden, even reading the property throws. */
  constructor(area: () => Storage, key: string) {
    this.#area = area
    this.#key = key
  }

  /** The stored text; `undefined` if there is none. */
  get(): string | undefined {
    if (this.#here !== undefined) return this.#here
    try {
      return this.#area().getItem(this.#key) ?? undefined
    } catch {
      return undefined
    }
  }

  /** Stores a text. */
  set(text: string): void {
    this.#here = text
    try {
      this.#area().setItem(this.#key, text)
    } catch {
      // Kept in memory instead.
    }
  }

  /** Removes the text. */
  forget(): void {
    this.#here = undefined
    try {
      this.#area().removeItem(this.#key)
    } catch {
      // Nothing was stored there.
    }
  }
}

/** A stored setting that is on or off. */
export class StoredSwitch {
  readonly #kept: StoredValue

  constructor(name: string) {
    this.#kept = new StoredValue(() => localStorage, `sluice-${name}`)
  }

  /** Whether it is on; `usual` if it was never set. */
  isOn(usual: boolean): boolean {
    const text = this.#kept.get()
    return text === "on" ? true : text === "off" ? false : usual
  }

  /** Turns it on or off. */
  turn(on: boolean): void {
    this.#kept.set(on ? "on" : "off")
  }
}
