/** Writes instructions and constants. */
import { Op } from "./Code.ts"

export class CodeWriter {
  readonly words: Array<number> = []
  readonly constants: Array<unknown> = []

  /** The position of the next instruction. */
  get position(): number {
    return this.words.length
  }

  emit(...words: ReadonlyArray<number>): void {
    this.words.push(...words)
  }

  /** Emits a jump whose target is set later; returns where that is. */
  emitJump(op: number): number {
    this.words.push(op, -1)
    return this.words.length - 1
  }

  /** Makes jumps lead to the next instruction. */
  land(...jumps: ReadonlyArray<number>): void {
    for (const jump of jumps) this.words[jump] = this.words.length
  }

  addConstant(value: unknown): number {
    return this.constants.push(value) - 1
  }

  /** Emits the load of a constant. */
  constant(value: unknown): void {
    const known = this.constants.indexOf(value)
    this.emit(Op.constant, known >= 0 ? known : this.addConstant(value))
  }
}
