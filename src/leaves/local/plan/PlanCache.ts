/** Keeps the plan of a resolved command for the run that follows, so that a journaled command is planned once. */
import type { ShellExec } from "../../../command/ShellExec.ts"
import type { SpawnConstraints } from "../../../shell/LeafFiles.ts"
import type { ResolvedCommand } from "../../../shell/ShellService.ts"
import type { LocalContext } from "./LocalContext.ts"
import type { LocalCommand } from "./planCommand.ts"

/** A planned command, and the context that it was planned in. */
export interface PlannedRun {
  readonly exec: ShellExec
  readonly pinned: SpawnConstraints | undefined
  readonly context: LocalContext
  readonly command: LocalCommand
}

/** The plans of resolved commands, each for one run: the marker in its context belongs to that run alone. */
export class PlanCache {
  readonly #plans = new WeakMap<ResolvedCommand, PlannedRun>()

  /** Keeps a plan for as long as the caller keeps the answer. */
  set(resolved: ResolvedCommand, plan: PlannedRun): void {
    this.#plans.set(resolved, plan)
  }

  /** Takes the plan of an answer if it is that of this very command. */
  take(
    resolved: ResolvedCommand | undefined,
    exec: ShellExec,
    pinned: SpawnConstraints | undefined,
  ): PlannedRun | undefined {
    const plan = resolved === undefined ? undefined : this.#plans.get(resolved)
    if (resolved === undefined || plan === undefined || plan.exec !== exec || plan.pinned !== pinned) return undefined
    this.#plans.delete(resolved)
    return plan
  }
}
