/** Options that `git log` shares with `show`, `reflog`, `rev-list` and `shortlog`. Source: git-log(1). */
import { fatal } from "../GitError.ts"
import type { CommandLine } from "../Session.ts"
import { diffSpec } from "../diff/diffOptions.ts"
import type { Repository } from "../repository/Repository.ts"
import { parsePretty, type PrettyOptions, readDecorations } from "./prettyFormat.ts"

export const logSpec: string =
  `${diffSpec} n|max-count: skip: oneline format: pretty:: date: all branches tags remotes author: committer: ` +
  "grep: i|regexp-ignore-case E|extended-regexp F|fixed-strings since: after: until: before: reverse no-merges merges " +
  "first-parent follow decorate:: no-decorate abbrev-commit no-abbrev-commit graph topo-order date-order " +
  "author-date-order m c cc no-walk count left-right cherry-pick L: walk-reflogs g invert-grep simplify-by-decoration " +
  "show-signature no-notes full-history source"

const refusals: Readonly<Record<string, string>> = {
  graph: "leave it out: commits are listed in the same order",
  c: "use -m or --first-parent",
  m: "use --first-parent",
  L: "use git blame or -S",
  "left-right": "count A..B and B..A",
  "cherry-pick": "leave it out",
  "topo-order": "leave it out",
  "author-date-order": "leave it out",
  "simplify-by-decoration": "use --decorate",
  "full-history": "leave it out",
  source: "use --decorate",
  follow: "name both paths of the file",
}

/** Fails if an option of `git log` was given that this git does not have. */
export const refuseLogOptions = (line: CommandLine): void => {
  for (const [option, instead] of Object.entries(refusals)) line.refuse(option, instead)
}

export const readPretty = async (repository: Repository, line: CommandLine): Promise<PrettyOptions> => {
  const given = line.all.findLast(([name]) => ["oneline", "format", "pretty"].includes(name))
  const pretty = given === undefined
    ? parsePretty(await repository.config.get("format.pretty") ?? "")
    : given[0] === "oneline"
    ? { format: "oneline", isTerminated: true }
    : parsePretty(given[1])
  const decorate = line.all.findLast(([name]) => name === "decorate" || name === "no-decorate")
  const needs = /%[+\- ]?[dD]/.test(pretty.format)
  const isWanted = decorate?.[0] === "decorate" && decorate[1] !== "no" && decorate[1] !== "auto"
  return {
    ...pretty,
    date: line.value("date") ?? await repository.config.get("log.date") ?? "default",
    abbreviate: (line.has("oneline") || line.has("abbrev-commit")) && !line.has("no-abbrev-commit"),
    decorations: isWanted || needs ? await readDecorations(repository, decorate?.[1] === "full") : undefined,
  }
}

export const limitOf = (line: CommandLine, option: string): number => {
  const text = line.value(option)
  if (text === undefined) return Infinity
  return /^-?\d+$/.test(text) ? (Number(text) < 0 ? Infinity : Number(text)) : fatal(`'${text}': not an integer`)
}
