/** `git stash`. Source: git-stash(1). */
import { failure, fatal, GitError, unsupported } from "../GitError.ts"
import type { Command, Session } from "../Session.ts"
import { pathOf, untrackedFiles, worktreeChanges } from "../diff/changes.ts"
import { diffSpec, prepareChanges, printChanges, readDiffOptions } from "../diff/diffOptions.ts"
import { changesBetween } from "../history/commitChanges.ts"
import { describeCommit, resolveRevision } from "../history/revisions.ts"
import { conflictStyle } from "../merge/mergeState.ts"
import { type FileEntry, mergeTrees } from "../merge/mergeTrees.ts"
import { noStat } from "../repository/IndexFile.ts"
import type { Repository } from "../repository/Repository.ts"
import { exists, removeEmptyParents } from "../repository/files.ts"
import { parsePathspec } from "../worktree/Pathspec.ts"
import { applyTree, filesOf, indexMap, mergeWords } from "../worktree/applyTree.ts"
import { writeIndexTree } from "../worktree/commitMessage.ts"
import { defaultStatus } from "../worktree/longStatus.ts"
import { stagedChanges } from "../worktree/readStatus.ts"
import { reflog } from "./reflog.ts"
import { switchCommand } from "./switch.ts"

const ref = "refs/stash"
const push = async (git: Session, repository: Repository, args: ReadonlyArray<string>): Promise<void> => {
  const line = git.parse(
    "stash push",
    "m|message: u|include-untracked a|all k|keep-index no-keep-index q|quiet p|patch S|staged",
    args,
  )
  line.refuse("p S a", "name the files")
  const head = await repository.head()
  if (head === undefined) throw new GitError(1, "You do not have the initial commit yet")
  const given = line.allOperands
  const pathspec = parsePathspec(repository, given)
  const index = await repository.index()
  const untracked = line.has("u") ? await untrackedFiles(repository, pathspec, { whole: true }) : []
  const [staged, unstaged] = [await stagedChanges(repository, pathspec), await worktreeChanges(repository, pathspec)]
  if (index.conflicts.length > 0) {
    throw new GitError(
      1,
      `${index.conflicts.map((path) => `${path}: needs merge`).join("\n")}`,
    )
  }
  if (staged.length === 0 && unstaged.length === 0 && untracked.length === 0) {
    git.printLine("No local changes to save")
    return
  }
  const who = await repository.signature("COMMITTER")
  const author = await repository.signature("AUTHOR")
  const branch = await repository.branch() ?? "(no branch)"
  const base = `${branch}: ${await describeCommit(repository, head)}`
  const make = (tree: string, parents: ReadonlyArray<string>, message: string): Promise<string> =>
    repository.objects.writeCommit({ tree, parents, author, committer: who, message })
  const indexCommit = await make(await writeIndexTree(repository), [head], `index on ${base}\n`)
  const files = new Map<string, FileEntry>(await indexMap(repository))
  for (const change of unstaged) {
    const now = await repository.readWorktree(pathOf(change))
    if (now === undefined) files.delete(pathOf(change))
    else files.set(pathOf(change), { mode: now.mode, oid: await repository.objects.write("blob", now.bytes) })
  }
  const others = new Map<string, FileEntry>()
  for (const path of untracked) {
    const now = await repository.readWorktree(path)
    if (now !== undefined) others.set(path, { mode: now.mode, oid: await repository.objects.write("blob", now.bytes) })
  }
  const untrackedCommit = line.has("u") && others.size > 0
    ? await make(await repository.objects.writeFiles(others), [], `untracked files on ${base}\n`)
    : undefined
  const message = line.value("m") === undefined ? `WIP on ${base}` : `On ${branch}: ${line.value("m")}`
  // Only the named files are stashed.
  const headFiles = await filesOf(repository, head)
  const stashed = new Map(given.length === 0 ? files : [...headFiles].filter(([path]) => !pathspec.matches(path)))
  if (given.length > 0) { for (const [path, entry] of files) if (pathspec.matches(path)) stashed.set(path, entry) }
  const oid = await make(await repository.objects.writeFiles(stashed), [
    head,
    indexCommit,
    ...untrackedCommit === undefined ? [] : [untrackedCommit],
  ], message)
  await repository.refs.update(ref, oid, who, message)
  const target = line.has("k") ? await indexMap(repository) : headFiles
  const kept = new Map<string, FileEntry>(target)
  if (given.length > 0) {
    for (const path of new Set([...files.keys(), ...headFiles.keys()])) {
      if (pathspec.matches(path)) continue
      const entry = files.get(path)
      if (entry === undefined) kept.delete(path)
    }
  }
  if (given.length === 0) await applyTree(repository, await indexMap(repository), kept, mergeWords, { force: true })
  else {
    for (const path of new Set([...staged, ...unstaged].map(pathOf))) {
      const entry = headFiles.get(path)
      if (entry === undefined) {
        index.remove(path)
        repository.removeFile(path)
      } else index.add(await repository.checkoutFile(path, entry.oid, entry.mode))
    }
    await index.write()
  }
  for (const path of others.keys()) {
    repository.system.unlink(repository.absolute(path))
    removeEmptyParents(repository.system, repository.absolute(path), repository.top)
  }
  if (!line.has("q")) git.printLine(`Saved working directory and index state ${message}`)
}

/** The number of a stash: `stash@{2}` and `2` are 2. */
const numberOf = (given: string | undefined): number => {
  const [, number] = /^(?:stash@\{)?(\d+)\}?$/.exec(given ?? "0") ?? []
  return number === undefined ? fatal(`'${given}' is not a stash reference`) : Number(number)
}

const find = async (
  repository: Repository,
  given: string | undefined,
): Promise<readonly [oid: string, number: number]> => {
  const log = await repository.refs.logOf(ref)
  if (log.length === 0) throw new GitError(1, "No stash entries found.")
  const number = numberOf(given)
  const entry = log[number]
  return entry === undefined ? failure(`stash@{${number}} is not a valid reference`) : [entry.oid, number]
}

const drop = async (
  git: Session,
  repository: Repository,
  oid: string,
  number: number,
  isQuiet: boolean,
  name?: string,
): Promise<void> => {
  const log = (await repository.refs.logOf(ref)).filter((_, at) => at !== number)
  const [newest] = log
  if (newest === undefined) await repository.refs.delete(ref)
  else {
    await repository.refs.replaceLog(ref, log)
    await repository.refs.update(ref, newest.oid)
  }
  if (!isQuiet) git.printLine(`Dropped ${name ?? `refs/stash@{${number}}`} (${oid})`)
}

const apply = async (
  git: Session,
  repository: Repository,
  oid: string,
  withIndex: boolean,
  isQuiet: boolean,
): Promise<boolean> => {
  const stash = await repository.objects.commit(oid)
  const [base, indexCommit, untracked] = stash.parents
  const index = await repository.index()
  if (index.conflicts.length > 0) return failure(`could not write index`)
  const staged = await stagedChanges(repository, parsePathspec(repository, []))
  const ours = await indexMap(repository)
  const others = await filesOf(repository, untracked)
  for (const path of others.keys()) {
    if (exists(repository.system, repository.absolute(path))) git.warn(`${path} already exists, no checkout`)
  }
  if ([...others.keys()].some((path) => exists(repository.system, repository.absolute(path)))) {
    return failure("could not restore untracked files from stash")
  }
  const labels = {
    ours: "Updated upstream",
    base: "Stash base",
    theirs: "Stashed changes",
    style: await conflictStyle(repository),
  } as const
  const merged = await mergeTrees(
    repository,
    await filesOf(repository, base),
    ours,
    await repository.objects.files(stash.tree),
    labels,
  )
  await applyTree(repository, ours, merged.files, mergeWords, { conflicts: merged.conflicts })
  for (const text of merged.messages) git.printLine(text)
  if (merged.conflicts.length === 0) {
    // Staged changes stay staged and new files stay added; all other changes are left unstaged.
    const target = withIndex && indexCommit !== undefined ? await filesOf(repository, indexCommit) : undefined
    const keep = new Set(staged.map(pathOf))
    for (const { oid: id, path, stage } of index.entries) {
      const wanted = target === undefined ? ours.get(path) : target.get(path)
      if (
        stage !== 0 || wanted === undefined || (wanted.oid === id && target === undefined) ||
        (keep.has(path) && target === undefined && wanted.oid === id)
      ) continue
      if (wanted.oid !== id) {
        index.set({ path, stage: 0, mode: wanted.mode, oid: wanted.oid, ...noStat, isIntent: false })
      }
    }
    for (const [path, entry] of target ?? ours) {
      if (!index.has(path) && !merged.files.has(path)) {
        index.set({ path, stage: 0, ...entry, ...noStat, isIntent: false })
      }
    }
    await index.write()
  }
  for (const [path, entry] of others) await repository.checkoutFile(path, entry.oid, entry.mode)
  if (!isQuiet) {
    git.print(await defaultStatus(repository))
  }
  return merged.conflicts.length === 0
}

/** The name of a given stash in messages. */
const stashName = (given: string | undefined): string | undefined =>
  given === undefined ? undefined : /^\d+$/.test(given) ? `refs/stash@{${given}}` : given

const commands: Readonly<Record<string, Command>> = {
  push: async (git, args) => push(git, await git.worktree(), args),
  save: async (git, args) => {
    const line = git.parse("stash save", "u|include-untracked k|keep-index q|quiet", args)
    const flags = ["u", "k", "q"].filter((option) => line.has(option)).map((option) => `-${option}`)
    return push(git, await git.worktree(), [
      ...flags,
      ...line.operands.length === 0 ? [] : ["-m", line.operands.join(" ")],
    ])
  },
  list: async (git, args) => {
    const repository = await git.worktree()
    if (await repository.refs.resolve(ref) === undefined) return
    if (args.length > 0) return reflog(git, ["show", ...args, "stash"])
    for (const [at, { message }] of (await repository.refs.logOf(ref)).entries()) {
      git.printLine(`stash@{${at}}: ${message}`)
    }
  },
  apply: async (git, args) => {
    const repository = await git.worktree()
    const line = git.parse("stash apply", "index q|quiet", args)
    const [oid] = await find(repository, line.operands[0])
    return await apply(git, repository, oid, line.has("index"), line.has("q")) ? 0 : 1
  },
  pop: async (git, args) => {
    const repository = await git.worktree()
    const line = git.parse("stash pop", "index q|quiet", args)
    const [oid, number] = await find(repository, line.operands[0])
    if (!await apply(git, repository, oid, line.has("index"), line.has("q"))) {
      git.printLine("The stash entry is kept in case you need it again.")
      return 1
    }
    await drop(git, repository, oid, number, line.has("q"), stashName(line.operands[0]))
    return 0
  },
  drop: async (git, args) => {
    const repository = await git.worktree()
    const line = git.parse("stash drop", "q|quiet", args)
    const [oid, number] = await find(repository, line.operands[0])
    await drop(git, repository, oid, number, line.has("q"), stashName(line.operands[0]))
  },
  clear: async (git) => {
    const repository = await git.worktree()
    await repository.refs.delete(ref)
  },
  show: async (git, args) => {
    const repository = await git.worktree()
    const line = git.parse("stash show", `${diffSpec} include-untracked only-untracked`, args)
    const given = line.operands[0]
    const oid = given !== undefined && !/^(?:stash@\{)?\d+\}?$/.test(given)
      ? await resolveRevision(repository, given) ?? fatal(`'${given}' is not a stash-like commit`)
      : (await find(repository, given))[0]
    const options = await readDiffOptions(git, repository, line, "stat")
    const [base = ""] = (await repository.objects.commit(oid)).parents
    await printChanges(
      git,
      repository,
      await prepareChanges(repository, await changesBetween(repository, base, oid), options),
      options,
    )
  },
  branch: async (git, args) => {
    const repository = await git.worktree()
    const [name] = args
    if (name === undefined) return fatal("No branch name specified")
    const [oid, number] = await find(repository, args[1])
    const [base = ""] = (await repository.objects.commit(oid)).parents
    await switchCommand(git, ["-c", name, base])
    if (await apply(git, repository, oid, true, false)) await drop(git, repository, oid, number, false)
  },
}

export const stash: Command = async (git, args) => {
  const [name = "push"] = args
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command !== undefined) return command(git, args.slice(args.length === 0 ? 0 : 1))
  if (name.startsWith("-")) return push(git, await git.worktree(), args)
  if (name === "create" || name === "store") return unsupported(`git stash ${name}`, "use git stash push")
  throw new GitError(1, `fatal: subcommand wasn't specified; 'push' can't be assumed due to unexpected token '${name}'`)
}
