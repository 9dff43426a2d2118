/**
 * Builds and caches, on demand, the states of a deterministic automaton that matches a shell pattern.
 * Source: Russ Cox, "Regular Expression Matching in the Wild"; Thomas Reps, "Maximal-Munch Tokenization in Linear Time".
 */
import { anyCharacter, type PatternElement } from "./parsePattern.ts"

const Op = { one: 0, split: 1, jump: 2, others: 3, match: 4 } as const

/** Number of threads in cached states at which the cache is cleared. */
const maxThreads = 50_000

export interface AutomatonState {
  readonly id: number
  /** Instructions that wait for a character. */
  readonly places: ReadonlyArray<number>
  /** The states of the automata of negations, by the index in {@link places}. */
  readonly inner: ReadonlyArray<AutomatonState | undefined>
  /** Whether the text that was read matches. */
  readonly accepts: boolean
  readonly next: Array<AutomatonState | undefined>
}

const unitsOf = (text: string, at: number, backwards: boolean): 1 | 2 => {
  const unit = text.charCodeAt(at)
  if (backwards) {
    const before = text.charCodeAt(at - 1)
    return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? 2 : 1
  }
  return unit >= 0xd800 && unit <= 0xdbff && at + 1 < text.length ? 2 : 1
}

export class PatternAutomaton {
  readonly #op: Array<number> = []
  readonly #x: Array<number> = []
  readonly #y: Array<number> = []
  readonly #others: Array<PatternAutomaton> = []
  readonly #tests: Array<(character: string) => boolean> = []
  readonly #testIds = new Map<(character: string) => boolean, number>()
  /** Literal characters and the numbers of their tests, which are negative. */
  readonly #literals = new Map<string, number>()
  /** Classes of characters that no test distinguishes. */
  readonly #classes = new Map<string, number>()
  readonly #classKeys = new Map<string, number>()
  /** The tests that hold for each class. */
  readonly #holds: Array<ReadonlySet<number>> = []
  readonly #latin: Int32Array = new Int32Array(256).fill(-1)
  readonly #seen: Uint32Array
  readonly #backwards: boolean
  #round = 0
  #states = new Map<string, AutomatonState>()
  #ids = 0
  #kept = 0
  /** Number of instructions that were followed to build states since the caller reset it. */
  work = 0
  start: AutomatonState

  constructor(choices: ReadonlyArray<ReadonlyArray<PatternElement>>, backwards: boolean) {
    this.#backwards = backwards
    this.#choices(choices)
    this.#emit(Op.match)
    this.#seen = new Uint32Array(this.#op.length)
    this.start = this.#begin()
  }

  #emit(op: number, x = 0, y = 0): number {
    this.#x.push(x)
    this.#y.push(y)
    return this.#op.push(op) - 1
  }

  #choices(choices: ReadonlyArray<ReadonlyArray<PatternElement>>): void {
    const jumps: Array<number> = []
    choices.forEach((choice, index) => {
      const split = index < choices.length - 1 ? this.#emit(Op.split, this.#op.length + 1) : undefined
      if (this.#backwards) { for (let at = choice.length - 1; at >= 0; at--) this.#element(choice[at]) }
      else for (const element of choice) this.#element(element)
      if (split === undefined) return
      jumps.push(this.#emit(Op.jump))
      this.#y[split] = this.#op.length
    })
    for (const jump of jumps) this.#x[jump] = this.#op.length
  }

  #loop(body: () => void): void {
    const split = this.#emit(Op.split, this.#op.length + 1)
    body()
    this.#emit(Op.jump, split)
    this.#y[split] = this.#op.length
  }

  #element(element: PatternElement | undefined): void {
    if (element === undefined) return
    if (element.kind === "one") return void this.#emit(Op.one, this.#testOf(element))
    if (element.kind === "star") return this.#loop(() => void this.#emit(Op.one, this.#testOf(anyCharacter)))
    const { choices, sign } = element
    switch (sign) {
      case "!":
        return void this.#emit(Op.others, this.#others.push(new PatternAutomaton(choices, this.#backwards)) - 1)
      case "*":
        return this.#loop(() => this.#choices(choices))
      case "+": {
        const first = this.#op.length
        this.#choices(choices)
        return void this.#emit(Op.split, first, this.#op.length + 1)
      }
      case "?": {
        const split = this.#emit(Op.split, this.#op.length + 1)
        this.#choices(choices)
        this.#y[split] = this.#op.length
        return
      }
      default:
        return this.#choices(choices)
    }
  }

  #testOf({ is, literal }: Extract<PatternElement, { readonly kind: "one" }>): number {
    if (literal !== undefined) {
      const known = this.#literals.get(literal) ?? -1 - this.#literals.size
      this.#literals.set(literal, known)
      return known
    }
    const known = this.#testIds.get(is)
    if (known !== undefined) return known
    const made = this.#tests.push(is) - 1
    this.#testIds.set(is, made)
    return made
  }

  #classOf(character: string): number {
    const known = this.#classes.get(character)
    if (known !== undefined) return known
    const holding = this.#tests.flatMap((test, index) => test(character) ? [index] : [])
    this.work += this.#tests.length
    const literal = this.#literals.get(character)
    if (literal !== undefined) holding.push(literal)
    const key = `${holding.join()}/${this.#others.map((other) => other.#classOf(character)).join()}`
    let made = this.#classKeys.get(key)
    if (made === undefined) {
      made = this.#holds.push(new Set(holding)) - 1
      this.#classKeys.set(key, made)
    }
    this.#classes.set(character, made)
    if (character.length === 1 && character.charCodeAt(0) < 256) this.#latin[character.charCodeAt(0)] = made
    return made
  }

  #begin(): AutomatonState {
    const builder = this.#builder()
    builder.follow(0)
    return builder.state()
  }

  #builder() {
    const [op, x, y, seen] = [this.#op, this.#x, this.#y, this.#seen]
    const round = ++this.#round
    const threads = new Map<string | number, readonly [number, AutomatonState | undefined]>()
    const stack: Array<number> = []
    let accepts = false
    const negation = (place: number, inner: AutomatonState): boolean => {
      const key = `${place}:${inner.id}`
      if (threads.has(key)) return false
      threads.set(key, [place, inner])
      return !inner.accepts
    }
    const follow = (from: number): void => {
      stack.push(from)
      for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
        if (seen[place] === round) continue
        seen[place] = round
        this.work++
        switch (op[place]) {
          case Op.one:
            threads.set(place, [place, undefined])
            break
          case Op.split:
            stack.push(x[place] ?? 0, y[place] ?? 0)
            break
          case Op.jump:
            stack.push(x[place] ?? 0)
            break
          case Op.others: {
            const inner = this.#others[x[place] ?? 0]
            if (inner !== undefined && negation(place, inner.start)) stack.push(place + 1)
            break
          }
          case Op.match:
            accepts = true
        }
      }
    }
    const state = (): AutomatonState => {
      const list = [...threads.values()].sort(([a, one], [b, other]) => a - b || (one?.id ?? 0) - (other?.id ?? 0))
      const key = `${accepts ? "!" : ""}${list.map(([place, inner]) => inner ? `${place}:${inner.id}` : place).join()}`
      const known = this.#states.get(key)
      if (known !== undefined) return known
      this.#kept += list.length + 1
      if (this.#kept > maxThreads) {
        this.#states.clear()
        this.#kept = list.length + 1
        this.start.next.length = 0
        this.#states.set("start", this.start)
      }
      const made: AutomatonState = {
        id: this.#ids++,
        places: list.map(([place]) => place),
        inner: list.map(([, inner]) => inner),
        accepts,
        next: [],
      }
      this.#states.set(key, made)
      return made
    }
    return { follow, negation, state }
  }

  #make(state: AutomatonState, character: string, group: number): AutomatonState {
    const builder = this.#builder()
    const holds = this.#holds[group]
    state.places.forEach((place, index) => {
      this.work++
      const inner = state.inner[index]
      if (inner === undefined) {
        if (holds?.has(this.#x[place] ?? 0)) builder.follow(place + 1)
        return
      }
      const others = this.#others[this.#x[place] ?? 0]
      if (others === undefined) return
      const next = others.step(inner, character)
      this.work += others.work
      others.work = 0
      if (builder.negation(place, next)) builder.follow(place + 1)
    })
    return state.next[group] = builder.state()
  }

  step(state: AutomatonState, character: string): AutomatonState {
    const group = this.#classOf(character)
    return state.next[group] ?? this.#make(state, character, group)
  }

  width(text: string, at: number): 1 | 2 {
    return unitsOf(text, at, this.#backwards)
  }

  /** The state after the character at a position, which is its last unit if the text is read backwards. */
  read(state: AutomatonState, text: string, at: number): AutomatonState {
    const unit = text.charCodeAt(at)
    if (unit < 256) {
      const group = this.#latin[unit] ?? -1
      const next = group < 0 ? undefined : state.next[group]
      if (next !== undefined) return next
    }
    const units = unitsOf(text, at, this.#backwards)
    const from = this.#backwards ? at - units + 1 : at
    return this.step(state, text.slice(from, from + units))
  }
}
