/**
 * Parses patches in V4A, the format that OpenAI's models write for `apply_patch`, into changes of files.
 *
 * ```
 * *** Begin Patch
 * *** Update File: src/a.ts
 * *** Move to: src/b.ts
 * @@ function f() {
 *  kept
 * -removed
 * +added
 * *** End Patch
 * ```
 *
 * Source: OpenAI Cookbook, `apply_patch.py` of the prompting guides of GPT-4.1 and GPT-5.
 */
import * as Result from "effect/Result"
import { quote } from "../base/quote.ts"
import type { PatchChange } from "./PatchChange.ts"
import { FilePatchError, patchError } from "./FilePatchError.ts"
import { replaceLines, type Section, type SectionLine } from "./replaceLines.ts"

const begin = "*** Begin Patch"
const end = "*** End Patch"
const endOfFile = "*** End of File"
const headers = { added: "*** Add File: ", updated: "*** Update File: ", deleted: "*** Delete File: " } as const
const moveTo = "*** Move to: "

const isSign = (text: string): text is SectionLine["sign"] => text === " " || text === "-" || text === "+"

/** Reads the lines of a patch one after the other; throws problems, which {@link parseV4aPatch} catches and returns. */
class PatchReader {
  readonly #lines: ReadonlyArray<string>
  #index = 0

  constructor(text: string) {
    // A line end that was added on the way does not belong to the file.
    this.#lines = text.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line)
  }

  get line(): number {
    return this.#index + 1
  }

  get current(): string | undefined {
    return this.#lines[this.#index]
  }

  next(): string {
    return this.#lines[this.#index++] ?? ""
  }

  /** The rest of the next line, if it begins with the given text. */
  rest(prefix: string): string | undefined {
    return this.current?.startsWith(prefix) === true ? this.next().slice(prefix.length).trim() : undefined
  }

  get isAtFileEnd(): boolean {
    const { current } = this
    return current === undefined || current.trimEnd() === end ||
      Object.values(headers).some((one) => current.startsWith(one))
  }

  skipBlank(): void {
    while (this.current?.trim() === "") this.#index++
  }

  fail(what: string, path?: string, line: number = this.line): never {
    throw patchError("Syntax", line, path, what)
  }
}

const readSection = (reader: PatchReader, path: string, isFirst: boolean): Section => {
  const { line } = reader
  const anchors: Array<string> = []
  let isMarked = false
  while (reader.current === "@@" || reader.current?.startsWith("@@ ") === true) {
    isMarked = true
    const anchor = reader.next().slice(3)
    if (anchor.trim() !== "") anchors.push(anchor)
  }
  if (!isMarked && !isFirst) reader.fail(`a section begins with "@@", not with ${quote(reader.current ?? "")}`, path)
  const lines: Array<SectionLine> = []
  for (;;) {
    const { current } = reader
    if (reader.isAtFileEnd || current === undefined || current.startsWith("@@") || current.trimEnd() === endOfFile) {
      break
    }
    if (current.startsWith("***")) reader.fail(`${quote(current)} is not a line of an update`, path)
    const sign = current === "" ? " " : current.slice(0, 1)
    if (!isSign(sign)) {
      reader.fail(`a line begins with " ", "-" or "+", not as ${quote(current.slice(0, 80))}`, path)
    }
    lines.push({ sign, text: reader.next().slice(1) })
  }
  const isAtEnd = reader.current?.trimEnd() === endOfFile
  if (isAtEnd) reader.next()
  if (lines.length === 0) reader.fail("the section has no lines", path, line)
  return { line, anchors, lines, isAtEnd }
}

const readUpdate = (reader: PatchReader, path: string, line: number): PatchChange => {
  const movedTo = reader.rest(moveTo)
  const sections: Array<Section> = []
  while (!reader.isAtFileEnd) {
    if (reader.current === "" && sections.length > 0) reader.skipBlank()
    else sections.push(readSection(reader, path, sections.length === 0))
  }
  if (sections.length === 0 && movedTo === undefined) reader.fail("the update has no section", path, line)
  const count = (wanted: string): number =>
    sections.reduce((sum, { lines }) => sum + lines.filter(({ sign }) => sign === wanted).length, 0)
  return {
    change: movedTo === undefined || movedTo === path ? "updated" : "moved",
    path,
    movedTo: movedTo === path ? undefined : movedTo,
    line,
    addedLines: count("+"),
    removedLines: count("-"),
    patchText: (text, newline) =>
      Result.mapError(
        replaceLines(text, newline, sections),
        (problem) => patchError(problem._tag, problem.line, path, problem.what),
      ),
  }
}

const readAdd = (reader: PatchReader, path: string, line: number): PatchChange => {
  const lines: Array<string> = []
  while (!reader.isAtFileEnd) {
    if (reader.current?.startsWith("+") === true) lines.push(reader.next().slice(1))
    else if (reader.current?.trim() === "") reader.next()
    else reader.fail(`a line of a new file begins with "+", not as ${quote(reader.current ?? "")}`, path)
  }
  const text = lines.map((one) => `${one}\n`).join("")
  const patchText = () => Result.succeed({ text, fuzz: 0 })
  return { change: "added", path, line, addedLines: lines.length, removedLines: 0, patchText }
}

const readDelete = (reader: PatchReader, path: string, line: number): PatchChange => {
  reader.skipBlank()
  if (!reader.isAtFileEnd) reader.fail("a deletion has no lines", path)
  const patchText = () => Result.succeed({ text: "", fuzz: 0 })
  return { change: "deleted", path, line, addedLines: 0, removedLines: 0, patchText }
}

const readers = { added: readAdd, updated: readUpdate, deleted: readDelete } as const
const kinds = ["added", "updated", "deleted"] as const

const readChanges = (text: string): ReadonlyArray<PatchChange> => {
  const reader: PatchReader = new PatchReader(text)
  reader.skipBlank()
  if (reader.next().trim() !== begin) reader.fail(`the first line is "${begin}"`, undefined, reader.line - 1)
  const changes: Array<PatchChange> = []
  for (;;) {
    reader.skipBlank()
    if (reader.current?.trimEnd() === end) {
      reader.next()
      reader.skipBlank()
      if (reader.current !== undefined) reader.fail(`there is text after "${end}"`)
      if (changes.length === 0) reader.fail("the patch has no change", undefined, 1)
      return changes
    }
    if (reader.current === undefined) reader.fail(`the last line is "${end}", which is missing`)
    const { line } = reader
    const kind = kinds.find((each) => reader.current?.startsWith(headers[each]) === true)
    if (kind === undefined) {
      reader.fail(
        `${quote(reader.current ?? "")} does not begin a file; write "*** Update File: PATH", Add or Delete`,
      )
    }
    const path = reader.rest(headers[kind]) ?? ""
    if (path === "") reader.fail("it names no file", undefined, line)
    if (changes.some((change) => change.path === path)) reader.fail("the patch changes the file twice", path, line)
    changes.push(readers[kind](reader, path, line))
  }
}

export const isV4aPatch = (text: string): boolean => text.trimStart().startsWith(begin)

export const parseV4aPatch = (text: string): Result.Result<ReadonlyArray<PatchChange>, FilePatchError> =>
  Result.try({
    try: () => readChanges(text),
    catch: (error) => {
      if (error instanceof FilePatchError) return error
      throw error
    },
  })
