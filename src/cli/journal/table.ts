/** Formats rows of cells as lines with aligned columns, measured in terminal columns (Unicode Standard Annex #11). */
import type { TextStyle } from "./TextStyle.ts"

const nothing = /^[\p{Mark}\p{Cf}]$/u
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])$/u

const plain = /^[\x20-\x7e]*$/

const widthOf = (character: string): number => nothing.test(character) ? 0 : wide.test(character) ? 2 : 1

/** The width of a text in columns. */
export const textWidth = (text: string): number => {
  if (plain.test(text)) return text.length
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

/** Cuts a text to a number of columns; `…` replaces the rest. */
export const fitText = (text: string, columns: number): string => {
  if (textWidth(text) <= columns) return text
  let width = 1
  let kept = ""
  for (const character of text) {
    width += widthOf(character)
    if (width > columns) break
    kept += character
  }
  return columns < 1 ? "" : `${kept}…`
}

export interface Column {
  readonly title: string
  readonly side: "left" | "right"
}

/** The text of a cell; `paint` adds colour, which takes no columns. */
export interface Cell {
  readonly text: string
  readonly paint?: TextStyle | undefined
}

const gap = "  "

/** Minimum width of the last column, however narrow the terminal. */
const minRoom = 10

/** Formats rows that come in blocks: a column may grow from block to block, and never shrinks. */
export class Table {
  readonly #columns: ReadonlyArray<Column>
  readonly #room: number
  readonly #title: TextStyle
  #widths: ReadonlyArray<number>
  #begun = false

  /** `room` is the maximum width of lines: `Infinity` when the output is no terminal. */
  constructor(columns: ReadonlyArray<Column>, room: number, title: TextStyle) {
    this.#columns = columns
    this.#room = room
    this.#title = title
    this.#widths = columns.map((column) => textWidth(column.title))
  }

  /** Formats rows, with the titles before the first. The last column gets the remaining width and is cut there. */
  lines(rows: ReadonlyArray<ReadonlyArray<Cell>>): ReadonlyArray<string> {
    this.#widths = this.#widths.map((width, index) =>
      rows.reduce((max, row) => Math.max(max, textWidth(row[index]?.text ?? "")), width)
    )
    const titles = this.#begun ? [] : [this.#columns.map(({ title }) => ({ text: title, paint: this.#title }))]
    this.#begun = true
    return [...titles, ...rows].map((row) => this.#line(row))
  }

  #line(row: ReadonlyArray<Cell>): string {
    const last = this.#columns.length - 1
    const before = this.#widths.slice(0, last).reduce((sum, width) => sum + width + gap.length, 0)
    const room = Math.max(minRoom, this.#room - before)
    return this.#columns.map(({ side }, index) => {
      const { paint = (text: string) => text, text } = row[index] ?? { text: "" }
      if (index === last) return paint(fitText(text, room))
      const padding = " ".repeat(Math.max(0, (this.#widths[index] ?? 0) - textWidth(text)))
      return side === "left" ? paint(text) + padding : padding + paint(text)
    }).join(gap).trimEnd()
  }
}
