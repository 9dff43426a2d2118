/**
 * Removes terminal escape sequences from output text.
 *
 * @module
 */

// Sources: ECMA-48, 5.4 (CSI), 8.3.89 (OSC and the other strings), and 5.5 (two-byte escapes).
const sequences =
  // deno-lint-ignore no-control-regex
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|[\u0000-\u0008\u000b-\u001f\u007f]/g

/** Removes escape sequences and control characters other than tabs and newlines. */
export const stripEscapes = (text: string): string => text.replace(sequences, "")
