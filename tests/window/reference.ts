/** Computes windows in the slow and plain way: one character at a time over the whole text, without chunks. */
import { Window } from "@sluice/shell"
import * as Schema from "effect/Schema"

const small = Schema.Literals([1, 2, 3, 5, 8])

/** A random rule; `semicolon` stands for a policy of one's own. */
export const Rule = Schema.Union([
  Schema.Struct({ kind: Schema.Literals(["final", "paragraph", "semicolon"]), n: Schema.Literal(0) }),
  Schema.Struct({ kind: Schema.Literals(["lines", "bytes"]), n: small }),
])

export type Rule = typeof Rule.Type

const policyOf = (rule: Rule): Window.Policy => {
  switch (rule.kind) {
    case "final":
      return Window.finalOnly
    case "paragraph":
      return Window.paragraph
    case "lines":
      return Window.lineCount(rule.n)
    case "bytes":
      return Window.byteCount(rule.n)
    case "semicolon":
      return Window.makePolicy({ open: () => (text, from) => text.indexOf(";", from) + 1 || -1 })
  }
}

/** The policy of several rules: whichever comes first. */
export const policy = ([first, ...rest]: ReadonlyArray<Rule>): Window.Policy =>
  first === undefined ? Window.finalOnly : Window.any(policyOf(first), ...rest.map(policyOf))

const utf8 = (text: string): number => new TextEncoder().encode(text).length

const paragraphEnded = (window: string, startsLine: boolean): boolean => {
  if (!window.endsWith("\n")) return false
  const lines = window.split("\n").slice(0, -1)
  const blank = lines.map((line, index) => /^[ \t\r]*$/.test(line) && (startsLine || index > 0))
  return blank.at(-1) === true && blank.includes(false)
}

const endsAfter = (rule: Rule, window: string, bytes: number, startsLine: boolean): boolean => {
  switch (rule.kind) {
    case "final":
      return false
    case "paragraph":
      return paragraphEnded(window, startsLine)
    case "lines":
      return window.endsWith("\n") && window.split("\n").length - 1 === rule.n
    case "bytes":
      return bytes >= rule.n
    case "semicolon":
      return window.endsWith(";")
  }
}

/** What a plain cutter made of a text; `held` when the last window was ended by nothing but the text's end. */
export interface Reference {
  readonly windows: ReadonlyArray<string>
  readonly held: boolean
}

/** The windows of a text, by its rules and the most bytes that a window may have. */
export const reference = (
  rules: ReadonlyArray<Rule>,
  maxBytes: number,
  text: string,
  startsLine = true,
): Reference => {
  const most = Math.min(maxBytes, ...rules.map((rule) => rule.kind === "bytes" ? rule.n : Infinity))
  const windows: Array<string> = []
  let [window, bytes, atLine] = ["", 0, startsLine]
  const cut = (): void => {
    windows.push(window)
    atLine = window.endsWith("\n")
    window = ""
    bytes = 0
  }
  for (const character of text) {
    const more = utf8(character)
    if (window !== "" && bytes + more > most) cut()
    window += character
    bytes += more
    if (rules.some((rule) => endsAfter(rule, window, bytes, atLine))) cut()
  }
  const held = window !== ""
  if (held) cut()
  return { windows, held }
}
