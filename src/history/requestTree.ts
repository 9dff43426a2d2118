/** Reads the tree of a request from a journal. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { branchEntryTags } from "../branch/BranchEntry.ts"
import type { Body, Entry } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { requestLine } from "./readRecord.ts"
import { describeRequest, shorten } from "./requestSummary.ts"

export interface RequestNode {
  readonly branch: string
  readonly correlationId: string
  readonly tag: string
  readonly about: string
  readonly requested: number
  /** The newest entry that is not a lease: an event, the end, or the request itself. */
  last: { readonly tag: string; readonly time: number; readonly body: Body | undefined }
  /** Whether it has an event other than pieces of one. */
  isAnswered: boolean
  readonly children: Array<RequestNode>
}

const entriesAtOnce = 500

/** Maximum number of requests in one tree; further ones are left out. */
const maxNodes = 10_000

/** Requests of one id may be in many branches: deeper ones are drawn beside each other. */
const maxDepth = 200

const isPiece = ({ body, tag }: Entry): boolean =>
  /(?:Chunks?|Delta|Window)$/.test(tag) || typeof body?.["isFinal"] === "boolean"

const aboutOf = (entry: Entry): string =>
  entry.tag === "ShellExec" ? shorten(requestLine(entry)[1]) : describeRequest(entry)

class TreeBuilder {
  readonly #id: string
  readonly #nodes = new Map<string, RequestNode>()
  /** Found by its id; if several branches have the id, the newest request. */
  readonly #byId = new Map<string, RequestNode>()
  readonly #depths = new Map<RequestNode, number>()
  readonly roots: Array<RequestNode> = []
  isCut = false

  constructor(id: string) {
    this.#id = id
  }

  has({ correlationId }: Entry): boolean {
    return correlationId === this.#id || correlationId.startsWith(`${this.#id}/`)
  }

  /** Whether the request itself and all requests below it have ended. */
  get isOver(): boolean {
    const [root] = this.roots
    if (root === undefined || root.correlationId !== this.#id) return false
    for (const { isAnswered } of this.#nodes.values()) if (!isAnswered) return false
    return true
  }

  take(entry: Entry): void {
    const { body, branch, correlationId, tag, time } = entry
    if (branchEntryTags.some((each) => each === tag)) return
    const key = `${branch} ${correlationId}`
    const node = this.#nodes.get(key)
    if (node === undefined) {
      if (!isPiece(entry)) this.#add(key, entry)
      return
    }
    // A request with the tag of the first one is a repetition of that request, as in a continued run.
    if (tag === node.tag) node.isAnswered = false
    else if (!isPiece(entry)) node.isAnswered = true
    node.last = { tag, time, body }
  }

  #add(key: string, entry: Entry): void {
    if (this.#nodes.size >= maxNodes) {
      this.isCut = true
      return
    }
    const { body, branch, correlationId, tag, time } = entry
    const node: RequestNode = {
      branch,
      correlationId,
      tag,
      about: aboutOf(entry),
      requested: time,
      last: { tag, time, body },
      isAnswered: false,
      children: [],
    }
    this.#nodes.set(key, node)
    const parent = this.#parentOf(correlationId)
    const siblings = parent === undefined ? this.roots : parent.children
    siblings.push(node)
    const depth = parent === undefined ? 0 : (this.#depths.get(parent) ?? 0) + 1
    this.#depths.set(node, depth)
    if (depth < maxDepth) this.#byId.set(correlationId, node)
  }

  /** The request with the longest id that this one begins with; one of another branch with the same id is above it. */
  #parentOf(correlationId: string): RequestNode | undefined {
    for (let id = correlationId; id !== ""; id = id.slice(0, Math.max(0, id.lastIndexOf("/")))) {
      const node = this.#byId.get(id)
      if (node !== undefined) return node
    }
    return undefined
  }
}

export interface RequestTree {
  /** The request; if only requests below its id exist, those. */
  readonly roots: ReadonlyArray<RequestNode>
  /** Requests were left out: there are more than {@link maxNodes}. */
  readonly isCut: boolean
}

export const treeEntries = (journal: JournalService, id: string): Stream.Stream<Entry, JournalError> => {
  const builder = new TreeBuilder(id)
  return Stream.unwrap(Effect.gen(function* () {
    const { position: head } = yield* journal.head
    const filter = { correlationId: id }
    const [first] = yield* journal.read({ filter, maxEntries: 1 })
    // A run that had ended may have been continued.
    const [last] = yield* journal.readBackward({ filter, maxEntries: 1 })
    let after = (first?.position ?? 1) - 1
    return Stream.paginate(undefined, () =>
      Effect.gen(function* () {
        const entries = yield* journal.read({ after, maxEntries: entriesAtOnce })
        const found = entries.filter((entry) => entry.position <= head && builder.has(entry))
        for (const entry of found) builder.take(entry)
        after = entries.at(-1)?.position ?? head
        const isOver = after >= head || entries.length === 0 || (after >= (last?.position ?? head) && builder.isOver)
        return [found, isOver ? Option.none<undefined>() : Option.some(undefined)] as const
      }))
  }))
}

export const readTree = (id: string): Effect.Effect<RequestTree, JournalError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const builder = new TreeBuilder(id)
    yield* Stream.runForEach(treeEntries(journal, id), (entry) => Effect.sync(() => builder.take(entry)))
    return { roots: builder.roots, isCut: builder.isCut }
  })
