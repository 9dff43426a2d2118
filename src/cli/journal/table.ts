/** Formats rows of cells as lines with aligned columns, cut to the width of the terminal. */
import type { TextStyle } from "./TextStyle.ts"
import { fitText, textWidth } from "./textWidth.ts"

/** A column: its title and its alignment. */
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
