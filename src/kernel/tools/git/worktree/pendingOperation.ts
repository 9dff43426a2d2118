/** Merges, cherry-picks, reverts and rebases that wait for the user. */
import { abbreviate, describeCommit } from "../history/revisions.ts"
import type { Repository } from "../repository/Repository.ts"
import { exists, readTextIfExists } from "../repository/files.ts"

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

/** Removes files of the repository's folder that keep the state of an operation. */
export const removeState = ({ gitdir, system }: Repository, ...names: ReadonlyArray<string>): void => {
  for (const name of names) system.unlink(`${gitdir}/${name}`)
}

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

export const operationText = async (repository: Repository, hasConflicts: boolean): Promise<string> => {
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
