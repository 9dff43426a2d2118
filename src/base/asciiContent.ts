/**
 * Makes objects whose `content` is ASCII bytes, decoded when it is read; the second time the text is kept.
 *
 * A string of 64 KiB that outlives a few collections is copied twice by V8, and again when it is encoded; the bytes are
 * copied once. A spread or a clone of such an object has its text as a plain string, and the bytes no more.
 *
 * @module
 */
import { makeHiddenSlot } from "./hiddenSlot.ts"
import { nodeBuiltins } from "./nodeBuiltins.ts"

const keptOf = /* @__PURE__ */ makeHiddenSlot<{ readonly bytes: Uint8Array; isRead: boolean }>()

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true })

type Test = (bytes: Uint8Array) => boolean

let test: Test | undefined

/** Bytes below which a text is decoded at once. */
export const minAsciiBytes = 4_096

/** Whether all bytes are below 0x80. `false` where the runtime has no fast test. */
export const isAscii: Test = (bytes) => {
  test ??= nodeBuiltins()?.getBuiltinModule("node:buffer")?.isAscii ?? (() => false)
  return test(bytes)
}

/** Decodes ASCII. */
export const decodeAscii = (bytes: Uint8Array): string => decoder.decode(bytes)

/** One getter for all: V8 would keep a closure for each, and its bytes, until a full collection. */
const content: PropertyDescriptor & ThisType<object> = {
  get() {
    const kept = keptOf.get(this)
    if (kept === undefined) {
      throw new TypeError("the content of a chunk is not read through a proxy or an heir: spread the chunk first")
    }
    const value = decoder.decode(kept.bytes)
    // Read again, it may be read for each of its characters. A frozen object stays as it is.
    if (kept.isRead) Reflect.defineProperty(this, "content", { value, enumerable: true, configurable: true })
    kept.isRead = true
    return value
  },
  enumerable: true,
  configurable: true,
}

/** Gives an object `bytes`, which must not change, as its `content`, in place of the text that it has there. */
export const withAsciiContent = <A extends { readonly content: string }>(holder: A, bytes: Uint8Array): A => {
  keptOf.set(holder, { bytes, isRead: false })
  return Object.defineProperty(holder, "content", content)
}

/** The bytes of the `content` of an object; `undefined` when it is a string. */
export const asciiContentOf = (holder: object): Uint8Array | undefined => keptOf.get(holder)?.bytes
