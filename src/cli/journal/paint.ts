/**
 * Colours, where somebody sees them.
 *
 * @module
 */
import type { OutputFd, OwnProcess } from "../OwnProcess.ts"

/** Gives a text a colour. */
export type Paint = (text: string) => string

/** The colours of the command line. */
export interface Paints {
  readonly bold: Paint
  readonly faint: Paint
  readonly red: Paint
  readonly yellow: Paint
  /** One of several that are told apart. */
  readonly any: (number: number) => Paint
}

// Select Graphic Rendition of ECMA-48: on, and off again.
const sgr = (on: number, off: number): Paint => (text) => text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`

const others = [36, 32, 35, 34, 96, 92, 95, 94].map((color) => sgr(color, 39))

const colors: Paints = {
  bold: sgr(1, 22),
  faint: sgr(2, 22),
  red: sgr(31, 39),
  yellow: sgr(33, 39),
  any: (number) => others[number % others.length] ?? plain,
}

const plain: Paint = (text) => text

const none: Paints = { bold: plain, faint: plain, red: plain, yellow: plain, any: () => plain }

/** Colours for an output: on a terminal that knows them, unless somebody asked for none (https://no-color.org). */
export const paintsFor = (own: OwnProcess, fd: OutputFd): Paints =>
  own.isTerminal(fd) && (own.variable("NO_COLOR") ?? "") === "" && own.variable("TERM") !== "dumb" ? colors : none
