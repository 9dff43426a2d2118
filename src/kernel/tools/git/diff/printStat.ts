/** Prints how many lines of each file changed, with a graph. Source: git-diff(1), `--stat`. */
import type { Session } from "../Session.ts"
import { quotePath, renameName } from "../quotePath.ts"
import { type FileChange, pathOf } from "./changes.ts"
import type { FileStat } from "./diffTypes.ts"
import { octal } from "./printPatch.ts"

const minNameWidth = 10
const minGraphWidth = 6

const nameOf = (change: FileChange): string =>
  change.status === "R" ? renameName(change.old?.path ?? "", pathOf(change)) : quotePath(pathOf(change))

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`

/** ` 2 files changed, 3 insertions(+), 1 deletion(-)`. */
export const statLine = (stats: ReadonlyArray<FileStat>): string => {
  const files = stats.filter(({ change }) => change.status !== "U").length
  if (files === 0) return stats.length === 0 ? "" : " 0 files changed\n"
  const added = stats.reduce((sum, each) => sum + each.added, 0)
  const removed = stats.reduce((sum, each) => sum + each.removed, 0)
  const parts = [` ${plural(files, "file")} changed`]
  if (added > 0 || removed === 0) parts.push(`${plural(added, "insertion")}(+)`)
  if (removed > 0 || added === 0) parts.push(`${plural(removed, "deletion")}(-)`)
  return `${parts.join(", ")}\n`
}

/** Cuts a name at its start, at a slash if it has one. */
const shorten = (name: string, width: number): string => {
  if (name.length <= width) return name
  const tail = name.slice(name.length - Math.max(0, width - 3))
  const slash = tail.indexOf("/")
  return `...${slash < 0 ? tail : tail.slice(slash)}`
}

export const printStat = (git: Session, stats: ReadonlyArray<FileStat>, terminalWidth: number): void => {
  if (stats.length === 0) return
  const max = Math.max(...stats.map(({ added, removed }) => added + removed))
  const binaries = stats.flatMap(({ binary }) => binary === undefined ? [] : [binary])
  const binaryWidth = Math.max(0, ...binaries.map(([one, two]) => 14 + `${one}`.length + `${two}`.length))
  const numberWidth = Math.max(`${max}`.length, binaries.length > 0 ? 3 : 0)
  const width = Math.max(terminalWidth, minNameWidth + minGraphWidth + 6 + numberWidth)
  let nameWidth = Math.max(...stats.map(({ change }) => nameOf(change).length))
  let graphWidth = max + 4 > binaryWidth ? max : binaryWidth - 4
  if (nameWidth + numberWidth + 6 + graphWidth > width) {
    graphWidth = Math.min(graphWidth, Math.max(minGraphWidth, Math.floor(width * 3 / 8) - numberWidth - 6))
    if (nameWidth > width - numberWidth - 6 - graphWidth) nameWidth = width - numberWidth - 6 - graphWidth
    else graphWidth = width - numberWidth - 6 - nameWidth
  }
  const scale = (count: number): number => count === 0 ? 0 : 1 + Math.floor(count * (graphWidth - 1) / max)
  for (const { added, binary, change, removed } of stats) {
    const name = shorten(nameOf(change), nameWidth).padEnd(nameWidth)
    if (change.status === "U") {
      // Git prints no newline here.
      git.print(` ${name.trimEnd()} | Unmerged`)
      continue
    }
    if (binary !== undefined) {
      const sizes = binary[0] === 0 && binary[1] === 0 ? "" : ` ${binary[0]} -> ${binary[1]} bytes`
      git.print(` ${name} | ${"Bin".padStart(numberWidth)}${sizes}\n`)
      continue
    }
    let [plus, minus] = [added, removed]
    if (graphWidth <= max) {
      const total = Math.max(scale(added + removed), added > 0 && removed > 0 ? 2 : 0)
      if (added < removed) [plus, minus] = [scale(added), total - scale(added)]
      else [plus, minus] = [total - scale(removed), scale(removed)]
    }
    const graph = "+".repeat(plus) + "-".repeat(minus)
    git.print(` ${name} | ${`${added + removed}`.padStart(numberWidth)}${graph === "" ? "" : ` ${graph}`}\n`)
  }
  git.print(statLine(stats))
}

/** Formats the changes of files besides their content: created, deleted, renamed, modes. */
export const summaryLines = (changes: ReadonlyArray<FileChange>): string =>
  changes.map((change) => {
    const { new: after, old: before, status } = change
    if (status === "A" && after !== undefined) return ` create mode ${octal(after.mode)} ${quotePath(after.path)}\n`
    if (status === "D" && before !== undefined) return ` delete mode ${octal(before.mode)} ${quotePath(before.path)}\n`
    if (before === undefined || after === undefined) return ""
    const modes = before.mode === after.mode ? "" : ` mode change ${octal(before.mode)} => ${octal(after.mode)}`
    if (status === "R") return ` rename ${nameOf(change)} (${change.similarity}%)\n${modes === "" ? "" : `${modes}\n`}`
    return modes === "" ? "" : `${modes} ${quotePath(after.path)}\n`
  }).join("")
