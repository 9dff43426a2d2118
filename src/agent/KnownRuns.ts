/** Remembers the runs of a journal that go on in this process: their leases, and whether their next requests are new. */
import type { Position } from "../journal/Entry.ts"
import type { AppendCondition } from "../journal/JournalService.ts"
import { AgentRunBranch } from "./AgentRunBranch.ts"
import type { ModelService } from "./ModelBranch.ts"

/** Runs that are remembered: the newest. Requests of others are looked for. */
const maxRuns = 1_000

const runOf = (correlationId: string): string => correlationId.split("/", 1)[0] ?? ""

interface KnownRun {
  /** The position of its lease. */
  readonly lease: Position
  /** Whether the model was asked for an answer that the journal does not have: nothing after it can be there. */
  isNew: boolean
}

export interface KnownRuns {
  /** Remembers a run that has its lease; it may be in the journal already. */
  readonly add: (run: { readonly correlationId: string }, lease: Position) => void
  /** The model, which is asked only for answers that the journal does not have. */
  readonly asking: (model: ModelService) => ModelService
  /** Whether a request comes after such an answer. It need not be looked for, which takes longer the more a journal has. */
  readonly isNew: (request: { readonly correlationId: string }) => boolean
  /** The condition that no other process has taken the run of a request over. */
  readonly lease: (request: { readonly correlationId: string }) => AppendCondition | undefined
}

/** Makes the memory of one journal. */
export const makeKnownRuns = (): KnownRuns => {
  const runs = new Map<string, KnownRun>()
  const find = ({ correlationId }: { readonly correlationId: string }): KnownRun | undefined =>
    runs.get(runOf(correlationId))
  return {
    add: ({ correlationId }, lease) => {
      runs.delete(correlationId)
      runs.set(correlationId, { lease, isNew: false })
      for (const oldest of runs.keys()) {
        if (runs.size <= maxRuns) break
        runs.delete(oldest)
      }
    },
    asking: (model) => ({
      request: (request, options) => {
        const run = find(request)
        if (run !== undefined) run.isNew = true
        return model.request(request, options)
      },
    }),
    isNew: (request) => find(request)?.isNew === true,
    lease: (request) => {
      const after = find(request)?.lease
      const noneOf = { branch: AgentRunBranch.name, correlationId: runOf(request.correlationId), tags: ["LeaseTaken"] }
      return after === undefined ? undefined : { after, noneOf }
    },
  }
}
