/** Keeps one container for several leaves: an existing one, or one that is made when needed, and again after its end. */
import { onAbort } from "../../base/abort.ts"
import type { Host } from "../../host/Host.ts"
import { newMarker } from "../../host/runMarker.ts"
import { isInTime } from "../../host/waitRealTime.ts"
import type { ContainerTarget } from "./ContainerSettings.ts"
import { EngineWatchdog } from "./EngineWatchdog.ts"
import { type Keeper, startKeeper } from "./Keeper.ts"
import { ownerLabels } from "./owner.ts"

/** Time in which the client of a container notices its end. */
const noticeMillis = 2_000

/** A container that could not be made. */
export class ContainerStartError extends Error {
  readonly exitCode: number

  constructor(exitCode: number, text: string) {
    super(text)
    this.exitCode = exitCode
  }
}

/** A container that several leaves use. */
export class SharedContainer {
  readonly #host: Host
  readonly #target: ContainerTarget
  readonly #owner: string = newMarker()
  readonly #watchdog = new EngineWatchdog()
  #watching: Promise<void> | undefined
  readonly #closing = new AbortController()
  #keeper: Promise<Keeper> | undefined
  #running: Keeper | undefined
  #count = 0

  constructor(host: Host, target: ContainerTarget) {
    this.#host = host
    this.#target = target
  }

  /**
   * Returns its name. Rejects with a {@link ContainerStartError}, with the runtime's error, or if `closing` is aborted
   * before the container runs, so that a closing leaf does not wait while an image is pulled.
   */
  name(closing: AbortSignal): Promise<string> {
    const name = this.#target.existing ?? (this.#running?.hasEnded() === false ? this.#running.container : undefined)
    if (name !== undefined) return Promise.resolve(name)
    return new Promise((resolve, reject) => {
      const forget = onAbort(closing, () => reject(new Error("the leaf was closed")))
      this.#make().then(({ container }) => resolve(container), reject).finally(forget)
    })
  }

  get made(): string | undefined {
    return this.#running?.container
  }

  async #make(): Promise<Keeper> {
    const { container, engine } = this.#target
    if (container === undefined) throw new Error("there is no container to make")
    await (this.#watching ??= this.#watchdog.start(this.#host, engine, this.#owner, undefined))
    const last = this.#keeper
    const running = await last?.catch(() => undefined)
    // Meanwhile another leaf may have begun to make the container.
    if (last === this.#keeper && (running === undefined || running.hasEnded())) {
      if (this.#closing.signal.aborted) throw new Error("the container was closed")
      const name = `${this.#owner.replace(".", "")}-${++this.#count}`
      const labels = ownerLabels(this.#host, this.#owner)
      this.#keeper = startKeeper(this.#host, engine, container, name, labels, this.#closing.signal)
    }
    const keeper = await this.#keeper
    if (keeper === undefined) throw new Error("there is no container")
    if (keeper.failure !== undefined) throw new ContainerStartError(keeper.failure.exitCode, keeper.failure.text)
    this.#running = keeper
    return keeper
  }

  /**
   * Whether the container has ended or is ending. Its client notices this later than its users. The next call of {@link
   * SharedContainer.name} makes another one.
   */
  async hasEnded(): Promise<boolean> {
    const keeper = await this.#keeper?.catch(() => undefined)
    if (keeper === undefined || keeper.failure !== undefined) return false
    return await isInTime(keeper.ended, noticeMillis)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#watching?.catch(() => {})
    const keeper = await this.#keeper?.catch(() => undefined)
    await keeper?.close()
    // An engine that was killed while it made a container may have finished the container.
    await this.#watchdog.close(keeper?.failure === undefined)
  }
}
