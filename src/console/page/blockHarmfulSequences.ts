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
const oscCodes = [0, 1, 2, 4, 5, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 52, 104, 105, 110, 111, 112, 113, 114, 117]

/** Queries that a terminal answers as typed input (DA, DSR, DECRQM, XTVERSION), and window manipulation (t). */
const csiQueries: ReadonlyArray<IFunctionIdentifier> = [
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

/** Queries in device control strings: DECRQSS and XTGETTCAP. */
const dcsQueries: ReadonlyArray<IFunctionIdentifier> = [{ intermediates: "$", final: "q" }, {
  intermediates: "+",
  final: "q",
}]

/** Sequences with a repeat count: a terminal repeats one by one, and ten digits would block the page for hours. */
const repeatedSequences: ReadonlyArray<IFunctionIdentifier> = [
  ...["@", "L", "M", "P", "S", "T", "X", "b", "I", "Z"].map((final) => ({ final })),
  { intermediates: " ", final: "@" },
  { intermediates: " ", final: "A" },
  { intermediates: "'", final: "}" },
  { intermediates: "'", final: "~" },
]

/** Maximum repeat count: more than the rows or columns of any screen. */
const maxRepeat = 500

/** Modes that send mouse and focus events to the program: with them the user could not select text. */
const inputModes: ReadonlySet<number> = new Set([9, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016])

/** The mode in which pasted text is marked as such: on a terminal that is typed into, its newlines then start nothing. */
const bracketedPaste = 2004

/** Handles a sequence by doing nothing: the terminal does not see it. */
const discard = (): boolean => true

/** Registers handlers that discard harmful sequences in a terminal. `isTyped`: whether the user types into it now. */
export const blockHarmfulSequences = (parser: IParser, isTyped: () => boolean = () => false): void => {
  for (const id of oscCodes) parser.registerOscHandler(id, discard)
  for (const id of csiQueries) parser.registerCsiHandler(id, discard)
  for (const id of dcsQueries) parser.registerDcsHandler(id, discard)
  for (const id of repeatedSequences) {
    parser.registerCsiHandler(id, (numbers) => numbers.flat().some((number) => number > maxRepeat))
  }
  parser.registerCsiHandler(
    { prefix: "?", final: "h" },
    (numbers) => numbers.flat().some((mode) => inputModes.has(mode) || (mode === bracketedPaste && !isTyped())),
  )
}
