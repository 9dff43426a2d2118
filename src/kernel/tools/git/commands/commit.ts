/** `git commit`. Source: git-commit(1). */
import { failure, fatal, GitError } from "../GitError.ts"
import type { Command, CommandLine, Session } from "../Session.ts"
import { parseGitDate } from "../history/dates.ts"
import { requireCommit } from "../history/revisions.ts"
import type { Repository } from "../repository/Repository.ts"
import { readTextIfExists } from "../repository/files.ts"
import { type Commit, formatSignature, parseSignature, type Signature, subjectOf } from "../repository/objects.ts"
import { readStdin } from "../stdin.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"
import { cleanMessage, commitReport, writeIndexTree } from "../worktree/commitMessage.ts"
import { longStatus } from "../worktree/longStatus.ts"
import { pendingOperation, removeState } from "../worktree/pendingOperation.ts"
import { readStatus } from "../worktree/readStatus.ts"
import { stageChanges, stageFile } from "./add.ts"

const readMessage = async (
  git: Session,
  repository: Repository,
  line: CommandLine,
  amended: Commit | undefined,
): Promise<string> => {
  const { gitdir, system } = repository
  const file = line.value("F")
  const reused = line.value("C")
  if (line.has("m")) return line.values("m").map((text) => `${text.replace(/\n$/, "")}\n`).join("\n")
  if (file !== undefined) {
    if (file === "-") return readStdin(system)
    return await readTextIfExists(system, file) ?? fatal(`could not read log file '${file}': No such file or directory`)
  }
  if (reused !== undefined) return (await repository.objects.commit(await requireCommit(repository, reused))).message
  const fixup = line.value("fixup")
  if (fixup !== undefined) {
    return `fixup! ${subjectOf((await repository.objects.commit(await requireCommit(repository, fixup))).message)}\n`
  }
  if (amended !== undefined) return amended.message
  const prepared = await readTextIfExists(system, `${gitdir}/MERGE_MSG`)
  if (prepared !== undefined) return line.has("no-edit") ? prepared : cleanMessage(prepared, true)
  git.warn("hint: git of the sandbox starts no editor; give the message by -m or -F")
  return failure("there was a problem with the editor")
}

const authorOf = async (repository: Repository, line: CommandLine, amended: Commit | undefined): Promise<Signature> => {
  const reused = line.value("C")
  const base = reused === undefined ? amended : await repository.objects.commit(await requireCommit(repository, reused))
  let author = base === undefined || line.has("reset-author") ? await repository.signature("AUTHOR") : base.author
  const given = line.value("author")
  if (given !== undefined) {
    if (!/^[^<]*<[^>]*>/.test(given)) fatal(`--author '${given}' is not 'Name <email>' and matches no existing author`)
    author = { ...author, name: parseSignature(given).name, email: parseSignature(given).email }
  }
  const date = line.value("date")
  return date === undefined
    ? author
    : { ...author, ...parseGitDate(date, repository.system) ?? fatal(`invalid date format: ${date}`) }
}

/** Files that keep the state of an operation which a commit ends. */
const operationState = [
  "MERGE_HEAD",
  "MERGE_MSG",
  "MERGE_MODE",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "SQUASH_MSG",
  "AUTO_MERGE",
]

/** Stages only the named files, on top of HEAD; what else is staged stays staged. Returns the tree of the commit. */
const partialTree = async (repository: Repository, given: ReadonlyArray<string>): Promise<string> => {
  const index = await repository.index()
  const pathspec = parsePathspec(repository, given)
  const headTree = await repository.headTree()
  const files = new Map(headTree === undefined ? [] : await repository.objects.files(headTree))
  const known = [...index.entries.map(({ path }) => path), ...files.keys()]
  pathspec.requireKnown(known)
  for (const path of new Set(known.filter((each) => pathspec.matches(each)))) {
    await stageFile(repository, path)
    const entry = index.get(path)
    if (entry === undefined) files.delete(path)
    else files.set(path, { mode: entry.mode, oid: entry.oid, name: "" })
  }
  return repository.objects.writeFiles(files)
}

export const commit: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "commit",
    "a|all m|message: F|file: amend no-edit author: date: allow-empty allow-empty-message q|quiet C|reuse-message: reset-author s|signoff n|no-verify verify dry-run cleanup: fixup: e|edit no-gpg-sign v|verbose i|include o|only p|patch c|reedit-message: S|gpg-sign:: squash: t|template: u|untracked-files:: trailer: no-post-rewrite status no-status short",
    args,
  )
  line.refuse("p c S squash t trailer e cleanup short i", "give the message by -m or -F")
  const index = await repository.index()
  const given = line.allOperands
  if (line.has("a") && given.length > 0) return fatal(`paths '${given[0]} ...' with -a does not make sense`)
  const head = await repository.head()
  if (line.has("amend") && head === undefined) return fatal("You have nothing yet to amend.")
  const pending = pendingOperation(repository)
  if (line.has("amend") && pending === "merge") return fatal("You are in the middle of a merge -- cannot amend.")
  if (index.conflicts.length > 0 && !line.has("a")) {
    for (const path of index.conflicts) git.print(`U\t${path}\n`)
    throw new GitError(
      128,
      "error: Committing is not possible because you have unmerged files.\n" +
        "hint: Fix them up in the work tree, and then use 'git add/rm <file>'\nhint: as appropriate to mark resolution and make a commit.\nfatal: Exiting because of an unresolved conflict.",
    )
  }
  if (line.has("a")) await stageChanges(repository, [], false)
  if (given.length > 0 && pending === "merge") return fatal("cannot do a partial commit during a merge.")
  const tree = given.length > 0 ? await partialTree(repository, given) : await writeIndexTree(repository)
  const amended = line.has("amend") && head !== undefined ? await repository.objects.commit(head) : undefined
  const mergeHeads = (await readTextIfExists(repository.system, `${repository.gitdir}/MERGE_HEAD`) ?? "").split("\n")
    .filter((oid) => oid !== "")
  const parents = amended?.parents ?? [...head === undefined ? [] : [head], ...mergeHeads]
  const parentTree = parents[0] === undefined ? undefined : (await repository.objects.commit(parents[0])).tree
  const isEmpty = parentTree === undefined ? index.entries.every(({ isIntent }) => isIntent) : parentTree === tree
  if (
    line.has("dry-run") ||
    (isEmpty && !line.has("allow-empty") && mergeHeads.length === 0)
  ) {
    const options = { untracked: "normal" } as const
    const status = await readStatus(repository, parsePathspec(repository, []), options)
    if (amended !== undefined && !line.has("dry-run")) {
      git.warn(
        'You asked to amend the most recent commit, but doing so would make\nit empty. You can repeat your command with --allow-empty, or you can\nremove the commit entirely with "git reset HEAD^".',
      )
    }
    git.print(
      await longStatus(
        repository,
        status,
        options,
        line.has("dry-run") ? "status" : amended === undefined ? "commit" : "amend",
      ),
    )
    return line.has("dry-run") && status.staged.length > 0 ? 0 : 1
  }
  const picked = pending === "cherry-pick" ? await repository.refs.resolve("CHERRY_PICK_HEAD") : undefined
  const author = picked !== undefined && !line.has("author")
    ? (await repository.objects.commit(picked)).author
    : await authorOf(repository, line, amended)
  const committer = await repository.signature("COMMITTER")
  let message = cleanMessage(await readMessage(git, repository, line, amended), false)
  if (line.has("s")) {
    const trailer = `Signed-off-by: ${committer.name} <${committer.email}>`
    if (!message.includes(trailer)) message = `${message}${/\n[\w-]+: [^\n]*\n$/.test(message) ? "" : "\n"}${trailer}\n`
  }
  if (message === "" && !line.has("allow-empty-message")) {
    throw new GitError(1, "Aborting commit due to empty commit message.")
  }
  const oid = await repository.objects.writeCommit({ tree, parents, author, committer, message })
  const kind = amended !== undefined
    ? " (amend)"
    : head === undefined
    ? " (initial)"
    : mergeHeads.length > 0
    ? " (merge)"
    : picked !== undefined
    ? " (cherry-pick)"
    : ""
  await repository.moveHead(oid, `commit${kind}: ${subjectOf(message)}`)
  await index.write()
  removeState(repository, ...operationState)
  if (!line.has("q")) {
    const made = { oid, tree, parents, author, committer, message }
    await commitReport(git, repository, made, {
      date: picked !== undefined || line.has("date") ||
        (amended !== undefined && formatSignature(author) !== formatSignature(committer)) ||
        line.has("C"),
    })
  }
  return 0
}
