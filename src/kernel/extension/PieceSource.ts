/** Pulls the pieces of a value of the host: a `ReadableStream`, an async iterable or an iterable. */
import { isObject } from "../../base/isObject.ts"

export interface PieceSource {
  readonly next: () => unknown
  /** Ends it early. */
  readonly stop: () => unknown
}

export const isStream = (value: unknown): value is ReadableStream<unknown> => value instanceof ReadableStream

export const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  isObject(value) && typeof Reflect.get(value, Symbol.asyncIterator) === "function"

const isIterable = (value: unknown): value is Iterable<unknown> =>
  isObject(value) && typeof Reflect.get(value, Symbol.iterator) === "function"

/** Returns the source of a value; `undefined` for a value of another kind. */
export const sourceOf = (value: unknown): PieceSource | undefined => {
  if (isStream(value)) {
    const reader = value.getReader()
    return { next: () => reader.read(), stop: () => reader.cancel() }
  }
  if (!isAsyncIterable(value) && !isIterable(value)) return undefined
  const iterator = isAsyncIterable(value) ? value[Symbol.asyncIterator]() : value[Symbol.iterator]()
  return { next: () => iterator.next(), stop: () => iterator.return?.() }
}

/** Returns the parts of the result of {@link PieceSource.next}; `undefined` if it is no object. */
export const readingOf = (reading: unknown): { readonly done: boolean; readonly value: unknown } | undefined =>
  isObject(reading) ? { done: Reflect.get(reading, "done") === true, value: Reflect.get(reading, "value") } : undefined
