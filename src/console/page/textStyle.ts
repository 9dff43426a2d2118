/**
 * Reads colours and attributes of text (SGR) as CSS classes. The page has eight colours with a contrast of at least
 * 4.5 : 1: others become the nearest, text on a coloured background has the page's colour, hidden text is shown.
 * Source: ECMA-48; xterm's control sequences.
 */

const attributes: Readonly<Record<number, string>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underlined",
  7: "inverse",
  9: "struck",
}

const ends: Readonly<Record<number, ReadonlyArray<string>>> = {
  21: ["bold"],
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underlined"],
  27: ["inverse"],
  29: ["struck"],
}

const nearest = (rgb: ReadonlyArray<number>): number => {
  const max = Math.max(...rgb)
  return max < 64 ? 0 : rgb.reduce((color, part, bit) => color + (part * 2 > max ? 1 << bit : 0), 0)
}

/** A colour of the palette of 256. */
const paletteColor = (index: number): number => {
  if (index < 16) return index === 8 ? 0 : index % 8
  if (index > 231) return index < 244 ? 0 : 7
  const cube = index - 16
  return nearest(
    [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((part) => part === 0 ? 0 : 55 + 40 * part),
  )
}

export class TextStyle {
  readonly #attributes = new Set<string>()
  readonly #base: number | undefined
  #foreground: number | undefined
  #background: number | undefined
  classes = ""

  /** `base`: colour of the text that has none of its own. */
  constructor(base?: number) {
    this.#base = base
    this.#update()
  }

  apply(parameters: string): void {
    const all = parameters.split(";")
    for (let at = 0; at < all.length; at++) {
      const [code = 0, ...more] = (all[at] ?? "").split(":").map(Number)
      if (code !== 38 && code !== 48) {
        this.#applyCode(code, more[0])
        continue
      }
      const values = more.length > 0 ? more : all.slice(at + 1, at + 5).map(Number)
      const [kind, index = 0] = values
      if (more.length === 0) at += kind === 5 ? 2 : 4
      const color = kind === 5 ? paletteColor(index) : nearest(more.length > 0 ? more.slice(-3) : values.slice(1))
      if (code === 38) this.#foreground = color
      else this.#background = color
    }
    this.#update()
  }

  #applyCode(code: number, option: number | undefined): void {
    const attribute = attributes[code]
    if (code === 0) {
      this.#attributes.clear()
      this.#foreground = this.#background = undefined
    } else if (attribute !== undefined && option !== 0) this.#attributes.add(attribute)
    else if (code === 4) this.#attributes.delete("underlined")
    else if (code === 39) this.#foreground = undefined
    else if (code === 49) this.#background = undefined
    else if (code >= 30 && code <= 37) this.#foreground = code - 30
    else if (code >= 40 && code <= 47) this.#background = code - 40
    else if (code >= 90 && code <= 97) this.#foreground = code - 90
    else if (code >= 100 && code <= 107) this.#background = code - 100
    else for (const ended of ends[code] ?? []) this.#attributes.delete(ended)
  }

  #update(): void {
    const { inverse, ...rest } = Object.fromEntries([...this.#attributes].map((name) => [name, name]))
    const [text = this.#base, back] = inverse === undefined
      ? [this.#foreground, this.#background]
      : [this.#background, this.#foreground ?? 0]
    const color = back === undefined ? text === undefined ? [] : [`color-${text}`] : [`back-${back}`]
    this.classes = [...color, ...Object.keys(rest)].join(" ")
  }
}
