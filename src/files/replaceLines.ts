/** Applies the sections of a V4A update to the lines of a text: finds each by its context, after the one before it. */
import * as Result from "effect/Result"
import { quote } from "../base/quote.ts"
import { LineFinder, type Place } from "./LineFinder.ts"
import type { PatchedText } from "./PatchChange.ts"

export interface SectionLine {
  readonly sign: " " | "-" | "+"
  readonly text: string
}

export interface Section {
  /** Its first line in the patch. */
  readonly line: number
  /** Lines of the file before the section, one after the other: the texts after each `@@`. */
  readonly anchors: ReadonlyArray<string>
  readonly lines: ReadonlyArray<SectionLine>
  readonly isAtEnd: boolean
}

export interface SectionProblem {
  readonly _tag: "Conflict" | "TooLarge"
  readonly line: number
  readonly what: string
}

/**
 * Models end a section with an empty line, before the next section or at the end of the patch, where the last newline
 * seems to begin a line.
 */
const withoutLastLine = (
  finder: LineFinder,
  section: ReadonlyArray<SectionLine>,
  old: ReadonlyArray<string>,
  from: number,
  isAtEnd: boolean,
): Place | undefined => {
  if (old.length < 2 || old.at(-1) !== "") return undefined
  const place = finder.findSection(old.slice(0, -1), from, isAtEnd)
  const isAllowed = section.at(-1)?.sign === " " || place?.index === finder.lines.length - old.length + 1
  return place !== undefined && isAllowed ? { ...place, fuzz: place.fuzz + 1 } : undefined
}

/** Replaces sections one after the other; each is searched for after the previous one. */
export const replaceLines = (
  text: string,
  newline: "\n" | "\r\n",
  sections: ReadonlyArray<Section>,
): Result.Result<PatchedText, SectionProblem> => {
  const endsOpen = text !== "" && !text.endsWith("\n")
  const whole = text === "" ? [] : (endsOpen ? text : text.slice(0, -1)).split("\n")
  const finder = new LineFinder(whole.map((line) => line.endsWith("\r") ? line.slice(0, -1) : line))
  const missing = (line: number, what: string): Result.Result<never, SectionProblem> =>
    Result.fail(
      finder.isSpent
        ? {
          _tag: "TooLarge",
          line,
          what: "the file and the patch are too large to find this section; apply it in parts",
        }
        : { _tag: "Conflict", line, what },
    )
  const result: Array<string> = []
  let at = 0
  let fuzz = 0
  for (const { anchors, isAtEnd, line, lines: section } of sections) {
    let from = at
    for (const anchor of anchors) {
      const place = finder.afterAnchor(anchor, from)
      if (place === undefined) return missing(line, `no line after line ${from} is ${quote(anchor)}`)
      from = place.index
      fuzz += place.fuzz
    }
    const old = section.filter(({ sign }) => sign !== "+").map(({ text }) => text)
    const place = finder.findSection(old, from, isAtEnd) ?? withoutLastLine(finder, section, old, from, isAtEnd)
    if (place === undefined) {
      const first = old.find((one) => one.trim() !== "") ?? ""
      const lines = old.length === 1
        ? `its line ${quote(first)} is`
        : `its ${old.length} lines from ${quote(first)} are`
      const after = from === 0 ? "" : ` after line ${from}`
      const what = `${lines} not in the file${after}; read it again`
      return missing(line, what)
    }
    for (; at < place.index; at++) result.push(`${whole[at]}\n`)
    fuzz += place.fuzz
    for (const { sign, text } of section) {
      if (sign === "+") result.push(text + newline)
      else if (at < whole.length) {
        const kept = whole[at++] ?? ""
        if (sign === " ") result.push(`${kept}\n`)
      }
    }
  }
  for (; at < whole.length; at++) result.push(`${whole[at]}\n`)
  const joined = result.join("")
  return Result.succeed({ text: endsOpen ? joined.replace(/\r?\n$/, "") : joined, fuzz })
}
