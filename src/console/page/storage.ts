/** Stores texts and on/off settings in the browser, or in memory where storage is forbidden or full. */
export class StoredValue {
  readonly #area: () => Storage
  readonly #key: string
  #inMemory: string | undefined

  /** `area` is called each time: where storage is forbidden, even reading the property throws. */
  constructor(area: () => Storage, key: string) {
    this.#area = area
    this.#key = key
  }

  get(): string | undefined {
    if (this.#inMemory !== undefined) return this.#inMemory
    try {
      return this.#area().getItem(this.#key) ?? undefined
    } catch {
      return undefined
    }
  }

  set(text: string): void {
    this.#inMemory = text
    try {
      this.#area().setItem(this.#key, text)
    } catch {
      // Kept in memory instead.
    }
  }

  forget(): void {
    this.#inMemory = undefined
    try {
      this.#area().removeItem(this.#key)
    } catch {
      // Nothing was stored in that area.
    }
  }
}

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

  turn(on: boolean): void {
    this.#value.set(on ? "on" : "off")
  }
}
