/**
 * Applies the sections of a V4A update to the lines of a text: finds each by its context, the nearest match first.
 *
 * The order of what counts as a match is that of OpenAI's reference: the same lines, the same but for white space at their
 * ends, the same but for indentation.
 *
 * @module
 */
import * as Result from "effect/Result"
import type { PatchedText } from "./PatchChange.ts"

/** A line of a section: kept, removed, or added. */
export interface SectionLine {
  readonly sign: " " | "-" | "+"
  readonly text: string
}

/** A part of an update. */
export interface Section {
  /** Where it begins in the patch. */
  readonly line: number
  /** Lines of the file that stand before it, one after the other: what follows each `@@`. */
  readonly anchors: ReadonlyArray<string>
  readonly lines: ReadonlyArray<SectionLine>
  /** Whether it is at the end of the file. */
  readonly isAtEnd: boolean
}

/** A section that is not in the text. */
export interface SectionProblem {
  readonly line: number
  readonly what: string
}

interface Place {
  readonly index: number
  readonly fuzz: number
}

const sameLine = (text: string): string => text
const levels: ReadonlyArray<readonly [fuzz: number, view: (text: string) => string]> = [
  [0, sameLine],
  [1, (text) => text.trimEnd()],
  [100, (text) => text.trim()],
]

/** What a match costs that is not at the end of the file, where its section says so. */
const notAtEnd = 10_000

const placeOf = (lines: ReadonlyArray<string>, wanted: ReadonlyArray<string>, from: number): Place | undefined => {
  if (wanted.length === 0) return { index: from, fuzz: 0 }
  for (const [fuzz, view] of levels) {
    const seen = fuzz === 0 ? lines : lines.map(view)
    const sought = wanted.map(view)
    for (let index = from; index + sought.length <= lines.length; index++) {
      if (sought.every((line, at) => seen[index + at] === line)) return { index, fuzz }
    }
  }
  return undefined
}

const findSection = (
  lines: ReadonlyArray<string>,
  wanted: ReadonlyArray<string>,
  from: number,
  isAtEnd: boolean,
): Place | undefined => {
  if (!isAtEnd) return placeOf(lines, wanted, from)
  const last = placeOf(lines, wanted, Math.max(from, lines.length - wanted.length))
  if (last !== undefined) return last
  const earlier = placeOf(lines, wanted, from)
  return earlier && { ...earlier, fuzz: earlier.fuzz + notAtEnd }
}

/** Models close a section with an empty line: before the next one, or the one that a newline at the end seems to begin. */
const withoutLastLine = (
  lines: ReadonlyArray<string>,
  section: ReadonlyArray<SectionLine>,
  old: ReadonlyArray<string>,
  from: number,
  isAtEnd: boolean,
): Place | undefined => {
  if (old.length < 2 || old.at(-1) !== "") return undefined
  const place = findSection(lines, old.slice(0, -1), from, isAtEnd)
  const isAllowed = section.at(-1)?.sign === " " || place?.index === lines.length - old.length + 1
  return place !== undefined && isAllowed ? { ...place, fuzz: place.fuzz + 1 } : undefined
}

/** The index after an anchor, from `from` on. */
const afterAnchor = (lines: ReadonlyArray<string>, anchor: string, from: number): Place | undefined => {
  const place = placeOf(lines, [anchor], from)
  return place && { index: place.index + 1, fuzz: Math.min(place.fuzz, 1) }
}

const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)

/** Replaces sections one after the other; each is looked for after the one before it. */
export const replaceLines = (
  text: string,
  newline: "\n" | "\r\n",
  sections: ReadonlyArray<Section>,
): Result.Result<PatchedText, SectionProblem> => {
  const endsOpen = text !== "" && !text.endsWith("\n")
  const whole = text === "" ? [] : (endsOpen ? text : text.slice(0, -1)).split("\n")
  const lines = whole.map((line) => line.endsWith("\r") ? line.slice(0, -1) : line)
  const result: Array<string> = []
  let at = 0
  let fuzz = 0
  for (const { anchors, isAtEnd, line, lines: section } of sections) {
    let from = at
    for (const anchor of anchors) {
      const place = afterAnchor(lines, anchor, from)
      if (place === undefined) return Result.fail({ line, what: `no line after line ${from} is ${quoted(anchor)}` })
      from = place.index
      fuzz += place.fuzz
    }
    const old = section.filter(({ sign }) => sign !== "+").map(({ text }) => text)
    const place = findSection(lines, old, from, isAtEnd) ?? withoutLastLine(lines, section, old, from, isAtEnd)
    if (place === undefined) {
      const first = old.find((one) => one.trim() !== "") ?? ""
      const what = `its ${old.length} lines from ${quoted(first)} are not in the file after line ${from}; read it again`
      return Result.fail({ line, what })
    }
    result.push(...whole.slice(at, place.index).map((one) => `${one}\n`))
    at = place.index
    fuzz += place.fuzz
    for (const { sign, text } of section) {
      if (sign === "+") result.push(text + newline)
      else if (at < whole.length) {
        const kept = whole[at++] ?? ""
        if (sign === " ") result.push(`${kept}\n`)
      }
    }
  }
  result.push(...whole.slice(at).map((one) => `${one}\n`))
  const joined = result.join("")
  return Result.succeed({ text: endsOpen ? joined.replace(/\r?\n$/, "") : joined, fuzz })
}
