/**
 * Matches relative paths against glob patterns in which `**` stands for any number of folders.
 *
 * The time to match grows at most with the product of both lengths, whatever the pattern: patterns come from callers.
 */
import { globMatcher } from "../base/globMatcher.ts"

/** Maximum number of patterns that braces may stand for. */
const maxAlternatives = 256

/** The patterns that braces stand for, without the escapes of braces: `*.{js,ts}` is `*.js` and `*.ts`. */
const alternatives = (pattern: string): ReadonlyArray<string> => {
  let done: ReadonlyArray<string> = []
  let open: ReadonlyArray<string> = [pattern]
  while (open.length > 0 && done.length + open.length <= maxAlternatives) {
    const next: Array<string> = []
    for (const text of open) {
      const braces = /\{([^{}]*,[^{}]*)\}/.exec(text)
      if (braces === null) done = [...done, text]
      else {
        const [all, inner = ""] = braces
        const [before, after] = [text.slice(0, braces.index), text.slice(braces.index + all.length)]
        next.push(...inner.split(",").map((part) => `${before}${part}${after}`))
      }
    }
    open = next
  }
  return [...done, ...open]
}

/** Matches the names of a path against the parts of a pattern; `undefined` is `**`. */
const matches = (
  parts: ReadonlyArray<((name: string) => boolean) | undefined>,
  names: ReadonlyArray<string>,
): boolean => {
  // The possible numbers of names that the parts so far can match.
  let reached = new Set([0])
  for (const part of parts) {
    const next = new Set<number>()
    // `**` reaches all from the first on: the numbers are in order.
    const [first] = reached
    if (part === undefined && first !== undefined) { for (let to = first; to <= names.length; to++) next.add(to) }
    for (const at of part === undefined ? [] : reached) {
      const name = names[at]
      if (name !== undefined && part?.(name) === true) next.add(at + 1)
    }
    reached = next
  }
  return reached.has(names.length)
}

/**
 * Makes a predicate that matches whole relative paths: `*` and `?` stay within one name, `**` is any number of folders,
 * `[a-z]` a set, `{a,b}` alternatives. A pattern without a slash matches the name in any folder, as in `.gitignore`.
 */
export const pathMatcher = (pattern: string): (path: string) => boolean => {
  const anchored = pattern.startsWith("/") ? pattern.slice(1) : pattern
  const anywhere = !pattern.includes("/")
  const all = alternatives(anchored).map((one) => {
    const parts = one.split("/").map((part) => part === "**" ? undefined : globMatcher(part))
    return anywhere ? [undefined, ...parts] : parts
  })
  return (path) => {
    const names = path.split("/")
    return all.some((parts) => matches(parts, names))
  }
}
