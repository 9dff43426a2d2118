/** Remembers for a while which keys are not files, so that not every write to a folder checks it. */
import { elapsedMillis } from "../../base/monotonicTime.ts"

const maxKeys = 1_024
const maxAgeMillis = 10_000

export class RecentFolders {
  readonly #seen = new Map<string, number>()

  has(key: string): boolean {
    const since = this.#seen.get(key)
    if (since === undefined) return false
    if (elapsedMillis() - since < maxAgeMillis) return true
    this.#seen.delete(key)
    return false
  }

  add(key: string): void {
    this.#seen.delete(key)
    this.#seen.set(key, elapsedMillis())
    const [oldest] = this.#seen.keys()
    if (this.#seen.size > maxKeys && oldest !== undefined) this.#seen.delete(oldest)
  }

  delete(key: string): void {
    this.#seen.delete(key)
  }
}
