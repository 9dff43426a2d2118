/** Reads the words of strace's lines: its quoted strings, lists of them, and names of open files. */

/** A place in a text that is read from front to back. */
export interface Cursor {
  readonly text: string
  at: number
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, v: 11, f: 12, r: 13, '"': 34, "\\": 92 }

const utf8 = new TextDecoder()

/** A string in quotes, as strace escapes it; what it cut off is gone. */
export const readString = (cursor: Cursor): string => {
  const { text } = cursor
  if (text[cursor.at] !== '"') throw new Error(`no string at ${cursor.at}: ${text.slice(0, 200)}`)
  const bytes: Array<number> = []
  for (cursor.at++; text[cursor.at] !== '"'; cursor.at++) {
    if (cursor.at >= text.length) throw new Error(`a string without an end: ${text.slice(0, 200)}`)
    if (text[cursor.at] !== "\\") {
      bytes.push(text.charCodeAt(cursor.at))
      continue
    }
    const octal = /^[0-7]{1,3}/.exec(text.slice(cursor.at + 1, cursor.at + 4))?.[0]
    if (octal === undefined) {
      cursor.at++
      bytes.push(escapes[text[cursor.at] ?? ""] ?? text.charCodeAt(cursor.at))
    } else {
      cursor.at += octal.length
      bytes.push(parseInt(octal, 8))
    }
  }
  cursor.at++
  if (text.startsWith("...", cursor.at)) cursor.at += 3
  return utf8.decode(Uint8Array.from(bytes))
}

/** A list of strings; without `-v`, or where it cannot be read, it is an address, and empty here. */
export const readList = (cursor: Cursor): ReadonlyArray<string> => {
  const { text } = cursor
  if (text[cursor.at] !== "[") {
    cursor.at = Math.max(cursor.at, text.indexOf(",", cursor.at))
    return []
  }
  const words: Array<string> = []
  cursor.at++
  while (text[cursor.at] !== "]") {
    if (cursor.at >= text.length) throw new Error(`a list without an end: ${text.slice(0, 200)}`)
    if (text[cursor.at] === '"') words.push(readString(cursor))
    else cursor.at++
  }
  cursor.at++
  return words
}

/** Goes over a comma and blanks. */
export const skipComma = (cursor: Cursor): void => {
  while (/[\s,]/.test(cursor.text[cursor.at] ?? "")) cursor.at++
}

/** The file behind a descriptor (`5</usr/bin/true>`, by `-y`), `AT_FDCWD` with its directory. */
export const readDescriptor = (cursor: Cursor): string | undefined => {
  const found = /^(?:AT_FDCWD|-?\d+)(?:<((?:[^>\\]|\\.)*)>)?/.exec(cursor.text.slice(cursor.at))
  if (found === null) return undefined
  cursor.at += found[0].length
  return found[1]
}
