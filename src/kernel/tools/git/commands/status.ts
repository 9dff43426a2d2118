/** Implements `git status`. Source: git-status(1). */
import {
  compareFiles,
  detectRenames,
  type FileChange,
  indexFiles,
  pathOf,
  untrackedFiles,
  worktreeChanges,
} from "../changes.ts"
import { exists, readTextIfExists } from "../files.ts"
import { unsupported } from "../GitError.ts"
import type { IndexFile } from "../IndexFile.ts"
import { parsePathspec, type Pathspec } from "../Pathspec.ts"
import { quotePath } from "../quotePath.ts"
import type { Repository } from "../Repository.ts"
import { abbreviate, describeCommit, expandName } from "../revisions.ts"
import type { Command, Session } from "../Session.ts"
import { aheadBehind, trackingText, upstreamOf } from "../upstream.ts"

export interface Status {
  readonly isInitial: boolean
  readonly branch: string | undefined
  readonly staged: ReadonlyArray<FileChange>
  readonly unstaged: ReadonlyArray<FileChange>
  readonly conflicts: ReadonlyArray<string>
  readonly untracked: ReadonlyArray<string>
  readonly ignored: ReadonlyArray<string>
  readonly index: IndexFile
}

export interface StatusOptions {
  readonly untracked: "no" | "normal" | "all"
  readonly ignored?: boolean
}

export const stagedChanges = async (repository: Repository, pathspec: Pathspec): Promise<ReadonlyArray<FileChange>> => {
  const tree = await repository.headTree()
  const index = await repository.index()
  const conflicts = new Set(index.conflicts)
  const before = tree === undefined ? new Map() : await repository.objects.files(tree)
  return compareFiles(before, indexFiles(index.entries)).filter((change) =>
    !conflicts.has(pathOf(change)) && pathspec.matches(pathOf(change))
  )
}

export const readStatus = async (
  repository: Repository,
  pathspec: Pathspec,
  options: StatusOptions,
): Promise<Status> => {
  const index = await repository.index()
  const conflicts = index.conflicts.filter((path) => pathspec.matches(path))
  const whole = options.untracked === "all"
  return {
    isInitial: await repository.head() === undefined,
    branch: await repository.branch(),
    staged: await detectRenames(repository, await stagedChanges(repository, pathspec)),
    unstaged: (await worktreeChanges(repository, pathspec)).filter((change) => !index.isConflicted(pathOf(change))),
    conflicts,
    untracked: options.untracked === "no" ? [] : await untrackedFiles(repository, pathspec, { whole }),
    ignored: options.ignored === true ? await untrackedFiles(repository, pathspec, { whole, ignored: true }) : [],
    index,
  }
}

const stagesOf = (index: IndexFile, path: string): number =>
  [1, 2, 3].reduce((mask, stage) => mask | (index.get(path, stage) === undefined ? 0 : 1 << (stage - 1)), 0)

const conflictLetters = ["", "DD", "AU", "UD", "UA", "DU", "AA", "UU"]
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
const labels: Readonly<Record<string, string>> = {
  A: "new file:   ",
  D: "deleted:    ",
  M: "modified:   ",
  R: "renamed:    ",
  T: "typechange: ",
}

/** Operations that wait for the user. */
export const pendingOperation = (
  { gitdir, system }: Repository,
): "merge" | "cherry-pick" | "revert" | "rebase" | undefined =>
  exists(system, `${gitdir}/rebase-merge`)
    ? "rebase"
    : exists(system, `${gitdir}/MERGE_HEAD`)
    ? "merge"
    : exists(system, `${gitdir}/CHERRY_PICK_HEAD`)
    ? "cherry-pick"
    : exists(system, `${gitdir}/REVERT_HEAD`)
    ? "revert"
    : undefined

/** Formats the lines of `git status` about a stopped rebase. */
const rebaseText = async (repository: Repository, hasConflicts: boolean): Promise<string> => {
  const read = async (name: string): Promise<ReadonlyArray<string>> =>
    (await readTextIfExists(repository.system, `${repository.gitdir}/rebase-merge/${name}`) ?? "").trim().split("\n")
  const [onto = ""] = await read("onto")
  const [name = ""] = await read("head-name")
  const short = abbreviate(repository, onto)
  const commands = async (file: string): Promise<ReadonlyArray<string>> => {
    const oids = (await read(file)).flatMap((line) => /^pick ([0-9a-f]{40})/.exec(line)?.[1] ?? [])
    return Promise.all(oids.map(async (oid) => `   pick ${await describeCommit(repository, oid)}\n`))
  }
  const [done, todo] = [await commands("done"), await commands("git-rebase-todo")]
  const count = (list: ReadonlyArray<string>): string => `${list.length} ${list.length === 1 ? "command" : "commands"}`
  const parts = [
    `interactive rebase in progress; onto ${short}\n`,
    done.length === 0
      ? "No commands done.\n"
      : `Last ${done.length === 1 ? "command" : "commands"} done (${count(done)} done):\n${done.slice(-2).join("")}`,
    done.length > 2 ? `  (see more in file .git/rebase-merge/done)\n` : "",
    todo.length === 0
      ? "No commands remaining.\n"
      : `Next ${todo.length === 1 ? "command" : "commands"} to do (${todo.length} remaining ${
        todo.length === 1 ? "command" : "commands"
      }):\n${todo.slice(0, 2).join("")}  (use "git rebase --edit-todo" to view and edit)\n`,
    name.startsWith("refs/heads/")
      ? `You are currently rebasing branch '${name.slice(11)}' on '${short}'.\n`
      : "You are currently rebasing.\n",
    hasConflicts
      ? '  (fix conflicts and then run "git rebase --continue")\n  (use "git rebase --skip" to skip this patch)\n  (use "git rebase --abort" to check out the original branch)\n\n'
      : '  (all conflicts fixed: run "git rebase --continue")\n\n',
  ]
  return parts.join("")
}

const operationText = async (repository: Repository, hasConflicts: boolean): Promise<string> => {
  const short = async (name: string): Promise<string> =>
    abbreviate(repository, await repository.refs.resolve(name) ?? "")
  switch (pendingOperation(repository)) {
    case "merge":
      return hasConflicts
        ? 'You have unmerged paths.\n  (fix conflicts and run "git commit")\n  (use "git merge --abort" to abort the merge)\n\n'
        : 'All conflicts fixed but you are still merging.\n  (use "git commit" to conclude merge)\n\n'
    case "cherry-pick":
      return `You are currently cherry-picking commit ${await short("CHERRY_PICK_HEAD")}.\n` +
        (hasConflicts
          ? '  (fix conflicts and run "git cherry-pick --continue")\n'
          : '  (all conflicts fixed: run "git cherry-pick --continue")\n') +
        '  (use "git cherry-pick --skip" to skip this patch)\n  (use "git cherry-pick --abort" to cancel the cherry-pick operation)\n\n'
    case "revert":
      return `You are currently reverting commit ${await short("REVERT_HEAD")}.\n` +
        (hasConflicts
          ? '  (fix conflicts and run "git revert --continue")\n'
          : '  (all conflicts fixed: run "git revert --continue")\n') +
        '  (use "git revert --skip" to skip this patch)\n  (use "git revert --abort" to cancel the revert operation)\n\n'
    case "rebase":
      return rebaseText(repository, hasConflicts)
  }
  return ""
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

const describe = (repository: Repository, change: FileChange): string => {
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
    for (const change of staged) out += `\t${labels[change.status]}${describe(repository, change)}\n`
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
    for (const change of unstaged) out += `\t${labels[change.status]}${describe(repository, change)}\n`
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
  if (line.has("v")) unsupported("git status -v", "use git diff --cached")
  const porcelain = line.value("porcelain")
  if (porcelain === "v2" || porcelain === "2") unsupported("git status --porcelain=v2", "use --porcelain=v1")
  const given = line.value("u") ?? await repository.config.get("status.showuntrackedfiles") ?? "normal"
  const untracked = line.has("u") && given === "" ? "all" : given === "no" ? "no" : given === "all" ? "all" : "normal"
  const options = { untracked, ignored: line.has("ignored") } as const
  const pathspec = parsePathspec(repository, [...line.operands, ...line.paths ?? []])
  const found = await readStatus(repository, pathspec, options)
  const isPorcelain = porcelain !== undefined || line.has("z")
  if (isPorcelain || line.has("s")) {
    const end = line.has("z") ? "\0" : "\n"
    if (line.has("b")) git.print(await branchLine(repository, found) + end)
    return printShort(git, repository, found, isPorcelain, end)
  }
  git.print(await longStatus(repository, found, options))
}
