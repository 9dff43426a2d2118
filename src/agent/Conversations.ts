/** Rebuilds the whole prompt of a model request, which stores only the messages that were added. */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { decodeEventEntry, decodeRequestEntry } from "../branch/BranchDefinition.ts"
import type { JournalService } from "../journal/JournalService.ts"
import { ModelBranch, ModelFault, type ModelRequest, type ModelResponse } from "./ModelBranch.ts"

type Messages = ReadonlyArray<Schema.Json>

/** Maximum number of remembered conversations, the newest. Others are read from the journal. */
const maxRemembered = 16

/** Maximum number of requests that precede one. */
const maxTurns = 100_000

/** The id of the request of another turn of the same run. */
const idOfTurn = (correlationId: string, turn: number): string =>
  `${correlationId.slice(0, correlationId.lastIndexOf("/") + 1)}${turn}`

interface Exchange {
  readonly request: ModelRequest
  readonly response: ModelResponse
}

export class Conversations {
  readonly #remembered = new Map<string, Messages>()
  readonly #journal: Option.Option<JournalService>

  constructor(journal: Option.Option<JournalService>) {
    this.#journal = journal
  }

  /** The whole prompt of a request. Fails if it follows a request that is neither in memory nor in the journal. */
  promptOf(request: ModelRequest): Effect.Effect<Messages, ModelFault> {
    return Effect.gen({ self: this }, function* () {
      const parts: Array<Messages> = [request.added]
      let { correlationId, follows } = request
      for (let turns = 0; follows !== undefined; turns += 1) {
        correlationId = idOfTurn(correlationId, follows)
        const known = this.#remembered.get(correlationId)
        if (known !== undefined) {
          parts.push(known)
          break
        }
        const exchange: Exchange | undefined = turns < maxTurns ? yield* this.#read(request, correlationId) : undefined
        if (exchange === undefined) {
          const message = `model: the request follows ${correlationId}, which this journal does not have: ` +
            "use the journal that has it, or send the whole prompt without `follows`"
          return yield* Effect.fail(faultOf(request, "UnknownPrompt", message))
        }
        parts.push(exchange.response.messages, exchange.request.added)
        follows = exchange.request.follows
      }
      return parts.toReversed().flat()
    })
  }

  remember({ correlationId }: ModelRequest, conversation: Messages): void {
    this.#remembered.delete(correlationId)
    this.#remembered.set(correlationId, conversation)
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= maxRemembered) break
      this.#remembered.delete(oldest)
    }
  }

  #read(asked: ModelRequest, correlationId: string): Effect.Effect<Exchange | undefined, ModelFault> {
    const journal = this.#journal
    if (journal._tag === "None") return Effect.undefined
    return Effect.gen(function* () {
      const filter = (tag: string) => ({ branch: ModelBranch.name, correlationId, tags: [tag] })
      const [answer] = yield* journal.value.readBackward({ filter: filter("ModelResponse"), maxEntries: 1 })
      if (answer === undefined) return undefined
      const before = answer.position
      const [question] = yield* journal.value.readBackward({ filter: filter("ModelRequest"), maxEntries: 1, before })
      if (question === undefined) return undefined
      const request = decodeRequestEntry(ModelBranch, question)
      const response = decodeEventEntry(ModelBranch, answer)
      if (request === undefined || response === undefined) return undefined
      const event = yield* Effect.fromResult(response)
      return event._tag === "ModelResponse"
        ? { request: yield* Effect.fromResult(request), response: event }
        : undefined
    }).pipe(Effect.mapError(({ message }) => faultOf(asked, "JournalFailed", `model: the journal failed: ${message}`)))
  }
}

const faultOf = ({ correlationId }: ModelRequest, faultKind: string, message: string): ModelFault =>
  new ModelFault({ correlationId, faultKind, message, isRetryable: false })
