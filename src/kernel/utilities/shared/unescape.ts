/** Decodes the backslash escapes of `echo -e`, `stat --printf` and `find -printf` in a binary string. */
const controls: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
}

/** Replaces the escapes; `stopped` is whether `\c` ended the text. */
export const unescape = (text: string): { readonly value: string; readonly stopped: boolean } => {
  const end = /^(?:[^\\]|\\[^c])*?\\c/s.exec(text)
  const whole = end === null ? text : end[0].slice(0, -2)
  const value = whole.replace(
    /\\(?:([abefnrtv\\])|0([0-7]{0,3})|x([0-9a-fA-F]{1,2}))/g,
    (_all, letter?: string, octal?: string, hex?: string) =>
      letter !== undefined
        ? controls[letter] ?? letter
        : String.fromCharCode((octal !== undefined ? parseInt(octal || "0", 8) : parseInt(hex ?? "0", 16)) & 255),
  )
  return { stopped: end !== null, value }
}
