/** `git status` and its short forms. Source: git-status(1). */
import { unsupported } from "../GitError.ts"
import type { Command, Session } from "../Session.ts"
import { pathOf } from "../diff/changes.ts"
import { aheadBehind, upstreamOf } from "../history/upstream.ts"
import { quotePath } from "../quotePath.ts"
import type { Repository } from "../repository/Repository.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"
import { longStatus } from "../worktree/longStatus.ts"
import { readStatus, stagesOf, type Status } from "../worktree/readStatus.ts"

const conflictLetters = ["", "DD", "AU", "UD", "UA", "DU", "AA", "UU"]

const branchLine = async (repository: Repository, { branch, isInitial }: Status): Promise<string> => {
  if (branch === undefined) return "## HEAD (no branch)"
  const upstream = await upstreamOf(repository, branch)
  const start = isInitial ? `## No commits yet on ${branch}` : `## ${branch}`
  if (upstream === undefined) return start
  const [ours, theirs] = [await repository.head(), await repository.refs.resolve(upstream.ref)]
  if (theirs === undefined) return `${start}...${upstream.name} [gone]`
  const [ahead, behind] = ours === undefined ? [0, 0] : await aheadBehind(repository, ours, theirs)
  const parts = [...ahead > 0 ? [`ahead ${ahead}`] : [], ...behind > 0 ? [`behind ${behind}`] : []]
  return `${start}...${upstream.name}${parts.length === 0 ? "" : ` [${parts.join(", ")}]`}`
}

const printShort = (
  git: Session,
  repository: Repository,
  status: Status,
  isPorcelain: boolean,
  end: "\n" | "\0",
): void => {
  const show = (path: string | undefined): string => {
    const text = isPorcelain ? path ?? "" : repository.relative(path ?? "")
    return end === "\0" ? text : quotePath(text, true)
  }
  const lines = new Map<string, { x: string; y: string; from: string | undefined }>()
  for (const change of status.staged) {
    lines.set(pathOf(change), { x: change.status, y: " ", from: change.status === "R" ? change.old?.path : undefined })
  }
  for (const change of status.unstaged) {
    const known = lines.get(pathOf(change))
    const letter = change.status
    lines.set(pathOf(change), known === undefined ? { x: " ", y: letter, from: undefined } : { ...known, y: letter })
  }
  for (const path of status.conflicts) {
    const [x = "U", y = "U"] = conflictLetters[stagesOf(status.index, path)] ?? ""
    lines.set(path, { x, y, from: undefined })
  }
  const sorted = [...lines].sort(([a], [b]) => a < b ? -1 : 1)
  for (const [path, { from, x, y }] of sorted) {
    if (end === "\0") git.print(`${x}${y} ${show(path)}\0${from === undefined ? "" : `${show(from)}\0`}`)
    else git.print(`${x}${y} ${from === undefined ? "" : `${show(from)} -> `}${show(path)}\n`)
  }
  for (const path of status.untracked) git.print(`?? ${show(path)}${end}`)
  for (const path of status.ignored) git.print(`!! ${show(path)}${end}`)
}

export const status: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "status",
    "s|short b|branch porcelain:: long u|untracked-files:: ignored:: z v|verbose no-renames ahead-behind no-ahead-behind show-stash column:: no-column",
    args,
  )
  line.refuse("v", "use git diff --cached")
  const porcelain = line.value("porcelain")
  if (porcelain === "v2" || porcelain === "2") unsupported("git status --porcelain=v2", "use --porcelain=v1")
  const given = line.value("u") ?? await repository.config.get("status.showuntrackedfiles") ?? "normal"
  const untracked = line.has("u") && given === "" ? "all" : given === "no" ? "no" : given === "all" ? "all" : "normal"
  const options = { untracked, ignored: line.has("ignored") } as const
  const pathspec = parsePathspec(repository, line.allOperands)
  const found = await readStatus(repository, pathspec, options)
  const isPorcelain = porcelain !== undefined || line.has("z")
  if (isPorcelain || line.has("s")) {
    const end = line.has("z") ? "\0" : "\n"
    if (line.has("b")) git.print(await branchLine(repository, found) + end)
    return printShort(git, repository, found, isPorcelain, end)
  }
  git.print(await longStatus(repository, found, options))
}
