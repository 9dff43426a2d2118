/** In-memory index of the commands of a journal without an end. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { checkpointTag, decodeCheckpoint, journalBranch } from "../journal/checkpoint.ts"
import type { Entry, Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import type { CommandRecord } from "./CommandRecord.ts"
import {
  checkHolder,
  endTags,
  type IsHolderGone,
  leaseTag,
  readUnchecked,
  requestTags,
  type UncheckedCommand,
} from "./readRecord.ts"

const branch = ComputeBranch.name
const filter = { branch, tags: [...requestTags, leaseTag, ...endTags] }
const prunes = { branch: journalBranch, tags: [checkpointTag] }

/** Number of entries in one read: a page is decoded without a pause. */
const pageSize = 256

/**
 * Number of records that are read together, and of those that are read concurrently: each is a round trip to a database
 * server.
 */
const recordPage = 32
const readConcurrency = 8

const maxKept = 512
const maxKeptLength = 8_192

/**
 * Time between two reads of the tail: a busy server runs many commands in that time, and each read suspends a fiber. No
 * reader waits for it: see `catchUp`.
 */
const followInterval = Duration.millis(250)

interface Unended {
  readonly commandId: string
  readonly position: Position
  lease: Position
  /** The command's record since that lease; `undefined` before it is read. */
  kept: UncheckedCommand | undefined
}

/**
 * Indexes the commands of one journal that have no end, whichever process requests and ends them; for each id, the
 * newest command. Keeps the ids and positions of all, and the records of a few that were listed.
 */
export class UnendedCommands {
  readonly journal: JournalService
  readonly #commands = new Map<string, Unended>()
  readonly #exclusive = Semaphore.makeUnsafe(1)
  #kept = 0
  /** Entries up to this one have been applied. */
  #position: Position = 0
  /** Prunes up to this entry have been applied. */
  #pruned: Position = 0
  #pruneCount = 0
  #isBuilt = false

  constructor(journal: JournalService) {
    this.journal = journal
  }

  get isBuilt(): boolean {
    return this.#isBuilt
  }

  /** Applies the entries up to the current head, with a pause after each page: a long journal blocks no other work. */
  readonly catchUp: Effect.Effect<void, JournalError> = Effect.suspend(() =>
    this.#exclusive.withPermit(Effect.gen({ self: this }, function* () {
      const { position: head } = yield* this.journal.head
      while (this.#position < head) {
        const entries = yield* this.journal.read({ after: this.#position, filter, maxEntries: pageSize })
        this.#apply(entries)
        if (entries.length < pageSize) this.#position = Math.max(this.#position, head)
        else yield* Effect.yieldNow
      }
      // No record is kept before the first build.
      if (this.#isBuilt) yield* this.#applyPrunes(head)
      else this.#pruned = head
      this.#isBuilt = true
    }))
  )

  /**
   * Catches up and applies later entries, until it is interrupted or fails. A busy journal may prune entries between
   * two reads: their commands are forgotten, and the rest is read.
   */
  readonly follow: Effect.Effect<void, JournalError> = Effect.andThen(
    Effect.suspend(() => this.catchUp),
    Effect.suspend(() =>
      Stream.runForEachArray(
        this.journal.tail({ after: this.#position, filter }),
        (entries) => Effect.andThen(Effect.sync(() => this.#apply(entries)), Effect.sleep(followInterval)),
      )
    ),
  ).pipe(
    Effect.tapError(({ reason }) => Effect.sync(() => reason._tag === "Pruned" && this.#forgetThrough(reason.through))),
    Effect.retry({ while: ({ reason }) => reason._tag === "Pruned" }),
  )

  records(isGone: IsHolderGone, before: Position = Infinity): Stream.Stream<CommandRecord, JournalError> {
    return Stream.suspend(() => {
      const commands = [...this.#commands.values()].reverse()
      const start = commands.findIndex(({ position }) => position < before)
      return Stream.paginate(start < 0 ? commands.length : start, (index) => {
        const next = index + recordPage
        const page = commands.slice(index, next)
        return Effect.map(
          Effect.forEach(page, (command) => this.#read(command, isGone), { concurrency: readConcurrency }),
          (records) => [
            records.filter((record) => record !== undefined),
            next < commands.length ? Option.some(next) : Option.none(),
          ],
        )
      })
    })
  }

  /** Forgets commands whose requests were pruned since, and drops the kept records once any body was erased. */
  #applyPrunes(head: Position): Effect.Effect<void, JournalError> {
    return Effect.gen({ self: this }, function* () {
      while (this.#pruned < head) {
        const entries = yield* this.journal.read({ after: this.#pruned, filter: prunes, maxEntries: pageSize })
        for (const entry of entries) {
          this.#pruneCount++
          const checkpoint = decodeCheckpoint(entry)
          const through = checkpoint?.kind === "removed" ? checkpoint.through : 0
          for (const command of this.#commands.values()) {
            if (through === 0) this.#drop(command)
            else if (command.position <= through) this.#forget(command)
            else break
          }
        }
        const last = entries.at(-1)?.position ?? 0
        this.#pruned = entries.length < pageSize ? Math.max(head, last) : last
      }
    })
  }

  #read(command: Unended, isGone: IsHolderGone): Effect.Effect<CommandRecord | undefined, JournalError> {
    const { kept, lease, commandId, position } = command
    if (kept !== undefined) return checkHolder(kept, isGone)
    return Effect.gen({ self: this }, function* () {
      const pruneCount = this.#pruneCount
      const only = { branch, correlationId: commandId, tags: requestTags }
      const [entry] = yield* this.journal.read({ after: position - 1, filter: only, maxEntries: 1 })
      if (entry?.position !== position) return void this.#forget(command)
      const unchecked = yield* readUnchecked(this.journal, entry)
      // The record may lack a lease that was applied meanwhile, and contain one that was erased.
      if (command.lease === lease && this.#pruneCount === pruneCount) this.#keep(command, entry, unchecked)
      return yield* checkHolder(unchecked, isGone)
    })
  }

  /** Keeps the record of a running command, which only a lease or an end changes. */
  #keep(command: Unended, { body }: Entry, unchecked: UncheckedCommand): void {
    if (unchecked.record.state._tag !== "Running" || command.kept !== undefined || this.#kept >= maxKept) return
    if (this.#commands.get(command.commandId) !== command || JSON.stringify(body ?? "").length > maxKeptLength) return
    command.kept = unchecked
    this.#kept++
  }

  #drop(command: Unended): void {
    if (command.kept !== undefined) this.#kept--
    command.kept = undefined
  }

  #forget(command: Unended): void {
    this.#drop(command)
    if (this.#commands.get(command.commandId) === command) this.#commands.delete(command.commandId)
  }

  #forgetThrough(position: Position): void {
    for (const command of this.#commands.values()) {
      if (command.position > position) return
      this.#forget(command)
    }
  }

  /** Applies entries in order. Skips those that were applied before: `catchUp` and `follow` overlap. */
  #apply(entries: ReadonlyArray<Entry>): void {
    for (const { correlationId: commandId, position, tag } of entries) {
      if (position <= this.#position) continue
      this.#position = position
      const command = this.#commands.get(commandId)
      if (tag === leaseTag) {
        if (command === undefined) continue
        command.lease = position
        this.#drop(command)
        continue
      }
      // An end closes all requests of its id. Forgotten first, a repeated id comes last in the order.
      if (command !== undefined) this.#forget(command)
      if (requestTags.includes(tag)) {
        this.#commands.set(commandId, { commandId, position, lease: position, kept: undefined })
      }
    }
  }
}
