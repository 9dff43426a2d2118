/** Writes instructions and constants. */
import { Op } from "./Code.ts"

const constantFields = {
  [Op.field]: Op.fieldAt,
  [Op.fieldNumber]: Op.fieldNumberAt,
  [Op.fieldText]: Op.fieldTextAt,
} as const

export class CodeWriter {
  readonly words: Array<number> = []
  readonly constants: Array<unknown> = []
  /** Index of the last instruction, and the last target of a jump. */
  #last = -1
  #landed = 0

  /** The position of the next instruction. */
  get position(): number {
    return this.words.length
  }

  emit(...words: ReadonlyArray<number>): void {
    this.#last = this.words.length
    this.words.push(...words)
  }

  /** Emits a jump whose target is set later; returns the position of the target. */
  emitJump(op: number): number {
    this.emit(op, -1)
    return this.words.length - 1
  }

  /** Makes jumps lead to the next instruction. */
  land(...jumps: ReadonlyArray<number>): void {
    for (const jump of jumps) this.words[jump] = this.words.length
    this.#landed = this.words.length
  }

  /** The operation before the next instruction; `undefined` where jumps lead to the next one without it. */
  get #before(): number | undefined {
    return this.#landed === this.words.length ? undefined : this.words[this.#last]
  }

  /** Drops the value on the stack. If it was only stored in a global variable, it is not pushed in the first place. */
  pop(): void {
    if (this.#before === Op.storeGlobal) this.words[this.#last] = Op.popGlobal
    else this.emit(Op.pop)
  }

  /** Reads the field whose index is on the stack; a constant index becomes an operand. */
  field(op: typeof Op.field | typeof Op.fieldNumber | typeof Op.fieldText): void {
    const index = this.#before === Op.constant ? this.constants[this.words[this.#last + 1] ?? 0] : undefined
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0) return this.emit(op)
    this.words.length = this.#last
    this.emit(constantFields[op], index)
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
