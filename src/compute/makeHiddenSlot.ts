/**
 * Attaches a value to an object, invisibly, as a `WeakMap` does, but for as long as the object lives.
 *
 * In V8 a collection of young objects keeps every value of a `WeakMap`, so each lives until a full collection.
 */
export interface HiddenSlot<A> {
  readonly get: (holder: object) => A | undefined
  readonly set: (holder: object, value: A) => void
}

/** The constructor returns an existing object, so the fields of a subclass are added to that object. */
class Existing {
  constructor(holder: object) {
    return holder
  }
}

/** Makes a slot. A value is set at most once for a holder. */
export const makeHiddenSlot = <A>(): HiddenSlot<A> => {
  class Holder extends Existing {
    #value: A

    constructor(holder: object, value: A) {
      super(holder)
      this.#value = value
    }

    static read(holder: object): A | undefined {
      return #value in holder ? holder.#value : undefined
    }
  }
  return { get: (holder) => Holder.read(holder), set: (holder, value) => void new Holder(holder, value) }
}
