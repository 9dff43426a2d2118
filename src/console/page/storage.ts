/**
 * Stores settings in the browser, or in memory where storage is forbidden or full.
 *
 * @module
 */

/** One text that is kept under a name. */
export class StoredValue {
  readonly #area: () => Storage
  readonly #key: string
  #here: string | undefined

  /** `area` is asked each time: where storage is forbidden, even to name it throws. */
  constructor(area: () => Storage, key: string) {
    this.#area = area
    this.#key = key
  }

  /** The text; `undefined` when there is none. */
  get(): string | undefined {
    if (this.#here !== undefined) return this.#here
    try {
      return this.#area().getItem(this.#key) ?? undefined
    } catch {
      return undefined
    }
  }

  /** Keeps a text. */
  set(text: string): void {
    this.#here = text
    try {
      this.#area().setItem(this.#key, text)
    } catch {
      // It is kept here.
    }
  }

  /** Keeps it no longer. */
  forget(): void {
    this.#here = undefined
    try {
      this.#area().removeItem(this.#key)
    } catch {
      // Nothing was kept there.
    }
  }
}

/** Something that is on or off, in this browser. */
export class StoredSwitch {
  readonly #kept: StoredValue

  constructor(name: string) {
    this.#kept = new StoredValue(() => localStorage, `sluice-${name}`)
  }

  /** Whether it is on; `usual` when nobody has said. */
  isOn(usual: boolean): boolean {
    const text = this.#kept.get()
    return text === "on" ? true : text === "off" ? false : usual
  }

  /** Turns it on or off. */
  turn(on: boolean): void {
    this.#kept.set(on ? "on" : "off")
  }
}
