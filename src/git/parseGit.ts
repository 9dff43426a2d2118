/**
 * Parses git's machine-readable output: status, log, refs and trees.
 *
 * Source: git-status(1), "Porcelain Format Version 2".
 */
import { defined } from "../base/defined.ts"
import type { GitEvent } from "./GitEntry.ts"

type Of<Tag extends GitEvent["_tag"]> = Omit<Extract<GitEvent, { _tag: Tag }>, "_tag" | "correlationId">

/** Number of fields before the path in a line of a status, by the kind of line. */
const fieldsBefore: Readonly<Record<string, number>> = { "1": 8, "2": 9, "u": 10, "?": 1 }

/** Parses `git status --porcelain=v2 -z --branch`. */
export const parseStatus = (text: string): Of<"GitStatusResult"> => {
  const files: Array<Of<"GitStatusResult">["files"][number]> = []
  const head: { branch?: string; commit?: string } = {}
  const words = text.split("\0")
  for (let at = 0; at < words.length; at++) {
    const line = words[at] ?? ""
    const commit = /^# branch\.oid ([0-9a-f]+)$/.exec(line)?.[1]
    const branch = /^# branch\.head (?!\(detached\)$)(.*)$/.exec(line)?.[1]
    if (commit !== undefined) head.commit = commit
    if (branch !== undefined) head.branch = branch
    const before = fieldsBefore[line.charAt(0)]
    if (before === undefined) continue
    const [index = ".", worktree = "."] = line.startsWith("?") ? "??" : line.slice(2, 4)
    const path = line.split(" ").slice(before).join(" ")
    const from = line.startsWith("2") ? words[++at] : undefined
    files.push({ path, index, worktree, ...defined({ from }) })
  }
  return { ...head, files }
}

/** Parses `git log -z` with the six fields of a commit. */
export const parseLog = (text: string): Of<"GitLogResult">["commits"] => {
  const words = text.split("\0")
  return Array.from({ length: Math.floor(words.length / 6) }, (_, at) => {
    const fields = words.slice(at * 6, at * 6 + 6)
    const [commit = "", parents = "", author = "", email = "", date = "", message = ""] = fields
    return { commit, parents: parents.match(/\S+/g) ?? [], author, email, date, message: message.trimEnd() }
  })
}

/** Parses `git for-each-ref` with a mark of the current branch, names and commits. */
export const parseBranches = (text: string): Of<"GitBranchList"> => {
  const lines = text.split("\n").filter((line) => line !== "").map((line) => line.split("\0"))
  const current = lines.find(([mark]) => mark === "*")?.[1]
  return {
    branches: lines.map(([, name = "", commit = ""]) => ({ name, commit })),
    ...defined({ current }),
  }
}

/** Parses `git ls-tree -z`. */
export const parseTree = (text: string): Of<"GitFileList">["files"] =>
  text.split("\0").filter((line) => line !== "").map((line) => {
    const [mode = "", , hash = ""] = line.split("\t", 1)[0]?.split(" ") ?? []
    return { path: line.slice(line.indexOf("\t") + 1), mode, hash }
  })
