/** Loads the content of a file once, for all forks that share the file. */
import { encodeUtf8 } from "../../base/bytes.ts"
import { Errno } from "../Errno.ts"
import { MemoryVolume } from "./MemoryVolume.ts"
import { type FrozenBytes, SparseBytes } from "./SparseBytes.ts"

/** Returns the content now, or later. */
export type LoadContent = () => string | Uint8Array | PromiseLike<string | Uint8Array>

const unlimited = { maxBytes: Infinity, maxFileBytes: Infinity, maxFiles: Infinity }

const freezeBytes = (content: unknown): FrozenBytes => {
  if (typeof content !== "string" && !(content instanceof Uint8Array)) {
    throw new TypeError(`the content of a file must be text or bytes: ${typeof content}`)
  }
  const bytes = new SparseBytes(new MemoryVolume({ now: () => 0n, device: () => 0 }, unlimited))
  bytes.write(0, typeof content === "string" ? encodeUtf8(content) : content)
  return bytes.freeze()
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof Reflect.get(value, "then") === "function"

export class LazyContent {
  readonly #load: LoadContent
  readonly #failed: (cause: unknown) => void
  #loaded: FrozenBytes | undefined
  #loading: Promise<FrozenBytes | number> | undefined

  /** `failed` is called once for each load that fails. */
  constructor(load: LoadContent, failed: (cause: unknown) => void) {
    this.#load = load
    this.#failed = failed
  }

  /** Returns the content, or starts to load it. `-EIO` if loading failed; the next call tries again. */
  get(): FrozenBytes | number | Promise<FrozenBytes | number> {
    if (this.#loaded !== undefined) return this.#loaded
    if (this.#loading !== undefined) return this.#loading
    try {
      const given: unknown = this.#load()
      if (!isPromise(given)) return this.#loaded = freezeBytes(given)
      const loading = Promise.resolve(given)
        .then((content) => this.#loaded = freezeBytes(content))
        .catch((cause: unknown) => this.#fail(cause))
        .finally(() => void (this.#loading = undefined))
      return this.#loading = loading
    } catch (cause) {
      return this.#fail(cause)
    }
  }

  #fail(cause: unknown): number {
    this.#failed(cause)
    return -Errno.EIO
  }
}
