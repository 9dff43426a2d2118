/** `git rebase`, without a list to edit. Source: git-rebase(1). */
import { fatal, GitError } from "../GitError.ts"
import type { Command, Session } from "../Session.ts"
import { pathOf, worktreeChanges } from "../diff/changes.ts"
import { abbreviate, requireCommit } from "../history/revisions.ts"
import { upstreamOf } from "../history/upstream.ts"
import { mergeBases, walkCommits } from "../history/walkCommits.ts"
import { pickCommit } from "../merge/pickCommit.ts"
import type { Repository } from "../repository/Repository.ts"
import { appendText, exists, readTextIfExists, removeTree, replaceFile } from "../repository/files.ts"
import { type Commit, subjectOf } from "../repository/objects.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"
import { applyTree, checkoutWords, filesOf, overwriteTree } from "../worktree/applyTree.ts"
import { cleanMessage, commitReport, writeIndexTree } from "../worktree/commitMessage.ts"
import { stagedChanges } from "../worktree/readStatus.ts"
import { switchCommand } from "./switch.ts"

/** The folder in which a stopped rebase keeps its state, by git's name. */
const folder = (repository: Repository): string => `${repository.gitdir}/rebase-merge`

const read = async (repository: Repository, name: string): Promise<string> =>
  (await readTextIfExists(repository.system, `${folder(repository)}/${name}`) ?? "").trim()

const finish = async (git: Session, repository: Repository): Promise<void> => {
  const [name, onto] = [await read(repository, "head-name"), await read(repository, "onto")]
  const head = await repository.head() ?? ""
  const who = await repository.signature("COMMITTER")
  if (name.startsWith("refs/heads/")) {
    await repository.refs.update(name, head, who, `rebase (finish): ${name} onto ${onto}`)
    await repository.refs.setSymbolic("HEAD", name)
    await repository.refs.log("HEAD", head, head, who, `rebase (finish): returning to ${name}`)
  }
  const isQuiet = exists(repository.system, `${folder(repository)}/quiet`)
  await removeTree(repository.system, folder(repository))
  if (isQuiet) return
  git.warn(`Successfully rebased and updated ${name.startsWith("refs/") ? name : "detached HEAD"}.`)
}

const run = async (git: Session, repository: Repository, todo: ReadonlyArray<string>): Promise<number> => {
  const { system } = repository
  for (const [at, oid] of todo.entries()) {
    await replaceFile(
      system,
      `${folder(repository)}/git-rebase-todo`,
      todo.slice(at + 1).map((each) => `pick ${each}\n`).join(""),
    )
    await appendText(system, `${folder(repository)}/done`, `pick ${oid}\n`)
    const commit = await repository.objects.commit(oid)
    const head = await repository.head()
    if (commit.parents[0] === head && commit.parents.length === 1) {
      await applyTree(repository, await filesOf(repository, head), await filesOf(repository, oid), checkoutWords)
      await repository.moveHead(oid, `rebase (pick): ${subjectOf(commit.message)}`)
      continue
    }
    const result = await pickCommit(git, repository, commit, {
      isRevert: false,
      noCommit: false,
      mainline: undefined,
      addOrigin: false,
      isQuiet: true,
    })
    if (result === "empty") {
      git.warn(`dropping ${oid} ${subjectOf(commit.message)} -- patch contents already upstream`)
      continue
    }
    if (result === "done") continue
    await replaceFile(system, `${folder(repository)}/stopped-sha`, `${oid}\n`)
    repository.system.unlink(`${repository.gitdir}/CHERRY_PICK_HEAD`)
    await replaceFile(system, `${folder(repository)}/message`, commit.message)
    git.warn(
      `error: could not apply ${abbreviate(repository, oid)}... ${subjectOf(commit.message)}\n` +
        'hint: Resolve all conflicts manually, mark them as resolved with\nhint: "git add/rm <conflicted_files>", then run "git rebase --continue".\n' +
        'hint: You can instead skip this commit: run "git rebase --skip".\nhint: To abort and get back to the state before "git rebase", run "git rebase --abort".\n' +
        `Could not apply ${abbreviate(repository, oid)}... ${subjectOf(commit.message)}`,
    )
    return 1
  }
  await finish(git, repository)
  return 0
}

const remaining = async (repository: Repository): Promise<ReadonlyArray<string>> =>
  (await read(repository, "git-rebase-todo")).split("\n").flatMap((line) =>
    /^pick ([0-9a-f]{40})/.exec(line)?.[1] ?? []
  )

/** Commits the resolution of the commit that stopped. */
const commitStopped = async (git: Session, repository: Repository): Promise<void> => {
  const stopped = await read(repository, "stopped-sha")
  if (stopped === "") return
  const index = await repository.index()
  if (index.conflicts.length > 0) {
    throw new GitError(
      1,
      `${
        index.conflicts.map((path) => `${path}: needs merge`).join("\n")
      }\nYou must edit all merge conflicts and then\nmark them as resolved using git add`,
    )
  }
  const head = await repository.head() ?? ""
  const tree = await writeIndexTree(repository)
  repository.system.unlink(`${folder(repository)}/stopped-sha`)
  if (tree === (await repository.objects.commit(head)).tree) return
  const commit = await repository.objects.commit(stopped)
  const made = {
    tree,
    parents: [head],
    author: commit.author,
    committer: await repository.signature("COMMITTER"),
    message: cleanMessage(commit.message, false),
  }
  const oid = await repository.objects.writeCommit(made)
  await repository.moveHead(oid, `rebase (continue): ${subjectOf(made.message)}`)
  repository.system.unlink(`${repository.gitdir}/MERGE_MSG`)
  await commitReport(git, repository, { oid, ...made })
}

const resume = async (
  git: Session,
  repository: Repository,
  how: "abort" | "continue" | "skip" | "quit",
): Promise<number> => {
  if (!exists(repository.system, folder(repository))) return fatal("No rebase in progress?")
  if (how === "quit") {
    await removeTree(repository.system, folder(repository))
    return 0
  }
  if (how === "abort") {
    const [name, orig] = [await read(repository, "head-name"), await read(repository, "orig-head")]
    await overwriteTree(repository, orig)
    if (name.startsWith("refs/heads/")) {
      await repository.switchHead({ branch: name.slice(11) }, `rebase (abort): returning to ${name}`, orig)
    } else await repository.switchHead({ oid: orig }, `rebase (abort): returning to ${orig}`, orig)
    await removeTree(repository.system, folder(repository))
    repository.system.unlink(`${repository.gitdir}/MERGE_MSG`)
    return 0
  }
  if (how === "continue") await commitStopped(git, repository)
  else await overwriteTree(repository, await repository.head())
  return run(git, repository, await remaining(repository))
}

const requireClean = async (repository: Repository): Promise<void> => {
  const all = parsePathspec(repository, [])
  const [unstaged, staged] = [await worktreeChanges(repository, all), await stagedChanges(repository, all)]
  if (unstaged.length > 0) {
    throw new GitError(
      1,
      `error: cannot rebase: You have unstaged changes.\n${
        staged.length > 0 ? "error: additionally, your index contains uncommitted changes.\n" : ""
      }error: Please commit or stash them.`,
    )
  }
  if (staged.length > 0) {
    throw new GitError(
      1,
      `error: cannot rebase: Your index contains uncommitted changes.\nerror: Please commit or stash them. (${
        pathOf(staged[0] ?? { status: "M", old: undefined, new: undefined })
      })`,
    )
  }
}

export const rebase: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "rebase",
    "onto: abort continue skip quit i|interactive root q|quiet r|rebase-merges autosquash no-autosquash autostash no-autostash f|force-rebase x|exec: v|verbose stat no-stat n keep-base p m|merge apply empty:",
    args,
  )
  line.refuse("i r x autosquash autostash root keep-base f apply empty", "use git cherry-pick and git reset")
  const how = (["abort", "continue", "skip", "quit"] as const).find((option) => line.has(option))
  if (how !== undefined) return resume(git, repository, how)
  if (exists(repository.system, folder(repository))) {
    return fatal(
      "It seems that there is already a rebase-merge directory, and\nI wonder if you are in the middle of another rebase.\nUse git rebase --continue, --skip or --abort.",
    )
  }
  const [given, branch] = line.operands
  const current = branch ?? await repository.branch()
  if (branch !== undefined) {
    await switchCommand(git, ["-q", branch])
  }
  const upstreamName = given ?? (current === undefined ? undefined : (await upstreamOf(repository, current))?.name)
  if (upstreamName === undefined) return fatal("There is no tracking information for the current branch.")
  await requireClean(repository)
  const head = await repository.head() ?? fatal("You do not have a valid HEAD")
  const upstream = await requireCommit(repository, upstreamName)
  const onto = await requireCommit(repository, line.value("onto") ?? upstreamName)
  const bases = await mergeBases(repository, head, upstream)
  const name = current === undefined ? "HEAD" : `refs/heads/${current}`
  const commits: Array<Commit> = []
  for await (const commit of walkCommits(repository, { include: [head], exclude: [upstream] })) {
    if (commit.parents.length < 2) commits.push(commit)
  }
  const isLinear = commits.every((commit, at) => (commits[at + 1]?.oid ?? bases[0]) === commit.parents[0])
  if (bases[0] === onto && isLinear) {
    if (line.has("q")) return 0
    git.printLine(current === undefined ? "HEAD is up to date." : `Current branch ${current} is up to date.`)
    return 0
  }
  await repository.signature("COMMITTER")
  await applyTree(repository, await filesOf(repository, head), await filesOf(repository, onto), checkoutWords)
  await repository.refs.update("ORIG_HEAD", head)
  const { system } = repository
  const state = {
    "head-name": name === "HEAD" ? "detached HEAD" : name,
    onto,
    "orig-head": head,
    "git-rebase-todo": "",
    ...line.has("q") ? { quiet: "t" } : {},
  }
  for (const [file, text] of Object.entries(state)) {
    await replaceFile(system, `${folder(repository)}/${file}`, `${text}\n`)
  }
  await repository.switchHead({ oid: onto }, `rebase (start): checkout ${line.value("onto") ?? upstreamName}`, onto)
  return run(git, repository, commits.reverse().map(({ oid }) => oid))
}
