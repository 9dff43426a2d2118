/** Defines, for each kind of text in a script, the characters that end it and the quotes it recognizes. */
export interface TextMode {
  /** Characters that end the text, outside pairs. */
  readonly stop: string
  /** A character that ends the text within pairs too. */
  readonly always: string
  /** An opening and a closing character that are read in pairs. */
  readonly pairs: string
  /** As within double quotes: a backslash quotes only some characters and is plain text before others. */
  readonly quoted: boolean
  /** Whether `'` quotes. `"literally"`: it only hides characters that would end the text, as in `"${x:-…}"`. */
  readonly single: boolean | "literally"
  readonly double: boolean
  /** `<(…)` is a substitution. */
  readonly process: boolean
  readonly plain: RegExp
}

const makeMode = (
  { always = "", double = true, pairs = "", quoted = false, single = true, stop }:
    & Partial<Omit<TextMode, "process" | "plain">>
    & Pick<TextMode, "stop">,
): TextMode => {
  const process = !quoted && !stop.includes("]")
  const special = `\\$\`${stop}${pairs}${single ? "'" : ""}${double ? '"' : ""}${process ? "<>" : ""}`
  const plain = new RegExp(`[^${special.replace(/[\]\\[]/g, "\\$&")}]+`, "y")
  return { stop, always, pairs, quoted, single, double, process, plain }
}

export const word: TextMode = makeMode({ stop: " \t\n;&|()<>" })
/** The right side of `=~`. Blanks and operators may stand between parentheses. */
export const regex: TextMode = makeMode({ stop: " \t\n;&<>)", pairs: "()" })
export const doubleQuoted: TextMode = makeMode({ stop: '"', quoted: true, single: false, double: false })
export const hereDocument: TextMode = makeMode({ stop: "", quoted: true, single: false, double: false })
export const arithmetic: TextMode = makeMode({ stop: ")", pairs: "()", quoted: true })
export const arithmeticClause: TextMode = makeMode({ stop: ";)", pairs: "()", quoted: true })
/** Arithmetic of the old form `$[…]`. */
export const oldArithmetic: TextMode = makeMode({ stop: "]", pairs: "[]", quoted: true })
/** The offset or length of `${x:offset:length}`. The `:` of `? :` belongs to it. */
export const slice: TextMode = makeMode({ stop: ":}", pairs: "?:", always: "}", quoted: true })
export const subscript: TextMode = makeMode({ stop: "]", pairs: "[]" })
/** The subscript of a parameter within braces; a closing brace ends it. */
export const bracedSubscript: TextMode = makeMode({ stop: "]}", pairs: "[]", always: "}" })
/** A word, pattern or replacement within `${…}`. */
export const operand: TextMode = makeMode({ stop: "}" })
/** The pattern of `${x/pattern/word}`. */
export const pattern: TextMode = makeMode({ stop: "/}" })
/** A word within `"${…}"`. */
export const quotedOperand: TextMode = makeMode({ stop: "}", quoted: true, single: "literally" })
/** Double quotes within {@link quotedOperand}; a backslash quotes every character. */
export const innerQuoted: TextMode = makeMode({ stop: '"', quoted: true, single: false, double: false })
/** A word within `${…}` in a here-document, where `$'` begins nothing. */
export const hereOperand: TextMode = makeMode({ stop: "}", quoted: true, single: "literally" })
/** Double quotes within {@link hereOperand}. */
export const hereInner: TextMode = makeMode({ stop: '"', quoted: true, single: false, double: false })
/** The rest of `@(…)`. */
export const extendedPattern: TextMode = makeMode({ stop: ")", pairs: "()" })

/** The mode of the word of `${x:-word}` within a text of a mode. */
export const operandIn = (outer: TextMode): TextMode =>
  outer === hereDocument || outer === hereOperand || outer === hereInner
    ? hereOperand
    : outer.quoted
    ? quotedOperand
    : operand
