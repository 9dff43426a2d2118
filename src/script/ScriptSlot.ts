/**
 * Lets the commands of one script share one admission slot: a pipeline with a slot for each stage could wait for
 * itself.
 */
import type { LeafRunOptions } from "../shell/ShellService.ts"
import { SharedSlot } from "../shell/SharedSlot.ts"

export interface SlotMember {
  readonly options: Pick<LeafRunOptions, "admission" | "slot">
  /** Resolves when the command may start: the first of them waits in the queue of the leaf. */
  readonly ready: Promise<void> | undefined
  readonly started: () => void
  readonly left: () => void
}

interface Group {
  readonly slot: SharedSlot
  readonly ready: Promise<void>
  running: number
}

/** The slot of a script: taken with its first running command, released with its last. */
export class ScriptSlot {
  readonly #takesSlot: boolean
  #group: Group | undefined

  /** `takesSlot`: whether the commands count; those of a later stage of a pipeline wait for no slot. */
  constructor(takesSlot: boolean = true) {
    this.#takesSlot = takesSlot
  }

  join(): SlotMember {
    if (!this.#takesSlot) {
      return { options: { admission: false }, ready: undefined, started: () => {}, left: () => {} }
    }
    const group = this.#group
    if (group !== undefined) {
      group.running++
      group.slot.join()
      return this.#member(group, { admission: false, slot: group.slot }, group.ready, () => {})
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const first: Group = { slot: new SharedSlot(1), ready: promise, running: 1 }
    this.#group = first
    return this.#member(first, { slot: first.slot }, undefined, resolve)
  }

  #member(
    group: Group,
    options: SlotMember["options"],
    ready: Promise<void> | undefined,
    started: () => void,
  ): SlotMember {
    return {
      options,
      ready,
      started,
      left: () => {
        started()
        if (--group.running === 0 && this.#group === group) this.#group = undefined
      },
    }
  }
}
