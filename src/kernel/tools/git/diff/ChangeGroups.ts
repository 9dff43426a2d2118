/** Moves runs of changed lines to where git shows them. Source: git-diff(1), `--indent-heuristic`. */
import type { DiffSide } from "../../../diff/DiffSide.ts"

const maxSliding = 100
const maxIndent = 200
const maxBlanks = 20

/** Weights by which git chooses where a run of changed lines ends. */
const weights = {
  startOfFile: 1,
  endOfFile: 21,
  totalBlank: -30,
  postBlank: 6,
  indent: -4,
  indentAfterBlank: 10,
  outdent: 24,
  outdentAfterBlank: 17,
  dedent: 23,
  dedentAfterBlank: 17,
  depth: 60,
} as const

const indentOf = (line: string | undefined): number => {
  let indent = 0
  for (const letter of line ?? "") {
    if (!/\s/.test(letter)) return indent
    if (letter === " ") indent++
    else if (letter === "\t") indent += 8 - indent % 8
    if (indent >= maxIndent) return maxIndent
  }
  return -1
}

interface Score {
  readonly depth: number
  readonly penalty: number
}

interface Group {
  start: number
  end: number
}

/** The runs of changed lines of a text. */
export class ChangeGroups {
  readonly #side: DiffSide

  constructor(side: DiffSide) {
    this.#side = side
  }

  first(): Group {
    const group = { start: 0, end: 0 }
    while (this.#side.isChanged(group.end)) group.end++
    return group
  }

  next(group: Group): boolean {
    if (group.end === this.#side.ids.length) return false
    group.start = group.end = group.end + 1
    while (this.#side.isChanged(group.end)) group.end++
    return true
  }

  previous(group: Group): void {
    group.start = group.end = group.start - 1
    while (group.start > 0 && this.#side.isChanged(group.start - 1)) group.start--
  }

  #slideDown(group: Group): boolean {
    if (group.end >= this.#side.ids.length || this.#side.ids[group.start] !== this.#side.ids[group.end]) return false
    this.#side.mark(group.start++, false)
    this.#side.mark(group.end++, true)
    while (this.#side.isChanged(group.end)) group.end++
    return true
  }

  #slideUp(group: Group): boolean {
    if (group.start === 0 || this.#side.ids[group.start - 1] !== this.#side.ids[group.end - 1]) return false
    this.#side.mark(--group.start, true)
    this.#side.mark(--group.end, false)
    while (group.start > 0 && this.#side.isChanged(group.start - 1)) group.start--
    return true
  }

  /** Joins runs of changed lines, and moves each to its most readable position. */
  compact(other: ChangeGroups): void {
    const [group, beside] = [this.first(), other.first()]
    do {
      if (group.end > group.start) this.#place(group, other, beside)
      if (!this.next(group)) return
    } while (other.next(beside))
  }

  #place(group: Group, other: ChangeGroups, beside: Group): void {
    let [size, earliest, matching] = [0, 0, -1]
    do {
      size = group.end - group.start
      matching = -1
      while (this.#slideUp(group)) other.previous(beside)
      earliest = group.end
      if (beside.end > beside.start) matching = group.end
      while (this.#slideDown(group)) {
        other.next(beside)
        if (beside.end > beside.start) matching = group.end
      }
    } while (size !== group.end - group.start)
    if (group.end === earliest) return
    if (matching !== -1) {
      while (beside.end === beside.start) {
        this.#slideUp(group)
        other.previous(beside)
      }
      return
    }
    let best: Score | undefined
    let bestEnd = group.end
    for (let end = Math.max(earliest, group.end - size - 1, group.end - maxSliding); end <= group.end; end++) {
      const [one, two] = [this.#score(end), this.#score(end - size)]
      const score = { depth: one.depth + two.depth, penalty: one.penalty + two.penalty }
      const order = best === undefined
        ? 0
        : weights.depth * Math.sign(score.depth - best.depth) + score.penalty - best.penalty
      if (order > 0) continue
      best = score
      bestEnd = end
    }
    while (group.end > bestEnd) {
      this.#slideUp(group)
      other.previous(beside)
    }
  }

  /** The nearest line that is not blank, in one direction: its indent, and the blank lines before it. */
  #scan(from: number, step: number): readonly [indent: number, blanks: number] {
    let blanks = 0
    for (let at = from; at >= 0 && at < this.#side.ids.length; at += step) {
      const indent = indentOf(this.#side.lines[at])
      if (indent !== -1) return [indent, blanks]
      if (++blanks === maxBlanks) return [0, blanks]
    }
    return [-1, blanks]
  }

  /** Penalty of splitting the text before a line. */
  #score(line: number): Score {
    const isEnd = line >= this.#side.ids.length
    const own = isEnd ? -1 : indentOf(this.#side.lines[line])
    const [before, blanksBefore] = this.#scan(line - 1, -1)
    const [after, blanksAfter] = this.#scan(line + 1, 1)
    let penalty = 0
    if (before === -1 && blanksBefore === 0) penalty += weights.startOfFile
    if (isEnd) penalty += weights.endOfFile
    const postBlank = own === -1 ? 1 + blanksAfter : 0
    const total = blanksBefore + postBlank
    penalty += weights.totalBlank * total + weights.postBlank * postBlank
    const indent = own === -1 ? after : own
    if (indent !== -1 && before !== -1 && indent !== before) {
      if (indent > before) penalty += total > 0 ? weights.indentAfterBlank : weights.indent
      else if (after !== -1 && after > indent) penalty += total > 0 ? weights.outdentAfterBlank : weights.outdent
      else penalty += total > 0 ? weights.dedentAfterBlank : weights.dedent
    }
    return { depth: indent, penalty }
  }
}
