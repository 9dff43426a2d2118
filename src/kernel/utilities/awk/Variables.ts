/** Holds the predefined variables of awk: separators, formats, counters. */
import type { Regex } from "../../regex/Regex.ts"
import type { Special } from "./Code.ts"
import type { Fields, Splitter } from "./Fields.ts"
import type { Separator } from "./RecordReader.ts"
import { numberText, NumericText, type Scalar, toNumber } from "./values.ts"

export class Variables {
  readonly #regexOf: (source: string) => Regex
  readonly #format: (template: string, value: number) => string
  readonly fields: () => Fields
  nr = 0
  fnr = 0
  ofs = " "
  ors = "\n"
  subsep = "\x1c"
  rt = ""
  #convfmt = "%.6g"
  #ofmt = "%.6g"
  /** Made again when `FS`, `RS` or `FPAT` is set. */
  splitter: Splitter = { _tag: "Blank" }
  separator: Separator = { _tag: "Letter", letter: "\n" }
  readonly #others = new Map<Special, Scalar>([["FS", " "], ["RS", "\n"], ["RSTART", 0], ["RLENGTH", -1]])

  constructor(
    fields: () => Fields,
    regexOf: (source: string) => Regex,
    format: (template: string, value: number) => string,
  ) {
    this.fields = fields
    this.#regexOf = regexOf
    this.#format = format
  }

  /** The values that may be long. */
  get values(): ReadonlyArray<Scalar> {
    return [this.ofs, this.ors, this.subsep, this.rt, this.#convfmt, this.#ofmt, ...this.#others.values()]
  }

  textOf(value: Scalar): string {
    if (typeof value === "string") return value
    if (typeof value === "number") return numberText(value, this.#convfmt, this.#format)
    return value instanceof NumericText ? value.text : ""
  }

  /** The text of a value that is printed: numbers by `OFMT`. */
  printedText(value: Scalar): string {
    return typeof value === "number" ? numberText(value, this.#ofmt, this.#format) : this.textOf(value)
  }

  get(name: Special): Scalar {
    switch (name) {
      case "NF":
        return this.fields().count
      case "NR":
        return this.nr
      case "FNR":
        return this.fnr
      case "OFS":
        return this.ofs
      case "ORS":
        return this.ors
      case "SUBSEP":
        return this.subsep
      case "RT":
        return this.rt
      case "CONVFMT":
        return this.#convfmt
      case "OFMT":
        return this.#ofmt
      default:
        return this.#others.get(name)
    }
  }

  set(name: Special, value: Scalar): void {
    const text = (): string => this.textOf(value)
    switch (name) {
      case "NF":
        this.fields().count = Math.trunc(toNumber(value))
        return
      case "NR":
        this.nr = toNumber(value)
        return
      case "FNR":
        this.fnr = toNumber(value)
        return
      case "OFS":
        // Fields that were already assigned are joined by the previous separator.
        void this.fields().record
        this.ofs = text()
        return
      case "ORS":
        this.ors = text()
        return
      case "SUBSEP":
        this.subsep = text()
        return
      case "RT":
        this.rt = text()
        return
      case "CONVFMT":
        this.#convfmt = text()
        return
      case "OFMT":
        this.#ofmt = text()
        return
      default:
        this.#others.set(name, value)
        if (name === "FS" || name === "RS" || name === "FPAT") this.#separate(name === "FPAT")
    }
  }

  #separate(isByContent: boolean): void {
    const rs = this.textOf(this.#others.get("RS"))
    this.separator = rs === ""
      ? { _tag: "Paragraph" }
      : rs.length === 1
      ? { _tag: "Letter", letter: rs }
      : { _tag: "Regex", regex: this.#regexOf(rs) }
    if (isByContent) {
      this.splitter = { _tag: "Content", regex: this.#regexOf(this.textOf(this.#others.get("FPAT"))) }
      return
    }
    const fs = this.textOf(this.#others.get("FS"))
    // In a paragraph a newline separates fields, in addition to the separator.
    this.splitter = rs === "" && fs !== " " && fs !== ""
      ? { _tag: "Regex", regex: this.#regexOf(`${fs.length === 1 ? `[${fs}]` : `(${fs})`}|\n`) }
      : this.splitterOf(fs)
  }

  splitterOf(separator: string): Splitter {
    if (separator === " ") return { _tag: "Blank" }
    if (separator === "") return { _tag: "Each" }
    return separator.length === 1
      ? { _tag: "Letter", letter: separator }
      : { _tag: "Regex", regex: this.#regexOf(separator) }
  }
}
