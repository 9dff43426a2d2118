/** Walks commits from the newest on, and finds common ancestors. Source: git-log(1) "Commit Ordering", git-merge-base(1). */
import type { Repository } from "../repository/Repository.ts"
import { readTextIfExists } from "../repository/files.ts"
import type { Commit } from "../repository/objects.ts"

export interface WalkOptions {
  readonly include: ReadonlyArray<string>
  readonly exclude?: ReadonlyArray<string>
  readonly firstParent?: boolean
  /** Replaces the parents of a commit by those that remain with a limit of paths. */
  readonly parentsOf?: (commit: Commit) => Promise<ReadonlyArray<string>>
}

/** Maximum number of commits that are held at once. */
const maxCommits = 2_000_000

/** Commits by date, the newest first; equal ones in the order of insertion. */
class DateQueue {
  readonly #heap: Array<readonly [commit: Commit, order: number]> = []
  #order = 0

  get size(): number {
    return this.#heap.length
  }

  get commits(): ReadonlyArray<Commit> {
    return this.#heap.map(([commit]) => commit)
  }

  #isBefore(one: number, two: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[two]]
    if (a === undefined || b === undefined) return false
    return a[0].committer.seconds > b[0].committer.seconds ||
      (a[0].committer.seconds === b[0].committer.seconds && a[1] < b[1])
  }

  #swap(one: number, two: number): void {
    const [a, b] = [this.#heap[one], this.#heap[two]]
    if (a !== undefined && b !== undefined) [this.#heap[one], this.#heap[two]] = [b, a]
  }

  push(commit: Commit): void {
    this.#heap.push([commit, this.#order++])
    for (let at = this.#heap.length - 1; at > 0;) {
      const up = (at - 1) >> 1
      if (!this.#isBefore(at, up)) return
      this.#swap(at, up)
      at = up
    }
  }

  pop(): Commit | undefined {
    const first = this.#heap[0]
    const last = this.#heap.pop()
    if (first === undefined || last === undefined) return undefined
    if (this.#heap.length === 0) return first[0]
    this.#heap[0] = last
    for (let at = 0;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let best = at
      if (this.#isBefore(left, best)) best = left
      if (this.#isBefore(right, best)) best = right
      if (best === at) return first[0]
      this.#swap(at, best)
      at = best
    }
  }
}

/** Commits whose parents were not fetched. */
const shallowCommits = async (repository: Repository): Promise<ReadonlySet<string>> =>
  new Set((await readTextIfExists(repository.system, `${repository.gitdir}/shallow`) ?? "").split("\n"))

export const parentsIn = async (repository: Repository): Promise<(commit: Commit) => ReadonlyArray<string>> => {
  const shallow = await shallowCommits(repository)
  return ({ oid, parents }) => shallow.has(oid) ? [] : parents
}

/** The excluded commits and all their ancestors, as far as they are needed. */
const ancestorsOf = async (repository: Repository, oids: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  const known = new Set<string>()
  const open = [...oids]
  const parents = await parentsIn(repository)
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (known.has(oid) || known.size > maxCommits) continue
    known.add(oid)
    open.push(...parents(await repository.objects.commit(oid)))
    await repository.pause()
  }
  return known
}

/** Yields commits, newest first: each once, after all... of its children that have a later date. */
export async function* walkCommits(
  repository: Repository,
  { exclude = [], firstParent = false, include, parentsOf }: WalkOptions,
): AsyncGenerator<Commit> {
  const hidden = exclude.length === 0 ? new Set<string>() : await ancestorsOf(repository, exclude)
  const seen = new Set<string>()
  const queue = new DateQueue()
  const known = await parentsIn(repository)
  const add = async (oid: string): Promise<void> => {
    if (seen.has(oid) || hidden.has(oid)) return
    seen.add(oid)
    queue.push(await repository.objects.commit(oid))
  }
  for (const oid of include) await add(oid)
  for (let commit = queue.pop(); commit !== undefined; commit = queue.pop()) {
    await repository.pause()
    const parents = parentsOf === undefined ? known(commit) : await parentsOf(commit)
    for (const parent of firstParent ? parents.slice(0, 1) : parents) await add(parent)
    yield commit
  }
}

export const countCommits = async (repository: Repository, options: WalkOptions): Promise<number> => {
  let count = 0
  for await (const _commit of walkCommits(repository, options)) count++
  return count
}

/** The best common ancestors of two commits: those that are not ancestors of another common one. */
export const mergeBases = async (repository: Repository, one: string, two: string): Promise<ReadonlyArray<string>> => {
  if (one === two) return [one]
  const [fromOne, fromTwo, stale] = [1, 2, 4]
  const flags = new Map<string, number>()
  const queue = new DateQueue()
  const parents = await parentsIn(repository)
  const mark = async (oid: string, flag: number): Promise<void> => {
    const old = flags.get(oid) ?? 0
    if ((old & flag) === flag) return
    flags.set(oid, old | flag)
    queue.push(await repository.objects.commit(oid))
  }
  await mark(one, fromOne)
  await mark(two, fromTwo)
  const found: Array<Commit> = []
  while (queue.commits.some(({ oid }) => ((flags.get(oid) ?? 0) & stale) === 0)) {
    const commit = queue.pop()
    if (commit === undefined) break
    let flag = flags.get(commit.oid) ?? 0
    if ((flag & 7) === (fromOne | fromTwo)) {
      if (!found.some(({ oid }) => oid === commit.oid)) found.push(commit)
      flag |= stale
    }
    for (const parent of parents(commit)) await mark(parent, flag & 7)
    await repository.pause()
  }
  const best = found.filter(({ oid }) => ((flags.get(oid) ?? 0) & stale) === 0)
  if (best.length <= 1) return best.map(({ oid }) => oid)
  const oids: Array<string> = []
  for (const { oid } of best) {
    const others = best.filter((other) => other.oid !== oid).map((other) => other.oid)
    if (!(await ancestorsOf(repository, others)).has(oid)) oids.push(oid)
  }
  return oids
}
