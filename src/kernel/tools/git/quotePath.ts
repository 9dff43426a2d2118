/** Quotes paths as git prints them. Source: git-config(1) `core.quotePath`. */
import { escapeQuotedByte } from "../../escapeByte.ts"
import { textToBinary } from "../../binaryString.ts"

const unusual = /[^\x20-\x7e]|["\\]/

/** `force` quotes a path with blanks too, as `git status --short` does. */
export const quotePath = (path: string, force = false): string => {
  if (!unusual.test(path)) return force && path.includes(" ") ? `"${path}"` : path
  const escaped = textToBinary(path).replace(
    /[^\x20-\x7e]|["\\]/g,
    escapeQuotedByte,
  )
  return `"${escaped}"`
}

/** `dir/{old => new}/file`. Source: git-diff(1), `--stat`. */
export const renameName = (from: string, to: string): string => {
  if (quotePath(from) !== from || quotePath(to) !== to) return `${quotePath(from)} => ${quotePath(to)}`
  let start = 0
  for (let at = 0; at < from.length && at < to.length && from[at] === to[at]; at++) if (from[at] === "/") start = at + 1
  let end = 0
  const min = start - (start > 0 ? 1 : 0)
  for (let [i, j] = [from.length, to.length]; i >= min && j >= min && from[i] === to[j]; i--, j--) {
    if (from[i] === "/") end = from.length - i
  }
  const middle = (text: string): string => text.slice(start, Math.max(start, text.length - end))
  const inner = `${middle(from)} => ${middle(to)}`
  return start + end === 0 ? inner : `${from.slice(0, start)}{${inner}}${from.slice(from.length - end)}`
}
