/** Reads the main input of an awk program: the records of the files that `ARGV` names, or of standard input. */
import { binaryToText } from "../../binaryString.ts"
import type { Later } from "../../System.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { unescape } from "./Lexer.ts"
import { RecordReader } from "./RecordReader.ts"
import type { Table } from "./values.ts"
import type { Variables } from "./Variables.ts"

export interface MainInputOptions {
  readonly argv: Table
  readonly count: () => number
  readonly assign: (name: string, value: string) => void
}

/** An operand such as `name=value`. */
export const parseAssignment = (operand: string): readonly [name: string, value: string] | undefined => {
  const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(operand) ?? []
  return name === undefined || value === undefined ? undefined : [name, unescape(value)]
}

export class MainInput {
  readonly #io: UtilityIo
  readonly #variables: Variables
  readonly #options: MainInputOptions
  #at = 0
  #reader: RecordReader | undefined
  #hasFile = false
  #isOver = false

  constructor(io: UtilityIo, variables: Variables, options: MainInputOptions) {
    this.#io = io
    this.#variables = variables
    this.#options = options
  }

  /** Opens the next file, after the assignments before it. */
  #open(): RecordReader | undefined {
    const { argv, assign, count } = this.#options
    while (++this.#at < count()) {
      const cell = argv.get(String(this.#at))
      const operand = cell instanceof Map ? "" : this.#variables.textOf(cell)
      if (operand === "") continue
      const assignment = parseAssignment(operand)
      if (assignment === undefined) {
        this.#hasFile = true
        const reader = this.#openFile(operand)
        if (reader !== undefined) return reader
      } else assign(...assignment)
    }
    if (this.#hasFile) return undefined
    this.#hasFile = true
    return this.#openFile("-", "")
  }

  #openFile(name: string, shown: string = name): RecordReader | undefined {
    const path = binaryToText(name)
    const fd = name === "-" || name === "/dev/stdin" ? 0 : this.#io.system.open(path, { read: true })
    if (fd < 0) {
      this.#io.warn(`cannot open file '${path}' for reading`, fd)
      return undefined
    }
    this.#variables.set("FILENAME", shown)
    this.#variables.fnr = 0
    return new RecordReader(this.#io, fd, path)
  }

  /** The next record, which it counts; `undefined` at the end of the last file. */
  next(): Later<string | undefined> {
    while (!this.#isOver) {
      this.#reader ??= this.#open()
      if (this.#reader === undefined) this.#isOver = true
      else {
        const record = this.#reader.next(this.#variables.separator)
        if (typeof record === "object") return record.then((read) => this.#accept(read) ?? this.next())
        const accepted = this.#accept(record)
        if (accepted !== undefined) return accepted
      }
    }
    return undefined
  }

  #accept(record: string | undefined): string | undefined {
    if (record === undefined) {
      this.skipFile()
      return undefined
    }
    this.#variables.nr++
    this.#variables.fnr++
    if (this.#reader !== undefined) this.#variables.rt = this.#reader.terminator
    return record
  }

  /** Leaves the rest of the present file. */
  skipFile(): void {
    this.#reader?.close()
    this.#reader = undefined
  }
}
