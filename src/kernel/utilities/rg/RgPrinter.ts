/** Prints the lines that `rg` finds, as lines or as JSON. */
import type { UtilityIo } from "../shared/defineUtility.ts"
import { jsonText, replaceMatches, type RgMatch } from "./RgPattern.ts"

/** Lines that were selected together: one, or those of a match over several lines. */
export interface SelectedLines {
  /** The text with newlines; the last may lack its own. */
  readonly text: string
  /** Number of the first line. */
  readonly number: number
  readonly offset: number
  readonly matches: ReadonlyArray<RgMatch>
}

/** Figures of one file for JSON. */
interface FileStats {
  matchedLines: number
  matches: number
  printed: number
  searched: number
}

const noStats = (): FileStats => ({ matchedLines: 0, matches: 0, printed: 0, searched: 0 })

export class RgPrinter {
  readonly #io: UtilityIo
  readonly #showsPath: boolean
  readonly #heading: boolean
  readonly #showsNumbers: boolean
  readonly #showsColumns: boolean
  readonly #hasContext: boolean
  readonly #isJson: boolean
  #hasPrinted = false
  #path = ""
  /** Number of the line after the last one of this file that was printed; 0 if none was. */
  #next = 0
  #stats = noStats()
  readonly #totals = { ...noStats(), searches: 0, withMatch: 0 }

  constructor(io: UtilityIo, showsPath: boolean) {
    this.#io = io
    const vimgrep = io.has("vimgrep")
    this.#showsPath = vimgrep || showsPath
    this.#heading = io.lastOf("heading", "no-heading")?.[0] === "heading" && !vimgrep
    this.#showsColumns = vimgrep || io.has("column")
    const numbers = io.lastOf("n", "N")?.[0]
    this.#showsNumbers = numbers === "n" || (numbers !== "N" && this.#showsColumns)
    this.#hasContext = ["A", "B", "C"].some((option) => io.has(option))
    this.#isJson = io.has("json")
  }

  begin(path: string): void {
    this.#path = path
    this.#next = 0
    this.#stats = noStats()
  }

  end(searchedBytes: number): void {
    if (!this.#isJson) return
    this.#stats.searched = searchedBytes
    const totals = this.#totals
    totals.searches++
    for (const key of ["matchedLines", "matches", "printed", "searched"] as const) totals[key] += this.#stats[key]
    if (this.#next === 0) return
    totals.withMatch++
    const stats = { ...this.#statsOf(this.#stats), searches: 1, searches_with_match: 1 }
    this.#putJson("end", { path: jsonText(this.#binaryPath), binary_offset: null, stats })
  }

  finish(): void {
    if (!this.#isJson) return
    const { searches, withMatch } = this.#totals
    const stats = { ...this.#statsOf(this.#totals), searches, searches_with_match: withMatch }
    this.#io.print(`${JSON.stringify({ data: { elapsed_total: noTime, stats }, type: "summary" })}\n`)
  }

  get #binaryPath(): string {
    return this.#path
  }

  #statsOf(stats: FileStats) {
    return {
      elapsed: noTime,
      bytes_searched: stats.searched,
      bytes_printed: stats.printed,
      matched_lines: stats.matchedLines,
      matches: stats.matches,
    }
  }

  #putJson(type: string, data: unknown): void {
    const line = `${JSON.stringify({ type, data })}\n`
    this.#stats.printed += line.length
    this.#io.print(line)
  }

  /** Begins the output of a file, or separates it from lines that are not adjacent. */
  #separate(number: number): void {
    const io = this.#io
    if (this.#next === 0 && this.#isJson) this.#putJson("begin", { path: jsonText(this.#binaryPath) })
    else if (this.#next === 0 && this.#heading) {
      if (this.#hasPrinted) io.print("\n")
      if (this.#showsPath) io.print(this.#path + (io.has("0") ? "\0" : "\n"))
    } else if (this.#hasContext && !this.#isJson && this.#hasPrinted && (this.#next === 0 || this.#next < number)) {
      io.print("--\n")
    }
    this.#hasPrinted = true
  }

  #putLine(sign: string, number: number, column: number | undefined, offset: number, text: string): void {
    const { out } = this.#io
    if (this.#showsPath && !this.#heading) out.putText(this.#path + (this.#io.has("0") ? "\0" : sign))
    if (this.#showsNumbers) out.putBinary(`${number}${sign}`)
    if (this.#showsColumns && column !== undefined) out.putBinary(`${column}${sign}`)
    if (this.#io.has("b")) out.putBinary(`${offset}${sign}`)
    const shown = this.#io.has("trim") ? text.replace(/^[ \t]+/, "") : text
    out.putBinary(shown.endsWith("\n") ? shown : `${shown}\n`)
  }

  context(text: string, number: number, offset: number): void {
    this.#separate(number)
    this.#next = number + 1
    if (this.#io.has("o")) return
    if (!this.#isJson) return this.#putLine("-", number, undefined, offset, text)
    this.#putJson("context", {
      path: jsonText(this.#binaryPath),
      lines: jsonText(text),
      line_number: number,
      absolute_offset: offset,
      submatches: [],
    })
  }

  selected({ matches, number, offset, text }: SelectedLines): void {
    const io = this.#io
    this.#separate(number)
    const lines = text.split(/(?<=\n)/)
    this.#next = number + lines.length
    if (this.#isJson) {
      this.#stats.matchedLines += lines.length
      this.#stats.matches += matches.length
      return this.#putJson("match", {
        path: jsonText(this.#binaryPath),
        lines: jsonText(text),
        line_number: number,
        absolute_offset: offset,
        submatches: matches.map(({ end, start }) => ({ match: jsonText(text.slice(start, end)), start, end })),
      })
    }
    const lineOf = (index: number): number => text.slice(0, index).split("\n").length - 1
    const columnOf = (index: number): number => index - text.lastIndexOf("\n", index - 1)
    if (io.has("o")) {
      for (const { end, replacement, start } of matches) {
        const parts = (replacement ?? text.slice(start, end)).split(/(?<=\n)/)
        parts.forEach((part, at) =>
          this.#putLine(":", number + lineOf(start) + at, columnOf(start), offset + start, part)
        )
      }
      return
    }
    if (io.has("vimgrep")) {
      for (const { start } of matches) {
        const line = lineOf(start)
        this.#putLine(":", number + line, columnOf(start), offset, lines[line] ?? "")
      }
      return
    }
    const shown = io.has("r") ? replaceMatches(text, matches) : text
    let at = offset
    for (const [index, line] of shown.split(/(?<=\n)/).entries()) {
      this.#putLine(":", number + index, columnOf(matches[0]?.start ?? 0), at, line)
      at += line.length
    }
  }
}

/** JSON contains the times of a search, which are not measured here. */
const noTime = { secs: 0, nanos: 0, human: "0.000000s" }
