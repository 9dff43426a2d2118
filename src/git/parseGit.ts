/**
 * Parses the output of git that is made for programs: status, log and refs.
 *
 * Source: git-status(1), "Porcelain Format Version 2".
 *
 * @module
 */
import type { GitEvent } from "./GitEntry.ts"

type Of<Tag extends GitEvent["_tag"]> = Omit<Extract<GitEvent, { _tag: Tag }>, "_tag" | "correlationId">

/** The text behind a number of fields that a blank ends. */
const behind = (text: string, fields: number): string => text.split(" ").slice(fields).join(" ")

/** Parses `git status --porcelain=v2 -z --branch`. */
export const parseStatus = (text: string): Of<"GitStatusResult"> => {
  const files: Array<Of<"GitStatusResult">["files"][number]> = []
  const head: { branch?: string; commit?: string } = {}
  const words = text.split("\0")
  for (let at = 0; at < words.length; at++) {
    const line = words[at] ?? ""
    const [index = ".", worktree = "."] = line.slice(2, 4)
    const [commit, branch] = [
      /^# branch\.oid ([0-9a-f]+)$/.exec(line)?.[1],
      /^# branch\.head (?!\(detached\)$)(.*)$/.exec(line)?.[1],
    ]
    if (commit !== undefined) head.commit = commit
    else if (branch !== undefined) head.branch = branch
    else if (line.startsWith("1 ")) files.push({ path: behind(line, 8), index, worktree })
    else if (line.startsWith("2 ")) {
      const from = words[++at]
      files.push({ path: behind(line, 9), index, worktree, ...(from === undefined ? undefined : { from }) })
    } else if (line.startsWith("u ")) files.push({ path: behind(line, 10), index, worktree })
    else if (line.startsWith("? ")) files.push({ path: line.slice(2), index: "?", worktree: "?" })
  }
  return { ...head, files }
}

/** Parses `git log -z` with the six fields of a commit. */
export const parseLog = (text: string): Of<"GitLogResult">["commits"] => {
  const words = text.split("\0")
  return Array.from({ length: Math.floor(words.length / 6) }, (_, at) => {
    const [commit = "", parents = "", author = "", email = "", date = "", message = ""] = words.slice(
      at * 6,
      at * 6 + 6,
    )
    return {
      commit,
      parents: parents.split(" ").filter((each) => each !== ""),
      author,
      email,
      date,
      message: message.trimEnd(),
    }
  })
}

/** Parses `git for-each-ref` with a mark of the present branch, names and commits. */
export const parseBranches = (text: string): Of<"GitBranchList"> => {
  const lines = text.split("\n").filter((line) => line !== "").map((line) => line.split("\0"))
  const current = lines.find(([mark]) => mark === "*")?.[1]
  return {
    branches: lines.map(([, name = "", commit = ""]) => ({ name, commit })),
    ...(current === undefined ? undefined : { current }),
  }
}
