/**
 * Translates names of keys to the bytes that a terminal sends for them.
 *
 * Source: xterm's control sequences, https://invisible-island.net/xterm/ctlseqs/ctlseqs.html ("PC-Style Function Keys").
 */

/**
 * The name of a key: as on the keyboard, with `Ctrl-` before a letter, `Space`, a cursor key, or one of `[ \ ] ^ _ @`, and with
 * `Alt-` before a character, `Enter` or a cursor key.
 */
export type TerminalKey =
  | "Enter"
  | "Tab"
  | "Shift-Tab"
  | "Escape"
  | "Space"
  | "Backspace"
  | "Delete"
  | "Insert"
  | "PageUp"
  | "PageDown"
  | "Home"
  | "End"
  | "Up"
  | "Down"
  | "Left"
  | "Right"
  | `F${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`
  | `Ctrl-${string}`
  | `Alt-${string}`

const fixed = {
  Enter: "\r",
  Tab: "\t",
  "Shift-Tab": "\x1b[Z",
  Escape: "\x1b",
  Space: " ",
  Backspace: "\x7f",
  Delete: "\x1b[3~",
  Insert: "\x1b[2~",
  PageUp: "\x1b[5~",
  PageDown: "\x1b[6~",
  F1: "\x1bOP",
  F2: "\x1bOQ",
  F3: "\x1bOR",
  F4: "\x1bOS",
  F5: "\x1b[15~",
  F6: "\x1b[17~",
  F7: "\x1b[18~",
  F8: "\x1b[19~",
  F9: "\x1b[20~",
  F10: "\x1b[21~",
  F11: "\x1b[23~",
  F12: "\x1b[24~",
} as const satisfies Partial<Record<TerminalKey, string>>

/** Keys whose sequence depends on the mode of the cursor keys (DECCKM): `ESC [` or `ESC O`, and this letter. */
const cursor = { Up: "A", Down: "B", Right: "C", Left: "D", Home: "H", End: "F" } as const satisfies Partial<
  Record<TerminalKey, string>
>

/** All names without a modifier. */
export const keyNames: ReadonlyArray<string> = [...Object.keys(fixed), ...Object.keys(cursor)]

/** All keys, for messages and descriptions. */
export const describedKeys: string = `${
  keyNames.join(", ")
}, Ctrl-C (any letter), Alt-x, or a cursor key with Ctrl- or Alt-`

const has = <Names extends object>(names: Names, name: string): name is Extract<keyof Names, string> =>
  Object.hasOwn(names, name)

/** The text that a terminal sends for a key; `undefined` for a name that no key has. */
export const encodeKey = (name: string, applicationCursor: boolean): string | undefined => {
  if (has(fixed, name)) return fixed[name]
  if (has(cursor, name)) return `\x1b${applicationCursor ? "O" : "["}${cursor[name]}`
  const [, modifier, rest] = /^(Ctrl|Alt)-(.+)$/su.exec(name) ?? []
  if (modifier === undefined || rest === undefined) return undefined
  if (modifier === "Alt") {
    if ([...rest].length === 1) return `\x1b${rest}`
    if (has(cursor, rest)) return `\x1b[1;3${cursor[rest]}`
    const plain = has(fixed, rest) ? fixed[rest] : undefined
    return plain !== undefined && plain.length === 1 ? `\x1b${plain}` : undefined
  }
  if (rest === "Space") return "\0"
  // Control characters are the letters' codes without their upper bits (ASCII).
  if (/^[A-Za-z[\\\]^_@]$/.test(rest)) return String.fromCharCode(rest.toUpperCase().charCodeAt(0) & 0x1f)
  return has(cursor, rest) ? `\x1b[1;5${cursor[rest]}` : undefined
}
