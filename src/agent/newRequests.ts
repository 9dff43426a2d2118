/** Tells which requests of a run cannot be in its journal, where a search takes longer the more it has. */
import type { ModelService } from "./ModelBranch.ts"

/** Runs that are remembered: the newest. Requests of others are looked for. */
const maxRuns = 1_000

const runOf = (correlationId: string): string => correlationId.split("/", 1)[0] ?? ""

/** Watches which runs ask a model, since the journal has no answer. */
export const newRequests = (): {
  /** Begins a run, perhaps one that is in the journal: nothing is known of it. */
  readonly begin: (run: { readonly correlationId: string }) => void
  /** The model, which is asked only for answers that the journal does not have. */
  readonly asking: (model: ModelService) => ModelService
  /** Whether a request comes after such an answer. */
  readonly isNew: (request: { readonly correlationId: string }) => boolean
} => {
  const runs = new Set<string>()
  return {
    begin: ({ correlationId }) => void runs.delete(correlationId),
    asking: (model) => ({
      request: (request, options) => {
        runs.add(runOf(request.correlationId))
        for (const oldest of runs) {
          if (runs.size <= maxRuns) break
          runs.delete(oldest)
        }
        return model.request(request, options)
      },
    }),
    isNew: ({ correlationId }) => runs.has(runOf(correlationId)),
  }
}
