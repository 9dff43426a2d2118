/** Parses unified and context diffs. Source: POSIX "patch"; GNU diffutils' manual, "Detailed Description of Unified Format". */

/** A line of a hunk: common, removed or added; with its newline, unless the file ends without one. */
export interface HunkLine {
  readonly sign: " " | "-" | "+"
  readonly text: string
}

export interface PatchHunk {
  readonly lines: ReadonlyArray<HunkLine>
  /** First lines, counted from 1; 0 where there are none. */
  readonly oldStart: number
  readonly newStart: number
  /** The text after the second `@@`. */
  readonly section: string
}

/** The changes of one file. */
export interface FilePatch {
  readonly oldName: string | undefined
  readonly newName: string | undefined
  readonly index: string | undefined
  readonly isContext: boolean
  readonly hunks: Array<PatchHunk>
  /** Of git's extended headers. */
  readonly mode?: number | undefined
  readonly rename?: { readonly from: string; readonly to: string } | undefined
  /** The lines before its hunks, and the number of the first one after them. */
  readonly leading: ReadonlyArray<string>
  readonly line: number
  /** The two lines with its names. */
  readonly header: ReadonlyArray<string>
}

export class PatchFormatError extends Error {}

/** The name of a file header: up to a tab, or to two blanks before a date. */
export const nameOf = (line: string): string => {
  const rest = line.slice(4)
  if (rest.startsWith('"')) {
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(rest)?.[1] ?? ""
    return quoted.replace(
      /\\([0-7]{3}|.)/g,
      (_, code) => code.length === 3 ? String.fromCharCode(parseInt(code, 8)) : code,
    )
  }
  return rest.replace(/\t.*$/s, "").trimEnd()
}

/** Whether a header's time is that of a file that does not exist. */
export const isEpoch = (line: string): boolean => /\t(1970-01-01 |Thu Jan +1 00:00:00 1970)/.test(line)

/** Maximum number of blank lines that a mailer drops at the end, as in GNU patch. */
const maxLostLines = 3

/**
 * Yields the patches of a text, and skips the text between them; yields `undefined` from time to time, to let other
 * processes run.
 */
export function* parsePatch(lines: ReadonlyArray<string>): Generator<FilePatch | undefined> {
  let git: { mode?: number; from?: string; to?: string; old?: string; new?: string } = {}
  let index: string | undefined
  let leading = 0
  const bare = (at: number): string => (lines[at] ?? "").replace(/\r?\n$/, "")
  for (let at = 0; at < lines.length;) {
    if (at % 1_024 === 0) yield undefined
    const line = bare(at)
    const isUnified = line.startsWith("--- ") && bare(at + 1).startsWith("+++ ") && bare(at + 2).startsWith("@@ ")
    const isContext = line.startsWith("*** ") && bare(at + 1).startsWith("--- ") &&
      bare(at + 2).startsWith("***************")
    if (isUnified || isContext) {
      const [oldLine, newLine] = [bare(at), bare(at + 1)]
      const hunks: Array<PatchHunk> = []
      at += 2
      const before = { leading: lines.slice(leading, at).map((each) => each.replace(/\r?\n$/, "")), line: at + 1 }
      while (at < lines.length) {
        const next = isUnified ? parseUnifiedHunk(lines, at) : parseContextHunk(lines, at)
        yield undefined
        if (next === undefined) break
        hunks.push(next[0])
        at = next[1]
      }
      const names = [oldLine, newLine].map((each) => isEpoch(each) ? "/dev/null" : nameOf(each))
      const rename = git.from !== undefined && git.to !== undefined ? { from: git.from, to: git.to } : undefined
      const header = [oldLine, newLine]
      yield { ...before, header, hunks, index, isContext, mode: git.mode, newName: names[1], oldName: names[0], rename }
      git = {}
      index = undefined
      leading = at
      continue
    }
    if (line.startsWith("diff --git ")) {
      if (git.from !== undefined && git.to !== undefined) yield renameOnly(git.from, git.to, git.mode)
      git = {}
    }
    const extended = /^(rename from|rename to|new file mode|new mode) (.*)$/.exec(line)
    if (extended?.[1] === "rename from") git.from = `a/${extended[2]}`
    else if (extended?.[1] === "rename to") git.to = `b/${extended[2]}`
    else if (extended !== null) git.mode = parseInt(extended[2] ?? "", 8) & 0o777
    if (line.startsWith("Index: ")) index = line.slice(7).trim()
    at++
  }
  if (git.from !== undefined && git.to !== undefined) yield renameOnly(git.from, git.to, git.mode)
}

const renameOnly = (from: string, to: string, mode: number | undefined): FilePatch => ({
  header: [],
  leading: [],
  line: 0,
  hunks: [],
  index: undefined,
  isContext: false,
  mode,
  newName: to,
  oldName: from,
  rename: { from, to },
})

const withoutNewline = (lines: ReadonlyArray<string>, at: number): boolean => lines[at]?.startsWith("\\") === true

export const parseUnifiedHunk = (
  lines: ReadonlyArray<string>,
  start: number,
): readonly [hunk: PatchHunk, end: number] | undefined => {
  const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)/.exec(lines[start] ?? "")
  if (head === null) return undefined
  let oldLeft = Number(head[2] ?? "1")
  let newLeft = Number(head[4] ?? "1")
  const out: Array<HunkLine> = []
  let at = start + 1
  while (oldLeft > 0 || newLeft > 0) {
    const line = lines[at]
    if (line === undefined && oldLeft === newLeft && oldLeft <= maxLostLines) {
      // Blank lines at the end were lost.
      out.push({ sign: " ", text: "\n" })
      oldLeft--
      newLeft--
      continue
    }
    if (line === undefined) throw new PatchFormatError(`unexpected end of file in patch at line ${at}`)
    // An empty line may have lost its blank.
    const sign = line === "\n" || line === "\r\n" ? " " : line[0]
    if (sign !== " " && sign !== "-" && sign !== "+") {
      throw new PatchFormatError(`malformed patch at line ${at + 1}: ${line}`)
    }
    if (sign !== "+") oldLeft--
    if (sign !== "-") newLeft--
    const body = line === "\n" ? line : line.slice(1)
    at++
    const isLast = withoutNewline(lines, at)
    out.push({ sign, text: isLast ? body.replace(/\n$/, "") : body })
    if (isLast) at++
  }
  return [{
    lines: out,
    oldStart: Number(head[1]),
    newStart: Number(head[3]),
    section: (head[5] ?? "").replace(/\n$/, ""),
  }, at]
}

const parseContextHunk = (
  lines: ReadonlyArray<string>,
  start: number,
): readonly [hunk: PatchHunk, end: number] | undefined => {
  if (lines[start]?.startsWith("***************") !== true) return undefined
  const section = (lines[start] ?? "").slice(15).replace(/\n$/, "")
  const oldHead = /^\*\*\* (\d+)(?:,(\d+))? \*\*\*\*/.exec(lines[start + 1] ?? "")
  if (oldHead === null) throw new PatchFormatError(`malformed patch at line ${start + 2}: ${lines[start + 1] ?? ""}`)
  let at = start + 2
  const read = (marks: RegExp): Array<readonly [mark: string, text: string]> => {
    const out: Array<readonly [string, string]> = []
    for (let mark = marks.exec(lines[at] ?? ""); mark !== null; mark = marks.exec(lines[at] ?? "")) {
      const text = (lines[at] ?? "").slice(2) || "\n"
      at++
      const isLast = withoutNewline(lines, at)
      out.push([mark[0][0] ?? " ", isLast ? text.replace(/\n$/, "") : text])
      if (isLast) at++
    }
    return out
  }
  const old = read(/^(?:[-! ] |\n)/)
  const newHead = /^--- (\d+)(?:,(\d+))? ----/.exec(lines[at] ?? "")
  if (newHead === null) throw new PatchFormatError(`malformed patch at line ${at + 1}: ${lines[at] ?? ""}`)
  at++
  const added = read(/^(?:[+! ] |\n)/)
  return [
    {
      lines: mergeContext(old, added),
      oldStart: Number(oldHead[1]),
      newStart: Number(newHead[1]),
      section,
    },
    at,
  ]
}

/** Merges both halves of a context hunk; one that has no changes may be left out. */
const mergeContext = (
  old: ReadonlyArray<readonly [mark: string, text: string]>,
  added: ReadonlyArray<readonly [mark: string, text: string]>,
): ReadonlyArray<HunkLine> => {
  const first = old.length > 0 ? old : added.filter(([mark]) => mark === " ")
  const second = added.length > 0 ? added : old.filter(([mark]) => mark === " ")
  const out: Array<HunkLine> = []
  let [a, b] = [0, 0]
  while (a < first.length || b < second.length) {
    const [left, right] = [first[a], second[b]]
    if (left !== undefined && left[0] !== " ") {
      out.push({ sign: "-", text: left[1] })
      a++
    } else if (right !== undefined && right[0] !== " ") {
      out.push({ sign: "+", text: right[1] })
      b++
    } else {
      out.push({ sign: " ", text: left?.[1] ?? right?.[1] ?? "" })
      a++
      b++
    }
  }
  return out
}
