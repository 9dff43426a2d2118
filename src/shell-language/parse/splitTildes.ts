/** Splits the literals of a word at each `~` that stands for a home directory. Source: POSIX.1-2024 XCU 2.6.1. */
import type { WordPart } from "../SyntaxTree.ts"

const assigned = /^[A-Za-z_][A-Za-z0-9_]*\+?=/

/**
 * Makes parts of `~` and `~user` at the start of a word and, like bash, after each `:` in an assignment or a word that
 * looks like one.
 */
export const splitTildes = (parts: ReadonlyArray<WordPart>, assignment: boolean): ReadonlyArray<WordPart> => {
  const [first, ...rest] = parts
  if (!parts.some((part) => part._tag === "Literal" && part.value.includes("~"))) return parts
  const name = first?._tag === "Literal" && !assignment ? assigned.exec(first.value)?.[0] ?? "" : ""
  if (first?._tag !== "Literal" || name === "") return splitLiterals(parts, assignment)
  const { span: { end, start }, value } = first
  const head: WordPart = { _tag: "Literal", value: name, span: { start, end: start + name.length } }
  const tail: WordPart = { _tag: "Literal", value: value.slice(name.length), span: { start: start + name.length, end } }
  const after = splitLiterals([tail, ...rest], true)
  return after.some((part) => part._tag === "Tilde") ? [head, ...after] : parts
}

const splitLiterals = (parts: ReadonlyArray<WordPart>, assignment: boolean): ReadonlyArray<WordPart> => {
  const before = assignment ? /(?:^|:)~([\w.+-]*)(?=[/:]|$)/g : /^~([\w.+-]*)(?=\/|$)/g
  return parts.flatMap((part, index) => {
    if (part._tag !== "Literal" || (index > 0 && !assignment)) return [part]
    const found: Array<WordPart> = []
    const literal = (from: number, to: number): void => {
      const span = {
        start: part.span.start + from,
        end: to === part.value.length ? part.span.end : part.span.start + to,
      }
      if (to > from) found.push({ _tag: "Literal", value: part.value.slice(from, to), span })
    }
    let end = 0
    for (const match of part.value.matchAll(before)) {
      const tilde = match.index + (match[0].startsWith(":") ? 1 : 0)
      const after = match.index + match[0].length
      // `~` is plain text in the middle of a word, or if the user's name continues in the next part.
      if ((index > 0 && tilde === 0) || (after === part.value.length && index < parts.length - 1)) continue
      literal(end, tilde)
      const span = { start: part.span.start + tilde, end: part.span.start + after }
      found.push({ _tag: "Tilde", user: match[1] ?? "", span })
      end = after
    }
    literal(end, part.value.length)
    return found
  })
}
