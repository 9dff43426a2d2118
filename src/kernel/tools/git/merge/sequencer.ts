/** The commits that a stopped cherry-pick or revert has still to apply. Source: git-cherry-pick(1) "sequencer subcommands". */
import type { Repository } from "../repository/Repository.ts"
import { readTextIfExists, replaceFile } from "../repository/files.ts"
import { type Commit, subjectOf } from "../repository/objects.ts"
import { removeState } from "../worktree/pendingOperation.ts"

/** The ids of the commits. */
export const readTodo = async ({ gitdir, system }: Repository): Promise<ReadonlyArray<string>> =>
  (await readTextIfExists(system, `${gitdir}/sequencer/todo`) ?? "").split("\n").flatMap((line) =>
    /^\w+ ([0-9a-f]{40})/.exec(line)?.[1] ?? []
  )

/** HEAD before the first commit. */
export const readStart = async ({ gitdir, system }: Repository): Promise<string | undefined> =>
  (await readTextIfExists(system, `${gitdir}/sequencer/head`))?.trim()

export const writeTodo = async (
  { gitdir, system }: Repository,
  action: "pick" | "revert",
  commits: ReadonlyArray<Commit>,
  start: string | undefined,
): Promise<void> => {
  const lines = commits.map(({ message, oid }) => `${action} ${oid} ${subjectOf(message)}\n`)
  await replaceFile(system, `${gitdir}/sequencer/todo`, lines.join(""))
  await replaceFile(system, `${gitdir}/sequencer/head`, `${start}\n`)
}

export const clearTodo = (repository: Repository): void => {
  removeState(repository, "sequencer/todo", "sequencer/head")
  repository.system.removeDirectory(`${repository.gitdir}/sequencer`)
}
