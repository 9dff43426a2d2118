/** Implements `git checkout`, `git switch`, `git restore` and `git reset`. Source: their manuals. */
import { applyTree, filesOf, indexMap } from "../applyTree.ts"
import { compareFiles, indexFiles, pathOf, worktreeChanges } from "../changes.ts"
import { exists } from "../files.ts"
import { failure, fatal, GitError, unsupported } from "../GitError.ts"
import { noStat } from "../IndexFile.ts"
import { parsePathspec } from "../Pathspec.ts"
import { quotePath } from "../quotePath.ts"
import type { Repository } from "../Repository.ts"
import {
  abbreviate,
  describeCommit,
  expandName,
  peel,
  previousBranch,
  requireCommit,
  requireRevision,
  resolveRevision,
} from "../revisions.ts"
import type { Command, CommandLine, Session } from "../Session.ts"
import { trackingText } from "../upstream.ts"
import { createBranch } from "./branch.ts"
import { pendingOperation, stagedChanges } from "./status.ts"

const words = { operation: "checkout", before: "switch branches" } as const

/** The files with changes, as `git checkout` lists them. */
const printLocalChanges = async (git: Session, repository: Repository): Promise<void> => {
  const all = parsePathspec(repository, [])
  const lines = new Map<string, string>()
  for (const change of await stagedChanges(repository, all)) lines.set(pathOf(change), change.status)
  for (const change of await worktreeChanges(repository, all)) {
    if (!lines.has(pathOf(change)) || change.status === "D") lines.set(pathOf(change), change.status)
  }
  for (const [path, status] of [...lines].sort(([a], [b]) => a < b ? -1 : 1)) {
    git.print(`${status}\t${quotePath(path)}\n`)
  }
}

/** Checks out a branch or a commit. */
export const moveTo = async (
  git: Session,
  repository: Repository,
  target: { readonly branch: string; readonly oid: string } | { readonly oid: string; readonly name: string },
  options: {
    readonly force?: boolean
    readonly quiet?: boolean
    readonly isNew?: boolean
    readonly isReset?: boolean
  } = {},
): Promise<void> => {
  const head = await repository.head()
  const current = await repository.branch()
  if ((await repository.index()).conflicts.length > 0 && options.force !== true) {
    const paths = (await repository.index()).conflicts
    throw new GitError(
      1,
      `${paths.map((path) => `${path}: needs merge`).join("\n")}\nerror: you need to resolve your current index first`,
    )
  }
  const from = options.force === true ? await indexMap(repository) : await filesOf(repository, head)
  await applyTree(
    repository,
    from,
    await filesOf(repository, target.oid),
    words,
    options.force === true ? { force: true } : {},
  )
  const before = current ?? head ?? ""
  const isSame = "branch" in target && target.branch === current
  if ("branch" in target) {
    await repository.switchHead(
      { branch: target.branch },
      `checkout: moving from ${before} to ${target.branch}`,
      target.oid,
    )
  } else {await repository.switchHead(
      { oid: target.oid },
      `checkout: moving from ${before} to ${target.name}`,
      target.oid,
    )}
  if (options.quiet === true) return
  if (options.force !== true && head !== undefined) await printLocalChanges(git, repository)
  if ("branch" in target) {
    if (current === undefined && head !== undefined && head !== target.oid) {
      git.warn(`Previous HEAD position was ${await describeCommit(repository, head)}`)
    }
    const how = options.isReset === true
      ? "Switched to and reset branch"
      : options.isNew === true
      ? "Switched to a new branch"
      : isSame
      ? "Already on"
      : "Switched to branch"
    git.warn(`${how} '${target.branch}'`)
    if (options.isNew !== true) git.print(await trackingText(repository, target.branch))
    return
  }
  if (current === undefined && head !== undefined && head !== target.oid) {
    git.warn(`Previous HEAD position was ${await describeCommit(repository, head)}`)
  } else if (current !== undefined) {
    git.warn(
      `Note: switching to '${target.name}'.\n\nYou are in 'detached HEAD' state. You can look around, make experimental\nchanges and commit them, and you can discard any commits you make in this\nstate without impacting any branches by switching back to a branch.\n`,
    )
  }
  git.warn(`HEAD is now at ${await describeCommit(repository, target.oid)}`)
}

/** A branch of a single remote with this name, for `git switch name`. */
const remoteBranch = async (repository: Repository, name: string): Promise<string | undefined> => {
  const found = (await repository.refs.list("refs/remotes/")).filter(([ref]) =>
    ref.split("/").slice(3).join("/") === name
  )
  return found.length === 1 ? found[0]?.[0].slice("refs/remotes/".length) : undefined
}

const newBranch = async (
  git: Session,
  repository: Repository,
  line: CommandLine,
  name: string,
  start: string,
): Promise<void> => {
  const force = line.has("B") || line.has("C")
  const wasThere = await repository.refs.resolve(`refs/heads/${name}`) !== undefined
  const head = await repository.head()
  if (head === undefined && start === "HEAD") {
    repository.refs.requireName(name, "branch")
    await repository.refs.setSymbolic("HEAD", `refs/heads/${name}`)
    if (!line.has("q")) git.warn(`Switched to a new branch '${name}'`)
    return
  }
  // The work tree is changed first: if that fails there is no new branch.
  const oid = await requireCommit(repository, start)
  repository.refs.requireName(name, "branch")
  if (wasThere && !force) return fatal(`a branch named '${name}' already exists`)
  await applyTree(repository, await filesOf(repository, head), await filesOf(repository, oid), words)
  await createBranch(git, repository, name, start, {
    force,
    ...line.has("no-track") ? { track: false } : line.has("t") ? { track: true } : {},
  })
  await moveTo(git, repository, { branch: name, oid }, {
    quiet: line.has("q"),
    isNew: true,
    isReset: wasThere && force,
  })
}

const previous = async (repository: Repository, name: string): Promise<string> =>
  name !== "-" ? name : await previousBranch(repository) ?? fatal("invalid reference: @{-1}")

/** Writes files of the index, or of a tree, to the work tree. Returns their number. */
const checkoutPaths = async (
  git: Session,
  repository: Repository,
  tree: string | undefined,
  given: ReadonlyArray<string>,
  line: CommandLine,
): Promise<number> => {
  const index = await repository.index()
  const pathspec = parsePathspec(repository, given)
  const files = tree === undefined ? indexFiles(index.entries) : await repository.objects.files(tree)
  const side = line.has("ours") ? 2 : line.has("theirs") ? 3 : undefined
  const conflicts = index.conflicts.filter((path) => pathspec.matches(path))
  const unmatched = pathspec.unmatched([...files.keys(), ...conflicts])
  if (unmatched[0] !== undefined) return failure(`pathspec '${unmatched[0]}' did not match any file(s) known to git`)
  if (tree === undefined && side === undefined && conflicts[0] !== undefined) {
    return failure(`path '${conflicts[0]}' is unmerged`)
  }
  const changed = new Set((await worktreeChanges(repository, pathspec)).map(pathOf))
  let count = 0
  for (const [path, { mode, oid }] of files) {
    await git.pause()
    if (!pathspec.matches(path) || oid === undefined) continue
    const isStale = changed.has(path) || index.get(path)?.oid !== oid || index.get(path)?.mode !== mode
    if (isStale) {
      index.add(await repository.checkoutFile(path, oid, mode))
      count++
    }
  }
  for (const path of conflicts) {
    const entry = side === undefined ? undefined : index.get(path, side)
    if (side === undefined || entry === undefined) {
      if (side !== undefined) return failure(`path '${path}' does not have ${side === 2 ? "our" : "their"} version`)
      continue
    }
    await repository.checkoutFile(path, entry.oid, entry.mode)
    count++
  }
  await index.write()
  return count
}

export const checkout: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "checkout",
    "b: B: f|force q|quiet t|track:: no-track detach d orphan: ours theirs m|merge p|patch l guess no-guess conflict: progress no-progress",
    args,
  )
  for (const option of ["m", "p", "conflict"]) {
    if (line.has(option)) {
      unsupported(`git checkout ${option.length === 1 ? "-" : "--"}${option}`, "commit or stash first")
    }
  }
  const created = line.value("b") ?? line.value("B")
  const operands = [...line.operands]
  if (created !== undefined) return newBranch(git, repository, line, created, operands[0] ?? "HEAD")
  const orphan = line.value("orphan")
  if (orphan !== undefined) {
    await repository.refs.setSymbolic("HEAD", `refs/heads/${orphan}`)
    return git.warn(`Switched to a new branch '${orphan}'`)
  }
  const [first] = operands
  if (first === undefined && line.paths === undefined) {
    await printLocalChanges(git, repository)
    return
  }
  const name = first === undefined ? undefined : await previous(repository, first)
  const revision = name === undefined ? undefined : await resolveRevision(repository, name)
  const remote = name === undefined || revision !== undefined ? undefined : await remoteBranch(repository, name)
  const isThere = name !== undefined && exists(repository.system, name)
  if (
    name !== undefined && revision === undefined && remote !== undefined && !isThere && operands.length === 1 &&
    line.paths === undefined
  ) {
    return newBranch(git, repository, line, name, remote)
  }
  const takesPaths = line.paths !== undefined || operands.length > 1 || revision === undefined
  if (takesPaths) {
    const isTree = revision !== undefined && (line.paths !== undefined || operands.length > 1)
    if (line.paths !== undefined && first !== undefined && revision === undefined) {
      return fatal(`invalid reference: ${first}`)
    }
    const paths = [...isTree ? operands.slice(1) : operands, ...line.paths ?? []]
    const tree = isTree && revision !== undefined ? await peel(repository, revision, "tree") : undefined
    const count = await checkoutPaths(git, repository, tree, paths, line)
    if (!line.has("q")) {
      git.warn(
        `Updated ${count} path${count === 1 ? "" : "s"} from ${
          tree === undefined ? "the index" : abbreviate(repository, tree)
        }`,
      )
    }
    return
  }
  if (name !== undefined && line.has("t")) {
    const short = name.split("/").slice(1).join("/")
    return newBranch(git, repository, line, short, name)
  }
  await switchTo(git, repository, line, name ?? "HEAD")
}

const switchTo = async (git: Session, repository: Repository, line: CommandLine, name: string): Promise<void> => {
  const options = { force: line.has("f") || line.has("discard-changes"), quiet: line.has("q") }
  const branch = /^@\{-\d+\}$/.test(name) ? await previous(repository, "-") : name
  const oid = await repository.refs.resolve(`refs/heads/${branch}`)
  if (oid !== undefined && !line.has("detach") && !line.has("d")) {
    return moveTo(git, repository, { branch, oid }, options)
  }
  return moveTo(git, repository, { oid: await requireCommit(repository, name), name }, options)
}

export const switchCommand: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "switch",
    "c|create: C|force-create: d|detach f|force discard-changes q|quiet t|track:: no-track guess no-guess orphan: m|merge",
    args,
  )
  if (line.has("m")) unsupported("git switch -m", "commit or stash first")
  const pending = pendingOperation(repository)
  if (pending !== undefined && pending !== "rebase") {
    const hint = pending === "merge" ? "git merge --quit" : `git ${pending} --quit`
    return fatal(
      `cannot switch branch while ${
        pending === "merge" ? "merging" : pending === "revert" ? "reverting" : "cherry-picking"
      }\nConsider "${hint}" or "git worktree add".`,
    )
  }
  const created = line.value("c") ?? line.value("C")
  const [first] = line.operands
  if (created !== undefined) {
    return newBranch(
      git,
      repository,
      { ...line, has: (option) => line.has(option === "B" ? "C" : option) },
      created,
      first ?? "HEAD",
    )
  }
  const orphan = line.value("orphan")
  if (orphan !== undefined) {
    await applyTree(repository, await indexMap(repository), new Map(), words)
    await repository.refs.setSymbolic("HEAD", `refs/heads/${orphan}`)
    return git.warn(`Switched to a new branch '${orphan}'`)
  }
  if (first === undefined) return fatal("missing branch or commit argument")
  const name = await previous(repository, first)
  const ref = await expandName(repository, name)
  if (line.has("d")) return switchTo(git, repository, line, name)
  if (await repository.refs.resolve(`refs/heads/${name}`) !== undefined) return switchTo(git, repository, line, name)
  const remote = ref === undefined ? await remoteBranch(repository, name) : undefined
  if (remote !== undefined) return newBranch(git, repository, line, name, remote)
  if (ref === undefined && await resolveRevision(repository, name) === undefined) {
    return fatal(`invalid reference: ${name}`)
  }
  const kind = ref?.startsWith("refs/tags/") === true
    ? "tag"
    : ref?.startsWith("refs/remotes/") === true
    ? "remote branch"
    : "commit"
  return fatal(
    `a branch is expected, got ${kind} '${name}'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.`,
  )
}

export const restore: Command = async (git, args) => {
  const repository = await git.worktree()
  const line = git.parse(
    "restore",
    "s|source: S|staged W|worktree q|quiet ours theirs p|patch m|merge ignore-unmerged overlay no-overlay progress no-progress",
    args,
  )
  if (line.has("p") || line.has("m")) unsupported("git restore -p and -m", "name the files")
  const given = [...line.operands, ...line.paths ?? []]
  if (given.length === 0) return fatal("you must specify path(s) to restore")
  const source = line.value("s")
  const staged = line.has("S")
  const worktree = line.has("W") || !staged
  const index = await repository.index()
  const pathspec = parsePathspec(repository, given)
  if (!staged && source === undefined) {
    await checkoutPaths(git, repository, undefined, given, line)
    return
  }
  const head = await repository.headTree()
  if (source === undefined && head === undefined) return fatal("could not resolve HEAD")
  const tree = source === undefined
    ? head ?? ""
    : await peel(repository, await resolveRevision(repository, source) ?? fatal(`could not resolve ${source}`), "tree")
  const files = await repository.objects.files(tree)
  const unmatched = pathspec.unmatched([...files.keys(), ...index.entries.map(({ path }) => path)])
  if (unmatched[0] !== undefined) return failure(`pathspec '${unmatched[0]}' did not match any file(s) known to git`)
  for (const path of new Set([...files.keys(), ...index.entries.map((entry) => entry.path)])) {
    await git.pause()
    if (!pathspec.matches(path)) continue
    const entry = files.get(path)
    if (entry === undefined) {
      if (staged) index.remove(path)
      if (worktree) repository.removeFile(path)
      continue
    }
    const written = worktree ? await repository.checkoutFile(path, entry.oid, entry.mode) : undefined
    if (!staged) continue
    const known = index.get(path)
    if (written !== undefined) index.add(written)
    else if (known?.oid !== entry.oid || known.mode !== entry.mode) {
      index.add({ path, stage: 0, mode: entry.mode, oid: entry.oid, ...noStat, isIntent: false })
    }
  }
  await index.write()
}

const resetPaths = async (
  git: Session,
  repository: Repository,
  tree: string | undefined,
  given: ReadonlyArray<string>,
  quiet: boolean,
): Promise<void> => {
  const index = await repository.index()
  const pathspec = parsePathspec(repository, given)
  const files = tree === undefined ? new Map() : await repository.objects.files(tree)
  for (const path of new Set([...files.keys(), ...index.entries.map((entry) => entry.path)])) {
    if (!pathspec.matches(path)) continue
    const entry = files.get(path)
    const known = index.get(path)
    if (entry === undefined) index.remove(path)
    else if (known?.oid !== entry.oid || known?.mode !== entry.mode) {
      index.add({ path, stage: 0, mode: entry.mode, oid: entry.oid, ...noStat, isIntent: false })
    }
  }
  await index.write()
  if (quiet) return
  const changes = await worktreeChanges(repository, parsePathspec(repository, []))
  if (changes.length > 0) {
    git.print(
      `Unstaged changes after reset:\n${
        changes.map((change) => `${change.status}\t${quotePath(repository.relative(pathOf(change)))}\n`).join("")
      }`,
    )
  }
}

export const reset: Command = async (git, args) => {
  const repository = await git.repository()
  const line = git.parse("reset", "soft mixed hard merge keep q|quiet p|patch N|intent-to-add no-refresh refresh", args)
  if (line.has("merge") || line.has("keep") || line.has("p") || line.has("N")) {
    unsupported("this mode of git reset", "use --soft, --mixed or --hard")
  }
  const operands = [...line.operands]
  const [first] = operands
  const head = await repository.head()
  const isRevision = first !== undefined && (await resolveRevision(repository, first) !== undefined)
  if (
    first !== undefined && !isRevision && line.paths === undefined && !exists(repository.system, first) &&
    !(await repository.index()).entries.some(({ path }) => path.startsWith(first)) &&
    !(head === undefined && first === "HEAD")
  ) {
    await requireRevision(repository, first)
  }
  const revision = isRevision || (head === undefined && first === "HEAD") ? operands.shift() ?? "HEAD" : "HEAD"
  const paths = [...operands, ...line.paths ?? []]
  const oid = revision === "HEAD" && head === undefined ? undefined : await requireCommit(repository, revision)
  if (paths.length > 0 || line.paths !== undefined) {
    if (line.has("hard") || line.has("soft")) {
      return fatal(`Cannot do ${line.has("hard") ? "hard" : "soft"} reset with paths.`)
    }
    return resetPaths(
      git,
      repository,
      oid === undefined ? undefined : (await repository.objects.commit(oid)).tree,
      paths,
      line.has("q"),
    )
  }
  const pending = pendingOperation(repository)
  if (line.has("soft") && (await repository.index()).conflicts.length > 0) {
    return fatal("Cannot do a soft reset in the middle of a merge.")
  }
  if (oid !== undefined) {
    const name = line.operands[0] ?? "HEAD"
    if (line.has("hard")) {
      await applyTree(repository, await indexMap(repository), await filesOf(repository, oid), words, { force: true })
    }
    if (head !== undefined) {
      const { system } = repository
      const orig = `${head}\n`
      const fd = system.open(`${repository.gitdir}/ORIG_HEAD`, { write: true, create: true, truncate: true })
      if (fd >= 0) {
        await system.writeAll(fd, new TextEncoder().encode(orig))
        system.close(fd)
      }
    }
    await repository.moveHead(oid, `reset: moving to ${name}`)
    if (line.has("hard") && !line.has("q")) git.printLine(`HEAD is now at ${await describeCommit(repository, oid)}`)
  } else if (line.has("hard")) {
    await applyTree(repository, await indexMap(repository), new Map(), words, { force: true })
  }
  if (!line.has("soft") && !line.has("hard")) {
    await resetPaths(
      git,
      repository,
      oid === undefined ? undefined : (await repository.objects.commit(oid)).tree,
      [],
      line.has("q"),
    )
  }
  if (line.has("soft") || pending === "rebase") return
  for (const name of ["MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD"]) {
    repository.system.unlink(`${repository.gitdir}/${name}`)
  }
}

/** The changes between two commits, for reports of a merge. */
export const changesBetween = async (
  repository: Repository,
  from: string,
  to: string,
): Promise<ReturnType<typeof compareFiles>> =>
  compareFiles(await filesOf(repository, from), await filesOf(repository, to))
