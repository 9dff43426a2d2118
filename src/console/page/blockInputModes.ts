/** Keeps the mouse and the paste key of the page's terminal for the user, whatever modes the output sets. */
import type { IParser } from "@xterm/xterm"

/** Modes that send mouse and focus events to the program: with them the user could not select text. */
const inputModes: ReadonlySet<number> = new Set([9, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016])

/**
 * The mode in which pasted text is marked as such, so that newlines in a paste start no command on a terminal with
 * input.
 */
const bracketedPaste = 2004

/** Discards these modes. `isTyped`: whether the user types into the terminal now. */
export const blockInputModes = (parser: IParser, isTyped: () => boolean = () => false): void => {
  parser.registerCsiHandler(
    { prefix: "?", final: "h" },
    (numbers) => numbers.flat().some((mode) => inputModes.has(mode) || (mode === bracketedPaste && !isTyped())),
  )
}
