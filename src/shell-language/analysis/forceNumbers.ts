/**
 * Rewrites an arithmetic expression so that each variable that it reads can only be a number, whatever its value, and
 * recognizes the parts that were rewritten.
 *
 * `(${x//[!0123456789 +-]/@}+0)` leaves a value of digits, signs and blanks unchanged and makes an empty one 0. In other
 * values each other character becomes `@`, on which bash's arithmetic fails, so that no value can be read as a name.
 *
 * @module
 */
import { staticText } from "./staticText.ts"
import type { ArithmeticText, Literal, Parameter, Span, Word, WordPart } from "../SyntaxTree.ts"

const foreign = "[!0123456789 +-]"

const literal = (value: string, span: Span): Literal => ({ _tag: "Literal", value, span })
const wordOf = (value: string, span: Span): Word => ({
  _tag: "Word",
  parts: [literal(value, span)],
  braces: false,
  span,
})

const forcedParameter = (name: string, span: Span): ReadonlyArray<WordPart> => {
  const [pattern, replacement] = [wordOf(foreign, span), wordOf("@", span)]
  const operation = { _tag: "ParameterReplace", which: "all", pattern, replacement, span } as const
  const parameter: Parameter = { _tag: "Parameter", name, subscript: undefined, indirect: false, operation, span }
  return [literal("(", span), parameter, literal("+0)", span)]
}

/** Whether a part of an expression was made by {@link forceNumbers}, by itself and the text around it. */
export const isForced = (parts: ReadonlyArray<WordPart>, at: number): boolean => {
  const [before, part, after] = [parts[at - 1], parts[at], parts[at + 1]]
  if (part?._tag !== "Parameter" || part.operation?._tag !== "ParameterReplace") return false
  const { pattern, replacement, which } = part.operation
  const [only] = pattern.parts
  return !part.indirect && part.subscript === undefined && which === "all" &&
    only?._tag === "Literal" && only.value === foreign && pattern.parts.length === 1 &&
    replacement !== undefined && staticText(replacement) === "@" &&
    before?._tag === "Literal" && before.value.endsWith("(") &&
    after?._tag === "Literal" && after.value.startsWith("+0)")
}

/** Matches a piece of an expression: a numeral, a name, an operator that assigns, or another character. */
const piece = /\d[\w#@]*|[A-Za-z_]\w*|\+\+|--|<<=|>>=|[<>=!]=|[-+*/%&|^]?=|\s+|[^]/g
const assigns = /^(?:\+\+|--|\[|(?:<<|>>|[-+*/%&|^])?=)$/

/** Forces the names that a text reads but does not assign. */
const forcedText = (
  { span, value }: Literal,
  isOpen: { readonly before: boolean; readonly after: boolean },
  mayForce: (name: string) => boolean,
): ReadonlyArray<WordPart> => {
  const pieces = value.match(piece) ?? []
  const parts: Array<WordPart> = []
  for (const [at, found] of pieces.entries()) {
    const near = (step: 1 | -1): string =>
      pieces.slice(at + step)[0]?.trim() === "" ? pieces[at + 2 * step] ?? "" : pieces[at + step] ?? ""
    const isWhole = (at > 0 || !isOpen.before) && (at < pieces.length - 1 || !isOpen.after)
    const isRead = /^[A-Za-z_]/.test(found) && isWhole && !assigns.test(near(1)) &&
      !/^(?:\+\+|--)$/.test(pieces[at - 1] ?? "")
    if (isRead && mayForce(found)) parts.push(...forcedParameter(found, span))
    else parts.push(literal(found, span))
  }
  return parts
}

/** Returns the parts of an expression with each of the given variables forced to be a number where it is read. */
export const forceNumbers = (
  { parts }: Pick<ArithmeticText, "parts">,
  mayForce: (name: string) => boolean,
): ReadonlyArray<WordPart> => {
  const made = parts.flatMap((part, at): ReadonlyArray<WordPart> => {
    if (part._tag === "Literal") {
      return forcedText(part, { before: at > 0, after: at < parts.length - 1 }, mayForce)
    }
    return part._tag === "Parameter" && isPlain(part) && mayForce(part.name)
      ? forcedParameter(part.name, part.span)
      : [part]
  })
  return joinLiterals(made)
}

const isPlain = ({ indirect, name, operation, subscript }: Parameter): boolean =>
  !indirect && operation === undefined && subscript === undefined && /^[A-Za-z_\d]/.test(name)

/** Joins adjoining literals. */
const joinLiterals = (parts: ReadonlyArray<WordPart>): ReadonlyArray<WordPart> => {
  const made: Array<WordPart> = []
  for (const part of parts) {
    const last = made.at(-1)
    if (part._tag === "Literal" && last?._tag === "Literal") {
      made.splice(-1, 1, { ...last, value: last.value + part.value })
    } else made.push(part)
  }
  return made
}
