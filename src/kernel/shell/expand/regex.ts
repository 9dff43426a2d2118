/**
 * POSIX extended regular expressions as JavaScript's.
 *
 * Source: POSIX 9.4 "Extended Regular Expressions".
 *
 * @module
 */

const classes: Readonly<Record<string, string>> = {
  alpha: "\\p{L}",
  digit: "0-9",
  alnum: "\\p{L}0-9",
  upper: "\\p{Lu}",
  lower: "\\p{Ll}",
  space: " \\t\\n\\v\\f\\r",
  blank: " \\t",
  punct: "!-\\/:-@\\[-`\\{-~",
  print: "\\x20-\\x7e\\u00a0-\\u{10ffff}",
  graph: "\\x21-\\x7e\\u00a1-\\u{10ffff}",
  cntrl: "\\x00-\\x1f\\x7f",
  xdigit: "0-9a-fA-F",
}

const inClass = (text: string): string =>
  text.replace(
    /[\\\]\[^/|&~!#$%*+,.:;<=>?@`(){}-]/g,
    (character) => "\\^$.*+?()[]{}|/-".includes(character) ? `\\${character}` : character,
  )

/** A bracket expression that starts at `[`, translated, and where it ends. */
const bracket = (source: string, start: number): readonly [text: string, end: number] | undefined => {
  let at = start + 1
  let text = "["
  if (source[at] === "^") {
    text += "^"
    at++
  }
  const first = at
  while (at < source.length && (source[at] !== "]" || at === first)) {
    const named = /^\[([:.=])(.*?)\1\]/.exec(source.slice(at, at + 24))
    if (named !== null) {
      const [whole, kind, name = ""] = named
      const set = kind === ":" ? classes[name] : inClass(name)
      if (set === undefined) return undefined
      text += set
      at += whole.length
      continue
    }
    const character = String.fromCodePoint(source.codePointAt(at) ?? 0)
    at += character.length
    const isRange = character === "-" && at - 1 > first && source[at] !== "]" && at < source.length
    text += isRange ? "-" : inClass(character)
  }
  if (at >= source.length) return undefined
  return [text === "[" || text === "[^" ? `${text}]` : `${text}]`, at + 1]
}

const cache = new Map<string, RegExp | undefined>()

const compile = (source: string, ignoreCase: boolean): RegExp | undefined => {
  let text = ""
  let inside = 0
  for (let at = 0; at < source.length;) {
    const character = String.fromCodePoint(source.codePointAt(at) ?? 0)
    const next = source[at + 1]
    if (character === "[") {
      const set = bracket(source, at)
      if (set === undefined) return undefined
      text += set[0]
      at = set[1]
      continue
    }
    at += character.length
    if (character === "\\" && next !== undefined) {
      const escaped = String.fromCodePoint(source.codePointAt(at) ?? 0)
      // GNU's \w, \s, \b and \< \> are what programs on Linux expect.
      text += "wWsSbB".includes(escaped)
        ? `\\${escaped}`
        : escaped === "<" || escaped === ">"
        ? "\\b"
        : "\\^$.*+?()[]{}|/".includes(escaped)
        ? `\\${escaped}`
        : escaped
      at += escaped.length
    } else if (character === "(") {
      inside++
      text += next === "?" || next === "*" || next === "+" ? "(" : "("
    } else if (character === ")" && inside === 0) text += "\\)"
    else if (character === ")") {
      inside--
      text += ")"
    } else if (character === "{" && !/^\{\d*(,\d*)?\}/.test(source.slice(at - 1))) text += "\\{"
    else if (character === "}" && !/\{\d*(,\d*)?$/.test(source.slice(0, at - 1))) text += "\\}"
    else if (character === ".") text += "[^]"
    else text += character === "/" ? "\\/" : character
  }
  try {
    return new RegExp(text.replaceAll("{,", "{0,"), ignoreCase ? "ui" : "u")
  } catch {
    return undefined
  }
}

/** A regular expression; `undefined` when it is none. */
export const regexOf = (source: string, ignoreCase: boolean): RegExp | undefined => {
  const key = `${ignoreCase ? "i" : "c"}${source}`
  if (cache.has(key)) return cache.get(key)
  if (cache.size >= 128) cache.clear()
  const made = compile(source, ignoreCase)
  cache.set(key, made)
  return made
}
