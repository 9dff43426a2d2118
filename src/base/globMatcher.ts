/** Compiles glob patterns (`*`, `?` and sets) to predicates that match whole texts. */

/** Matches one character; `undefined` stands for `*`. */
type Token = ((character: string) => boolean) | undefined

const exactly = (wanted: string): Token => (character) => character === wanted

/**
 * The set that starts at `[`, and the index of its end; `undefined` if the set is not closed: the `[` is then literal.
 */
const setAt = (characters: ReadonlyArray<string>, open: number): readonly [Token, number] | undefined => {
  const negated = characters[open + 1] === "!" || characters[open + 1] === "^"
  const first = open + (negated ? 2 : 1)
  // A `]` in first place is a member.
  const close = characters.indexOf("]", first + 1)
  if (close < 0) return undefined
  const ranges: Array<readonly [string, string]> = []
  for (let at = first; at < close; at++) {
    const from = characters[at] ?? ""
    const to = characters[at + 1] === "-" && at + 2 < close ? characters[at += 2] ?? from : from
    ranges.push([from, to])
  }
  const code = (character: string): number => character.codePointAt(0) ?? 0
  const has = (character: string): boolean =>
    ranges.some(([from, to]) => code(from) <= code(character) && code(character) <= code(to))
  return [(character) => has(character) !== negated, close]
}

const tokensOf = (pattern: string): ReadonlyArray<Token> => {
  const characters = [...pattern]
  const tokens: Array<Token> = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? ""
    const set = character === "[" ? setAt(characters, at) : undefined
    if (set !== undefined) {
      tokens.push(set[0])
      at = set[1]
    } else if (character === "*") tokens.push(undefined)
    else if (character === "?") tokens.push(() => true)
    else if (character === "\\" && at + 1 < characters.length) tokens.push(exactly(characters[++at] ?? ""))
    else tokens.push(exactly(character))
  }
  return tokens
}

/**
 * Makes a predicate that matches whole texts: `*` is any characters (slashes and spaces too), `?` is one, `[a-z]` one
 * of a set, `[!a-z]` one outside of it, `\` escapes the next. The time grows at most with the product of both lengths.
 *
 * @example
 * ```ts
 * import { Audit } from "@sluice/shell/audit"
 *
 * const isTest = Audit.globMatcher("npm [rt]* test?")
 * console.log(isTest("npm run tests") && !isTest("npm install")) // true
 * ```
 */
export const globMatcher = (pattern: string): (text: string) => boolean => {
  const tokens = tokensOf(pattern)
  return (text) => {
    const characters = [...text]
    let at = 0
    let token = 0
    let star = -1
    let starAt = 0
    while (at < characters.length) {
      const is = tokens[token]
      if (token < tokens.length && is === undefined) {
        star = token++
        starAt = at
      } else if (is?.(characters[at] ?? "") === true) {
        at++
        token++
      } else if (star >= 0) {
        token = star + 1
        at = ++starAt
      } else return false
    }
    while (token < tokens.length && tokens[token] === undefined) token++
    return token === tokens.length
  }
}
