/**
 * Reads the names of lines one after the other, fast: most lines have the branch of the one before, and one of few tags.
 *
 * @module
 */
import type { Block } from "./BlockReader.ts"
import type { Kinds } from "./Kinds.ts"
import { HashAt, nameHash } from "./nameHash.ts"
import { branchCommaAt, decodeName, namesAt } from "./parseLine.ts"

/** What stands behind the correlation id, up to the version, and the kind that this makes of a line. */
interface Ending {
  readonly text: string
  readonly kind: number
}

/** Most endings that are remembered. */
const most = 8

const colon = 58

/** The names of one line, as numbers. */
export class NameReader {
  /** The hash of the correlation id. */
  hash = 0
  /** The bit of branch and tag. */
  kind = 0
  readonly #kinds: Kinds
  /** Where the branch of the last line began, from the start of the line, and what stands from there up to the id. */
  #start = 0
  #beginning = ""
  #endings: Array<Ending> = []
  readonly #id = new HashAt()

  constructor(kinds: Kinds) {
    this.#kinds = kinds
  }

  /** Reads the line of a block that begins at an index and ends before another; whether it has the names of an entry. */
  read({ bytes, text }: Block, at: number, end: number): boolean {
    const start = at + this.#start
    if (this.#beginning !== "" && text.startsWith(this.#beginning, start)) {
      const id = this.#id
      if (id.read(bytes, start + this.#beginning.length) && id.end < end && this.#readEnding(bytes, text)) {
        this.hash = id.hash
        return true
      }
    }
    return this.#parse(text, at, end)
  }

  /** Looks for what stands behind the id among what stood there before, what comes often first. */
  #readEnding(bytes: Uint8Array, text: string): boolean {
    const endings = this.#endings
    const at = this.#id.end
    for (let index = 0; index < endings.length; index++) {
      const ending = endings[index]
      // A look at one byte tells most of them apart: where the colon stands.
      if (ending === undefined || bytes[at + ending.text.length - 1] !== colon) continue
      if (!text.startsWith(ending.text, at)) continue
      if (index > 0) {
        endings[index] = endings[index - 1] ?? ending
        endings[index - 1] = ending
      }
      this.kind = ending.kind
      return true
    }
    return false
  }

  #parse(text: string, at: number, end: number): boolean {
    const comma = branchCommaAt(text, at)
    const found = comma < at ? undefined : namesAt(text, comma)
    if (found === undefined || found.versionAt > end) return false
    const { branchAt, branchEnd, idAt, idEnd, tagAt, tagEnd, versionAt } = found
    const branch = decodeName(text.slice(branchAt, branchEnd))
    const id = decodeName(text.slice(idAt, idEnd))
    const tag = decodeName(text.slice(tagAt, tagEnd))
    if (branch === undefined || id === undefined || tag === undefined) return false
    this.hash = nameHash(id)
    this.kind = this.#kinds.bit(branch, tag)
    const beginning = text.slice(comma, idAt)
    this.#start = comma - at
    // An ending goes with the branch before it.
    if (beginning !== this.#beginning) this.#endings = []
    this.#beginning = beginning
    if (this.#endings.length === most) this.#endings.pop()
    this.#endings.unshift({ text: text.slice(idEnd, versionAt), kind: this.kind })
    return true
  }
}
