/** Makes the text styles of an output: escape sequences on a capable terminal, else plain text. */
import type { CliProcess, OutputFd } from "../CliProcess.ts"

export type TextStyle = (text: string) => string

export interface TextStyles {
  readonly bold: TextStyle
  readonly faint: TextStyle
  readonly red: TextStyle
  readonly green: TextStyle
  readonly yellow: TextStyle
  readonly any: (number: number) => TextStyle
}

// Select Graphic Rendition of ECMA-48: on, and off again.
const sgr = (on: number, off: number): TextStyle => (text) => text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`

const others = [36, 32, 35, 34, 96, 92, 95, 94].map((color) => sgr(color, 39))

const colors: TextStyles = {
  bold: sgr(1, 22),
  faint: sgr(2, 22),
  red: sgr(31, 39),
  green: sgr(32, 39),
  yellow: sgr(33, 39),
  any: (number) => others[number % others.length] ?? plain,
}

const plain: TextStyle = (text) => text

const none: TextStyles = { bold: plain, faint: plain, red: plain, green: plain, yellow: plain, any: () => plain }

/** Makes the styles of an output: colours on a capable terminal, unless NO_COLOR is set (https://no-color.org). */
export const makeTextStyles = (cli: CliProcess, fd: OutputFd): TextStyles =>
  cli.isTerminal(fd) && (cli.variable("NO_COLOR") ?? "") === "" && cli.variable("TERM") !== "dumb" ? colors : none
