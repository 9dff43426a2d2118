/**
 * Makes objects whose `content` is ASCII bytes, decoded when it is read; the second time the text is kept.
 *
 * A string of 64 KiB that outlives a few collections is copied twice by V8, and again when it is encoded; the bytes are
 * copied once. A spread or a clone of such an object has its text as a plain string, and the bytes no more.
 *
 * @module
 */
import { nodeBuiltins } from "./nodeBuiltins.ts"

const bytesByHolder = new WeakMap<object, Uint8Array>()

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

/** Gives an object `bytes`, which must not change, as its `content`, in place of the text that it has there. */
export const withAsciiContent = <A extends { readonly content: string }>(holder: A, bytes: Uint8Array): A => {
  let isRead = false
  const get = (): string => {
    const value = decoder.decode(bytes)
    // Read again, it may be read for each of its characters.
    if (isRead) Object.defineProperty(holder, "content", { value, enumerable: true, configurable: true })
    isRead = true
    return value
  }
  Object.defineProperty(holder, "content", { get, enumerable: true, configurable: true })
  bytesByHolder.set(holder, bytes)
  return holder
}

/** The bytes of the `content` of an object; `undefined` when it is a string. */
export const asciiContentOf = (holder: object): Uint8Array | undefined => bytesByHolder.get(holder)
