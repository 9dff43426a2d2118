/** Prints what patches change: `git apply --stat` and `--numstat`. Source: `show_stats` of git's apply.c. */
import type { Session } from "../Session.ts"
import { statLine } from "../diff/printStat.ts"
import { quotePath } from "../quotePath.ts"
import type { GitPatch } from "./parseGitPatch.ts"

export const printPatchStats = (
  git: Session,
  patches: ReadonlyArray<GitPatch>,
  has: (option: string) => boolean,
): void => {
  const stats = patches.map((patch) => {
    const count = (sign: string): number =>
      patch.hunks.reduce((sum, { lines }) => sum + lines.filter((each) => each.sign === sign).length, 0)
    return { name: quotePath(patch.new ?? patch.old ?? ""), added: count("+"), removed: count("-") }
  })
  if (has("stat")) {
    const maxChange = Math.max(1, ...stats.map(({ added, removed }) => added + removed))
    const nameWidth = Math.min(50, Math.max(...stats.map(({ name }) => name.length)))
    const graphWidth = Math.min(maxChange, 70 - nameWidth)
    const scale = (count: number): number => Math.floor((count * graphWidth + Math.floor(maxChange / 2)) / maxChange)
    for (const { added, name, removed } of stats) {
      const shown = name.length > nameWidth ? `...${name.slice(name.length - nameWidth + 3)}` : name.padEnd(nameWidth)
      const graph = "+".repeat(scale(added)) + "-".repeat(scale(added + removed) - scale(added))
      git.print(` ${shown} |${`${added + removed}`.padStart(5)} ${graph}\n`)
    }
    const change = { status: "M", old: undefined, new: undefined } as const
    git.print(statLine(stats.map(({ added, removed }) => ({ change, added, removed, binary: undefined }))))
  }
  if (!has("numstat")) return
  for (const { added, name, removed } of stats) git.printLine(`${added}\t${removed}\t${name}`)
}
