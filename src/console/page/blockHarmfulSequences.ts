/**
 * Registers handlers in the terminal emulator that discard escape sequences which could harm the page or its user.
 *
 * Sources: "XTerm Control Sequences" (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html); H. D. Moore, "Terminal
 * Emulator Security Issues" (2003).
 *
 * @module
 */
import type { IFunctionIdentifier, IParser } from "@xterm/xterm"

/** Titles and icons (0, 1, 2), colours of the terminal (4, 5, 10 to 19, 104 to 119), links (8), the clipboard (52). */
const strings = [0, 1, 2, 4, 5, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 52, 104, 105, 110, 111, 112, 113, 114, 117]

/** Queries that a terminal answers as typed input (DA, DSR, DECRQM, XTVERSION), and window manipulation (t). */
const questions: ReadonlyArray<IFunctionIdentifier> = [
  { final: "c" },
  { prefix: ">", final: "c" },
  { prefix: "=", final: "c" },
  { final: "n" },
  { prefix: "?", final: "n" },
  { intermediates: "$", final: "p" },
  { prefix: "?", intermediates: "$", final: "p" },
  { prefix: ">", final: "q" },
  { final: "t" },
  { final: "x" },
]

/** DECRQSS and XTGETTCAP, which are queries too. */
const asked: ReadonlyArray<IFunctionIdentifier> = [{ intermediates: "$", final: "q" }, {
  intermediates: "+",
  final: "q",
}]

/** Sequences with a repeat count: a terminal repeats one by one, and ten digits would block the page for hours. */
const repeated: ReadonlyArray<IFunctionIdentifier> = [
  ...["@", "L", "M", "P", "S", "T", "X", "b", "I", "Z"].map((final) => ({ final })),
  { intermediates: " ", final: "@" },
  { intermediates: " ", final: "A" },
  { intermediates: "'", final: "}" },
  { intermediates: "'", final: "~" },
]

/** More than the rows or columns of any screen. */
const most = 500

/** Modes that give mouse, focus and paste to the program, so that nothing could be selected. */
const modes: ReadonlySet<number> = new Set([9, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 2004])

const never = (): boolean => true

/** Registers handlers that discard harmful sequences in a terminal. */
export const blockHarmfulSequences = (parser: IParser): void => {
  for (const id of strings) parser.registerOscHandler(id, never)
  for (const id of questions) parser.registerCsiHandler(id, never)
  for (const id of asked) parser.registerDcsHandler(id, never)
  for (const id of repeated) {
    parser.registerCsiHandler(id, (numbers) => numbers.flat().some((number) => number > most))
  }
  parser.registerCsiHandler({ prefix: "?", final: "h" }, (numbers) => numbers.flat().some((mode) => modes.has(mode)))
}
