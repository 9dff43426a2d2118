/**
 * Checks names and builds paths by the rules of Windows.
 *
 * Source: Microsoft, "Naming Files, Paths, and Namespaces".
 */

import { quote } from "../../base/quote.ts"

// Blanks before an ending do not count: "con .txt" is the console.
const reserved = /^(?:con|prn|aux|nul|con(?:in|out)\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/i
const forbidden = /[<>:"/\\|?*]/
const shortName = /^[^.]{1,8}(?:\.[^.]{0,3})?$/

/** Explains why Windows would not use a name unchanged: it would open a device, a stream or another file. */
export const checkWindowsName = (name: string): string | undefined => {
  if (reserved.test(name)) return `${quote(name)} is a device on Windows`
  const character = forbidden.exec(name)?.[0]
  if (character !== undefined) return `Windows does not allow ${quote(character)} in names`
  // PROGRA~1 is "Program Files" under another name, which rules about paths do not match.
  if (/~\d/.test(name) && shortName.test(name)) return `${quote(name)} may be the short name of another file on Windows`
  return /[. ]$/.test(name) ? `Windows drops the end of ${quote(name)}` : undefined
}

/**
 * The path of names below a root, with backslashes. `useLongPaths` puts `\\?\` before it, which lifts the limit of 260
 * characters, and `\\?\UNC\` where the root is on a share.
 */
export const windowsPath = (root: string, names: ReadonlyArray<string>, useLongPaths: boolean): string => {
  const plain = [root.replaceAll("/", "\\").replace(/\\+$/, ""), ...names].join("\\")
  if (!useLongPaths || plain.startsWith("\\\\?\\")) return plain
  return plain.startsWith("\\\\") ? `\\\\?\\UNC\\${plain.slice(2)}` : `\\\\?\\${plain}`
}
