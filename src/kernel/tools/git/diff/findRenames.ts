/** Pairs removed files with similar added ones, as git's rename detection does. Source: gitdiffcore(7). */
import { baseName } from "../../../utilities/shared/paths.ts"

export interface RenameCandidate {
  readonly path: string
  readonly oid: string
  readonly mode: number
}

export interface Rename {
  readonly from: string
  readonly to: string
  /** 0 to 60,000, in git's unit. */
  readonly score: number
}

const maxScore = 60_000
const minBasenameFactor = 0.5
const maxPieceBytes = 64
const hashBase = 107_927
/** Maximum number of pairs that are compared by their content. */
const maxPairs = 1_000_000

/** Number of bytes of a file by the hash of their line, or of their piece of a long line. */
type Pieces = ReadonlyMap<number, number>

const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, 8_000).includes(0)

const piecesOf = (bytes: Uint8Array): Pieces => {
  const pieces = new Map<number, number>()
  const isText = !isBinary(bytes)
  let [one, two, count] = [0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (isText && byte === 13 && bytes[at + 1] === 10) continue
    const old = one
    one = ((one << 7) ^ (two >>> 25)) >>> 0
    two = ((two << 7) ^ (old >>> 25)) >>> 0
    one = (one + byte) >>> 0
    if (++count < maxPieceBytes && byte !== 10) continue
    const hash = ((one + Math.imul(two, 0x61)) >>> 0) % hashBase
    pieces.set(hash, (pieces.get(hash) ?? 0) + count)
    one = two = count = 0
  }
  return pieces
}

class SimilarityIndex {
  readonly #read: (candidate: RenameCandidate) => Promise<Uint8Array>
  readonly #pieces = new Map<string, Pieces>()
  readonly #sizes = new Map<string, number>()

  constructor(read: (candidate: RenameCandidate) => Promise<Uint8Array>) {
    this.#read = read
  }

  async #load(candidate: RenameCandidate): Promise<Pieces> {
    const known = this.#pieces.get(candidate.path)
    if (known !== undefined) return known
    const bytes = await this.#read(candidate)
    const pieces = piecesOf(bytes)
    this.#pieces.set(candidate.path, pieces)
    this.#sizes.set(candidate.path, bytes.length)
    return pieces
  }

  async score(from: RenameCandidate, to: RenameCandidate, minScore: number): Promise<number> {
    const one = await this.#load(from)
    const two = await this.#load({ ...to, path: `\0${to.path}` })
    const [size, other] = [this.#sizes.get(from.path) ?? 0, this.#sizes.get(`\0${to.path}`) ?? 0]
    const max = Math.max(size, other)
    if (other === 0 || max * (maxScore - minScore) < (max - Math.min(size, other)) * maxScore) return 0
    let copied = 0
    for (const [hash, count] of one) copied += Math.min(count, two.get(hash) ?? 0)
    return Math.floor(copied * maxScore / max)
  }
}

/** Finds renames. `read` gives the content of a candidate; `pause` lets other processes run. */
export const findRenames = async (
  removed: ReadonlyArray<RenameCandidate>,
  added: ReadonlyArray<RenameCandidate>,
  read: (candidate: RenameCandidate, isNew: boolean) => Promise<Uint8Array>,
  pause: () => Promise<void> | void,
  minScore: number = maxScore / 2,
): Promise<ReadonlyArray<Rename>> => {
  const renames = new Map<string, Rename>()
  const used = new Set<string>()
  const take = (from: string, to: string, score: number): void => {
    used.add(from)
    renames.set(to, { from, to, score })
  }
  const isLink = (candidate: RenameCandidate): boolean => candidate.mode === 0o120000
  for (const to of added) {
    const same = removed.filter((from) => from.oid === to.oid && !used.has(from.path) && isLink(from) === isLink(to))
    const from = same.find(({ path }) => baseName(path) === baseName(to.path)) ?? same[0]
    if (from !== undefined) take(from.path, to.path, maxScore)
  }
  const restRemoved = (): ReadonlyArray<RenameCandidate> => removed.filter(({ path }) => !used.has(path))
  const restAdded = (): ReadonlyArray<RenameCandidate> => added.filter(({ path }) => !renames.has(path))
  if (restRemoved().length * restAdded().length > maxPairs) return [...renames.values()]
  const index = new SimilarityIndex((candidate) =>
    candidate.path.startsWith("\0")
      ? read({ ...candidate, path: candidate.path.slice(1) }, true)
      : read(candidate, false)
  )
  const unique = (list: ReadonlyArray<RenameCandidate>): ReadonlyMap<string, RenameCandidate | undefined> => {
    const byName = new Map<string, RenameCandidate | undefined>()
    for (const each of list) byName.set(baseName(each.path), byName.has(baseName(each.path)) ? undefined : each)
    return byName
  }
  const [byRemoved, byAdded] = [unique(restRemoved()), unique(restAdded())]
  const basenameScore = minScore + minBasenameFactor * (maxScore - minScore)
  for (const [name, from] of byRemoved) {
    const to = byAdded.get(name)
    if (from === undefined || to === undefined || isLink(from) || isLink(to)) continue
    const score = await index.score(from, to, minScore)
    if (score >= basenameScore) take(from.path, to.path, score)
    await pause()
  }
  const scores: Array<Rename & { readonly sameName: boolean; readonly at: number }> = []
  for (const to of restAdded()) {
    for (const from of restRemoved()) {
      await pause()
      if (isLink(from) || isLink(to)) continue
      const score = await index.score(from, to, minScore)
      const sameName = baseName(from.path) === baseName(to.path)
      if (score >= minScore) scores.push({ from: from.path, to: to.path, score, sameName, at: scores.length })
    }
  }
  scores.sort((a, b) => b.score - a.score || Number(b.sameName) - Number(a.sameName) || a.at - b.at)
  for (const { from, score, to } of scores) if (!used.has(from) && !renames.has(to)) take(from, to, score)
  return [...renames.values()]
}
