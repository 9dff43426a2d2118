/**
 * Encodes a paste as a terminal sends it.
 *
 * Source: xterm's control sequences, "Bracketed Paste Mode"; xterm's resource `disallowedPasteControls`.
 */

/**
 * The text to type for a paste. Newlines are typed as Enter. For a program that supports bracketed paste the text is
 * marked as one, without control characters other than tabs and newlines: an escape sequence could end the mark, and a
 * character such as Ctrl-C or Ctrl-Z would make the terminal interrupt the program, after which the rest would count as
 * typed lines.
 */
export const encodePaste = (text: string, bracketed: boolean): string => {
  const typed = text.replace(/\r?\n/g, "\r")
  return bracketed ? `\x1b[200~${typed.replace(/(?![\t\r])\p{Cc}/gu, "")}\x1b[201~` : typed
}
