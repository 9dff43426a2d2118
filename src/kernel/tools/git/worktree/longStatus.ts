/** Formats the long form of `git status`, which `git commit` prints too. */
import { type FileChange, pathOf } from "../diff/changes.ts"
import { abbreviate, expandName } from "../history/revisions.ts"
import { trackingText } from "../history/upstream.ts"
import { quotePath } from "../quotePath.ts"
import type { Repository } from "../repository/Repository.ts"
import { parsePathspec } from "./Pathspec.ts"
import { operationText, pendingOperation } from "./pendingOperation.ts"
import { readStatus, stagesOf, type Status, type StatusOptions } from "./readStatus.ts"

const conflictTexts = [
  "",
  "both deleted:    ",
  "added by us:     ",
  "deleted by them: ",
  "added by them:   ",
  "deleted by us:   ",
  "both added:      ",
  "both modified:   ",
]
const changeLabels: Readonly<Record<string, string>> = {
  A: "new file:   ",
  D: "deleted:    ",
  M: "modified:   ",
  R: "renamed:    ",
  T: "typechange: ",
}

/** `HEAD detached at v1.0`. */
const detachedText = async (repository: Repository): Promise<string> => {
  const head = await repository.head()
  if (head === undefined) return "Not currently on any branch."
  for (const { message, oid } of await repository.refs.logOf("HEAD")) {
    const [, to] = /^checkout: moving from .* to (.*)$/.exec(message) ?? []
    if (to === undefined) continue
    const ref = /^[0-9a-f]{40}$/.test(to) ? undefined : await expandName(repository, to)
    return `HEAD detached ${oid === head ? "at" : "from"} ${
      ref === undefined || ref === "HEAD" ? abbreviate(repository, oid) : ref.replace(/^refs\/(?:tags|remotes)\//, "")
    }`
  }
  return `HEAD detached at ${abbreviate(repository, head)}`
}

const changedPath = (repository: Repository, change: FileChange): string => {
  const show = (path: string | undefined): string => quotePath(repository.relative(path ?? ""))
  return change.status === "R" ? `${show(change.old?.path)} -> ${show(change.new?.path)}` : show(pathOf(change))
}

/** The long form. `git commit` prints it too when there is nothing to commit. */
export const longStatus = async (
  repository: Repository,
  status: Status,
  options: StatusOptions,
  purpose: "status" | "commit" | "amend" = "status",
): Promise<string> => {
  const { branch, conflicts, ignored, index, isInitial, staged, unstaged, untracked } = status
  const pending = pendingOperation(repository)
  let out = branch === undefined
    ? (pending === "rebase" ? "" : `${await detachedText(repository)}\n`)
    : `On branch ${branch}\n`
  const tracking = branch === undefined || isInitial ? "" : await trackingText(repository, branch)
  if (tracking !== "") out += `${tracking}\n`
  out += await operationText(repository, conflicts.length > 0)
  if (isInitial) out += purpose === "commit" ? "\nInitial commit\n\n" : "\nNo commits yet\n\n"
  const showUnstage = pending === undefined || pending === "rebase"
  const unstage = isInitial
    ? '  (use "git rm --cached <file>..." to unstage)\n'
    : '  (use "git restore --staged <file>..." to unstage)\n'
  if (staged.length > 0) {
    out += `Changes to be committed:\n${showUnstage ? unstage : ""}`
    for (const change of staged) out += `\t${changeLabels[change.status]}${changedPath(repository, change)}\n`
    out += "\n"
  }
  if (conflicts.length > 0) {
    const masks = conflicts.map((path) => stagesOf(index, path))
    const [both, mixed] = [masks.some((mask) => mask === 1), masks.some((mask) => mask === 3 || mask === 5)]
    const rest = masks.some((mask) => ![0, 1, 3, 5].includes(mask))
    const hint = !both
      ? (mixed ? 'git add/rm <file>..." as appropriate to mark resolution' : 'git add <file>..." to mark resolution')
      : !mixed && !rest
      ? 'git rm <file>..." to mark resolution'
      : 'git add/rm <file>..." as appropriate to mark resolution'
    out += `Unmerged paths:\n${showUnstage ? unstage : ""}  (use "${hint})\n`
    for (const path of conflicts) {
      out += `\t${conflictTexts[stagesOf(index, path)]}${quotePath(repository.relative(path))}\n`
    }
    out += "\n"
  }
  if (unstaged.length > 0) {
    const deletes = unstaged.some((change) => change.status === "D")
    out +=
      `Changes not staged for commit:\n  (use "git add${
        deletes ? "/rm" : ""
      } <file>..." to update what will be committed)\n` +
      '  (use "git restore <file>..." to discard changes in working directory)\n'
    for (const change of unstaged) out += `\t${changeLabels[change.status]}${changedPath(repository, change)}\n`
    out += "\n"
  }
  if (untracked.length > 0) {
    out += 'Untracked files:\n  (use "git add <file>..." to include in what will be committed)\n'
    for (const path of untracked) out += `\t${quotePath(repository.relative(path))}\n`
    out += "\n"
  }
  if (ignored.length > 0) {
    out += 'Ignored files:\n  (use "git add -f <file>..." to include in what will be committed)\n'
    for (const path of ignored) out += `\t${quotePath(repository.relative(path))}\n`
    out += "\n"
  }
  if (options.untracked === "no" && staged.length > 0) {
    out += "Untracked files not listed (use -u option to show untracked files)\n"
  }
  if (staged.length > 0) return out
  if (purpose === "amend") return `${out}No changes\n`
  if (unstaged.length > 0 || conflicts.length > 0) {
    return `${out}no changes added to commit (use "git add" and/or "git commit -a")\n`
  }
  if (pending === "merge") return out
  if (untracked.length > 0) {
    return `${out}nothing added to commit but untracked files present (use "git add" to track)\n`
  }
  if (isInitial) return `${out}nothing to commit (create/copy files and use "git add" to track)\n`
  return `${out}nothing to commit${
    options.untracked === "no" ? " (use -u to show untracked files)" : ", working tree clean"
  }\n`
}

/** `git status` without options. */
export const defaultStatus = async (repository: Repository): Promise<string> => {
  const options = { untracked: "normal" } as const
  return longStatus(repository, await readStatus(repository, parsePathspec(repository, []), options), options)
}
