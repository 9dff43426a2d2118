/**
 * Holds the current record and its fields: the record is split when a field is read, and joined when the record is
 * read.
 */
import type { Regex } from "../../regex/Regex.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { charactersOf, inputValue, type Scalar } from "./values.ts"

/** A way to split a record; that of the separator when the record was read. */
export type Splitter =
  | { readonly _tag: "Blank" }
  | { readonly _tag: "Letter"; readonly letter: string }
  | { readonly _tag: "Each" }
  | { readonly _tag: "Regex"; readonly regex: Regex }
  /** Matches are fields (gawk's `FPAT`). */
  | { readonly _tag: "Content"; readonly regex: Regex }

/** A regular expression over a text that is in memory runs to its end. */
const neverYields = { yield: (): undefined => undefined }

const maxFields = 10_000_000

const isBlank = (code: number): boolean => code <= 32 && (code === 32 || code === 10 || code === 9)

/** Splits by a regular expression. `visit` gets where each separator starts and ends; empty ones do not count. */
const forEachSeparator = (regex: Regex, text: string, visit: (start: number, end: number) => void): void => {
  for (let from = 0; from < text.length;) {
    if (regex.exec(neverYields, text, from) !== true) return
    const { end, start } = regex
    if (end === start) from = end + 1
    else {
      visit(start, end)
      from = end
    }
  }
}

/** Splits a text; `separators`, if given, gets the texts between the parts. */
export const split = (text: string, by: Splitter, utf8: boolean, separators?: Array<string>): Array<string> => {
  if (text === "") return []
  switch (by._tag) {
    case "Blank": {
      const parts = text.match(/[^ \t\n]+/g) ?? []
      const between = text.trim() === "" ? [] : text.replace(/^[ \t\n]+|[ \t\n]+$/g, "").match(/[ \t\n]+/g) ?? []
      for (const blanks of between) separators?.push(blanks)
      return parts
    }
    case "Letter": {
      const parts = text.split(by.letter)
      for (let at = 1; at < parts.length; at++) separators?.push(by.letter)
      return parts
    }
    case "Each": {
      const parts = charactersOf(text, utf8)
      for (let at = 1; at < parts.length; at++) separators?.push("")
      return parts
    }
    case "Regex": {
      const parts: Array<string> = []
      let from = 0
      forEachSeparator(by.regex, text, (start, end) => {
        parts.push(text.slice(from, start))
        separators?.push(text.slice(start, end))
        from = end
      })
      parts.push(text.slice(from))
      return parts
    }
    case "Content": {
      const parts: Array<string> = []
      let from = 0
      for (let last = -1; from <= text.length && by.regex.exec(neverYields, text, from) === true;) {
        const { end, start } = by.regex
        if (start === end && start === last) {
          from = end + 1
          continue
        }
        if (parts.length > 0) separators?.push(text.slice(last, start))
        parts.push(text.slice(start, end))
        last = end
        from = end > start ? end : end + 1
      }
      return parts
    }
  }
}

export class Fields {
  readonly #io: UtilityIo
  readonly #utf8: boolean
  #record = ""
  #isRecordStale = false
  /** The first field is at 0. Those from `#values.length` on are not split yet, unless `#isSplit`. */
  #values: Array<Scalar> = []
  /** The split fields, the first `#found` of the list, which is reused for each record. */
  #texts: Array<string> = []
  #found = 0
  #isSplit = true
  #at = 0
  #splitter: Splitter = { _tag: "Blank" }
  readonly #join: (values: ReadonlyArray<Scalar>) => string

  constructor(io: UtilityIo, utf8: boolean, join: (values: ReadonlyArray<Scalar>) => string) {
    this.#io = io
    this.#utf8 = utf8
    this.#join = join
  }

  setRecord(record: string, splitter: Splitter): void {
    this.#record = record
    this.#splitter = splitter
    this.#isRecordStale = this.#isSplit = false
    this.#found = 0
    if (this.#values.length > 0) this.#values = []
    this.#at = 0
  }

  /** Approximate bytes of the record and its fields. */
  get bytes(): number {
    return this.#record.length * 2 + (this.#texts.length + this.#values.length) * 48
  }

  get record(): string {
    if (!this.#isRecordStale) return this.#record
    this.#isRecordStale = false
    return this.#record = this.#join(this.#values)
  }

  /** Splits until there are `count` fields; all of them without a count. */
  #splitTo(count: number): void {
    if (this.#isSplit || this.#found >= count) return
    const { _tag } = this.#splitter
    if (_tag === "Blank") this.#splitBlanks(count)
    else if (_tag === "Letter") this.#splitLetters(this.#splitter.letter, count)
    else {
      this.#texts = split(this.#record, this.#splitter, this.#utf8)
      this.#found = this.#texts.length
      this.#isSplit = true
    }
  }

  #splitBlanks(count: number): void {
    const text = this.#record
    const texts = this.#texts
    const { length } = text
    let at = this.#at
    let found = this.#found
    while (found < count) {
      while (at < length && isBlank(text.charCodeAt(at))) at++
      if (at === length) {
        this.#isSplit = true
        break
      }
      const start = at
      do at++
      while (at < length && !isBlank(text.charCodeAt(at)))
      texts[found++] = text.slice(start, at)
    }
    this.#at = at
    this.#found = found
  }

  #splitLetters(letter: string, count: number): void {
    const text = this.#record
    if (text === "") this.#isSplit = true
    while (this.#found < count && !this.#isSplit) {
      const end = text.indexOf(letter, this.#at)
      if (end < 0) this.#isSplit = true
      this.#texts[this.#found++] = end < 0 ? text.slice(this.#at) : text.slice(this.#at, end)
      this.#at = end + 1
    }
  }

  get count(): number {
    this.#splitTo(Infinity)
    return Math.max(this.#found, this.#values.length)
  }

  set count(count: number) {
    this.#checkIndex(count)
    const values = this.#all()
    while (values.length < count) values.push("")
    values.length = count
    this.#found = Math.min(this.#found, count)
    this.#isRecordStale = true
  }

  /** All fields as values, which may then be changed. */
  #all(): Array<Scalar> {
    this.#splitTo(Infinity)
    for (let at = this.#values.length; at < this.#found; at++) {
      this.#values[at] = inputValue(this.#texts[at] ?? "")
    }
    return this.#values
  }

  #checkIndex(index: number): void {
    if (index < 0) this.#io.fail(`attempt to access field ${index}`)
    if (index > maxFields) this.#io.fail(`field ${index}: a record has at most ${maxFields} fields`)
  }

  get(index: number): Scalar {
    this.#checkIndex(index)
    if (index === 0) return inputValue(this.record)
    if (this.#values.length > 0) return this.#all()[index - 1] ?? ""
    this.#splitTo(index)
    return index <= this.#found ? inputValue(this.#texts[index - 1] ?? "") : ""
  }

  /** A field as text, without checking whether it looks like a number. `undefined`: it is a value. */
  text(index: number): string | undefined {
    if (index === 0) return this.record
    if (this.#values.length > 0 || index < 0 || index > maxFields) return undefined
    if (index > this.#found) this.#splitTo(index)
    return index <= this.#found ? this.#texts[index - 1] ?? "" : ""
  }

  /** Sets a field, counted from 1; the record is joined again when it is read. */
  set(index: number, value: Scalar): void {
    this.#checkIndex(index)
    const values = this.#all()
    while (values.length < index - 1) values.push("")
    values[index - 1] = value ?? ""
    this.#isRecordStale = true
  }
}
