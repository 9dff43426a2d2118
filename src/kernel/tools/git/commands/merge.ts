/**
 * Implements `git merge`, `git cherry-pick` and `git revert`. Source: git-merge(1), git-cherry-pick(1), git-revert(1).
 */
import { applyTree, filesOf, indexMap } from "../applyTree.ts"
import { detectRenames, pathOf } from "../changes.ts"
import { countLines } from "../diffOptions.ts"
import { readTextIfExists, replaceFile } from "../files.ts"
import { failure, fatal, GitError, unsupported } from "../GitError.ts"
import { type FileMap, type MergedTree, mergeTrees } from "../mergeTrees.ts"
import type { MergeLabels } from "../mergeTexts.ts"
import { type Commit, type Signature, subjectOf } from "../objects.ts"
import { parsePathspec } from "../Pathspec.ts"
import { printStat, summaryLines } from "../printStat.ts"
import type { Repository } from "../Repository.ts"
import { abbreviate, expandName, requireCommit, resolveRevision } from "../revisions.ts"
import type { Command, CommandLine, Session } from "../Session.ts"
import { mergeBases, walkCommits } from "../walkCommits.ts"
import { changesBetween } from "./checkout.ts"
import { cleanMessage, commit as commitCommand, commitReport } from "./commit.ts"
import { longStatus, pendingOperation, readStatus, stagedChanges } from "./status.ts"
import { splitRange } from "../revisionRange.ts"

const words = { operation: "merge", before: "merge" } as const

export const conflictStyle = async (repository: Repository): Promise<MergeLabels["style"]> =>
  (await repository.config.get("merge.conflictstyle") ?? "merge").startsWith("merge") ? "merge" : "diff3"

/** The base of a merge; several common ancestors are merged first. */
const virtualBase = async (repository: Repository, bases: ReadonlyArray<string>): Promise<FileMap> => {
  const [first, ...rest] = bases
  let files = await filesOf(repository, first)
  let last = first
  for (const oid of rest) {
    const inner = last === undefined ? [] : await mergeBases(repository, last, oid)
    const labels = {
      ours: "Temporary merge branch 1",
      base: "merged common ancestors",
      theirs: "Temporary merge branch 2",
      style: "merge",
    } as const
    files =
      (await mergeTrees(repository, await filesOf(repository, inner[0]), files, await filesOf(repository, oid), labels))
        .files
    last = oid
  }
  return files
}

export const printMergeStat = async (git: Session, repository: Repository, from: string, to: string): Promise<void> => {
  const changes = await detectRenames(repository, await changesBetween(repository, from, to))
  const stats = await countLines(git, repository, changes, { asText: false, keyOf: undefined })
  printStat(git, stats, 80)
  git.print(summaryLines(changes))
}

const tagMessage = (kind: string, name: string, into: string | undefined): string =>
  `Merge ${kind} '${name}'${into === undefined || into === "main" || into === "master" ? "" : ` into ${into}`}`

/** The message of a merge. */
const defaultMessage = async (repository: Repository, name: string): Promise<string> => {
  const branch = await repository.branch() ?? "HEAD"
  const ref = await expandName(repository, name)
  if (ref?.startsWith("refs/heads/") === true) return tagMessage("branch", ref.slice(11), branch)
  if (ref?.startsWith("refs/remotes/") === true) return tagMessage("remote-tracking branch", ref.slice(13), branch)
  if (ref?.startsWith("refs/tags/") === true) return tagMessage("tag", ref.slice(10), branch)
  return tagMessage("commit", name, branch)
}

/** Aborts a merge, cherry-pick or revert, and returns to HEAD. */
const abort = async (repository: Repository, name: string): Promise<void> => {
  if (await repository.refs.resolve(name) === undefined) {
    const what = name === "MERGE_HEAD"
      ? "There is no merge to abort (MERGE_HEAD missing)."
      : "no cherry-pick or revert in progress"
    return name === "MERGE_HEAD"
      ? fatal(what)
      : failure(`${what}\nfatal: ${name === "REVERT_HEAD" ? "revert" : "cherry-pick"} failed`, 128)
  }
  const head = await repository.head()
  // Changes of the work tree that the merge did not make are kept.
  const index = await repository.index()
  const files = await filesOf(repository, head)
  for (const path of index.conflicts) {
    index.remove(path)
    const entry = files.get(path)
    if (entry === undefined) repository.removeFile(path)
    else index.add(await repository.checkoutFile(path, entry.oid, entry.mode))
  }
  await applyTree(repository, await indexMap(repository), files, words)
  for (const each of [name, "MERGE_MSG", "MERGE_MODE"]) repository.system.unlink(`${repository.gitdir}/${each}`)
}

const requireCleanIndex = async (repository: Repository, what: string): Promise<void> => {
  const index = await repository.index()
  const pending = pendingOperation(repository)
  if (index.conflicts.length > 0) {
    throw new GitError(
      128,
      `error: ${what} is not possible because you have unmerged files.\nhint: Fix them up in the work tree, and then use 'git add/rm <file>'\n` +
        "hint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
    )
  }
  if (pending === "merge") {
    fatal("You have not concluded your merge (MERGE_HEAD exists).\nPlease, commit your changes before you merge.")
  }
  const staged = await stagedChanges(repository, parsePathspec(repository, []))
  if (staged.length > 0) {
    throw new GitError(
      2,
      `error: Your local changes to the following files would be overwritten by merge:\n${
        staged.map((change) => `  ${pathOf(change)}`).join("\n")
      }`,
    )
  }
}

const conflictLines = (conflicts: MergedTree["conflicts"]): string =>
  conflicts.map(({ path }) => `#\t${path}\n`).join("")

/** Merges a commit into HEAD. Returns the exit code. */
export const mergeCommit = async (
  git: Session,
  repository: Repository,
  line: CommandLine,
  name: string,
  oid: string,
  given?: string,
): Promise<number> => {
  const head = await repository.head()
  const label = name
  if (head === undefined) {
    await applyTree(repository, new Map(), await filesOf(repository, oid), words)
    await repository.moveHead(oid, `merge ${name}: Fast-forward`)
    return 0
  }
  const bases = await mergeBases(repository, head, oid)
  if (bases.includes(oid)) {
    git.printLine("Already up to date.")
    return 0
  }
  const quiet = line.has("q")
  if (bases.includes(head) && !line.has("no-ff")) {
    if (!quiet) git.printLine(`Updating ${abbreviate(repository, head)}..${abbreviate(repository, oid)}`)
    if (line.has("squash")) {
      await applyTree(repository, await filesOf(repository, head), await filesOf(repository, oid), words)
      if (!quiet) git.print("Fast-forward\nSquash commit -- not updating HEAD\n")
    } else {
      await applyTree(repository, await filesOf(repository, head), await filesOf(repository, oid), words)
      if (!quiet) git.printLine("Fast-forward")
      await repository.moveHead(oid, `merge ${name}: Fast-forward`)
    }
    if (!quiet && !line.has("n")) await printMergeStat(git, repository, head, oid)
    return 0
  }
  if (line.has("ff-only")) {
    throw new GitError(
      128,
      "hint: Diverging branches can't be fast-forwarded, you need to either:\nhint:\nhint: \tgit merge --no-ff\nhint:\nhint: or:\nhint:\nhint: \tgit rebase\nhint:\n" +
        'hint: Disable this message with "git config advice.diverging false"\nfatal: Not possible to fast-forward, aborting.',
    )
  }
  if (bases.length === 0 && !line.has("allow-unrelated-histories")) {
    return fatal("refusing to merge unrelated histories")
  }
  await requireCleanIndex(repository, "Merging")
  const favor = line.values("X").findLast((text) => text === "ours" || text === "theirs")
  const labels: MergeLabels = {
    ours: "HEAD",
    base: bases.length > 1 ? "merged common ancestors" : abbreviate(repository, bases[0] ?? "0".repeat(40)),
    theirs: label,
    style: await conflictStyle(repository),
    favor: favor === "ours" || favor === "theirs" ? favor : undefined,
  }
  const ours = await filesOf(repository, head)
  const isOurs = line.value("s") === "ours"
  const merged: MergedTree = isOurs
    ? { files: new Map(ours), conflicts: [], messages: [] }
    : await mergeTrees(repository, await virtualBase(repository, bases), ours, await filesOf(repository, oid), labels)
  const message = line.has("m")
    ? line.values("m").map((text) => `${text}\n`).join("\n")
    : `${given ?? await defaultMessage(repository, name)}\n`
  await applyTree(repository, ours, merged.files, words, { conflicts: merged.conflicts }).catch((cause) => {
    throw cause instanceof GitError ? new GitError(2, `${cause.message}\nMerge with strategy ort failed.`) : cause
  })
  for (const text of merged.messages) git.printLine(text)
  const { gitdir, system } = repository
  if (line.has("squash")) {
    await replaceFile(system, `${gitdir}/SQUASH_MSG`, message)
    git.printLine(
      merged.conflicts.length === 0
        ? "Squash commit -- not updating HEAD"
        : "Squash commit -- not updating HEAD\nAutomatic merge failed; fix conflicts and then commit the result.",
    )
    if (merged.conflicts.length === 0) git.warn("Automatic merge went well; stopped before committing as requested")
    return merged.conflicts.length === 0 ? 0 : 1
  }
  if (merged.conflicts.length > 0 || line.has("no-commit")) {
    await replaceFile(system, `${gitdir}/MERGE_HEAD`, `${oid}\n`)
    await replaceFile(system, `${gitdir}/MERGE_MODE`, line.has("no-ff") ? "no-ff" : "")
    await replaceFile(
      system,
      `${gitdir}/MERGE_MSG`,
      merged.conflicts.length === 0 ? message : `${message}\n# Conflicts:\n${conflictLines(merged.conflicts)}`,
    )
    await repository.refs.update("ORIG_HEAD", head)
    if (merged.conflicts.length === 0) {
      git.warn("Automatic merge went well; stopped before committing as requested")
      return 0
    }
    git.printLine("Automatic merge failed; fix conflicts and then commit the result.")
    return 1
  }
  const [author, committer] = [await repository.signature("AUTHOR"), await repository.signature("COMMITTER")]
  const made = {
    tree: await repository.objects.writeFiles(merged.files),
    parents: [head, oid],
    author,
    committer,
    message: cleanMessage(message, false),
  }
  const commit = await repository.objects.writeCommit(made)
  await repository.moveHead(commit, `merge ${name}: Merge made by the '${isOurs ? "ours" : "ort"}' strategy.`)
  if (!quiet) {
    git.printLine(`Merge made by the '${isOurs ? "ours" : "ort"}' strategy.`)
    if (!line.has("n")) await printMergeStat(git, repository, head, commit)
  }
  return 0
}

export const mergeSpec =
  "m|message: no-ff ff ff-only squash no-squash commit no-commit abort continue quit q|quiet n|no-stat stat X|strategy-option: s|strategy: allow-unrelated-histories no-edit e|edit F|file: log:: no-log signoff v|verbose no-verify autostash no-autostash progress no-progress no-gpg-sign"

export const merge: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse("merge", mergeSpec, args)
  for (const option of ["F", "log", "signoff", "autostash", "e"]) {
    if (line.has(option)) unsupported(`git merge --${option}`, "give the message by -m")
  }
  if (line.has("abort")) return abort(repository, "MERGE_HEAD")
  if (line.has("quit")) {
    for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE"]) {
      repository.system.unlink(`${repository.gitdir}/${name}`)
    }
    return
  }
  if (line.has("continue")) {
    if (pendingOperation(repository) !== "merge") return fatal("There is no merge in progress (MERGE_HEAD missing).")
    return commitCommand(git, [])
  }
  const strategy = line.value("s")
  if (strategy !== undefined && !["ort", "recursive", "ours"].includes(strategy)) {
    unsupported(`the merge strategy '${strategy}'`, "use ort or ours")
  }
  for (const option of line.values("X")) {
    if (option !== "ours" && option !== "theirs") {
      unsupported(`the merge option '${option}'`, "use -X ours or -X theirs")
    }
  }
  if (line.operands.length > 1) unsupported("a merge of several branches", "merge them one after the other")
  const given = line.operands[0] ?? "@{u}"
  const name = given === "-" ? "@{-1}" : given
  const oid = await resolveRevision(repository, name)
  if (oid === undefined) throw new GitError(1, `merge: ${given} - not something we can merge`)
  return mergeCommit(
    git,
    repository,
    line,
    name === "@{u}" ? (await expandName(repository, name))?.replace(/^refs\/(?:remotes|heads)\//, "") ?? name : given,
    await requireCommit(repository, name),
  )
}

interface PickOptions {
  readonly isRevert: boolean
  readonly noCommit: boolean
  readonly mainline: number | undefined
  readonly addOrigin: boolean
  readonly isQuiet?: boolean
  readonly favor?: "ours" | "theirs" | undefined
  readonly keepEmpty?: boolean
}

export type PickResult = "done" | "conflict" | "empty"

/** Applies the change of a commit, or its inverse, on top of HEAD. */
export const pickCommit = async (
  git: Session,
  repository: Repository,
  commit: Commit,
  options: PickOptions,
): Promise<PickResult> => {
  const { isRevert } = options
  const head = await repository.head() ?? fatal("your current branch does not have any commits yet")
  const parent = commit.parents.length > 1
    ? commit
      .parents[
        (options.mainline ??
          failure(
            `commit ${commit.oid} is a merge but no -m option was given.\nfatal: ${
              isRevert ? "revert" : "cherry-pick"
            } failed`,
            128,
          )) - 1
      ]
    : commit.parents[0]
  const [own, before] = [await filesOf(repository, commit.oid), await filesOf(repository, parent)]
  const ours = options.noCommit ? await indexMap(repository) : await filesOf(repository, head)
  const short = abbreviate(repository, commit.oid)
  const label = `${isRevert ? "parent of " : ""}${short} (${subjectOf(commit.message)})`
  const other = `${isRevert ? short : `parent of ${short}`} (${subjectOf(commit.message)})`
  const labels: MergeLabels = {
    ours: "HEAD",
    base: other,
    theirs: label,
    style: await conflictStyle(repository),
    favor: options.favor,
  }
  const merged = await mergeTrees(repository, isRevert ? own : before, ours, isRevert ? before : own, labels)
  await applyTree(repository, ours, merged.files, words, { conflicts: merged.conflicts })
  if (options.isQuiet !== true || merged.conflicts.length > 0) {
    for (const text of merged.messages) {
      git.printLine(text)
    }
  }
  const message = isRevert
    ? `Revert "${subjectOf(commit.message)}"\n\nThis reverts commit ${commit.oid}${
      commit.parents.length > 1 ? `, reversing\nchanges made to ${parent}` : ""
    }.\n`
    : options.addOrigin
    ? `${commit.message.replace(/\n*$/, "\n")}${
      /\n\n(?:[\w-]+: .*\n|\(cherry picked from .*\n)+$/.test(commit.message) ? "" : "\n"
    }(cherry picked from commit ${commit.oid})\n`
    : commit.message
  const { gitdir, system } = repository
  if (merged.conflicts.length > 0) {
    if (!options.noCommit) {
      await replaceFile(system, `${gitdir}/${isRevert ? "REVERT_HEAD" : "CHERRY_PICK_HEAD"}`, `${commit.oid}\n`)
    }
    await replaceFile(
      system,
      `${gitdir}/MERGE_MSG`,
      `${message.replace(/\n*$/, "\n")}\n# Conflicts:\n${conflictLines(merged.conflicts)}`,
    )
    return "conflict"
  }
  if (options.noCommit) return "done"
  const tree = await repository.objects.writeFiles(merged.files)
  const headTree = (await repository.objects.commit(head)).tree
  if (
    tree === headTree &&
    commit.tree !== (parent === undefined ? undefined : (await repository.objects.commit(parent)).tree) &&
    options.keepEmpty !== true
  ) return "empty"
  const author: Signature = isRevert ? await repository.signature("AUTHOR") : commit.author
  const made = {
    tree,
    parents: [head],
    author,
    committer: await repository.signature("COMMITTER"),
    message: cleanMessage(message, false),
  }
  const oid = await repository.objects.writeCommit(made)
  if (options.isQuiet !== true) {
    await repository.moveHead(oid, `${isRevert ? "revert" : "cherry-pick"}: ${subjectOf(made.message)}`)
    await commitReport(git, repository, { oid, ...made }, { date: true })
  } else await repository.moveHead(oid, `rebase (pick): ${subjectOf(made.message)}`)
  return "done"
}

/** The commits of operands, ranges from the oldest on. */
const picked = async (repository: Repository, operands: ReadonlyArray<string>): Promise<ReadonlyArray<Commit>> => {
  const commits: Array<Commit> = []
  for (const operand of operands) {
    const range = splitRange(operand)
    if (range === undefined) {
      commits.push(await repository.objects.commit(await requireCommit(repository, operand)))
      continue
    }
    const found: Array<Commit> = []
    const [from, to] = [await requireCommit(repository, range[0]), await requireCommit(repository, range[2])]
    for await (const commit of walkCommits(repository, { include: [to], exclude: [from] })) found.push(commit)
    commits.push(...found.reverse())
  }
  return commits
}

const pickCommand = (isRevert: boolean): Command => async (git, args) => {
  const name = isRevert ? "revert" : "cherry-pick"
  const repository = await git.worktree()
  const line = git.parse(
    name,
    "n|no-commit x m|mainline: abort continue skip quit no-edit e|edit s|signoff allow-empty keep-redundant-commits X|strategy-option: ff strategy: no-gpg-sign",
    args,
  )
  if (line.has("s") || line.has("ff") || line.has("e") || line.has("strategy")) {
    unsupported(`this option of git ${name}`, "leave it out")
  }
  const head = isRevert ? "REVERT_HEAD" : "CHERRY_PICK_HEAD"
  const todo = `${repository.gitdir}/sequencer/todo`
  const { system } = repository
  const rest = (await readTextIfExists(system, todo) ?? "").split("\n").flatMap((each) =>
    /^\w+ ([0-9a-f]{40})/.exec(each)?.[1] ?? []
  )
  const clear = (): void => {
    for (const each of ["todo", "head"]) system.unlink(`${repository.gitdir}/sequencer/${each}`)
    system.removeDirectory(`${repository.gitdir}/sequencer`)
  }
  if (line.has("abort")) {
    const start = (await readTextIfExists(system, `${repository.gitdir}/sequencer/head`))?.trim()
    await abort(repository, head)
    if (start !== undefined && start !== await repository.head()) {
      await applyTree(repository, await indexMap(repository), await filesOf(repository, start), words, { force: true })
      await repository.moveHead(start, "reset: moving to " + start)
    }
    clear()
    return
  }
  if (line.has("quit") || line.has("skip")) {
    if (line.has("skip")) await abort(repository, head)
    system.unlink(`${repository.gitdir}/${head}`)
    if (line.has("quit")) {
      clear()
      return
    }
  }
  if (line.has("continue")) {
    if (await repository.refs.resolve(head) === undefined && rest.length === 0) {
      return failure(`no cherry-pick or revert in progress\nfatal: ${name} failed`, 128)
    }
    if (await repository.refs.resolve(head) !== undefined) {
      const code = await commitCommand(git, [])
      if (typeof code === "number" && code !== 0) return code
    }
  }
  const isResumed = line.has("continue") || line.has("skip")
  if (!isResumed && line.operands.length === 0) {
    throw new GitError(129, `usage: git ${name} [--edit] [-n] [-m <parent-number>] <commit>...`)
  }
  const commits = isResumed
    ? await Promise.all(rest.map((oid) => repository.objects.commit(oid)))
    : await picked(repository, line.operands)
  if (!isResumed && !line.has("n")) {
    const staged = await stagedChanges(repository, parsePathspec(repository, []))
    if (staged.length > 0) {
      return failure(
        `your local changes would be overwritten by ${name}.\nhint: commit your changes or stash them to proceed.\nfatal: ${name} failed`,
        128,
      )
    }
  }
  const ordered = isRevert && !isResumed && line.operands.some((operand) => operand.includes(".."))
    ? [...commits].reverse()
    : commits
  const start = await repository.head()
  const mainline = line.value("m")
  const favor = line.values("X").at(-1)
  for (const [at, commit] of ordered.entries()) {
    const result = await pickCommit(git, repository, commit, {
      isRevert,
      noCommit: line.has("n"),
      mainline: mainline === undefined ? undefined : Number(mainline),
      addOrigin: line.has("x"),
      favor: favor === "ours" || favor === "theirs" ? favor : undefined,
      keepEmpty: line.has("keep-redundant-commits") || line.has("allow-empty"),
    })
    if (result === "done") continue
    if (ordered.length > 1) {
      await replaceFile(
        system,
        todo,
        ordered.slice(at + 1).map(({ message, oid }) =>
          `${isRevert ? "revert" : "pick"} ${oid} ${subjectOf(message)}\n`
        ).join(""),
      )
      await replaceFile(system, `${repository.gitdir}/sequencer/head`, `${start}\n`)
    }
    if (result === "empty") {
      await replaceFile(system, `${repository.gitdir}/${head}`, `${commit.oid}\n`)
      git.warn(
        `The previous ${name} is now empty, possibly due to conflict resolution.\nIf you wish to commit it anyway, use:\n\n    git commit --allow-empty\n\nOtherwise, please use 'git ${name} --skip'`,
      )
      const options = { untracked: "normal" } as const
      git.print(
        await longStatus(repository, await readStatus(repository, parsePathspec(repository, []), options), options),
      )
      return 1
    }
    git.warn(
      `error: could not ${isRevert ? "revert" : "apply"} ${abbreviate(repository, commit.oid)}... ${
        subjectOf(commit.message)
      }\n` +
        `hint: After resolving the conflicts, mark them with\nhint: "git add/rm <pathspec>", then run\nhint: "git ${name} --continue".\nhint: You can instead skip this commit with "git ${name} --skip".\n` +
        `hint: To abort and get back to the state before "git ${name}",\nhint: run "git ${name} --abort".`,
    )
    return 1
  }
  clear()
  return 0
}

export const cherryPick: Command = pickCommand(false)
export const revert: Command = pickCommand(true)
