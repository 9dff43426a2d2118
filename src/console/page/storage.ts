/** Stores texts and on/off settings in the browser, or in memory where storage is forbidden or full. */
/** A text stored under a key. */
export class StoredValue {
  readonly #area: () => Storage
  readonly #key: string
  #inMemory: string | undefined

  /** `area` is called each time: where storage is forbidden, even reading the property throws. */
  constructor(area: () => Storage, key: string) {
    this.#area = area
    this.#key = key
  }

  /** The stored text; `undefined` if there is none. */
  get(): string | undefined {
    if (this.#inMemory !== undefined) return this.#inMemory
    try {
      return this.#area().getItem(this.#key) ?? undefined
    } catch {
      return undefined
    }
  }

  /** Stores a text. */
  set(text: string): void {
    this.#inMemory = text
    try {
      this.#area().setItem(this.#key, text)
    } catch {
      // Kept in memory instead.
    }
  }

  /** Removes the text. */
  forget(): void {
    this.#inMemory = undefined
    try {
      this.#area().removeItem(this.#key)
    } catch {
      // Nothing was stored there.
    }
  }
}

/** A stored setting that is on or off. */
export class StoredSwitch {
  readonly #value: StoredValue

  constructor(name: string) {
    this.#value = new StoredValue(() => localStorage, `sluice-${name}`)
  }

  /** Whether it is on; `isOnByDefault` if it was never set. */
  isOn(isOnByDefault: boolean): boolean {
    const text = this.#value.get()
    return text === "on" ? true : text === "off" ? false : isOnByDefault
  }

  /** Turns it on or off. */
  turn(on: boolean): void {
    this.#value.set(on ? "on" : "off")
  }
}
